import { expect, test } from "vitest";
import { apply, plan, rowsOf, undo } from "../../../src/bulk/node.js";
import { createSandbox, type Fault } from "../../../src/sandbox/index.js";
import { journalOf, Program } from "./support/program.js";
import { timeOf } from "./support/sandbox-time.js";

const START = "2026-01-05T12:00:00.000Z";
const CHANGED = 3;
const ADDED = 3;

// In every second job, the first undo meets one of these faults.
const FAULTS: readonly Fault[] = [
  { reset: true, applied: true },
  { reset: true },
  { status: 503, applied: true },
  { retryAfter: 1 },
];

/**
 * Applies a plan of labels, then undoes it in a program that is frozen at this step of the undo. @returns whether the
 * program reached that step.
 */
async function freezeAt(step: number): Promise<boolean> {
  const sandbox = createSandbox({ size: "small", now: START, rateLimit: false });
  const known = Array.from({ length: CHANGED }, (_, at) =>
    sandbox.store.labels.insert({ name: `Old ${at}`, color: "#111111", model_type: "User" }),
  );
  const labels = () => [...sandbox.store.labels].map(({ id, name, color }) => ({ id, name, color }));
  const before = labels();
  const service = { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, send: timeOf(sandbox).send };
  const start = (killAt?: number) => new Program(service, sandbox.clock.now() + 1_000, killAt);
  const [there, back] = [journalOf([]), journalOf([])];
  const rows = [
    ...known.map(({ name }, at) => ({ name, color: `#22222${at}`, model_type: "User" as const })),
    ...Array.from({ length: ADDED }, (_, at) => ({ name: `New ${at}`, color: "#333333", model_type: "User" as const })),
  ];
  const { client } = start();
  await plan(client.labels, rows, { to: there, key: "name" });
  expect(await apply(client, there)).toMatchObject({ updated: CHANGED, created: ADDED, complete: true });

  const fault = step % 2 === 0 ? FAULTS[(step / 2) % FAULTS.length] : undefined;
  if (fault) sandbox.faults.next({ ...fault, operation: "labels.update" }, { ...fault, operation: "labels.delete" });
  const takeBack = async (program: Program) => {
    let isPlanned = false;
    for await (const line of back.lines()) isPlanned ||= line.includes('"end"');
    if (!isPlanned) await undo(there, { to: program.wrapJournal(back), creates: "delete" });
    return apply(program.client, program.wrapJournal(back));
  };
  const program = start(step);
  const first = await Promise.race([program.killed, takeBack(program)]);
  sandbox.faults.clear();
  for (let run = 0, report = first; run < 3 && !report?.complete; run++) {
    report = await takeBack(start());
    if (report.complete) expect(labels(), `complete after step ${step}`).toEqual(before);
  }
  expect(labels(), `step ${step}`).toEqual(before);
  for await (const { outcome } of rowsOf(back)) expect(["updated", "deleted", "unchanged"]).toContain(outcome);
  return first === null;
}

test("an undo that is frozen at any step and started again restores the data", async () => {
  let step = 1;
  while (await freezeAt(step)) step++;
  // Each write involves a line, a request and an outcome, with a step before and after each of them.
  expect(step).toBeGreaterThan(2 * 3 * (CHANGED + ADDED));
});
