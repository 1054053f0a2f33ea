import { describe, expect, it } from "vitest";
import type { Query } from "../../src/core/call/request.js";
import { CheckpointError } from "../../src/core/errors.js";
import { writeCheckpoint } from "../../src/core/lists/checkpoint.js";
import { readCheckpoint } from "../../src/core/lists/read-checkpoint.js";
import { pageSource } from "../support/page-source.js";

const requestOf = (...query: Query) => pageSource(query).request(null);
const rooms = requestOf(["search", "north"]);
const after: Query = [
  ["cursor", "abc"],
  ["per_page", "7"],
];

function refusal(text: unknown, request = rooms): string {
  try {
    readCheckpoint(text, request);
  } catch (error) {
    expect(error).toBeInstanceOf(CheckpointError);
    expect(error).toMatchObject({ operation: "rooms.list" });
    return (error as Error).message;
  }
  throw new Error(`${String(text)} should be refused`);
}

describe("the text of a checkpoint", () => {
  it.each<[string, Query | null]>([
    ["a position", after],
    ["no parameter at all", []],
    ["the end of the list", null],
  ])("is decoded to %s", (_, next) => {
    expect(readCheckpoint(writeCheckpoint(rooms, next), rooms)).toEqual(next);
  });

  it("leaves out everything in a link but the position, unless only the rest leads on", () => {
    expect(readCheckpoint(writeCheckpoint(rooms, [["at", "1"], ...after]), rooms)).toEqual(after);
    expect(refusal(writeCheckpoint(rooms, [["after", "5"]]))).toContain("other than cursor");
  });

  it("contains a version, the operation, the position, and a hash of the filters", () => {
    expect(JSON.parse(writeCheckpoint(rooms, after))).toEqual({
      v: 1,
      operation: "rooms.list",
      filters: expect.stringMatching(/^[0-9a-f]{16}$/),
      next: after.map((pair) => [...pair]),
    });
    expect(writeCheckpoint(rooms, after)).not.toContain("north");
  });
});

describe("a checkpoint matches", () => {
  it.each<[string, Query, Query]>([
    ["whatever the position of the list that resumes", [["cursor", "x"]], []],
    ["a filter of several values in either format of arrays", [["status[]", "open"]], [["status", "open"]]],
    [
      "filters in another order",
      [
        ["a", "1"],
        ["b", "2"],
      ],
      [
        ["b", "2"],
        ["a", "1"],
      ],
    ],
    ["a sort in either format of arrays", [["sort[]", "name:asc"]], [["sort", "name:asc"]]],
  ])("%s", (_, one, other) => {
    expect(readCheckpoint(writeCheckpoint(requestOf(...one), after), requestOf(...other))).toEqual(after);
  });

  it.each<[string, Query, Query]>([
    ["another value", [["a", "1"]], [["a", "2"]]],
    ["another name", [["a", "1"]], [["b", "1"]]],
    ["brackets inside a name, which are part of it", [["a[]b", "1"]], [["ab", "1"]]],
    ["a filter more", [], [["a", "1"]]],
    ["no sort", [["sort", "name:asc"]], []],
    [
      "another order of sorting",
      [
        ["sort", "name:asc"],
        ["sort", "id:asc"],
      ],
      [
        ["sort", "id:asc"],
        ["sort", "name:asc"],
      ],
    ],
    [
      "one sort instead of two with the same letters",
      [
        ["sort", "na"],
        ["sort", "me"],
      ],
      [["sort", "name"]],
    ],
    [
      "two filters instead of one with both texts",
      [["a", "1"]],
      [
        ["a", ""],
        ["", "1"],
      ],
    ],
  ])("no list with %s", (_, one, other) => {
    expect(refusal(writeCheckpoint(requestOf(...one), after), requestOf(...other))).toContain("different filters");
  });

  it("no list at another path", () => {
    const text = writeCheckpoint({ ...rooms, path: "api/v1/buildings/7/rooms" }, after);
    expect(refusal(text)).toContain("different filters");
  });
});

describe("a text that is not a checkpoint of this list is refused", () => {
  const good = JSON.parse(writeCheckpoint(rooms, after)) as object;
  const change = (change: object) => JSON.stringify({ ...good, ...change });

  it.each<[string, unknown, string]>([
    ["no text", 7, "not a checkpoint"],
    ["a list of checkpoints", [JSON.stringify(good)], "not a checkpoint"],
    ["an object instead of its text", good, "not a checkpoint"],
    ["text that is no JSON", "{", "not a checkpoint"],
    ["JSON of a number", "7", "not a checkpoint"],
    ["JSON of text", '"rooms.list"', "not a checkpoint"],
    ["null", "null", "not a checkpoint"],
    ["an array", "[]", "not a checkpoint"],
    ["no operation", change({ operation: undefined }), "not a checkpoint"],
    ["an operation that is a number", change({ operation: 7 }), "not a checkpoint"],
    ["a newer version", change({ v: 2 }), "has version 2; this library reads version 1"],
    ["no version", change({ v: undefined }), "has version undefined"],
    ["another operation", change({ operation: "halls.list" }), "created by halls.list"],
    ["a position that is text", change({ next: "abc" }), "damaged"],
    ["a position that is left out", change({ next: undefined }), "damaged"],
    ["another parameter", change({ next: [...after, ["include", "all"]] }), "other than cursor, page and per_page"],
    ["a filter of the list", change({ next: [...after, ["search", "south"]] }), "other than cursor"],
    ["a parameter that is text", change({ next: ["ab"] }), "damaged"],
    ["a parameter without a value", change({ next: [["cursor"]] }), "damaged"],
    ["a parameter with two values", change({ next: [["cursor", "a", "b"]] }), "damaged"],
    ["a value that is a number", change({ next: [["cursor", 7]] }), "damaged"],
    ["half a surrogate pair, which cannot be sent", change({ next: [["cursor", "\ud800"]] }), "damaged"],
    [
      "one good parameter and a bad one",
      change({
        next: [
          ["cursor", "a"],
          ["x", null],
        ],
      }),
      "damaged",
    ],
  ])("%s", (_, text, words) => {
    const message = refusal(text);
    expect(message).toContain(words);
    expect(message).toMatch(/^rooms\.list: .*Nothing was sent\.$/);
  });
});
