import { wait } from "../core/clock.js";
import { ConfigurationError } from "../core/errors.js";
import { type Context, newTally, type Tally, workOf } from "./context.js";
import { isAhead } from "./decide.js";
import type { MirrorSettings } from "./options.js";
import { pauseAfter } from "./outage.js";
import { readState } from "./owner.js";
import type { ListPlan } from "./plan.js";
import { NO_REPAIR, repairFrom } from "./repair.js";
import { errorOf } from "./report.js";
import type { ListState } from "./state.js";
import { reportOf, sweepList } from "./sweep.js";
import { readTail } from "./tail.js";

// A failed sweep is resumed after this time, then after twice as long each time, at the latest when the list is due
// anyway. A list that another process sweeps is checked again after it.
const AGAIN_MS = 60_000;

/**
 * Keeps a copy up to date until the signal aborts. @throws the signal's reason; ConfigurationError if the database
 * cannot hold the copy.
 */
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
  // Creates all tables first, so that a foreign table is found before anything is copied.
  await context.tables
    .until(signal)
    .open(plans)
    .catch((problem: unknown) => {
      if (problem instanceof ConfigurationError) throw problem;
    });
  for (;;) {
    let next = Number.POSITIVE_INFINITY;
    for (const plan of flat) next = Math.min(next, await run.keep(plan));
    next = Math.min(next, await run.repair(plans));
    // Lists below others take one request per parent, so they use the time when nothing else is due.
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
  /** How often in a row the database has failed at each list. */
  readonly #away = new Map<ListPlan, number>();
  /** Lists that another process sweeps. */
  readonly #busy = new Set<ListPlan>();
  /** The list that is being processed, or was last. */
  #current: ListPlan | null = null;
  #repairAt: number;

  constructor(context: Context, settings: MirrorSettings, signal: AbortSignal) {
    const tables = context.tables.telling((error) => this.#tellSilence(error));
    this.#context = { ...context, tables };
    this.#settings = settings;
    this.#signal = signal;
    this.#repairAt = settings.repair === null ? Number.POSITIVE_INFINITY : context.clock.now();
  }

  #tellSilence(error: Error): void {
    if (!this.#current) return;
    this.#settings.onReport({ ...reportOf(this.#current, newTally(), null), error });
  }

  /** Sweeps a list or reads its end, if that is due. @returns when it is due again. */
  keep(plan: ListPlan): Promise<number> {
    return this.#runOrReport(plan, async () => {
      const { clock } = this.#context;
      const { tail } = this.#settings;
      const state = await this.#stateOf(plan);
      const due = this.#dueOf(plan, state);
      if (due <= clock.now()) return this.#sweep(plan, Number.POSITIVE_INFINITY);
      if (tail === null || state.tail === null) return due;
      const tailDue = (state.tailAt ?? 0) + tail;
      if (tailDue > clock.now()) return Math.min(due, tailDue);
      const read = await this.#tail(plan);
      if (!read) this.#notBefore.set(plan, clock.now() + AGAIN_MS);
      return Math.min(due, clock.now() + (read ? tail : AGAIN_MS));
    });
  }

  /** Sweeps a list below another until something else is due. @returns when it is due again. */
  keepBelow(plan: ListPlan, pauseAt: number): Promise<number> {
    return this.#runOrReport(plan, async () => {
      const above = plan.parent && (await this.#stateOf(plan.parent.list));
      // The list above reports why it was not read.
      if (!above?.asOf) return Number.POSITIVE_INFINITY;
      const due = this.#dueOf(plan, await this.#stateOf(plan));
      return due > this.#context.clock.now() ? due : this.#sweep(plan, pauseAt);
    });
  }

  /** Applies failed notifications, if that is due. @returns when it is due again. */
  async repair(plans: readonly ListPlan[]): Promise<number> {
    const { clock } = this.#context;
    if (this.#repairAt > clock.now()) return this.#repairAt;
    let pause = this.#settings.repair ?? 0;
    try {
      this.#settings.onRepair(await repairFrom(this.#context, plans, this.#signal));
    } catch (problem) {
      this.#signal.throwIfAborted();
      this.#settings.onRepair({ ...NO_REPAIR, available: true, error: errorOf(problem) });
      if (this.#context.tables.hasThrown(problem)) pause = Math.min(pause, pauseAfter(Number.POSITIVE_INFINITY));
    }
    this.#repairAt = clock.now() + pause;
    return this.#repairAt;
  }

  // An outage of the database does not end the run: the list is tried again.
  async #runOrReport(plan: ListPlan, work: () => Promise<number>): Promise<number> {
    this.#signal.throwIfAborted();
    const notBefore = this.#notBefore.get(plan) ?? 0;
    if (notBefore > this.#context.clock.now()) return notBefore;
    this.#current = plan;
    try {
      return await work();
    } catch (problem) {
      this.#signal.throwIfAborted();
      // Waiting does not remove tables of another mirror or application.
      if (problem instanceof ConfigurationError) throw problem;
      this.#settings.onReport({ ...reportOf(plan, newTally(), null), error: errorOf(problem) });
      return this.#databaseFailed(plan);
    }
  }

  #databaseFailed(plan: ListPlan): number {
    const failures = (this.#away.get(plan) ?? 0) + 1;
    const again = this.#context.clock.now() + pauseAfter(failures);
    this.#away.set(plan, failures);
    this.#notBefore.set(plan, again);
    return again;
  }

  // After a success, lists at which the database failed are due soon: a failure at one list does not mean that others
  // fail.
  #databaseAnswered(): void {
    const soon = this.#context.clock.now() + pauseAfter(1);
    for (const plan of this.#away.keys()) {
      this.#notBefore.set(plan, Math.min(this.#notBefore.get(plan) ?? 0, soon));
    }
    this.#away.clear();
  }

  // Errors of the service are ignored here; the next sweep reports them.
  async #tail(plan: ListPlan): Promise<boolean> {
    try {
      return (await readTail(this.#context, plan, this.#signal)) !== null;
    } catch (problem) {
      this.#signal.throwIfAborted();
      if (this.#context.tables.hasThrown(problem)) throw problem;
      return false;
    }
  }

  #stateOf(plan: ListPlan): Promise<ListState> {
    const { tables } = workOf(this.#context, this.#signal);
    return readState(tables.readerOf([plan]), plan);
  }

  #intervalOf({ name }: ListPlan): number {
    return this.#settings.every.get(name) ?? this.#settings.everyDefault;
  }

  #dueOf(plan: ListPlan, { sweep, sweptAt, againAt }: ListState): number {
    if (sweptAt === null || sweep || isAhead(sweptAt, this.#context.clock.now())) return 0;
    return Math.min(sweptAt + this.#intervalOf(plan), againAt ?? Number.POSITIVE_INFINITY);
  }

  async #sweep(plan: ListPlan, pauseAt: number): Promise<number> {
    const { clock } = this.#context;
    const tally = this.#paused.get(plan) ?? newTally();
    this.#paused.delete(plan);
    const request = { signal: this.#signal, accepted: false, polite: true, tally, pauseAt };
    const report = await sweepList(this.#context, plan, request);
    this.#signal.throwIfAborted();
    if (report === "paused") {
      this.#paused.set(plan, tally);
    } else if (report.busyUntil !== null) {
      if (!this.#busy.has(plan)) this.#settings.onReport(report);
      this.#busy.add(plan);
      this.#notBefore.set(plan, clock.now() + AGAIN_MS);
      return clock.now();
    } else {
      this.#settings.onReport(report);
      if (this.#context.tables.hasThrown(report.error)) return this.#databaseFailed(plan);
      if (report.error !== null) this.#putOff(plan);
      else {
        this.#failures.delete(plan);
        this.#notBefore.delete(plan);
      }
    }
    this.#busy.delete(plan);
    this.#databaseAnswered();
    return clock.now();
  }

  #putOff(plan: ListPlan): void {
    const failures = (this.#failures.get(plan) ?? 0) + 1;
    const most = Math.max(AGAIN_MS, this.#intervalOf(plan));
    this.#failures.set(plan, failures);
    this.#notBefore.set(plan, this.#context.clock.now() + Math.min(AGAIN_MS * 2 ** (failures - 1), most));
  }
}
