import { describe, expect, it } from "vitest";
import { linkTarget } from "../../src/core/link-header.js";

describe("the target of the relation next", () => {
  it.each<[what: string, header: string | null, target: string | null]>([
    ["no header", null, null],
    ["an empty header", "", null],
    ["no link", 'rel="next"', null],
    ["an address that does not end", '<a; rel="next"', null],
    ["another relation", '<a>; rel="prev"', null],
    ["no relation", "<a>", null],
    ["a quoted relation", '<a>; rel="next"', "a"],
    ["an unquoted relation", "<a>; rel=next", "a"],
    ["single quotes", "<a>; rel='next'", "a"],
    ["a quote at one end only, which is part of the name", "<a>; rel='next", null],
    ["a quote at the other end only", "<a>; rel=next'", null],
    ["several relations in one parameter", '<a>; rel="last next"', "a"],
    ["several relations between tabs", '<a>; rel="last\t \tnext"', "a"],
    ["a name that only begins like it", '<a>; rel="nextpage"', null],
    ["upper case", '<a>; REL="NEXT"', "a"],
    ["blanks around everything", '< a > ; \t rel \t = \t "next" ', "a"],
    ["no semicolon before the relation", "<a> rel=next", null],
    ["single quotes and a blank after them", "<a>; rel='next' ; x=1", "a"],
    ["a single quote in the middle, which is part of the name", "<a>; rel=ne'xt'", null],
    ["a single quote that closes too early", "<a>; rel='ne'xt", null],
    ["a comma before a closing quote", '<a>; title="x,"; rel="next"', "a"],
    ["blanks inside the quotes", '<a>; rel=" next "', "a"],
    ["blanks after an unquoted relation", "<a>; rel=next ; x=1", "a"],
    ["no blanks", '<a>;rel="next"', "a"],
    ["the second link", '<a>; rel="prev", <b>; rel="next"', "b"],
    ["the first of two", '<a>; rel="next", <b>; rel="next"', "a"],
    ["a link without relation before it", '<a>, <b>; rel="next"', "b"],
    ["parameters before it", '<a>; title="x"; rel="next"', "a"],
    ["parameters after it", '<a>; rel="next"; title="x"', "a"],
    ["a parameter that only ends like rel", '<a>; xrel="next"', null],
    ["a parameter without a value before it", "<a>; crossorigin; rel=next", "a"],
    ["a parameter without a value at the end", "<a>; rel=next; crossorigin", "a"],
    ["a relation without a value", "<a>; rel", null],
    ["a relation without a value before another link", "<a>; rel, <b>; rel=next", "b"],
    ["only the first rel, as RFC 8288 says", '<a>; rel="prev"; rel="next"', null],
    ["commas, semicolons and equals signs in the address", '<a?b=1,2;c>; rel="next"', "a?b=1,2;c"],
    ["a comma and a semicolon in quotes", '<a>; title="x, <y>; rel=prev"; rel="next"', "a"],
    ["a quote behind a backslash in quotes", '<a>; title="x\\", rel=\\"prev"; rel="next"', "a"],
    ["a backslash at the very end", '<a>; rel="next"; title="x\\', "a"],
    ["a quoted value that does not end", '<a>; rel="next', "a"],
    ["text between the address and its parameters", "<a> x; rel=next", "a"],
    ["an empty value, then another parameter", "<a>; title=; rel=next", "a"],
    ["an unquoted value that ends with the link", "<a>; title=x, <b>; rel=next", "b"],
  ])("%s", (_, header, target) => {
    expect(linkTarget(header, "next")).toBe(target);
  });

  it("is distinguished from the targets of other relations", () => {
    const header = '<a>; rel="first", <b>; rel=prev, <c>; rel="next last"';
    expect(["first", "prev", "next", "last", "self"].map((name) => linkTarget(header, name))).toEqual([
      "a",
      "b",
      "c",
      "c",
      null,
    ]);
  });
});
