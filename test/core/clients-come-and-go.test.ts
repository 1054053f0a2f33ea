import { queryObjects } from "node:v8";
import { describe, expect, it } from "vitest";
// Loads this module in advance. Otherwise the first error would load it, and so arrive late.
import "../../src/core/call/failure-words.js";
import { ClientLimiter, RateLimiter } from "../../src/core/limits/rate-limiter.js";
import { MainClient, RateLimitError } from "../../src/index.js";
import { createRandom } from "../campaign/support/random.js";
import { amount } from "../support/amount.js";
import { jsonResponse } from "../support/fetch.js";
import { collectGarbage } from "../support/garbage.js";
import { ManualClock } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";

const WINDOW = 60_000;
const TOKENS = 20;
const CLIENTS = amount(300, 1_000);
const random = createRandom(37);

/** A client, with the calls that the test expects of it. */
interface Known {
  readonly limits: { requests: number; reserve: number; concurrency: number; queueLimit: number; windowMs: number };
  readonly waiting: { interactive: number; batch: number };
  inFlight: number;
  refused: number;
}

/** A request that counts towards the rate limit window of a token. */
interface Counted {
  readonly batch: boolean;
  freeAt: number;
}

describe(`${CLIENTS} clients of twenty tokens that come and go`, () => {
  it("are each held only to their own limits and leave nothing behind", async () => {
    const clock = new ManualClock();
    const windows: Counted[][] = Array.from({ length: TOKENS }, () => []);
    const living = new Set<{ readonly known: Known; readonly token: number }>();
    const faults: string[] = [];
    let sent = 0;
    let refused = 0;
    let passed = 0;

    const countOf = (token: number) => {
      const now = clock.now();
      windows[token] = (windows[token] as Counted[]).filter(({ freeAt }) => freeAt > now);
      const all = windows[token];
      return { all, batch: all.filter(({ batch }) => batch).length };
    };
    const hasRoom = ({ limits }: Known, token: number, isBatch: boolean) => {
      const { all, batch } = countOf(token);
      const batchRequests = Math.max(1, limits.requests - Math.floor(limits.requests * limits.reserve));
      return all.length < limits.requests && (!isBatch || batch < batchRequests);
    };

    /** Creates a client that makes all its calls at once; resolves when they have ended. */
    const use = async (): Promise<void> => {
      const token = random.whole(0, TOKENS - 1);
      const limits = {
        requests: random.whole(1, 40),
        reserve: random.pick([0, 0.1, 0.5]),
        concurrency: random.whole(1, 6),
        queueLimit: random.whole(1, 12),
        windowMs: WINDOW,
      };
      const known: Known = { limits, waiting: { interactive: 0, batch: 0 }, inFlight: 0, refused: 0 };
      const self = { known, token };
      living.add(self);
      const fetch = async (url: string) => {
        const batch = url.includes("/2");
        known.waiting[batch ? "batch" : "interactive"]--;
        if (!hasRoom(known, token, batch)) faults.push("sent without room in the window");
        if (known.inFlight >= limits.concurrency) faults.push("sent with too many in flight");
        for (const other of living) {
          const { waiting } = other.known;
          if (other !== self && other.token === token && waiting.interactive + waiting.batch > 0) passed++;
        }
        const place: Counted = { batch, freeAt: Number.POSITIVE_INFINITY };
        windows[token]?.push(place);
        known.inFlight++;
        sent++;
        await new Promise<void>((resolve) => clock.setTimeout(resolve, random.whole(50, 4_000)));
        place.freeAt = clock.now() + WINDOW;
        known.inFlight--;
        return jsonResponse(accountRecord());
      };
      const client = new MainClient({
        baseUrl: "https://school.example",
        apiKey: `key-of-token-${token}`,
        fetch,
        clock,
        rateLimit: limits,
      });
      const calls = Array.from({ length: random.whole(1, 16) }, async () => {
        const priority = random.pick(["interactive", "batch"] as const);
        known.waiting[priority]++;
        try {
          await client.accounts.get(priority === "batch" ? 2 : 1, { priority });
        } catch (error) {
          expect(error).toBeInstanceOf(RateLimitError);
          known.waiting[priority]--;
          known.refused++;
          refused++;
        }
      });
      await Promise.all(calls);
      living.delete(self);
    };

    const clients: Promise<void>[] = [];
    const checkWaits = () => {
      for (const { known, token } of living) {
        const { waiting, inFlight, limits } = known;
        const all = waiting.interactive + waiting.batch;
        const mayStart = inFlight < limits.concurrency;
        if (mayStart && waiting.interactive > 0 && hasRoom(known, token, false)) faults.push("waits with room");
        if (mayStart && waiting.batch > 0 && hasRoom(known, token, true)) faults.push("waits with room for batch");
        if (all > limits.queueLimit) faults.push("waits beyond its queueLimit");
        // A client makes all its calls at once, so a refusal means that its queue is full now.
        if (known.refused > 0 && all !== limits.queueLimit) faults.push("refused before its queue was full");
        known.refused = 0;
      }
    };

    while (clients.length < CLIENTS) {
      for (let more = random.whole(1, 6); more > 0 && clients.length < CLIENTS; more--) clients.push(use());
      await clock.advance(0);
      checkWaits();
      await clock.advance(random.whole(1, 3_000));
      checkWaits();
    }
    await clock.run(Promise.all(clients));
    expect(faults).toEqual([]);
    // Checks that the run has covered enough of each case.
    expect([sent > 2 * CLIENTS, refused > CLIENTS / 5, passed > CLIENTS / 5]).toEqual([true, true, true]);
    expect(clock.pending).toBe(0);
    clients.length = 0;
    await collectGarbage();
    expect(queryObjects(ClientLimiter, { format: "count" })).toBeLessThan(TOKENS);
    expect(queryObjects(RateLimiter, { format: "count" })).toBeLessThan(2 * TOKENS);
  });
});
