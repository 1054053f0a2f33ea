import fc from "fast-check";
import { expect, test } from "vitest";
import type { localStore } from "../../../src/core/limits/rate-limit-store.js";
import type { ClientLimiter, Permit, RateLimiter } from "../../../src/core/limits/rate-limiter.js";
import type { Ticket } from "../../../src/core/limits/ticket.js";
import type { Moment } from "../../../src/core/time.js";
import { amount } from "../../support/amount.js";
import { ManualClock } from "../../support/manual-clock.js";
import { compileForVisitors, runAs, type Visitor, visitorClock } from "../../support/visitors.js";

// These calls need several permits with one ticket, and pause between them, as a call does between its attempts.

const WINDOW = 60_000;
const TIMEOUT = 5_000;
// The gap that a retry leaves between its decision and its next attempt.
const GAP = 2;
const LIMIT = { requests: 12, windowMs: WINDOW, reserve: 0, concurrency: 2, queueLimit: 8 };

interface Caller extends Visitor {
  readonly number: number;
  readonly ticket: Ticket;
  permit: Permit | null;
  /** When its pause ends. */
  due: number;
  sent: number;
  /** Permits that it still needs. */
  left: number;
}

type Step =
  | { readonly kind: "arrive"; readonly permits: number }
  | { readonly kind: "answer" | "refuse"; readonly who: number; readonly pause: number }
  | { readonly kind: "leave"; readonly who: number }
  | { readonly kind: "later"; readonly ms: number };

const who = fc.nat(200);
const pause = fc.constantFrom(0, 1, 300, 2_000, 20_000);
const stepOf = (mayLeave: boolean): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant("arrive" as const), permits: fc.integer({ min: 1, max: 4 }) }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("answer" as const), who, pause }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("refuse" as const), who, pause }) },
    { weight: mayLeave ? 2 : 0, arbitrary: fc.record({ kind: fc.constant("leave" as const), who }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant("later" as const), ms: fc.constantFrom(1, 500, 1_500, 6_000, 30_000) }),
    },
  );

interface Code {
  readonly RateLimiter: typeof RateLimiter;
  readonly localStore: typeof localStore;
  readonly Ticket: typeof Ticket;
}

class World {
  readonly manual = new ManualClock(0);
  readonly clock = visitorClock(this.manual);
  readonly callers: Caller[] = [];
  readonly sent: number[] = [];
  readonly faults: string[] = [];
  readonly #code: Code;
  readonly #client: ClientLimiter;
  readonly #freeAt: number[] = [];
  #blockedUntil = 0;

  constructor(code: Code) {
    this.#code = code;
    this.#client = new code.RateLimiter("key", this.clock, code.localStore(this.clock)).client(LIMIT);
  }

  async take(step: Step): Promise<void> {
    if (step.kind === "arrive") this.#arrive(step.permits);
    else if (step.kind === "later") await this.manual.advance(step.ms);
    else {
      const living = this.callers.filter(({ gone, permit }) => !gone && (step.kind === "leave" || permit));
      const caller = living[step.who % living.length];
      if (caller && step.kind === "leave") caller.gone = true;
      else if (caller && step.kind !== "leave") this.answer(caller, step.pause, step.kind === "refuse");
    }
    await this.manual.advance(GAP);
  }

  /** The calls in line that are not pausing. */
  get waiting(): Caller[] {
    const now = this.manual.now();
    return this.callers.filter(({ permit, left, due }) => permit === null && left > 0 && due <= now);
  }

  get inFlight(): Caller[] {
    return this.callers.filter(({ permit, gone }) => permit !== null && !gone);
  }

  get hasRoom(): boolean {
    const now = this.manual.now();
    const counted = this.#freeAt.filter((at) => at > now).length + this.inFlight.length;
    return this.inFlight.length < LIMIT.concurrency && counted < LIMIT.requests && now >= this.#blockedUntil;
  }

  #arrive(permits: number): void {
    const visitor: Visitor = { gone: false };
    const call = { priority: "interactive", signal: undefined, deadline: null, timeoutMs: TIMEOUT } as const;
    const ticket = runAs(visitor, () => new this.#code.Ticket(call));
    const number = this.callers.length;
    const caller: Caller = Object.assign(visitor, { number, ticket, permit: null, due: 0, sent: 0, left: permits });
    this.callers.push(caller);
    this.#ask(caller);
  }

  #ask(caller: Caller): void {
    runAs(caller, () => {
      const asked = this.#client.acquire(caller.ticket);
      const use = (permit: Awaited<typeof asked>) => this.#use(caller, permit);
      if (asked instanceof Promise) void asked.then(use);
      else use(asked);
    });
  }

  #use(caller: Caller, permit: Awaited<ReturnType<ClientLimiter["acquire"]>>): void {
    if (!("settle" in permit)) {
      if (caller.sent > 0) this.faults.push(`${caller.number} is refused after it was let in`);
      caller.left = 0;
      return;
    }
    if (this.manual.now() < caller.due) this.faults.push(`${caller.number} is sent in its pause`);
    const passed = this.waiting.filter(({ number, gone }) => number < caller.number && !gone);
    for (const { number } of passed) this.faults.push(`${caller.number} is sent before ${number}`);
    caller.permit = permit;
    const sent = ++caller.sent;
    this.sent.push(this.manual.now());
    if (this.inFlight.length > LIMIT.concurrency) this.faults.push("too many in flight");
    this.clock.setTimeout(() => sent === caller.sent && this.answer(caller, 0), TIMEOUT);
  }

  answer(caller: Caller, pause: number, isRefused = false): void {
    const { permit, ticket } = caller;
    if (!permit || caller.gone) return;
    runAs(caller, () => {
      caller.permit = null;
      caller.left--;
      caller.due = this.manual.now() + pause;
      ticket.notBefore = caller.due as Moment;
      if (isRefused) {
        this.#client.block(pause);
        this.#blockedUntil = Math.max(this.#blockedUntil, caller.due);
      }
      // The call returns to its place in the turn in which its permit ends.
      if (caller.left > 0) this.#client.keep(ticket);
      permit.settle(true);
      if (caller.left > 0) this.clock.setTimeout(() => this.#ask(caller), GAP / 2);
      else this.#client.leave(ticket);
    });
    this.#freeAt.push(this.manual.now() + WINDOW);
  }

  async finish(): Promise<void> {
    const permits = this.callers.reduce((sum, { left }) => sum + left, 0) + this.sent.length;
    const seconds = (Math.ceil(permits / LIMIT.requests) + 2) * ((WINDOW + TIMEOUT) / 1_000);
    for (let second = 0; second < seconds; second++) {
      for (const caller of this.callers) this.answer(caller, 0);
      await this.manual.advance(1_000);
    }
  }
}

test.each([
  ["by the order in which they came, whatever they pause", false],
  ["although the code of others never runs again", true],
])("calls get all their permits %s", async (_, mayLeave) => {
  const code = await compileForVisitors<Code>("limits/rate-limiter", "limits/rate-limit-store", "limits/ticket");
  await fc.assert(
    fc.asyncProperty(fc.array(stepOf(mayLeave), { minLength: 10, maxLength: 80 }), async (steps) => {
      const world = new World(code);
      for (const step of steps) {
        await world.take(step);
        const idle = mayLeave ? [] : world.waiting;
        if (world.hasRoom && idle.length > 0) world.faults.push(`${idle[0]?.number} waits although there is room`);
      }
      await world.finish();
      expect(world.callers.filter(({ gone, left }) => !gone && left > 0)).toEqual([]);
      expect(mayLeave ? world.faults.filter((fault) => !fault.includes("before")) : world.faults).toEqual([]);
      for (const at of world.sent) {
        const inWindow = world.sent.filter((other) => other >= at && other < at + WINDOW);
        expect(inWindow.length).toBeLessThanOrEqual(LIMIT.requests);
      }
    }),
    { numRuns: amount(40, 1_000) },
  );
});
