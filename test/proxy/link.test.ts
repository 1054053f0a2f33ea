import { describe, expect, test } from "vitest";
import { rewriteLink } from "../../src/proxy/link.js";

const asked = new URLSearchParams("search=a&status[]=open&cursor=a&per_page=5");
const link = (query: string, rel = "next") => `<https://service.example/api/v1/accounts?${query}>; rel="${rel}"`;

describe("the Link header for a visitor", () => {
  test("keeps the requested page size if the service's header has none", () => {
    expect(rewriteLink(link("cursor=b"), asked)).toBe('<?search=a&status%5B%5D=open&per_page=5&cursor=b>; rel="next"');
  });

  test("takes the page size from the service's header, and nothing else of its query", () => {
    const found = rewriteLink(link("cursor=b&per_page=2&search=other&key=k"), asked);
    expect(found).toBe('<?search=a&status%5B%5D=open&cursor=b&per_page=2>; rel="next"');
  });

  test("has only the position of the link, not also the requested one", () => {
    expect(rewriteLink(link("page=2"), asked)).toBe('<?search=a&status%5B%5D=open&per_page=5&page=2>; rel="next"');
  });

  test("keeps the relations that lists use, and drops the others", () => {
    const relations = ["first", "prev", "next", "last", "self"];
    const found = rewriteLink(relations.map((rel) => link("page=1", rel)).join(", "), asked) ?? "";
    expect(found.match(/rel="\w+"/g)).toEqual(['rel="next"', 'rel="prev"', 'rel="first"', 'rel="last"']);
  });

  test("is missing if the service's header names no page", () => {
    expect([rewriteLink(null, asked), rewriteLink("", asked), rewriteLink("<>", asked)]).toEqual([null, null, null]);
  });
});
