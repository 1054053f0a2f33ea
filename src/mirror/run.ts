import { wait } from "../core/clock.js";
import type { Context } from "./context.js";
import type { MirrorSettings } from "./options.js";
import type { ListPlan } from "./plan.js";
import { newTally, type Tally } from "./reading.js";
import { repairFrom } from "./repair.js";
import { type ListState, readState } from "./state.js";
import { reportOf, sweepList } from "./sweep.js";
import { readTail } from "./tail.js";

// A sweep that failed is resumed after this time, then after twice as long, at most when the list is due anyway. A list that
// another process sweeps is looked at again.
const AGAIN_MS = 60_000;

/** Keeps a copy up to date until the signal aborts. @throws the signal's reason. */
export async function runFor(
  context: Context,
  plans: readonly ListPlan[],
  settings: MirrorSettings,
  signal: AbortSignal,
): Promise<never> {
  const { clock } = context;
  const run = new Run(context, settings, signal);
  const flat = plans.filter(({ parent }) => parent === null);
  const below = plans.filter(({ parent }) => parent !== null);
  let repairAt = clock.now();
  for (;;) {
    let next = Number.POSITIVE_INFINITY;
    for (const plan of flat) next = Math.min(next, await run.keep(plan));
    if (settings.repair !== null) {
      if (repairAt <= clock.now()) {
        await quietly(repairFrom(context, plans, signal), signal);
        repairAt = clock.now() + settings.repair;
      }
      next = Math.min(next, repairAt);
    }
    // Lists below others take a request per parent: they use the time in which nothing else is due.
    for (const plan of below) {
      if (next <= clock.now()) break;
      next = Math.min(next, await run.keepBelow(plan, next));
    }
    await wait(clock, Math.max(1, next - clock.now()), signal);
  }
}

class Run {
  readonly #context: Context;
  readonly #settings: MirrorSettings;
  readonly #signal: AbortSignal;
  readonly #notBefore = new Map<ListPlan, number>();
  readonly #failures = new Map<ListPlan, number>();
  readonly #paused = new Map<ListPlan, Tally>();

  constructor(context: Context, settings: MirrorSettings, signal: AbortSignal) {
    this.#context = context;
    this.#settings = settings;
    this.#signal = signal;
  }

  /** Sweeps a list or reads its end, if that is due. @returns when it is due again. */
  async keep(plan: ListPlan): Promise<number> {
    const { clock } = this.#context;
    const { tail } = this.#settings;
    this.#signal.throwIfAborted();
    const state = await this.#stateOf(plan);
    const due = this.#dueOf(plan, state);
    if (due <= clock.now()) {
      await this.#sweep(plan, Number.POSITIVE_INFINITY);
      return clock.now();
    }
    if (tail === null || state.tail === null) return due;
    const tailDue = Math.max((state.tailAt ?? 0) + tail, this.#notBefore.get(plan) ?? 0);
    if (tailDue > clock.now()) return Math.min(due, tailDue);
    const read = await quietly(readTail(this.#context, plan, this.#signal), this.#signal);
    if (!read) this.#notBefore.set(plan, clock.now() + AGAIN_MS);
    return Math.min(due, clock.now() + (read ? tail : AGAIN_MS));
  }

  /** Sweeps a list below another until something else is due. @returns when it is due again. */
  async keepBelow(plan: ListPlan, pauseAt: number): Promise<number> {
    const { clock } = this.#context;
    this.#signal.throwIfAborted();
    const above = plan.parent && (await this.#stateOf(plan.parent.list));
    // The list above reports why it was not read.
    if (!above?.asOf) return Number.POSITIVE_INFINITY;
    const due = this.#dueOf(plan, await this.#stateOf(plan));
    if (due > clock.now()) return due;
    await this.#sweep(plan, pauseAt);
    return clock.now();
  }

  #stateOf(plan: ListPlan): Promise<ListState> {
    const { tables } = this.#context;
    return readState({ all: (sql, values) => tables.read([plan], sql, values) }, plan);
  }

  #intervalOf({ name }: ListPlan): number {
    return this.#settings.every.get(name) ?? this.#settings.everyDefault;
  }

  #dueOf(plan: ListPlan, { sweep, sweptAt }: ListState): number {
    const due = sweptAt === null || sweep ? 0 : sweptAt + this.#intervalOf(plan);
    return Math.max(due, this.#notBefore.get(plan) ?? 0);
  }

  async #sweep(plan: ListPlan, pauseAt: number): Promise<void> {
    const { clock } = this.#context;
    const tally = this.#paused.get(plan) ?? newTally();
    this.#paused.delete(plan);
    let failed = true;
    try {
      const request = { signal: this.#signal, accepted: false, polite: true, tally, pauseAt };
      const report = await sweepList(this.#context, plan, request);
      this.#signal.throwIfAborted();
      if (report === "paused") {
        this.#paused.set(plan, tally);
        return;
      }
      if (report === "busy") {
        this.#notBefore.set(plan, clock.now() + AGAIN_MS);
        return;
      }
      this.#settings.onReport(report);
      failed = report.error !== null;
    } catch (error) {
      this.#signal.throwIfAborted();
      const problem = error instanceof Error ? error : new Error(String(error));
      this.#settings.onReport({ ...reportOf(plan, tally, null), error: problem });
    }
    const failures = failed ? (this.#failures.get(plan) ?? 0) + 1 : 0;
    this.#failures.set(plan, failures);
    const pause = Math.min(AGAIN_MS * 2 ** (failures - 1), Math.max(AGAIN_MS, this.#intervalOf(plan)));
    if (failed) this.#notBefore.set(plan, clock.now() + pause);
    else this.#notBefore.delete(plan);
  }
}

// What fails here is found by the next sweep.
async function quietly<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value | null> {
  try {
    return await work;
  } catch {
    signal.throwIfAborted();
    return null;
  }
}
