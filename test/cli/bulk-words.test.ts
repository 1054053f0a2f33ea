import { expect, test } from "vitest";
import type { BulkProgress, BulkRow } from "../../src/bulk/types.js";
import { type Outcomes, outcomeSentence, outcomesIn, reasonLines, waitOf } from "../../src/cli/tell/bulk-words.js";

const GOOD: Outcomes = { counts: { created: 2 }, open: 0, differing: 0, unconfirmed: 0 };
const sentenceFor = (more: Partial<Outcomes>) => outcomeSentence({ ...GOOD, ...more }, "a.plan");

test("the advice follows from the worst result of a row", () => {
  expect(sentenceFor({})).toBe("2 created. Nothing left to do.\n");
  expect(sentenceFor({ counts: {} })).toBe("No rows. Nothing left to do.\n");
  expect(sentenceFor({ open: 1, unconfirmed: 1 })).toBe(
    "2 created, 1 still to be sent. To continue: npx education-admin-sdk bulk apply a.plan\n",
  );
  expect(sentenceFor({ differing: 1 })).toContain("The service stored 1 row differently from what was sent");
  expect(sentenceFor({ unconfirmed: 2, differing: 1 })).toContain("No read has confirmed 2 rows yet. To look");
  expect(sentenceFor({ counts: { unknown: 1, doubled: 1 }, unconfirmed: 1 })).toContain("--only doubled");
  // Applying the same plan again does not send a row that the service has refused.
  expect(sentenceFor({ counts: { failed: 1 } })).toContain(
    "plan the rows again. To see them: npx education-admin-sdk bulk show a.plan --only failed",
  );
});

test("only the most frequent of many reasons are shown, and a column's name cannot move the cursor", () => {
  const reasons = Array.from({ length: 7 }, (_, at) => ({
    message: "is empty",
    column: `c\u001b${at}`,
    count: 9 - at,
  }));
  const lines = reasonLines({ reasons }).split("\n");
  expect(lines.slice(0, 2)).toEqual(["Refused:", "  9 rows: c 0 is empty"]);
  expect(lines.slice(5)).toEqual(["  5 rows: c 4 is empty", "  and 2 other reasons", ""]);
  expect(reasonLines({ reasons: [] })).toBe("");
});

test("a created row counts as unconfirmed until the list has shown its record", async () => {
  const row = (outcome: BulkRow["outcome"], confirmed: boolean | null) =>
    ({ outcome, confirmed, differs: {} }) as BulkRow;
  async function* rows() {
    yield* [row("created", true), row("created", false), row("created", null), row("updated", null), row(null, null)];
  }
  expect(await outcomesIn(rows())).toEqual({
    counts: { created: 3, updated: 1 },
    open: 1,
    differing: 0,
    unconfirmed: 2,
  });
});

test("a wait says whether it is for the share, a retry or proof", () => {
  const until = new Date(0);
  const reasonFor = (waitingFor: BulkProgress["waitingFor"]) =>
    waitOf({ waitingUntil: waitingFor && until, waitingFor } as BulkProgress)?.why ?? null;
  expect([reasonFor("share"), reasonFor("retry"), reasonFor("proof"), reasonFor(null)]).toEqual([
    "the run's share of the rate limit is used up",
    "the service asked to wait or did not answer",
    "the run then looks for the effects of requests that no read has confirmed yet",
    null,
  ]);
});
