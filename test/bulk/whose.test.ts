import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { isStoredAs, kin } from "../../src/bulk/kin.js";
import { type Context, RULES, type Seen, type Sent, scaleOf, whose } from "../../src/bulk/whose.js";

const SENT: Sent = {
  row: 1,
  key: "ada@example.org",
  send: { email: "ada@example.org", first_name: "Ada", visible: true },
  keys: ["email"],
};
const RECORD: Seen = {
  id: 11,
  key: "ada@example.org",
  fields: { email: "ada@example.org", first_name: "Ada", visible: true },
  created: 1_000_501,
  updated: 1_000_501,
  zoned: true,
};
const CONTEXT: Context = {
  answered: 11,
  status: 201,
  sentAt: 1_000_000,
  answeredAt: 1_001_000,
  dates: null,
  born: null,
  newest: 900_000,
  floor: null,
  owner: () => null,
  seen: () => false,
  rowOfKey: () => null,
  weight: (_, value) => (typeof value === "boolean" ? 0 : 1),
  scale: { low: -400, high: 400, slack: 0 },
  kept: () => undefined,
  keepsKeys: undefined,
  usual: 201,
  staysFresh: true,
  marks: [],
};
const FOUND = { answered: null, status: null } as const;
const MARKS = [["creation_method", "api"]] as const;
const MARKED = { ...RECORD, fields: { ...RECORD.fields, creation_method: "form" } };
const other = { ...RECORD, key: "zoe@example.org", fields: { first_name: "Zoe" } };

/** One case for each rule, in the order of the table. */
const CASES: readonly (readonly [record: Seen | null, context: Partial<Context>])[] = [
  [null, {}],
  [RECORD, { owner: () => 2 }],
  [RECORD, { born: 990_001 }],
  [{ ...RECORD, created: 990_001 }, {}],
  [other, { rowOfKey: () => 2 }],
  [{ ...other, created: null }, { seen: () => true }],
  [{ ...RECORD, created: null }, { seen: () => true }],
  [RECORD, { status: 200 }],
  [MARKED, { marks: MARKS }],
  [{ ...RECORD, updated: 1_000_900 }, {}],
  [RECORD, {}],
  [{ ...RECORD, created: 999_901, updated: 999_901 }, {}],
  [{ ...RECORD, fields: { first_name: "Zoe" } }, {}],
  [other, FOUND],
  [MARKED, { ...FOUND, marks: MARKS }],
  [RECORD, FOUND],
];

test.each(RULES.map((rule, at) => [`${rule.verdict}: ${rule.why}`, at] as const))("%s", (_, at) => {
  const [record, context] = CASES[at] as (typeof CASES)[number];
  const { verdict, why } = whose(record, SENT, { ...CONTEXT, ...context });
  expect({ verdict, why }).toEqual({ verdict: RULES[at]?.verdict, why: RULES[at]?.why });
});

test("the guide contains the rules", () => {
  const page = readFileSync(new URL("../../docs/bulk-rows.md", import.meta.url), "utf8");
  const table = RULES.map(({ why, verdict }) => `| ${why} | ${verdict} |`).join("\n");
  expect(page).toContain(`| the record | whose it is |\n| --- | --- |\n${table}\n`);
});

describe("a record that a response names is ours", () => {
  const judge = (record: Partial<Seen>, context: Partial<Context> = {}) =>
    whose({ ...RECORD, ...record }, SENT, { ...CONTEXT, ...context }).verdict;

  test("under another key only if the service keeps no key and a distinctive field agrees", () => {
    const key = "generated";
    expect(judge({ key })).toBe("cannot tell");
    expect(judge({ key }, { keepsKeys: false })).toBe("ours");
    expect(judge({ key }, { keepsKeys: false, weight: () => 0 })).toBe("cannot tell");
  });

  test("even if a field differs that the service is known to rewrite", () => {
    const fields = { first_name: "ZZZ", visible: true };
    expect(judge({ fields })).toBe("cannot tell");
    expect(judge({ fields }, { kept: () => false })).toBe("ours");
  });

  test("without a known clock only if it is dated between the request and the response", () => {
    const dates = [1_000_000, 1_001_000] as const;
    expect(judge({}, { scale: null })).toBe("cannot tell");
    expect(judge({}, { scale: null, dates })).toBe("ours");
    expect(judge({ zoned: false }, { scale: null, dates })).toBe("cannot tell");
    expect(judge({ created: 995_001, updated: 995_001 }, { scale: null, dates })).toBe("cannot tell");
  });

  test("without created_at only if its identifier is above those of a look at most 30 s ago", () => {
    const undated = { created: null, updated: null };
    expect(judge(undated, { floor: { id: 10, at: 980_000 } })).toBe("ours");
    expect(judge(undated, { floor: { id: 11, at: 980_000 } })).toBe("cannot tell");
    expect(judge(undated, { floor: { id: 10, at: 960_000 } })).toBe("cannot tell");
  });
});

describe("the run's own records give the service's clock", () => {
  const HOUR = 3_600_000;
  const record = (ahead: number, at: number) => ({
    created: at + 300 + ahead,
    sentAt: at,
    answeredAt: at + 600,
    offset: 300 as number | null,
  });

  test.each([0, -90_007, 2 * HOUR + 13])("whatever the difference: %d", (ahead) => {
    const scale = scaleOf(
      [1_001, 5_002, 9_003].map((at) => ({ ...record(ahead, at), offset: ahead + 300 })),
      true,
      false,
    );
    const isFar = Math.abs(ahead) > 5_000 || ahead === 0;
    expect(scale).toEqual(isFar ? { low: ahead - 300, high: ahead + 301, slack: 0 } : null);
  });

  test("but not two records, nor three that differ by seconds", () => {
    expect(
      scaleOf(
        [1_001, 5_002].map((at) => record(0, at)),
        true,
        false,
      ),
    ).toBeNull();
    expect(scaleOf([record(0, 1_001), record(2_500, 5_002), record(-2_500, 9_003)], true, false)).toBeNull();
  });

  test("but not if another run of the same rows may have created them", () => {
    const leads = [1_001, 5_002, 9_003].map((at) => ({ ...record(-4_000, at), offset: -3_700 }));
    expect(scaleOf(leads, true, false)).toBeNull();
    expect(
      scaleOf(
        leads.map((one) => ({ ...one, offset: null })),
        true,
        true,
      ),
    ).toBeNull();
    expect(
      scaleOf(
        leads.map((one) => ({ ...one, offset: null })),
        true,
        false,
      ),
    ).not.toBeNull();
  });
});

describe("two texts", () => {
  const LONG = "The winter meeting of the teachers and the parents of all schools";

  test.each([
    ["Ada", "<b>ADA</b>"],
    ["Tom & Ann", "Tom &amp; Ann"],
    [LONG, LONG.slice(0, 52)],
    ["06 12345678", "+31612345678"],
    ["\u0661\u0662", "12"],
  ])("are the same: %s, %s", (one, two) => {
    expect([kin(one, two), kin(two, one)]).toEqual(["same", "same"]);
  });

  test.each([
    ["\u00C1da", "Ada"],
    ["Ada Fox", "2030: Ada Fox"],
    ["\u0395\u03BB\u03AD\u03BD\u03B7", "Eleni"],
    ["\u00D8rsted", "Orsted"],
  ])("are kin: %s, %s", (one, two) => {
    expect([kin(one, two), kin(two, one)]).toEqual(["kin", "kin"]);
  });

  test.each([
    ["Ada", "Zoe"],
    ["\u0395\u03BB\u03AD\u03BD\u03B7", "\u0393\u03B9\u03CE\u03C1\u03B3\u03BF\u03C2"],
    ["\u4e2d\u6587", "\u65e5\u672c"],
    ["Ann", "Annual plan of the school"],
    ["06 12345678", "06 12345679"],
  ])("are different: %s, %s", (one, two) => {
    expect([kin(one, two), kin(two, one)]).toEqual(["other", "other"]);
  });

  test.each([
    ["Áda", "ada", true],
    ["Tom & Ann", "Tom &amp; Ann", true],
    ["Ada Fox", "2030: Ada Fox", false],
    // Someone has changed the price.
    ["12.50", "112.50", false],
    ["!", "?", false],
  ])("%s is stored as %s: %s", (one, two, isForm) => {
    expect([isStoredAs(one, two), isStoredAs(two, one)]).toEqual([isForm, isForm]);
  });
});
