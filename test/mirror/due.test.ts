import { describe, expect, test } from "vitest";
import type { Clock } from "../../src/core/clock.js";
import { MainClient } from "../../src/index.js";
import type { ListReport } from "../../src/mirror/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { withCursorLifetime } from "../support/cursor-lifetime.js";
import { copyOf, recordsOf } from "./support/copies.js";

// Loaded in advance, because the clock of a test does not wait while code is loaded.
import "../../src/core/call/failure-words.js";
import "../../src/core/lists/read-checkpoint.js";

const MINUTE = 60_000;

test.each([
  ["by a right clock", 0],
  ["after the clock was a day ahead", 24 * 60 * MINUTE],
])(
  "a list that showed an older version is swept once more, when that version may be stored and not before: %s",
  async (_, aheadAtFirst) => {
    const sandbox = createSandbox({ size: 3 });
    const { accounts } = sandbox.store;
    const sweeps: [number, number][] = [];
    const begun = sandbox.clock.now();
    const onReport = ({ older }: ListReport) =>
      void sweeps.push([Math.round((sandbox.clock.now() - begun) / MINUTE), older]);
    const client = new MainClient(sandbox);
    const options = { resources: ["accounts"], every: { default: "60m" }, tail: false, repair: false } as const;
    let ahead = aheadAtFirst;
    const base = sandbox.clock;
    const clock: Clock = {
      now: () => base.now() + ahead,
      steady: () => base.steady(),
      setTimeout: (callback, ms) => base.setTimeout(callback, ms),
      clearTimeout: (timer) => base.clearTimeout(timer),
    };
    const { copy, records } = copyOf(sandbox, client, { ...options, onReport, clock });
    const stop = new AbortController();
    const running = copy.run({ signal: stop.signal }).catch(() => undefined);
    await sandbox.clock.advance(MINUTE);
    ahead = 0;
    await sandbox.clock.advance(29 * MINUTE);
    const { name, updated_at } = accounts.get(1) ?? {};
    accounts.update(1, { name: "Newer" });
    await copy.apply({ event: "account.updated", event_data: { id: 1 } } as never);
    await sandbox.clock.advance(25 * MINUTE);
    await copy.apply({ event: "account.updated", event_data: { id: 1 } } as never);
    accounts.update(1, { name, updated_at } as object);
    await sandbox.clock.advance(30 * MINUTE);
    expect(sweeps).toEqual([
      [0, 0],
      [60, 1],
      [65, 0],
    ]);
    expect(records("accounts")).toEqual(recordsOf(accounts));
    stop.abort();
    await running;
  },
);

describe("a tail whose cursor expires", () => {
  /** Runs a mirror with a sweep every four hours. @returns the minutes at which a sweep ended. */
  async function sweepsUntil(minutes: number, lifetimeMs: number) {
    const sandbox = createSandbox({ size: 30, rateLimit: false });
    const sweeps: number[] = [];
    const begun = sandbox.clock.now();
    const onReport = () => void sweeps.push(Math.round((sandbox.clock.now() - begun) / MINUTE));
    const { fetch } = withCursorLifetime(sandbox, lifetimeMs);
    const client = new MainClient({ ...sandbox, fetch, pageSize: 10 });
    const options = { resources: ["accounts"], every: { default: "4h" }, tail: "10m", repair: false } as const;
    const { copy } = copyOf(sandbox, client, { ...options, onReport });
    const stop = new AbortController();
    const running = copy.run({ signal: stop.signal }).catch(() => undefined);
    await sandbox.clock.advance(minutes * MINUTE);
    stop.abort();
    await running;
    return sweeps;
  }

  test("is replaced by a sweep no sooner than a quarter of the interval later", async () => {
    expect(await sweepsUntil(250, 2 * MINUTE)).toEqual([0, 60, 120, 180, 240]);
  });

  test("is replaced at the next tail if a quarter of the interval has passed", async () => {
    expect(await sweepsUntil(250, 95 * MINUTE)).toEqual([0, 110, 220]);
  });

  test("does not change the interval while the cursor is valid", async () => {
    expect(await sweepsUntil(500, 24 * 60 * MINUTE)).toEqual([0, 240, 480]);
  });
});
