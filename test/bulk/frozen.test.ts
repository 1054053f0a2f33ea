import { expect, test } from "vitest";
import { apply, type BulkJournal, plan, rowsOf } from "../../src/bulk/node.js";
import { MainClient } from "../../src/index.js";
import { createSandbox, type Fault } from "../../src/sandbox/index.js";
import { amount } from "../support/amount.js";
import { chance } from "../support/chance.js";
import { connection, copies, each, people } from "./support/school.js";

const ROWS = 10;
const STRIDE = amount(5, 1);

/** A simulated process. From a given step on, nothing that it waits for completes, as if it had been killed there. */
class Freezable {
  steps = 0;
  /** Resolves when the process reaches that step. */
  readonly frozen: Promise<null>;
  readonly #at: number;
  #reached: (nothing: null) => void = () => {};

  constructor(step: number) {
    this.#at = step;
    this.frozen = new Promise((resolve) => {
      this.#reached = resolve;
    });
  }

  /** Does work outside the process, which may be frozen before or after that work. */
  async wait<T>(work: () => T | Promise<T>): Promise<T> {
    await this.#step();
    const result = await work();
    await this.#step();
    return result;
  }

  #step(): Promise<void> | undefined {
    if (++this.steps < this.#at) return;
    this.#reached(null);
    return new Promise(() => {});
  }
}

/** A journal in memory. The process may be frozen at every access to it. */
function journal(lines: string[], process: Freezable): BulkJournal {
  return {
    append: (added) => process.wait(() => void lines.push(...added)),
    async *lines() {
      yield* await process.wait(() => [...lines]);
    },
    claim: () => process.wait(() => true),
  };
}

// Each run draws one of these faults. Each write meets it with a probability of 0.3.
const FAULTS: readonly Fault[] = [
  { reset: true, applied: true },
  { reset: true },
  { status: 503, applied: true },
  { status: 502 },
  { cut: true },
  { retryAfter: 1 },
];

/**
 * Runs a job of 20 rows that is frozen at each of these steps in turn, then runs it until it is complete. @returns the
 * number of steps in the last run.
 */
async function freezeAt(freezes: number[], seed: number, faulty: boolean): Promise<number> {
  const random = chance(seed);
  const sandbox = createSandbox({ size: "small", skipWaits: true, seed });
  const lines: string[] = [];
  const start = (process: Freezable) => ({
    client: new MainClient({
      ...connection(sandbox),
      fetch: (...request) => process.wait(() => sandbox.fetch(...request)),
      retry: { limit: 2 },
    }),
    plan: journal(lines, process),
  });
  const planner = start(new Freezable(Number.POSITIVE_INFINITY));
  const corrected = [...sandbox.store.users].slice(1, ROWS + 1).map(({ email }) => email);
  const rows = [...people(ROWS), ...corrected.map((email) => ({ email, first_name: "Changed", last_name: "Name" }))];
  await plan(planner.client.users, rows, { to: planner.plan, key: "email" });
  for (let at = freezes.shift(); ; at = freezes.shift()) {
    sandbox.faults.clear();
    if (faulty && at !== undefined) {
      const fault = { ...(FAULTS[Math.floor(random() * FAULTS.length)] as Fault), probability: 0.3, times: 2 };
      sandbox.faults.next({ ...fault, operation: "users.create" }, { ...fault, operation: "users.update" });
    }
    const process = new Freezable(at ?? Number.POSITIVE_INFINITY);
    const { client, plan } = start(process);
    // A run that stops because it cannot prove what its list shows is applied again, like a killed one.
    const report = await Promise.race([process.frozen, apply(client, plan, { settleMs: 0 }).catch(() => null)]);
    if (!report?.complete) continue;
    expect(copies(sandbox), `seed ${seed}`).toEqual(each(ROWS));
    const done: unknown[] = [];
    for await (const { outcome } of rowsOf(planner.plan)) done.push(outcome);
    expect(done).toEqual([...Array(ROWS).fill("created"), ...Array(ROWS).fill("updated")]);
    return process.steps;
  }
}

test.each([false, true])(
  "a job of 20 rows that is frozen at any step loses nothing and creates nothing twice (faults: %s)",
  async (faulty) => {
    const steps = await freezeAt([], 1, false);
    // Each write involves a line, a request and an outcome, with a step before and after each of them; each update also
    // reads its record.
    expect(steps).toBeGreaterThan(2 * (3 * 2 * ROWS));
    // The second freeze happens during the recovery from the first.
    for (let step = 1; step <= steps; step += STRIDE)
      await freezeAt(faulty ? [step, 1 + (step % 40)] : [step], step, faulty);
  },
  900_000,
);
