import { GuardedStore } from "../../src/core/limits/guarded-store.js";
import type { Claim, Priority, RateLimitStore, Reservation } from "../../src/core/limits/rate-limit-store.js";
import { ManualClock } from "./manual-clock.js";

/** The window of the guarded store, in milliseconds. */
export const WINDOW = 60_000;

type Asked = { readonly method: "reserve" | "settle" | "block"; readonly given: Record<string, unknown> };

/** A guarded store, and controls for the shared store behind it. */
export interface Guarded {
  readonly clock: ManualClock;
  /** Functions that give the shared store's next results: `answer` for `reserve`, `told` for `settle` and `block`. */
  readonly next: Record<"answer" | "told", () => unknown>;
  /** The usage that the shared store reports. */
  readonly usage: { tell: () => unknown };
  readonly store: GuardedStore;
  reserve(priority?: Priority): Promise<Claim>;
  answered(slot: string): ReturnType<GuardedStore["settle"]>;
  notSent(slot: string): ReturnType<GuardedStore["settle"]>;
  block(until: number): ReturnType<GuardedStore["block"]>;
  /** The arguments of every call to one method of the shared store. */
  given(method: Asked["method"]): Record<string, unknown>[];
  /** Makes requests until one is refused. Returns how many were permitted. */
  more(priority?: Priority): Promise<number>;
}

/** Makes a guarded store with a limit per minute. The shared store fails until the test changes this. */
export function makeGuarded({ requests = 2, batchRequests = 2, processes = undefined as unknown } = {}): Guarded {
  const clock = new ManualClock(0);
  const asked: Asked[] = [];
  const next: Record<"answer" | "told", () => unknown> = { answer: down, told: () => undefined };
  const usage: { tell: () => unknown } = { tell: () => undefined };
  const shared = {
    processes,
    reserve: (given: never) => {
      asked.push({ method: "reserve", given });
      return next.answer();
    },
    settle: (given: never) => {
      asked.push({ method: "settle", given });
      return next.told();
    },
    block: (given: never) => {
      asked.push({ method: "block", given });
      return next.told();
    },
    usage: () => usage.tell(),
  } as unknown as RateLimitStore;
  const store = new GuardedStore(clock, shared);
  const common = { key: "key", windowMs: WINDOW, leaseMs: 2 * WINDOW, requests, batchRequests } as const;
  const reserve = async (priority: Priority = "interactive") => store.reserve({ ...common, priority });
  const settle = (slot: string, sent: boolean) => store.settle({ key: "key", slot, windowMs: WINDOW, sent });
  return {
    clock,
    next,
    usage,
    store,
    reserve,
    answered: (slot: string) => settle(slot, true),
    notSent: (slot: string) => settle(slot, false),
    block: (until: number) => store.block("key", until - clock.now()),
    given: (method: Asked["method"]) => asked.filter((each) => each.method === method).map((each) => each.given),
    async more(priority?: Priority): Promise<number> {
      for (let count = 0; ; count++) {
        const reservation = await reserve(priority);
        if (!reservation.granted) return count;
        if (count > 1_000) throw new Error("nothing limits the requests");
      }
    },
  };
}

/** The response of a shared store that fails. */
export const down = (): Promise<never> => Promise.reject(new Error("store down"));
/** The response of a shared store that hangs. */
export const never = (): Promise<never> => new Promise<never>(() => undefined);
/** The response of a shared store that grants a permit. */
export const grantPermit = (slot: string, used: unknown): Promise<Reservation> =>
  Promise.resolve({ granted: true, slot, used } as Reservation);
