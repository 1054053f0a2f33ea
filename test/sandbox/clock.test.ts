import { describe, expect, test, vi } from "vitest";
import { wait } from "../../src/core/clock.js";
import { MainClient } from "../../src/index.js";
import { createSandbox, type SandboxOptions } from "../../src/sandbox/index.js";

const clockOf = (options: SandboxOptions = {}) => createSandbox({ size: 1, ...options }).clock;

describe("the sandbox's clock", () => {
  test("runs like the machine's clock, from its start time", async () => {
    vi.spyOn(Date, "now").mockReturnValue(1_000_000);
    expect(clockOf().now()).toBe(1_000_000);
    vi.mocked(Date.now).mockRestore();
    const clock = clockOf({ now: "2030-01-01T00:00:00.000Z" });
    const start = clock.now();
    expect(start).toBe(Date.UTC(2030, 0, 1));
    await new Promise<void>((resolve) => clock.setTimeout(resolve, 20));
    expect(clock.now() - start).toBeGreaterThanOrEqual(19);
  });

  test("fires due timers in order on advance, each at its time, including timers that these set", async () => {
    const clock = clockOf();
    const start = clock.now();
    const calls: [string, number][] = [];
    const call = (name: string) => () => calls.push([name, Math.round((clock.now() - start) / 1_000)]);
    clock.setTimeout(call("late"), 300_000);
    clock.setTimeout(() => {
      call("first")();
      clock.setTimeout(call("second"), 20_000);
    }, 10_000);
    clock.setTimeout(call("same, earlier"), 40_000);
    clock.setTimeout(call("same, later"), 40_000);
    clock.clearTimeout(clock.setTimeout(call("never"), 1_000));
    await clock.advance(60_000);
    expect(calls).toEqual([
      ["first", 10],
      ["second", 30],
      ["same, earlier", 40],
      ["same, later", 40],
    ]);
    expect(clock.pending.count).toBe(1);
    expect(clock.pending.nextInMs).toBeGreaterThan(239_000);
    await clock.advance(240_000);
    expect(calls.at(-1)).toEqual(["late", 300]);
    expect(clock.pending).toEqual({ count: 0, nextInMs: null });
  });

  test("skips a wait of minutes at once, and a promise that depends on it continues", async () => {
    const clock = clockOf();
    let done = false;
    const waiting = wait(clock, 287_000, new AbortController().signal).then(() => {
      done = true;
    });
    await clock.advance(286_000);
    expect(done).toBe(false);
    await clock.advance(1_000);
    await waiting;
    expect(done).toBe(true);
  });

  test("jumps to the next timer with skipWaits, but only while something waits", async () => {
    const clock = clockOf({ skipWaits: true, now: "2030-01-01T00:00:00.000Z" });
    const start = clock.now();
    await new Promise<void>((resolve) => clock.setTimeout(resolve, 3_600_000));
    expect(clock.now() - start).toBe(3_600_000);
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(clock.now() - start).toBe(3_600_000);
  });

  test("does not skip the time that a key function takes with skipWaits", async () => {
    const sandbox = createSandbox({ size: 1, skipWaits: true, now: "2030-01-01T00:00:00.000Z" });
    const apiKey = () => new Promise<string>((resolve) => setTimeout(resolve, 50, sandbox.apiKey));
    const client = new MainClient({ ...sandbox, apiKey });
    expect((await client.accounts.get(1)).id).toBe(1);
    expect(sandbox.clock.now()).toBe(Date.UTC(2030, 0, 1));
  });
});
