import { afterEach, describe, expect, it, vi } from "vitest";
import { GuardedStore } from "../../src/core/limits/guarded-store.js";
import type { RateLimitStore, Reservation } from "../../src/core/limits/rate-limit-store.js";
import { ManualClock } from "../support/manual-clock.js";

const WINDOW = 60_000;

/** A guarded store of two requests a minute, and how the shared store answers the next reservation. */
function guarded() {
  const clock = new ManualClock(0);
  const next: { answer: () => Promise<Reservation> } = { answer: () => Promise.reject(new Error("store down")) };
  const shared: RateLimitStore = {
    reserve: () => next.answer(),
    settle: () => undefined,
    block: () => undefined,
  };
  const store = new GuardedStore(clock, shared);
  const common = { key: "key", windowMs: WINDOW, leaseMs: 2 * WINDOW, requests: 2, batchRequests: 2 } as const;
  return {
    clock,
    next,
    reserve: () => store.reserve({ ...common, now: clock.now(), priority: "interactive" }),
    answered: (slot: string) => store.settle({ key: "key", slot, now: clock.now(), windowMs: WINDOW, sent: true }),
  };
}

const granted = (slot: string, used: number) => Promise.resolve<Reservation>({ granted: true, slot, used });

afterEach(() => vi.restoreAllMocks());

// The memory of the process moves its places to an earlier time when it is told one, as after a clock that was set back.
describe("a place is free a window after its answer and no earlier", () => {
  it("when the store took its time to grant the next one", async () => {
    vi.spyOn(console, "warn").mockReturnValue(undefined);
    const { clock, next, reserve, answered } = guarded();
    next.answer = () => granted("first", 1);
    await reserve();
    const late = Promise.withResolvers<Reservation>();
    next.answer = () => late.promise;
    const second = reserve();
    await clock.advance(3_000);
    await answered("first");
    await clock.advance(1_000);
    late.resolve({ granted: true, slot: "second", used: 2 });
    expect(await second).toMatchObject({ granted: true });
    await answered("second");
    // Now the memory decides.
    next.answer = () => Promise.reject(new Error("store down"));
    await clock.advance(58_000);
    expect(await reserve()).toEqual({ granted: false, retryAt: 3_000 + WINDOW, reason: "window" });
    await clock.advance(1_000);
    expect(await reserve()).toMatchObject({ granted: true });
  });

  it("when the store took its time to fail", async () => {
    vi.spyOn(console, "warn").mockReturnValue(undefined);
    const { clock, next, reserve, answered } = guarded();
    next.answer = () => granted("first", 1);
    await reserve();
    next.answer = () => new Promise(() => undefined);
    const second = reserve();
    await clock.advance(3_000);
    await answered("first");
    await clock.advance(2_000);
    expect(await second).toMatchObject({ granted: true });
    await clock.advance(57_000);
    expect(await reserve()).toEqual({ granted: false, retryAt: 3_000 + WINDOW, reason: "window" });
    await clock.advance(1_000);
    expect(await reserve()).toMatchObject({ granted: true });
  });
});
