import { expect, test } from "vitest";
import { MainClient } from "../../../src/index.js";
import { createSandbox } from "../../../src/sandbox/index.js";
import { amount, drawCases } from "../../support/amount.js";
import { runModel } from "./run.ts";

const SEQUENCES = amount(14, 25);

// The campaign with this name runs a thousand sequences.
test("orders, invoices and payments behave like an independent model", async () => {
  const { deviation, sequences, operations } = await runModel(
    { createSandbox, MainClient },
    { seed: 4, sequences: SEQUENCES },
  );
  expect(deviation).toBeNull();
  expect(sequences).toBe(SEQUENCES);
  for (const operation of [
    "create order: done",
    "create order: 422",
    "approve order: done",
    "approve order: 404",
    "approve order: 422",
    "cancel order: done",
    "cancel order: 422",
    "deny order: done",
    "deny order: 422",
    "cancel enrollment: done",
    "create invoice: done",
    "open invoice: done",
    "pay: done",
    "pay: 422",
    "delete payment: done",
    "delete payment: 404",
    "list payments: done",
    "list newest orders: done",
  ]) {
    expect([operation, operations[operation] ?? 0]).toEqual([operation, expect.toSatisfy((count) => count > 0)]);
  }
});

test.each(drawCases(["own data", "snapshot"] as const, 1))("and on %s", async (beginning) => {
  const options = { seed: 2, sequences: amount(8, 15), beginning };
  const { deviation, operations } = await runModel({ createSandbox, MainClient }, options);
  expect(deviation).toBeNull();
  for (const operation of [
    "create order: done",
    "approve order: done",
    "open invoice: done",
    "pay: done",
    "pay: 422",
  ]) {
    expect([operation, operations[operation] ?? 0]).toEqual([operation, expect.toSatisfy((count) => count > 0)]);
  }
});
