import { expect, test } from "vitest";
import { FirstWrites } from "../../src/bulk/first-writes.js";
import { addFact, fold, isOver, toBulkRow } from "../../src/bulk/history.js";
import type { Fact, PlannedRow } from "../../src/bulk/lines.js";
import { create, record, world } from "./support/runner-world.js";

test("a row in doubt that would end as unknown waits for the unsent rows, and is not sent with them", async () => {
  const records = [record(40, "ada 2", "ada")];
  const { runner, sent, row } = world([create(1, "ada"), create(2, "zoe")], [{ row: 1, try: 10 }], records, () => {
    records.push(record(41, "zoe"));
    return { kind: "done", id: 41, version: 1 };
  });
  await runner.run();
  expect(sent).toEqual([2]);
  expect(toBulkRow(row(1))).toMatchObject({ outcome: "unknown", ids: [40] });
  expect(toBulkRow(row(2))).toMatchObject({ outcome: "created", id: 41, confirmed: true });
});

test("a record that an earlier run gave up on and this run finds is created and confirmed, and the run ends", async () => {
  const lines: readonly Fact[] = [
    { row: 1, try: 8 },
    { row: 1, try: 9 },
    { row: 1, done: "created", id: 11, made: 10, version: 1 },
    { row: 1, done: "unknown", id: 11, ids: [11] },
  ];
  const { runner, sent, row } = world([create(1, "ada")], lines, [record(11, "ada")], () => {
    throw new Error("sent again");
  });
  await runner.run();
  expect(sent).toEqual([]);
  expect(toBulkRow(row(1))).toMatchObject({ outcome: "created", id: 11, confirmed: true });
  expect(isOver(row(1)), JSON.stringify(row(1))).toBe(true);
});

test("the first create of a run that was killed proves the others, and after them is checked for a second record", async () => {
  const lines: readonly Fact[] = [
    { row: 1, try: 10 },
    { row: 1, done: "created", id: 41, made: 10, version: 1 },
  ];
  const records = [record(41, "ada")];
  const { runner, row } = world([create(1, "ada"), create(2, "zoe")], lines, records, () => {
    records.push(record(42, "ada"), record(43, "zoe"));
    return { kind: "done", id: 43, version: 1 };
  });
  await runner.run();
  expect(toBulkRow(row(1))).toMatchObject({ outcome: "doubled", ids: [41, 42] });
  expect(toBulkRow(row(2))).toMatchObject({ outcome: "created", confirmed: true });
});

test("a create that is refused when sent again has not failed: the next look decides", async () => {
  const lines: readonly Fact[] = [
    { row: 1, try: 10 },
    { row: 2, try: 20 },
    { row: 2, done: "created", id: 41, made: 20, version: 1 },
  ];
  const records = [record(41, "zoe")];
  const { runner, sent, row } = world([create(1, "ada"), create(2, "zoe")], lines, records, () => {
    // Only now does the service carry out the first request, or a copy of it.
    records.push(record(42, "ada"));
    return { kind: "refused", error: { like: "422", cause: new Error("taken") }, status: 422, why: [] };
  });
  await runner.run();
  expect(sent).toEqual([1]);
  expect(toBulkRow(row(1))).toMatchObject({ outcome: "created", id: 42, confirmed: true });
});

test("requests that the rate limit delays together count as one failure, and no change is sent meanwhile", async () => {
  const rows = Array.from({ length: 40 }, (_, at): PlannedRow => ({ row: at, do: "update", id: at, send: { v: 1 } }));
  // The first request is sent alone and succeeds; the rate limit holds back the next eight.
  let held = 9;
  const { runner, sent, row } = world(rows, [], [], () =>
    held-- > 0 && held < 8
      ? { kind: "none", error: { like: "429", cause: new Error("wait") }, retryAfterMs: 5_000, isLimited: true }
      : { kind: "done" },
  );
  await runner.run();
  // The first eight requests, which were already on their way, then one for each row.
  expect(sent.length).toBeLessThanOrEqual(rows.length + 8);
  expect(rows.map((one) => toBulkRow(row(one.row)).outcome)).toEqual(rows.map(() => "updated"));
});

test("a disk that takes longer per line than a reading stays valid stops the run", async () => {
  const change: PlannedRow = { row: 1, do: "update", id: 7, send: { v: 1 }, before: { v: 0 } };
  const { runner, sent } = world([change], [], [], () => ({ kind: "done" }), 20);
  await expect(runner.run()).rejects.toMatchObject({ reason: "stopped" });
  expect(sent).toEqual([]);
});

test.each([true, false])(
  "the first change of a kind proves the kind only if a reading has confirmed it: %s",
  (confirmed) => {
    const first = new FirstWrites(new Set(), []);
    const row = { row: 1, do: "update", id: 7 } as const;
    const written = fold(row, [
      { row: 1, try: 10 },
      { row: 1, done: "updated", id: 7, made: 11 },
    ]);
    const fact = { row: 1, confirmed };
    first.note(fact, written, addFact(written, fact));
    expect(first.isProven("update")).toBe(confirmed);
  },
);
