import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { createWebhookHandler } from "../../src/webhooks/index.js";

describe("under a test runner's fake timers", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("advance makes the wait of a 429 pass", async () => {
    const sandbox = createSandbox({ size: 5 });
    sandbox.faults.next({ retryAfter: 287 });
    const call = new MainClient(sandbox).accounts.get(1);
    void call.then(() => undefined);
    await sandbox.clock.advance(1);
    await sandbox.clock.advance(287_000);
    expect((await call).id).toBe(1);
  });

  test("skipWaits skips waits", async () => {
    const sandbox = createSandbox({ size: 5, skipWaits: true });
    sandbox.faults.next({ retryAfter: 287 });
    expect((await new MainClient(sandbox).accounts.get(1)).id).toBe(1);
  });

  test("the runner's own advancing makes a latency pass", async () => {
    const sandbox = createSandbox({ size: 5, latency: 20_000 });
    const call = new MainClient(sandbox).accounts.get(1);
    const ended = vi.fn();
    void call.then(ended);
    await sandbox.clock.advance(0); // Until the request has arrived.
    await sandbox.clock.advance(19_000);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await call).id).toBe(1);
  });

  test("the runner's own advancing moves the sandbox's clock", async () => {
    const sandbox = createSandbox({ size: 5 });
    const fired = vi.fn();
    sandbox.clock.setTimeout(fired, 60_000);
    const before = sandbox.clock.now();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(fired).toHaveBeenCalledOnce();
    expect(sandbox.clock.now() - before).toBe(60_000);
  });

  test("a handler on the sandbox's clock takes and drains deliveries", async () => {
    const sandbox = createSandbox({ size: 5 });
    const seen: unknown[] = [];
    const handler = createWebhookHandler({
      signature: { secrets: "s3cret" },
      clock: sandbox.clock,
      onEvent: ({ event_data }) => void seen.push(event_data.id),
    });
    sandbox.webhooks.subscribe({ to: handler, secrets: "s3cret" });
    await sandbox.clock.advance(3_600_000);
    sandbox.store.leads.update(2, { status: "won" });
    await sandbox.webhooks.settled();
    expect(sandbox.webhooks.deliveries.map(({ status }) => status)).toEqual([200]);
    await handler.drain();
    expect(seen).toEqual([2]);
  });
});

describe("now", () => {
  test("stops the clock until it is advanced", async () => {
    const now = "2030-01-01T00:00:00.000Z";
    const sandbox = createSandbox({ size: 5, now });
    await new Promise((resolve) => setTimeout(resolve, 20));
    const client = new MainClient(sandbox);
    expect((await client.accounts.create({ name: "A" })).created_at).toBe(now);
    await sandbox.clock.advance(60_000);
    expect((await client.accounts.create({ name: "B" })).created_at).toBe("2030-01-01T00:01:00.000Z");
    sandbox.reset();
    expect(sandbox.clock.now()).toBe(Date.parse(now));
  });

  test("makes a timer take its real duration, after which the clock shows its time", async () => {
    const { clock } = createSandbox({ size: 1, now: "2030-01-01T00:00:00.000Z" });
    const times: number[] = [];
    await Promise.all(
      [30, 10].map((ms) =>
        new Promise<void>((resolve) => clock.setTimeout(resolve, ms)).then(() => times.push(clock.now())),
      ),
    );
    expect(times.map((time) => time - Date.UTC(2030, 0, 1))).toEqual([10, 30]);
  });
});

describe("skipWaits", () => {
  test("skips no timeout during real work that declares itself", async () => {
    const { clock } = createSandbox({ size: 1, skipWaits: true });
    const timedOut = vi.fn();
    const timer = clock.setTimeout(timedOut, 30_000);
    const work = clock.during(() => new Promise((resolve) => setTimeout(() => resolve("done"), 60)));
    expect(await work).toBe("done");
    expect(timedOut).not.toHaveBeenCalled();
    clock.clearTimeout(timer);
  });
});
