import fc from "fast-check";
import { expect, test } from "vitest";
import type { localStore } from "../../../src/core/limits/rate-limit-store.js";
import type { Permit, RateLimiter } from "../../../src/core/limits/rate-limiter.js";
import type { Refusal, Ticket } from "../../../src/core/limits/ticket.js";
import type { Keys } from "../../../src/core/line/keys.js";
import { amount } from "../../support/amount.js";
import { ManualClock, settle } from "../../support/manual-clock.js";
import { compileForVisitors, runAs, type Visitor, VisitorPromise, visitorClock } from "../../support/visitors.js";

const WINDOW = 60_000;
const TIMEOUT = 5_000;
const LIMIT = { requests: 12, windowMs: WINDOW, reserve: 0, concurrency: 3, queueLimit: 1_000 };
const CALL = { priority: "interactive", signal: undefined, deadline: null } as const;

interface Caller extends Visitor {
  permit: Permit | null;
  ended: Permit | Refusal | null;
}

interface Code {
  readonly RateLimiter: typeof RateLimiter;
  readonly localStore: typeof localStore;
  readonly Ticket: typeof Ticket;
  readonly Keys: typeof Keys;
}

const compile = () =>
  compileForVisitors<Code>("limits/rate-limiter", "limits/rate-limit-store", "limits/ticket", "line/keys");

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

test("each call ends and the limits hold, even if any code of other calls never runs again", async () => {
  const { RateLimiter: Limiter, localStore: storeOf, Ticket: TicketOf } = await compile();
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
      const clock = visitorClock(manual);
      const limiter = new Limiter("key", clock, storeOf(clock)).client(LIMIT);
      const visitors: Caller[] = [];
      const sent: number[] = [];
      let most = 0;
      const inFlight = () => visitors.filter(({ permit, gone }) => permit !== null && !gone).length;
      const arrive = () => {
        const visitor: Caller = { gone: false, permit: null, ended: null };
        visitors.push(visitor);
        runAs(visitor, () => {
          const takePermit = (permit: Permit | Refusal) => {
            visitor.ended = permit;
            if (!("settle" in permit)) return;
            visitor.permit = permit;
            sent.push(manual.now());
            // A request ends by itself at its time limit.
            clock.setTimeout(() => answer(visitor), TIMEOUT);
            most = Math.max(most, inFlight());
          };
          const asked = limiter.acquire(new TicketOf({ ...CALL, timeoutMs: TIMEOUT }));
          if (asked instanceof Promise) void asked.then(takePermit);
          else takePermit(asked);
        });
        return visitor;
      };
      const answer = (visitor: Caller | undefined) => {
        if (!visitor?.permit || visitor.gone) return;
        const { permit } = visitor;
        visitor.permit = null;
        runAs(visitor, () => permit.settle(true));
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

test.each([0, 1, 2, 3, 5, 8])(
  "a call that stops running %i ticks after it called the key function keeps no other call from the key",
  async (ticks) => {
    const { Keys: KeysOf, Ticket: TicketOf } = await compile();
    const manual = new ManualClock(0);
    const clock = visitorClock(manual);
    let asked = 0;
    const fetchKey = () =>
      new VisitorPromise<string>((resolve) => {
        asked++;
        clock.setTimeout(() => resolve("the-key"), 400);
      });
    const keys = new KeysOf(fetchKey, clock);
    const served: string[] = [];
    const visit = (name: string): Visitor => {
      const visitor = { gone: false };
      runAs(visitor, () => {
        const ticket = new TicketOf({ ...CALL, timeoutMs: 30_000 });
        void (keys.token(ticket) as Promise<string>).then(() => served.push(name));
      });
      return visitor;
    };
    const first = visit("first");
    for (let tick = 0; tick < ticks; tick++) await null;
    first.gone = true;
    visit("second");
    await manual.advance(200);
    visit("third");
    await manual.advance(3_000);
    expect(served.sort()).toEqual(["second", "third"]);
    expect(asked).toBeLessThanOrEqual(3);
  },
);
