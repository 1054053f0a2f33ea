import { wait } from "../core/clock.js";
import { ConfigurationError } from "../core/errors.js";
import { later, type Moment } from "../core/time.js";
import { earlier, momentNow, NEVER, Schedule, sinceDate } from "../work/schedule.js";
import { type Context, newTally, type Tally, workOf } from "./context.js";
import type { MirrorSettings } from "./options.js";
import { OUTAGE } from "./outage.js";
import { readState } from "./owner.js";
import type { ListPlan } from "./plan.js";
import { NO_REPAIR, repairFrom } from "./repair.js";
import { errorOf } from "./report.js";
import type { ListState } from "./state.js";
import { reportOf, sweepList } from "./sweep.js";
import { readTail } from "./tail.js";

const DEFAULT_EVERY_MS = 6 * 3_600_000;

// A failed sweep is resumed after this time, then after twice that time and so on, but no later than when the list is
// due anyway. A list that another process sweeps is checked again after this time.
const AGAIN_MS = 60_000;

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
  // Creates all tables first, so that tables of another application are found before anything is copied.
  await context.tables
    .until(signal)
    .open(plans)
    .catch((problem: unknown) => {
      if (problem instanceof ConfigurationError) throw problem;
    });
  for (;;) {
    let next = NEVER;
    for (const plan of flat) next = earlier(next, await run.keep(plan));
    next = earlier(next, await run.repair(plans));
    // Lists below a parent take one request per parent, so they are swept only while nothing else is due.
    for (const plan of below) {
      if (next <= momentNow(clock)) break;
      next = earlier(next, await run.keepBelow(plan, next));
    }
    await wait(clock, Math.max(1, next - momentNow(clock)), signal);
  }
}

class Run {
  readonly #context: Context;
  readonly #settings: MirrorSettings;
  readonly #signal: AbortSignal;
  /** Lists to try again later: the service refused them, or another process sweeps them. */
  readonly #refused = new Schedule<ListPlan>();
  /** Lists for which the database failed. */
  readonly #away = new Schedule<ListPlan>();
  readonly #paused = new Map<ListPlan, Tally>();
  /** Lists for which the wait for another process's sweep was already reported. */
  readonly #busy = new Set<ListPlan>();
  /** The list being processed, or the last one processed. */
  #current: ListPlan | null = null;
  #repairAt: Moment;

  constructor(context: Context, settings: MirrorSettings, signal: AbortSignal) {
    const tables = context.tables.telling((error) => this.#tellSilence(error));
    this.#context = { ...context, tables };
    this.#settings = settings;
    this.#signal = signal;
    this.#repairAt = settings.repair === null ? NEVER : momentNow(context.clock);
  }

  get #now(): Moment {
    return momentNow(this.#context.clock);
  }

  #tellSilence(error: Error): void {
    if (!this.#current) return;
    this.#settings.onReport({ ...reportOf(this.#current, newTally(), null), error });
  }

  /** Sweeps a list or reads its end, if either is due. @returns when it is due again. */
  keep(plan: ListPlan): Promise<Moment> {
    return this.#runOrReport(plan, async () => {
      const { tail } = this.#settings;
      const state = await this.#stateOf(plan);
      const due = this.#dueOf(plan, state);
      if (due <= this.#now) return this.#sweep(plan, NEVER);
      if (tail === null || state.tail === null) return due;
      const tailDue = sinceDate(this.#context.clock, state.tailAt ?? 0, tail);
      if (tailDue > this.#now) return earlier(due, tailDue);
      const read = await this.#tail(plan);
      if (!read) this.#refused.putOff(plan, later(this.#now, AGAIN_MS));
      return earlier(due, later(this.#now, read ? tail : AGAIN_MS));
    });
  }

  /** Sweeps a list below a parent until something else is due. @returns when it is due again. */
  keepBelow(plan: ListPlan, pauseAt: Moment): Promise<Moment> {
    return this.#runOrReport(plan, async () => {
      const above = plan.parent && (await this.#stateOf(plan.parent.list));
      // The parent list must be swept completely first; if that fails, the report on that list gives the reason.
      if (!above?.asOf) return NEVER;
      const due = this.#dueOf(plan, await this.#stateOf(plan));
      return due > this.#now ? due : this.#sweep(plan, pauseAt);
    });
  }

  /** Repairs the copy from failed notifications, if that is due. @returns when it is due again. */
  async repair(plans: readonly ListPlan[]): Promise<Moment> {
    if (this.#repairAt > this.#now) return this.#repairAt;
    let pause = this.#settings.repair ?? 0;
    try {
      this.#settings.onRepair(await repairFrom(this.#context, plans, this.#signal));
    } catch (problem) {
      this.#signal.throwIfAborted();
      this.#settings.onRepair({ ...NO_REPAIR, available: true, error: errorOf(problem) });
      if (this.#context.tables.hasThrown(problem)) pause = Math.min(pause, OUTAGE.mostMs);
    }
    this.#repairAt = later(this.#now, pause);
    return this.#repairAt;
  }

  // An outage of the database does not end the run: the list is tried again later.
  async #runOrReport(plan: ListPlan, work: () => Promise<Moment>): Promise<Moment> {
    this.#signal.throwIfAborted();
    for (const schedule of [this.#refused, this.#away]) {
      const dueAt = schedule.dueAt(plan);
      if (dueAt !== null && dueAt > this.#now) return dueAt;
    }
    this.#current = plan;
    try {
      return await work();
    } catch (problem) {
      this.#signal.throwIfAborted();
      // Retrying does not help if tables belong to another mirror or application.
      if (problem instanceof ConfigurationError) throw problem;
      this.#settings.onReport({ ...reportOf(plan, newTally(), null), error: errorOf(problem) });
      return this.#away.failed(plan, this.#now, OUTAGE);
    }
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
    const { every } = this.#settings;
    return every.get(name) ?? every.get("default") ?? DEFAULT_EVERY_MS;
  }

  #dueOf(plan: ListPlan, { sweep, sweptAt, againAt, tail, tailAt }: ListState): Moment {
    if (sweptAt === null || sweep) return this.#now;
    const { clock } = this.#context;
    // If the cursor of the tail has expired, only a sweep finds a new one. Sweeping after a quarter of the interval,
    // not at once, limits the cost if cursors always expire early.
    const isTailLost = this.#settings.tail !== null && tail === null && (tailAt ?? 0) > sweptAt;
    const due = sinceDate(clock, sweptAt, this.#intervalOf(plan) / (isTailLost ? 4 : 1));
    // `sinceDate` cannot be used for `againAt`, because it ignores times in the future.
    return againAt === null ? due : earlier(due, later(this.#now, againAt - clock.now()));
  }

  async #sweep(plan: ListPlan, pauseAt: Moment): Promise<Moment> {
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
      this.#refused.putOff(plan, later(this.#now, AGAIN_MS));
      return this.#now;
    } else {
      this.#settings.onReport(report);
      if (this.#context.tables.hasThrown(report.error)) return this.#away.failed(plan, this.#now, OUTAGE);
      const mostMs = Math.max(AGAIN_MS, this.#intervalOf(plan));
      if (report.error === null) this.#refused.done(plan);
      else this.#refused.failed(plan, this.#now, { firstMs: AGAIN_MS, mostMs });
    }
    this.#busy.delete(plan);
    // The database works again, so lists for which it failed are tried again soon.
    this.#away.hasten(later(this.#now, OUTAGE.firstMs));
    return this.#now;
  }
}
