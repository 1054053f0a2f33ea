import { wait } from "../core/clock.js";
import type { Context } from "./context.js";
import type { MirrorSettings } from "./options.js";
import type { ListPlan } from "./plan.js";
import { repairFrom } from "./repair.js";
import { readState } from "./state.js";
import { reportOf, sweepList } from "./sweep.js";
import { readTail } from "./tail.js";

// A sweep that failed is resumed after this time, and a list that another process sweeps is looked at again.
const AGAIN_MS = 60_000;

/** Keeps a copy up to date until the signal aborts. @throws the signal's reason. */
export async function runFor(
  context: Context,
  plans: readonly ListPlan[],
  settings: MirrorSettings,
  signal: AbortSignal,
): Promise<never> {
  const { clock, tables } = context;
  const notBefore = new Map<string, number>();
  let repairAt = clock.now();
  for (;;) {
    let next = Number.POSITIVE_INFINITY;
    for (const plan of plans) {
      signal.throwIfAborted();
      const state = await tables
        .read([plan], "SELECT state FROM mirror_lists WHERE name = ?", [plan.name])
        .then((rows) => readState({ all: async <Row>() => rows as readonly Row[] }, plan));
      const interval = settings.every.get(plan.name) ?? settings.everyDefault;
      const due = Math.max(
        state.sweptAt === null || state.sweep ? clock.now() : state.sweptAt + interval,
        notBefore.get(plan.name) ?? 0,
      );
      if (due <= clock.now()) {
        notBefore.set(plan.name, (await sweepOnce(context, plan, settings, signal)) ? 0 : clock.now() + AGAIN_MS);
        next = clock.now();
        continue;
      }
      next = Math.min(next, due);
      if (settings.tail === null || state.tail === null) continue;
      const tailDue = Math.max((state.tailAt ?? 0) + settings.tail, notBefore.get(plan.name) ?? 0);
      if (tailDue <= clock.now()) {
        const read = await quietly(readTail(context, plan, signal), signal);
        if (!read) notBefore.set(plan.name, clock.now() + AGAIN_MS);
        next = Math.min(next, clock.now() + (read ? settings.tail : AGAIN_MS));
      } else next = Math.min(next, tailDue);
    }
    if (settings.repair !== null) {
      if (repairAt <= clock.now()) {
        await quietly(repairFrom(context, plans, signal), signal);
        repairAt = clock.now() + settings.repair;
      }
      next = Math.min(next, repairAt);
    }
    await wait(clock, Math.max(1, next - clock.now()), signal);
  }
}

// Whether the list need not be looked at before it is due.
async function sweepOnce(
  context: Context,
  plan: ListPlan,
  settings: MirrorSettings,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const report = await sweepList(context, plan, { signal, accepted: false, polite: true });
    signal.throwIfAborted();
    if (!report) return false;
    settings.onReport(report);
    return report.error === null;
  } catch (error) {
    signal.throwIfAborted();
    const problem = error instanceof Error ? error : new Error(String(error));
    settings.onReport({ ...reportOf(plan, { requests: 0, read: 0, added: 0, changed: 0 }, null), error: problem });
    return false;
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
