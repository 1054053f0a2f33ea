import { describe, expect, it, vi } from "vitest";
import { createWebhookHandler, type WebhookHandlerOptions } from "../../src/webhooks/index.js";
import { ManualClock, until } from "../support/manual-clock.js";
import { collector, payloadOf, signature, signedRequest, sleep } from "./support.js";

const versionedBody = (id: number) =>
  payloadOf("invoice.updated", { id, status: "open", updated_at: "2026-01-01T10:00:00Z" });
const first = (options: Partial<WebhookHandlerOptions>) =>
  createWebhookHandler({ signature, mode: "handle-then-answer", ...options });

describe("handle-then-answer", () => {
  it("responds with 200 after every listener has succeeded, and starts nothing afterwards", async () => {
    const order: string[] = [];
    const handler = first({
      onEvent: async () => {
        await sleep(20);
        order.push("handled");
      },
    });
    const answer = await handler(await signedRequest(versionedBody(1)));
    order.push(`answered ${answer.status}`);
    expect(order).toEqual(["handled", "answered 200"]);
  });

  it("responds with 503 if a listener fails, reports why, and handles the next delivery", async () => {
    let calls = 0;
    const { reports, report } = collector();
    const handler = first({
      report,
      onEvent: () => {
        if (++calls === 1) throw new Error("first time");
      },
    });
    expect((await handler(await signedRequest(versionedBody(1)))).status).toBe(503);
    expect(reports).toEqual([
      { kind: "failed", what: "listener", error: new Error("first time") },
      { kind: "refused", status: 503, reason: "listener" },
    ]);
    expect((await handler(await signedRequest(versionedBody(1)))).status).toBe(200);
    expect(calls).toBe(2);
  });

  it("handles copies once, whether the first is handled or being handled", async () => {
    const onEvent = vi.fn(() => sleep(20));
    const { kinds, report } = collector();
    const handler = first({ onEvent, report });
    const send = async () => (await handler(await signedRequest(versionedBody(1)))).status;
    expect(await Promise.all([send(), send()])).toEqual([200, 200]);
    expect(await send()).toBe(200);
    expect(onEvent).toHaveBeenCalledTimes(1);
    expect(kinds().sort()).toEqual(["duplicate", "duplicate", "handled"]);
  });

  it("responds 503 within timeoutMs if a listener hangs, and aborts it", async () => {
    const aborted = vi.fn();
    const clock = new ManualClock(Date.now());
    const handler = first({
      clock,
      timeoutMs: 60,
      report: () => undefined,
      onEvent: (_, { signal }) => {
        signal.addEventListener("abort", aborted);
        return new Promise(() => undefined);
      },
    });
    const started = clock.now();
    expect((await clock.run(handler(await signedRequest(versionedBody(1))))).status).toBe(503);
    expect(clock.now() - started).toBe(60);
    await vi.waitFor(() => expect(aborted).toHaveBeenCalledTimes(1), 10_000);
    expect(await handler.drain()).toBe(true);
  });
});

it("handle-then-answer handles a delivery again whose request ended midway, and responds in time if a check hangs", async () => {
  const clock = new ManualClock();
  let calls = 0;
  const handler = first({
    clock,
    signature: false,
    timeoutMs: 1_000,
    report: () => undefined,
    // The runtime stopped the first run, including its timers.
    onEvent: () => (++calls === 1 ? new Promise<void>(() => undefined) : undefined),
  });
  const stopped = handler(await signedRequest(versionedBody(1)));
  stopped.catch(() => undefined);
  await until(() => calls === 1);
  vi.spyOn(clock, "now").mockReturnValue(clock.now() + 1_001);
  expect((await handler(await signedRequest(versionedBody(1)))).status).toBe(200);
  expect(calls).toBe(2);

  const never = () => new Promise<never>(() => undefined);
  const hung = createWebhookHandler({ signature: { secrets: never }, timeoutMs: 30, report: () => undefined });
  expect((await hung(await signedRequest(versionedBody(1)))).status).toBe(503);
});

it("handle-then-answer abandons a request that ended, even if the clock was set back meanwhile", async () => {
  let [steady, ahead, calls] = [1_000_000, 0, 0];
  const clock = { now: () => steady + ahead, steady: () => steady, setTimeout, clearTimeout: clearTimeout as never };
  const onEvent = () => (++calls === 1 ? new Promise<void>(() => undefined) : undefined);
  const handler = first({ clock, signature: false, timeoutMs: 1_000, report: () => undefined, onEvent });
  const send = async () => handler(await signedRequest(versionedBody(1)));
  const stopped = send();
  stopped.catch(() => undefined);
  await until(() => calls === 1);
  ahead = -1_800_000;
  steady += 1_001;
  expect((await send()).status).toBe(200);
  expect(calls).toBe(2);
  await stopped;
});

describe("waitUntil", () => {
  it("receives the work after the response; the option takes precedence over the runtime's", async () => {
    let handled = 0;
    const work: Promise<unknown>[] = [];
    const handler = createWebhookHandler({
      signature,
      waitUntil: (promise) => work.push(promise),
      onEvent: async () => {
        await sleep(20);
        handled++;
      },
    });
    const waitUntil = vi.fn();
    await handler(await signedRequest(versionedBody(1)), { waitUntil });
    expect([work.length, handled]).toEqual([1, 0]);
    await work[0];
    expect(handled).toBe(1);
    expect(waitUntil).not.toHaveBeenCalled();
  });

  it("that throws loses no delivery: the response is 200 and the event is handled", async () => {
    const { reports, report } = collector();
    const onEvent = vi.fn();
    const handler = createWebhookHandler({
      signature,
      report,
      onEvent,
      waitUntil: () => {
        throw new Error("outside of a request");
      },
    });
    expect((await handler(await signedRequest(versionedBody(1)))).status).toBe(200);
    await handler.drain();
    expect(onEvent).toHaveBeenCalledTimes(1);
    expect(reports).toContainEqual({ kind: "failed", what: "waitUntil", error: new Error("outside of a request") });
  });
});
