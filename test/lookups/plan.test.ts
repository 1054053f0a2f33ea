import { describe, expect, it } from "vitest";
import { cheapest, type ReadFacts } from "../../src/lookups/plan.js";

const facts = (more: Partial<ReadFacts>): ReadFacts => ({
  missing: 50,
  spent: 0,
  single: true,
  filter: false,
  pageSize: 100,
  pages: null,
  ...more,
});

describe("the cheapest way to read some records", () => {
  it.each<[string, Partial<ReadFacts>, ReturnType<typeof cheapest>]>([
    ["one record is read by itself", { missing: 1 }, { strategy: "single", requests: 1 }],
    ["several: the list's length has to be known", {}, null],
    ["a shorter list is read as a whole", { pages: 49 }, { strategy: "list", requests: 49 }],
    [
      "a list of as many pages too: it also finds those that come later",
      { pages: 50 },
      { strategy: "list", requests: 50 },
    ],
    ["a longer list is not", { pages: 51 }, { strategy: "single", requests: 50 }],
    ["what was spent counts", { pages: 90, spent: 40 }, { strategy: "list", requests: 90 }],
    ["no list: one by one", { pages: undefined }, { strategy: "single", requests: 50 }],
    ["a filter takes a hundred at once", { filter: true, missing: 100 }, { strategy: "filter", requests: 1 }],
    ["a filter: one record is still read by itself", { filter: true, missing: 1 }, { strategy: "single", requests: 1 }],
    ["a filter and 250 records: the list's length matters", { filter: true, missing: 250 }, null],
    [
      "a filter, 250 records, a list of 2 pages",
      { filter: true, missing: 250, pages: 2 },
      { strategy: "list", requests: 2 },
    ],
    [
      "a filter, 250 records, a list of 9 pages",
      { filter: true, missing: 250, pages: 9 },
      { strategy: "filter", requests: 3 },
    ],
    ["a filter used before", { filter: true, missing: 50, spent: 1 }, null],
    ["neither a single read nor a filter", { single: false, pages: 9 }, { strategy: "list", requests: 9 }],
    ["the same, length unknown", { single: false }, { strategy: "list", requests: null }],
  ])("%s", (_, more, plan) => {
    expect(cheapest(facts(more))).toEqual(plan);
  });
});
