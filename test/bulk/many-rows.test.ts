import { expect, test } from "vitest";
import { toBulkRow } from "../../src/bulk/history.js";
import { amount } from "../support/amount.js";
import { create, record, world } from "./support/runner-world.js";

test("creates whose responses were lost are each sent again and confirmed once, with few readings of the list", async () => {
  const many = amount(2_000, 200_000);
  const rows = Array.from({ length: many }, (_, at) => create(at + 1, `key ${at + 1}`));
  const witness = create(many + 1, "zoe");
  const lines = [
    { row: witness.row, try: 10 },
    { row: witness.row, done: "created", id: 1, made: 10, version: 1 },
    { row: witness.row, confirmed: true },
    ...rows.map(({ row }) => ({ row, try: 10 })),
  ] as const;
  const records = [record(1, "zoe")];
  const { runner, sent, looks, row } = world([...rows, witness], lines, records, (row) => {
    records.push(record(row + 1, `key ${row}`));
    return { kind: "done", id: row + 1, version: 1 };
  });
  await runner.run();
  expect(new Set(sent).size).toBe(many);
  expect(sent).toHaveLength(many);
  expect(looks()).toBeLessThan(6);
  expect(rows.filter((one) => toBulkRow(row(one.row)).confirmed === true)).toHaveLength(many);
});
