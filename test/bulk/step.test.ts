import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { fold, type History, reopen } from "../../src/bulk/history.js";
import type { Fact, PlannedRow } from "../../src/bulk/lines.js";
import { type Look, type Shown, Sight } from "../../src/bulk/sight.js";
import { type Read, type Step, step } from "../../src/bulk/step.js";
import { type Case, ROWS, WITNESS } from "./support/step-case.js";
import { CASES } from "./support/steps.js";
import { ANSWERED_CASES } from "./support/steps-answered.js";

const ALL = [...CASES, ...ANSWERED_CASES];

const SETTINGS = {
  settleMs: 1,
  freshMs: 0.01,
  lookMs: Number.POSITIVE_INFINITY,
  currentValue: (_: unknown, path: string, record: Readonly<Record<string, unknown>>) => record[path],
  unseenObject: () => null,
  movedFields: () => ({}),
  print: (_: unknown, { w = "" }: Readonly<Record<string, unknown>>) => String(w),
  most: 3,
  same: (_: unknown, path: string, expected: unknown, record: Readonly<Record<string, unknown>>) =>
    record[path] === expected,
  keys: ["name"],
};

test.each(ALL)("a $row $when: $next", ({ row, lines, witness, now, look, read, decision }) => {
  const history = fold(ROWS[row], lines);
  const rows = [history, ...(witness ? [fold(WITNESS, witness.lines)] : [])];
  const seen: Look = { began: 0, whole: false, ascending: true, shown: [], ...look };
  const evidence = {
    now,
    sight: look ? new Sight(seen, rows, SETTINGS) : null,
    read: read ? { began: now, ended: now, record: null, key: ROWS[row].key ?? null, ...read } : null,
  };
  expect(withoutWhy(step(history, evidence, SETTINGS))).toEqual(decision);
});

test.each([
  [{ began: 0, ended: 9 }, "send"],
  [{ began: 0, ended: 4 }, "look"],
  [{ began: 4 }, "look"],
])("a create is sent after a look that ended at most `lookMs` ago, however long it took: %o", (look, next) => {
  const seen: Look = { whole: false, ascending: true, shown: [], ...look };
  const history = fold(ROWS.create, []);
  const sight = new Sight(seen, [history], SETTINGS);
  expect(step(history, { now: 10, sight, read: null }, { ...SETTINGS, lookMs: 5 })).toMatchObject({ do: next });
});

const at = (id: number, key: string, name: string, version: unknown = 1): Shown => ({
  id,
  key,
  record: { name },
  created: 1,
  version,
});
const create = (row: number, key: string, name: string, ...lines: readonly Omit<Fact, "row">[]): History =>
  fold(
    { row, do: "create", key, send: { name } },
    lines.map((line) => ({ row, ...line })),
  );
const createdFact = (id: number): Omit<Fact, "row"> => ({ done: "created", id, made: 10, version: 1 });
const ADA = at(11, "ada", "Ada");
const SENT_TWICE = [{ try: 8 }, { try: 10 }, createdFact(11)] as const;

describe("cases that the tables of the documentation leave out:", () => {
  const decideWith = (history: History, look: Partial<Look>, others: readonly History[] = []) => {
    const seen: Look = { began: 14, whole: true, ascending: true, shown: [], ...look };
    return step(history, { now: 15, sight: new Sight(seen, [history, ...others], SETTINGS), read: null }, SETTINGS);
  };

  test("a row that was sent more than once is looked for in the whole list, 3 x settleMs after the last request", () => {
    const row = create(1, "ada", "Ada", ...SENT_TWICE);
    const shown = [at(11, "ada", "Ada")];
    expect(decideWith(row, { began: 12.5, shown })).toMatchObject({ do: "look", whole: false });
    expect(decideWith(row, { began: 13, whole: false, shown })).toMatchObject({ do: "look", whole: true });
    expect(decideWith(row, { began: 13, shown })).toMatchObject({ do: "confirm", confirmed: true });
  });

  test("a row that was sent once is looked for in the whole list if the end of the list may be incomplete", () => {
    const row = create(1, "ada", "Ada", { try: 10 }, createdFact(11));
    const shown = [at(11, "ada", "Ada")];
    expect(decideWith(row, { whole: false, shown })).toMatchObject({ do: "confirm" });
    expect(decideWith(row, { whole: false, shown, ascending: false })).toMatchObject({ do: "look", whole: true });
    const unseen = create(2, "zoe", "Zoe", { try: 10 }, createdFact(12));
    expect(decideWith(row, { whole: false, shown }, [unseen])).toMatchObject({ do: "look", whole: true });
  });

  test("a row that was sent more than once counts as created twice if a second record may be its own under another key", () => {
    const row = create(1, "ada", "Ada", ...SENT_TWICE);
    const shown = [at(11, "ada", "Ada"), at(13, "ada 2", "Ada")];
    expect(decideWith(row, { shown })).toMatchObject({ do: "end", outcome: "doubled", ids: [11, 13] });
    // The row was sent once, so any further record can only be a copy.
    const once = create(1, "ada", "Ada", { try: 10 }, createdFact(11));
    expect(decideWith(once, { shown })).toMatchObject({ do: "confirm" });
  });

  test("a record with the key of another row in doubt belongs to that row, unless both keys may be stored alike", () => {
    const doubt = (key: string) => create(2, key, "Ada", { try: 10 });
    const row = create(1, "ada", "Ada", { try: 10 });
    const look = (key: string) => decideWith(row, { shown: [at(13, key, "Ada")] }, [doubt(key)]);
    expect(look("ada b")).toMatchObject({ do: "end", outcome: "unknown", ids: [13] });
    // No witness shows what the service does to keys, so this row is not sent either.
    expect(look("zoe")).toMatchObject({ do: "end", outcome: "unknown", ids: [] });
  });

  test("a witness that someone has edited does not show what the service stores", () => {
    const row = create(1, "ada", "Ada", { try: 10 });
    const witness = create(2, "zoe", "Zoe", { try: 10 }, createdFact(12));
    const look = (key: string, version: number) =>
      decideWith(row, { shown: [at(12, key, "Zoe", version), at(13, "qqq", "Ada")] }, [witness]);
    // The witness shows that the service keeps keys as sent, so the record with another key belongs to none of these
    // rows.
    expect(look("zoe", 1)).toMatchObject({ do: "send" });
    expect(look("zoe", 2)).toMatchObject({ do: "end", outcome: "unknown", ids: [13] });
  });

  test("a witness whose key an automation has changed shows that the record of a lost request may have another key too", () => {
    const row = create(1, "ada", "Ada", { try: 10 });
    const witness = (number: number, key: string) => create(number, key, "Zoe", { try: 10 }, createdFact(number + 10));
    const look = (key: string) =>
      decideWith(row, { shown: [at(12, "zoe", "Zoe"), at(14, key, "Zed", 2), at(13, "qqq", "Ada")] }, [
        witness(2, "zoe"),
        create(4, "zed", "Zed", { try: 10 }, createdFact(14)),
      ]);
    expect(look("zed")).toMatchObject({ do: "send" });
    expect(look("renamed")).toMatchObject({ do: "end", outcome: "unknown", ids: [13] });
  });

  test.each([
    ["Ada!", 1, true],
    ["Ada!", undefined, true],
    ["Adam", undefined, false],
    ["Somebody", 1, true],
    ["Somebody", undefined, false],
  ])(
    "a value is the service's if it is another form of the sent one, or if no one has written since, else not confirmed: %s at %s",
    (name, version, isOwn) => {
      const row = create(1, "ada", "Ada", { try: 10 }, { ...createdFact(11), version });
      const { created: _, ...shown } = { ...at(11, "ada", name), version };
      const differs = isOwn && { differs: { name: ["Ada", name] } };
      expect(withoutWhy(decideWith(row, { shown: [shown] }))).toEqual({ do: "confirm", confirmed: isOwn, ...differs });
    },
  );

  test("of two rows with the same record in their responses, the one with the first response has created it", () => {
    const first = create(1, "ada", "Ada", { try: 10 }, createdFact(11));
    const second = create(2, "adam", "Adam", { try: 10 }, { ...createdFact(11), made: 10.1 });
    const look = { shown: [at(11, "ada", "Ada")] };
    const seen: Look = { began: 14, whole: true, ascending: true, ...look };
    for (const rows of [
      [first, second],
      [second, first],
    ]) {
      const sight = new Sight(seen, rows, SETTINGS);
      expect(step(first, { now: 15, sight, read: null }, SETTINGS)).toMatchObject({ do: "confirm" });
      expect(step(second, { now: 15, sight, read: null }, SETTINGS)).toMatchObject({ outcome: "unknown", ids: [11] });
    }
  });

  test("a run counts only its own requests for a row", () => {
    const change = { ...fold(ROWS.change, THRICE), earlier: 1 };
    expect(step(change, { now: 15, sight: null, read: ANN }, SETTINGS)).toEqual({ do: "send" });
    const lost = { ...fold(ROWS.create, THRICE), earlier: 1 };
    const witness = create(2, "zoe", "Zoe", { try: 13 }, createdFact(12));
    expect(decideWith(lost, { shown: [at(12, "zoe", "Zoe")] }, [witness])).toEqual({ do: "send" });
  });

  test("the last look gives the time of an update if the response did not", () => {
    const row = create(1, "ada", "Ada", { try: 10 }, { done: "created", id: 11, made: 10 });
    expect(decideWith(row, { shown: [at(11, "ada", "Ada", 0)] })).toMatchObject({ do: "confirm", version: 0 });
    expect(decideWith(create(1, "ada", "Ada", { try: 10 }, createdFact(11)), { shown: [ADA] })).not.toHaveProperty(
      "version",
    );
  });

  test("a record older than the plan was not created by a lost request", () => {
    const row = create(1, "ada", "Ada", { try: 10 });
    expect(decideWith(row, { shown: [ADA], since: 1 })).toMatchObject({ outcome: "created", id: 11 });
    expect(decideWith(row, { shown: [ADA], since: 5_000 })).toMatchObject({ outcome: "unknown", ids: [11] });
  });

  test("a deletion that was refused when sent again is sent again by the next run", () => {
    const refused: readonly Fact[] = [...LOST, { row: 1, try: 12 }, { row: 1, none: true, refused: true }];
    expect([ROWS.delete, ROWS.change].map((row) => reopen(fold(row, refused), 20).refused)).toEqual([false, true]);
  });

  test("a record stays known, whatever the outcome of its row", () => {
    const row = create(1, "ada", "Ada", ...SENT_TWICE, { done: "unknown", id: 11, ids: [11] });
    expect(row.made).toMatchObject({ id: 11 });
    expect(decideWith(row, { shown: [at(11, "ada", "Ada")] })).toMatchObject({ do: "confirm", confirmed: true });
  });
});

const { change, delete: deletion } = ROWS;
const ANN = { began: 15, ended: 15, record: { name: "Ann" }, key: "ann" };
const LOST: readonly Fact[] = [{ row: 1, try: 10, version: 1 }];
const THRICE = [10, 11, 12].map((time): Fact => ({ row: 1, try: time }));
const stale = { do: "end", outcome: "stale", id: 7 };
const doubtful = { do: "end", outcome: "unknown", id: 7, ids: [7] };
const gone = { record: null };

test.each<[string, PlannedRow, readonly Fact[], Partial<Read>, object]>([
  ["read before a lost request is over", change, LOST, { began: 10.9 }, { do: "read" }],
  ["to be undone before the change may be over", { ...change, after: 16 }, [], {}, { do: "wait", until: 16 }],
  ["gone after a request", change, LOST, gone, { ...doubtful, status: 404 }],
  ["gone before its deletion", deletion, [], gone, { do: "end", outcome: "unchanged", id: 7 }],
  ["gone by a 404 alone after a request", deletion, LOST, { ...gone, unproven: true }, { ...doubtful, status: 404 }],
  ["of a time that the plan does not know", { ...deletion, version: undefined }, [], { version: 1 }, stale],
  ["another one", { ...change, created: 1 }, [], { created: 2 }, stale],
  ["another one after a request", { ...change, created: 1 }, LOST, { created: 2 }, doubtful],
  ["perhaps another one", { ...change, created: 1 }, [], {}, { do: "send" }],
  ["under another key after a request", change, LOST, { key: "zoe" }, doubtful],
  ["to be deleted under another key", { ...deletion, key: "ada" }, [], { key: "zoe" }, stale],
  ["to be deleted under a key of its own", { ...deletion, key: "ada" }, [], { key: "\u00C1da 2" }, { do: "send" }],
  ["to be deleted without a key", { ...deletion, key: "ada" }, [], { key: null }, { do: "send" }],
  ["written before it is deleted again", deletion, LOST, { version: 2 }, doubtful],
  ["as before after three requests", change, THRICE, {}, doubtful],
])("a record that is %s", (_, row, lines, read, decision) => {
  const seen = { ...ANN, record: row.before ?? null, ...read };
  expect(withoutWhy(step(fold(row, lines), { now: 15, sight: null, read: seen }, SETTINGS))).toEqual(decision);
});

test.each([
  ["left a moment ago", { began: 14.995, ended: 15 }, null, "send"],
  ["took long, before any usual duration is known", { began: 14.9, ended: 15 }, null, "read"],
  ["took as long as usual", { began: 14.9, ended: 15 }, 0.1, "send"],
  ["ended just now, in a process that was suspended meanwhile", { began: 5, ended: 15 }, 0.1, "read"],
])("a record whose reading %s is written or read again: %o", (_, read, usualMs, next) => {
  const evidence = { now: 15, sight: null, read: { ...ANN, ...read }, usualMs };
  expect(step(fold(change, []), evidence, SETTINGS)).toEqual({ do: next });
});

test.each<[Partial<Read>, string]>([
  [{ key: "zoe" }, "the record no longer has the name and code of the row"],
  [{ record: { name: "Bob" } }, "was changed after the plan was made"],
])("the first field that differs from the plan is named, beginning with those of the key: %o", (read, message) => {
  const evidence = { now: 15, sight: null, read: { ...ANN, ...read } };
  const next = step(fold(change, []), evidence, { ...SETTINGS, keys: ["name", "code"] });
  expect(next).toEqual({ ...stale, why: [{ field: "name", message }] });
});

// Returns the step without its messages.
function withoutWhy({ why: _, whose: __, ...next }: Step & Partial<Record<"why" | "whose", unknown>>): object {
  return next;
}

test("the tables of the documentation are these cases", () => {
  const page = readFileSync(new URL("../../docs/bulk-rows.md", import.meta.url), "utf8");
  const table = (row: Case["row"]) =>
    ALL.filter((one) => one.row === row).map(({ when, next }) => `| ${when} | ${next} |`);
  for (const row of ["create", "change", "delete"] as const) {
    expect(page, row).toContain(`| ${row} | what happens then |\n| --- | --- |\n${table(row).join("\n")}\n`);
  }
});
