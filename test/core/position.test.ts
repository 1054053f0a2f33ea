import { describe, expect, it } from "vitest";
import type { Query } from "../../src/core/call/request.js";
import { filtersOf, nextPosition, positionKey, positionOf } from "../../src/core/lists/position.js";

const PAGE_URL = "https://school.example/gateway/api/v1/rooms";
const link = (target: string) => `<${target}>; rel="next"`;

it("a query consists of its filters and its position", () => {
  const query: Query = [
    ["search", "x"],
    ["per_page", "7"],
    ["page", "2"],
    ["cursor", "c"],
    ["status[]", "open"],
  ];
  expect(filtersOf(query)).toEqual([
    ["search", "x"],
    ["status[]", "open"],
  ]);
  expect(positionOf(query)).toEqual([
    ["per_page", "7"],
    ["page", "2"],
    ["cursor", "c"],
  ]);
});

describe("the position of the next page", () => {
  const size: Query = [["per_page", "7"]];

  it.each<[what: string, header: string | null, filters: Query, next: Query | null | "torn"]>([
    ["no header: the end", null, [], null],
    ["no next link: the end", '<?cursor=a>; rel="prev"', [], null],
    ["an empty header: the end", "", [], null],
    ["a parameter without a link: the end", 'rel="prev"', [], null],
    ["quoted brackets: the end", '<?cursor=a>; rel="prev"; title="a < b, \\"c\\" < d"', [], null],
    ["an address that is none", link("https://["), [], "torn"],
    ["an address cut off", "<https://school.example/api/v1/rooms?cur", [], "torn"],
    ["a second link cut off", '<?cursor=a>; rel="prev", <?cursor=b', [], "torn"],
    ["a relation cut off", '<?cursor=a>; rel="ne', [], "torn"],
    ["a link cut off after its address", "<?cursor=a>", [], "torn"],
    ["a relation cut off before its value", "<?cursor=a>; rel=", [], "torn"],
    ["a relation without quotes cut off", "<?cursor=a>; rel=nex", [], "torn"],
    ["a list of links cut off", '<?cursor=a>; rel="prev",', [], "torn"],
    ["a first page alone", '<?cursor=a>; rel="first"', [], null],
    ["a next page without brackets", '/api/v1/rooms?cursor=a; rel="next"', [], "torn"],
    [
      "a query alone",
      link("?cursor=a"),
      [],
      [
        ["cursor", "a"],
        ["per_page", "7"],
      ],
    ],
    [
      "another host and path, which do not count",
      link("https://inner.example/x?cursor=a"),
      [],
      [
        ["cursor", "a"],
        ["per_page", "7"],
      ],
    ],
    [
      "a page size of its own",
      link("?cursor=a&per_page=50"),
      [],
      [
        ["cursor", "a"],
        ["per_page", "50"],
      ],
    ],
    [
      "encoded text",
      link("?cursor=a%2Bb%3D"),
      [],
      [
        ["cursor", "a+b="],
        ["per_page", "7"],
      ],
    ],
    ["an address without a query", link("/rooms"), [], [["per_page", "7"]]],
    [
      "the caller's filters, which stay the caller's",
      link("?cursor=a&search=other&at=1"),
      [["search", "mine"]],
      [
        ["cursor", "a"],
        ["at", "1"],
        ["per_page", "7"],
      ],
    ],
    [
      "a filter that the link writes with brackets",
      link("?cursor=a&status[]=open"),
      [["status", "open"]],
      [
        ["cursor", "a"],
        ["per_page", "7"],
      ],
    ],
    [
      "a filter that the caller writes with brackets",
      link("?cursor=a&status=open"),
      [["status[]", "open"]],
      [
        ["cursor", "a"],
        ["per_page", "7"],
      ],
    ],
    [
      "a parameter whose name only contains brackets",
      link("?cursor=a&status[]x=open"),
      [["status", "open"]],
      [
        ["cursor", "a"],
        ["status[]x", "open"],
        ["per_page", "7"],
      ],
    ],
  ])("%s", (_, header, filters, next) => {
    expect(nextPosition(header, filters, size, PAGE_URL)).toEqual(next);
  });

  it("has no page size if the caller set none, and nothing else of the previous position", () => {
    const before: Query = [
      ["cursor", "old"],
      ["at", "0"],
    ];
    expect(nextPosition(link("?cursor=a"), [], before, PAGE_URL)).toEqual([["cursor", "a"]]);
  });
});

describe("two positions are the same page", () => {
  it.each<[string, Query, Query, boolean]>([
    [
      "when they have one cursor, whatever else differs",
      [
        ["cursor", "a"],
        ["at", "1"],
      ],
      [
        ["at", "2"],
        ["cursor", "a"],
      ],
      true,
    ],
    ["not with different cursors", [["cursor", "a"]], [["cursor", "b"]], false],
    ["not with different pages", [["page", "1"]], [["page", "2"]], false],
    [
      "when only the page size differs",
      [
        ["page", "1"],
        ["per_page", "5"],
      ],
      [
        ["per_page", "9"],
        ["page", "1"],
      ],
      true,
    ],
    ["not when one has a cursor", [["cursor", "a"]], [], false],
  ])("%s", (_, one, other, same) => {
    expect(positionKey(one) === positionKey(other)).toBe(same);
  });
});
