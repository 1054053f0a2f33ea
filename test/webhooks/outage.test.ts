import { expect, it, vi } from "vitest";
import { wait } from "../../src/core/clock.js";
import {
  createWebhookHandler,
  createWebhookWorker,
  memoryStore,
  type WebhookReport,
  type WebhookStore,
} from "../../src/webhooks/index.js";
import { safeReporter } from "../../src/webhooks/work/reports.js";
import { ManualClock } from "../support/manual-clock.js";
import { mostInAnyWindow } from "../support/rate-server.js";
import { deliveryOf, payloadOf, signature, signedRequest } from "./support.js";

/** A store that can be down, and the times of its take calls. */
function storeThatCanBeAway(clock: ManualClock) {
  const memory = memoryStore();
  const takes: number[] = [];
  const state = { away: false, takes };
  const orAway = <Method extends (...args: never[]) => unknown>(method: Method) =>
    ((...args) => {
      if (state.away) throw Object.assign(new Error("jane@example.com"), { code: "ECONNREFUSED" });
      return method(...args);
    }) as Method;
  const store: WebhookStore = {
    pollMs: 100,
    put: orAway(memory.put),
    take: (request) => {
      takes.push(clock.now());
      return orAway(memory.take)(request);
    },
    extend: orAway(memory.extend),
    done: orAway(memory.done),
    retry: orAway(memory.retry),
    dead: orAway(memory.dead),
  };
  return { store, state };
}

it("logs the next outage even if the clock was set back meanwhile, and durations ignore clock changes", async () => {
  const error = vi.spyOn(console, "error").mockReturnValue(undefined);
  const base = new ManualClock();
  let ahead = 0;
  const clock = {
    now: () => base.now() + ahead,
    steady: () => base.now(),
    setTimeout: (callback: () => void, ms: number) => base.setTimeout(callback, ms),
    clearTimeout: (handle: unknown) => base.clearTimeout(handle),
  };
  const reports: WebhookReport[] = [];
  const log = safeReporter(undefined, clock);
  const fail = () => log({ kind: "failed", what: "put", error: new Error("away") });
  fail();
  fail();
  expect(error).toHaveBeenCalledTimes(1);
  ahead = -3_600_000;
  await base.advance(60_000);
  fail();
  expect(error).toHaveBeenCalledTimes(2);

  const onEvent = async () => {
    ahead -= 3_600_000;
    await wait(clock, 500, undefined);
  };
  const store = memoryStore();
  await store.put(deliveryOf("a.b"));
  const worker = createWebhookWorker({ store, clock, report: (one) => void reports.push(one), onEvent });
  worker.wake();
  await base.run(worker.drain());
  expect(reports).toMatchObject([{ kind: "handled", durationMs: 500 }]);
});

it("takes at most once a second and logs one line while the store is down, and continues when it is back", async () => {
  const error = vi.spyOn(console, "error").mockReturnValue(undefined);
  const warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
  const clock = new ManualClock();
  const { store, state } = storeThatCanBeAway(clock);
  const handled: unknown[] = [];
  const handler = createWebhookHandler({
    signature,
    store,
    clock,
    outOfOrder: "drop",
    leaseMs: 3_000,
    backoff: { baseMs: 1, maxMs: 2_000 },
    onEvent: async ({ event_data: { id, fails, ms = 0 } }, { attempt }) => {
      await wait(clock, Number(ms), undefined);
      if (fails && attempt === 1) throw new Error("no");
      handled.push(id);
    },
  });
  handler.start();
  await store.put(deliveryOf("a.b", { id: 1, fails: true }));
  for (const id of [2, 3, 4, 5]) await store.put(deliveryOf("a.b", { id, ms: id * 2_500 }));
  await clock.advance(200);
  state.away = true;
  const since = clock.now();
  for (let second = 0; second < 60; second++) {
    const timestamp = Math.floor(clock.now() / 1_000);
    const answer = await handler(await signedRequest(payloadOf("a.b", { id: 100 + second }), { timestamp }));
    expect(answer.status).toBe(503);
    await clock.advance(1_000);
  }
  const asked = state.takes.filter((at) => at > since);
  expect(asked.length).toBeGreaterThan(3);
  expect(mostInAnyWindow(asked, 1_000)).toBe(1);
  expect([...error.mock.calls, ...warn.mock.calls].flat()).toEqual([
    "Webhooks: a listener of a.b failed (Error); logged once per outage",
    "Webhooks: put failed (Error ECONNREFUSED); logged once per outage",
  ]);
  state.away = false;
  await clock.advance(10_000);
  expect(new Set(handled)).toEqual(new Set([1, 2, 3, 4, 5]));

  await clock.advance(60_000);
  state.away = true;
  await clock.advance(2_000);
  expect(error).toHaveBeenCalledTimes(3);
  await clock.run(handler.close());
});
