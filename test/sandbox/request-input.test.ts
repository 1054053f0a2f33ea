import { describe, expect, it, test } from "vitest";
import * as z from "zod/mini";
import type { Operation } from "../../src/core/operation.js";
import { model } from "../../src/core/schema/model.js";
import { allOperations } from "../../src/operations.js";
import { mannersOf } from "../../src/sandbox/data/manners.js";
import { readBody, readParams, readQuery } from "../../src/sandbox/engine/input.js";
import { Refusal } from "../../src/sandbox/engine/refusal.js";
import { checkPairs, checkReferences, checkRules } from "../../src/sandbox/engine/rules.js";

const rowOf = (id: string): Operation => {
  const row = allOperations.find((one) => one.id === id);
  if (!row) throw new Error(`${id} is missing`);
  return row;
};
/** Summarizes a refusal: its status, and the number of messages per field. */
const refusal = (run: () => unknown) => {
  try {
    return { accepted: run() };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { status: error.status, fields: Object.keys(error.errors) };
  }
};

describe("the path of a request", () => {
  it("has identifiers as numbers, and is unknown with any other text", () => {
    expect(readParams(rowOf("accounts.get"), { id: "7" })).toEqual({ id: 7 });
    for (const id of ["x", "1.5", "", "7x", "x7", "0x7"]) {
      expect(
        refusal(() => readParams(rowOf("accounts.get"), { id })),
        id,
      ).toEqual({ status: 404, fields: [] });
    }
    expect(readParams(rowOf("accounts.list"), {})).toEqual({});
  });
});

describe("the query of a request", () => {
  const query = (text: string, row: Operation = rowOf("accounts.list")) =>
    refusal(() => readQuery(row, new URLSearchParams(text), mannersOf()));

  const kinds = model(() => ({
    number: z.optional(z.number()),
    flag: z.optional(z.nullable(z.boolean())),
    numbers: z.optional(z.array(z.int())),
    either: z.optional(z.union([z.int(), z.array(z.int())])),
    choice: z.optional(z.union([z.literal("a"), z.literal("b")])),
  }));
  const row: Operation = { ...rowOf("accounts.list"), query: kinds };

  test.each([
    ["number=-1.5", { number: -1.5 }],
    ["number=10", { number: 10 }],
    ["number=0.25", { number: 0.25 }],
    ["number=1&number=2", { number: 2 }],
    ["flag=true", { flag: true }],
    ["flag=false", { flag: false }],
    ["numbers=1", { numbers: [1] }],
    ["numbers=1,2", { numbers: [1, 2] }],
    ["numbers=1&numbers=2", { numbers: [1, 2] }],
    ["numbers[]=1&numbers[]=2", { numbers: [1, 2] }],
    ["numbers[]=1&numbers=2", { numbers: [1, 2] }],
    ["either=1", { either: [1] }],
    ["either=1,2", { either: [1, 2] }],
    ["choice=b", { choice: "b" }],
    ["per_page=5&page=2", { per_page: 5, page: 2 }],
    ["", {}],
  ])("%s", (text, values) => {
    expect(query(text, row)).toEqual({ accepted: values });
  });

  test.each([
    ["number=1.", ["number"]],
    ["number=.5", ["number"]],
    ["number=1e3", ["number"]],
    ["number=", ["number"]],
    ["number=a1", ["number"]],
    ["number=1a", ["number"]],
    ["flag=yes", ["flag"]],
    ["flag=", ["flag"]],
    ["numbers=1,x", ["numbers[1]"]],
    ["numbers=1&numbers=2,3", ["numbers[1]"]],
    ["choice=c", ["choice"]],
    ["unheard_of=1", ["unheard_of"]],
    ["unheard_of=1&number=x&per_page=0", ["number", "per_page", "unheard_of"]],
  ])("%s is refused with 400", (text, fields) => {
    const answer = query(text, row) as { status: number; fields: string[] };
    expect({ ...answer, fields: answer.fields?.sort() }).toEqual({ status: 400, fields });
  });

  it("is refused with each message of a field only once", () => {
    const readInvalid = () => readQuery(row, new URLSearchParams("number=x&number=y&flag=z"), mannersOf());
    const message = [expect.stringMatching(/./)];
    expect(readInvalid).toThrow(expect.objectContaining({ errors: { number: message, flag: message } }));
  });

  it("may have a page only for a list with pages", () => {
    expect(query("per_page=1", { ...row, paged: "none" })).toMatchObject({ status: 400 });
    expect(query("page=1", { ...row, paged: "cursor" })).toMatchObject({ status: 400 });
    expect(query("cursor=x", { ...row, paged: "cursor" })).toEqual({ accepted: { cursor: "x" } });
  });
});

describe("the body of a request", () => {
  const body = (text: string, id = "accounts.create") => refusal(() => readBody(rowOf(id), text));

  it("is read as JSON with the operation's fields", () => {
    expect(body('{"name":"x","label_ids":[1]}')).toEqual({ accepted: { name: "x", label_ids: [1] } });
    expect(body("", "accounts.list")).toEqual({ accepted: {} });
    expect(body("not JSON", "accounts.list")).toEqual({ accepted: {} });
  });

  test.each([
    ["{", 400, []],
    ["", 422, ["name"]],
    ["[]", 422, ["base"]],
    ["null", 422, ["base"]],
    ["{}", 422, ["name"]],
    ['{"name":7,"email":7}', 422, ["name", "email"]],
    ['{"name":"x","label_ids":["y"]}', 422, ["label_ids[0]"]],
  ])("%s is refused with %d", (text, status, fields) => {
    expect(body(text)).toEqual({ status, fields });
  });
});

describe("rules for fields of known names", () => {
  const brokenFields = (value: object) => {
    const answer = refusal(() => checkRules(value as never));
    return "fields" in answer ? answer.fields : [];
  };
  test.each<[string, readonly unknown[], readonly unknown[]]>([
    ["name", ["x", " x ", null, undefined], ["", " ", "\t"]],
    ["title", ["x", null], ["", " "]],
    [
      "email",
      ["a@b.example", "a.b+c@d.e.example", null],
      [
        "a",
        "a@b",
        "a@b.",
        "a@.example",
        "@b.example",
        "a b@c.example",
        "a@b c.example",
        "a@b@c.example",
        "a@b..example",
      ],
    ],
    ["color", ["#336699", "#ABC", "#abc"], ["336699", "#33669", "#3366999", "#ggg", "x#336699", "#336699x"]],
    ["cost", [0, "0", "0.01", 5], [-1, "-0.01"]],
    ["starting_price", [0], [-1]],
    ["min_participants", [0], [-1]],
    ["max_participants", [0], [-1]],
    ["capacity", [0], [-1]],
    ["percentage", [0, "100", 50], [-1, "100.1", "x"]],
    ["unit_price", [-1, ""], []],
  ])("%s", (name, accepted, refused) => {
    for (const value of accepted) expect(brokenFields({ [name]: value }), String(value)).toEqual([]);
    for (const value of refused) expect(brokenFields({ [name]: value }), String(value)).toEqual([name]);
  });

  it("apply at every depth, and report the path", () => {
    const item = { name: "", cost: 1, list: [{ title: "x" }, { title: "" }] };
    expect(brokenFields({ items: [{ name: "x" }, item], address: { email: "x" } })).toEqual([
      "items[1].name",
      "items[1].list[1].title",
      "address.email",
    ]);
  });

  it("do not apply to names that the provider chose", () => {
    for (const own of ["custom", "custom_associations", "properties"])
      expect(brokenFields({ [own]: { name: "" } })).toEqual([]);
  });

  const [early, late] = ["2030-01-01T09:00:00.000Z", "2030-01-01T10:00:00.000Z"];
  const pair = (start?: unknown, end?: unknown) => ({ start_date_time: start, end_date_time: end });
  test.each([
    ["the end after the start", pair(early, late), []],
    ["the end before the start", pair(late, early), ["end_date_time"]],
    ["both at once", pair(early, early), ["end_date_time"]],
    ["only a start", pair(early), []],
    ["only an end", pair(undefined, early), []],
    ["no end", pair(early, null), []],
    ["inside of another field", { meeting: pair(late, early) }, ["meeting.end_date_time"]],
  ])("require times in order: %s", (_, value, fields) => {
    expect(brokenFields(value)).toEqual(fields);
  });

  test.each([
    ["a start after the end", pair(late), pair(undefined, early), ["start_date_time"]],
    ["an end before the start", pair(undefined, early), pair(late), ["end_date_time"]],
    ["both, against an older record", pair(early, late), pair(late, early), []],
    ["neither", {}, pair(late, early), []],
    ["a start alone", pair(early), pair(undefined, late), []],
  ])("compare an update with the record: %s", (_, sent, record, fields) => {
    const answer = refusal(() => checkPairs(sent as never, record as never));
    expect("fields" in answer ? answer.fields : []).toEqual(fields);
  });
});

describe("references in a body", () => {
  const inquiry = { store: { accounts: { peek: (id: number) => (id === 1 ? {} : undefined) } } } as never;
  test.each([
    ["a record that exists", { account_id: 1, account_ids: [1, 1] }, null],
    ["a record that does not", { account_id: 2 }, ["account_id"]],
    ["one of several", { account_ids: [1, 2] }, ["account_ids"]],
    ["inside of lists", { items: [{ account_id: 1 }, { account_id: 2 }] }, ["items[1].account_id"]],
    ["inside of other fields", { item: { account_id: 2 } }, ["item.account_id"]],
    ["nothing", { account_id: null, account_ids: undefined }, null],
    ["text, which is no identifier of a record", { account_id: "2" }, null],
    ["a field that refers to nothing known", { user_id: 2, user_ids: [2] }, null],
    ["no body", null, null],
  ])("%s", (_, body, fields) => {
    const answer = refusal(() => checkReferences(body, inquiry));
    expect(answer).toEqual(fields === null ? { accepted: undefined } : { status: 422, fields });
  });
});
