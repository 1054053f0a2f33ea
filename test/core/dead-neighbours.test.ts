import { build } from "esbuild";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Clock } from "../../src/core/clock.js";
import type { localStore } from "../../src/core/limits/rate-limit-store.js";
import type { Permit, RateLimiter } from "../../src/core/limits/rate-limiter.js";
import type { Refusal, Ticket } from "../../src/core/limits/ticket.js";
import { amount } from "../support/amount.js";
import { ManualClock, settle } from "../support/manual-clock.js";

// Platforms such as Workers stop running the code of a request that has ended: its timers do not fire, and its promises
// do not continue, even if other code resolves them. Here each call belongs to a visitor, and the limiter is compiled
// so that the test controls each `await`.

const WINDOW = 60_000;
const TIMEOUT = 5_000;
const LIMIT = { requests: 12, windowMs: WINDOW, reserve: 0, concurrency: 3, queueLimit: 1_000 };

interface Visitor {
  gone: boolean;
  permit: Permit | null;
  ended: Permit | Refusal | null;
}

let current: Visitor | null = null;

function as<T>(visitor: Visitor | null, work: () => T): T {
  const before = current;
  current = visitor;
  try {
    return work();
  } finally {
    current = before;
  }
}

/**
 * A promise whose callbacks run as code of the visitor who attached them. They never run if that visitor is gone, or if
 * another visitor settles the promise and leaves before they run.
 */
class VisitorPromise<T> extends Promise<T> {
  readonly #resolver: { by: Visitor | null };

  constructor(executor: ConstructorParameters<typeof Promise<T>>[0]) {
    const resolver: { by: Visitor | null } = { by: null };
    super((resolve, reject) =>
      executor(
        (value) => {
          resolver.by ??= current;
          resolve(value);
        },
        (reason) => {
          resolver.by ??= current;
          reject(reason);
        },
      ),
    );
    this.#resolver = resolver;
  }

  // biome-ignore lint/suspicious/noThenProperty: this is the scheduler.
  override then<A = T, B = never>(
    done?: ((value: T) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    const visitor = current;
    const wrapCallback = <V, R>(callback: ((value: V) => R) | null | undefined) =>
      callback &&
      ((value: V) =>
        visitor?.gone || this.#resolver.by?.gone
          ? (new Promise(() => undefined) as R)
          : as(visitor, () => callback(value)));
    return super.then(wrapCallback(done), wrapCallback(failed));
  }
}

interface Limits {
  readonly RateLimiter: typeof RateLimiter;
  readonly localStore: typeof localStore;
  readonly Ticket: typeof Ticket;
}

async function compileLimits(): Promise<Limits> {
  const files = ["rate-limiter", "rate-limit-store", "ticket"];
  const contents = files.map((file) => `export * from "./${file}.js";`).join(" ");
  const stdin = { contents, resolveDir: "src/core/limits", loader: "ts" } as const;
  const { outputFiles } = await build({
    stdin,
    bundle: true,
    write: false,
    format: "iife",
    globalName: "limits",
    target: "es2016",
  });
  const text = outputFiles[0]?.text ?? "";
  expect(text).not.toMatch(/\bawait\b/);
  return new Function("Promise", `${text}; return limits;`)(VisitorPromise) as Limits;
}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: "arrive" } as const) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("answer" as const), who: fc.nat(200) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom("leave" as const, "answer and leave" as const), who: fc.nat(200) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("later" as const), ms: fc.constantFrom(1, 500, 1_500, 6_000, 30_000) }),
  },
);

// The fourth visitor leaves in the same turn of the event loop in which it checks whether the first three still run.
const LOST_QUESTION = [
  ...Array.from({ length: 3 }, () => ({ kind: "arrive" }) as const),
  { kind: "arrive and leave", ticks: 0 } as const,
  { kind: "later", ms: 1_500 } as const,
  { kind: "arrive" } as const,
  { kind: "later", ms: 1_500 } as const,
];

test("whatever code of other calls never runs again, each call ends, and the limits hold", async () => {
  const { RateLimiter: Limiter, localStore: storeOf, Ticket: TicketOf } = await compileLimits();
  const ticks = fc.nat(6);
  const hasty = fc.oneof(
    { weight: 9, arbitrary: step },
    fc.record({ kind: fc.constant("arrive and leave" as const), ticks }),
  );
  const history = fc.oneof(
    ...[step, step, step, hasty].map((each) => fc.array(each, { minLength: 10, maxLength: 80 })),
  );
  await fc.assert(
    fc.asyncProperty(history, async (steps) => {
      const manual = new ManualClock(0);
      const clock: Clock = {
        now: () => manual.now(),
        setTimeout: (callback, ms) => {
          const visitor = current;
          return manual.setTimeout(() => !visitor?.gone && as(visitor, callback), ms);
        },
        clearTimeout: (timer) => manual.clearTimeout(timer),
      };
      const limiter = new Limiter("key", clock, storeOf(clock)).client(LIMIT);
      const visitors: Visitor[] = [];
      const sent: number[] = [];
      let most = 0;
      const inFlight = () => visitors.filter(({ permit, gone }) => permit !== null && !gone).length;
      const arrive = () => {
        const visitor: Visitor = { gone: false, permit: null, ended: null };
        visitors.push(visitor);
        as(visitor, () => {
          const options = { priority: "interactive", signal: undefined, deadline: null, timeoutMs: TIMEOUT } as const;
          const takePermit = (permit: Permit | Refusal) => {
            visitor.ended = permit;
            if (!("settle" in permit)) return;
            visitor.permit = permit;
            sent.push(manual.now());
            // A request ends by itself at its time limit.
            clock.setTimeout(() => answer(visitor), TIMEOUT);
            most = Math.max(most, inFlight());
          };
          const asked = limiter.acquire(new TicketOf(options));
          if (asked instanceof Promise) void asked.then(takePermit);
          else takePermit(asked);
        });
        return visitor;
      };
      const answer = (visitor: Visitor | undefined) => {
        if (!visitor?.permit || visitor.gone) return;
        const { permit } = visitor;
        visitor.permit = null;
        as(visitor, () => permit.settle(true));
      };
      for (const one of steps) {
        if (one.kind === "arrive") arrive();
        else if (one.kind === "arrive and leave") {
          const visitor = arrive();
          for (let tick = 0; tick < one.ticks; tick++) await null;
          visitor.gone = true;
        } else if (one.kind === "later") await manual.advance(one.ms);
        else {
          const living = visitors.filter(({ gone, permit }) => !gone && (one.kind === "leave" || permit));
          const visitor = living[one.who % living.length];
          if (one.kind !== "leave") answer(visitor);
          if (visitor && one.kind !== "answer") visitor.gone = true;
        }
        await settle();
      }
      // All remaining visitors are served, a few per window.
      const windows = Math.ceil(visitors.length / LIMIT.requests) + 2;
      for (let second = 0; second < windows * ((WINDOW + TIMEOUT) / 1_000); second++) {
        for (const visitor of visitors) answer(visitor);
        await manual.advance(1_000);
      }
      expect(visitors.filter(({ gone, ended }) => !gone && ended === null)).toEqual([]);
      expect(most).toBeLessThanOrEqual(LIMIT.concurrency);
      for (const at of sent) {
        expect(sent.filter((other) => other >= at && other < at + WINDOW).length).toBeLessThanOrEqual(LIMIT.requests);
      }
    }),
    { numRuns: amount(15, 1_000), examples: [[LOST_QUESTION]] },
  );
});
