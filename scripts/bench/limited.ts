import { MainClient } from "education-admin-sdk";
import { account } from "./lib/records.ts";
import { systemClock } from "./node_modules/education-admin-sdk/dist/core/clock.js";
// Imported by path, because the package does not export the rate limiter.
import { localStore } from "./node_modules/education-admin-sdk/dist/core/limits/rate-limit-store.js";
import { RateLimiter } from "./node_modules/education-admin-sdk/dist/core/limits/rate-limiter.js";
import { Ticket } from "./node_modules/education-admin-sdk/dist/core/limits/ticket.js";

/**
 * Runs in a separate process, makes calls with or without the rate limiter, and reports the cost of one call in
 * microseconds.
 */
interface Question {
  readonly limited: boolean;
  readonly calls: number;
}

const body = JSON.stringify(account(1));
const fetch = async (): Promise<Response> => new Response(body, { headers: { "content-type": "application/json" } });
const limit = { requests: 1_000_000_000, windowMs: 1_000, reserve: 0.1, concurrency: 10, queueLimit: 100_000 };
const options = { baseUrl: "https://bench.example", apiKey: "bench", fetch, validation: "off" } as const;
const clients = {
  limited: new MainClient({ ...options, rateLimit: limit }),
  free: new MainClient({ ...options, rateLimit: false }),
};
const limiter = new RateLimiter("bench", systemClock, localStore(systemClock)).client(limit);
const { signal } = new AbortController();

process.on("disconnect", () => process.exit());
process.on("message", async ({ limited, calls }: Question) => {
  const client = limited ? clients.limited : clients.free;
  const call = await microseconds(calls, () => client.accounts.get(1));
  const permit = await microseconds(calls, async () => {
    const granted = await limiter.acquire(
      new Ticket({ priority: "interactive", signal, deadline: null, timeoutMs: 30_000 }),
    );
    if ("settle" in granted) granted.settle(true);
  });
  process.send?.({ call, permit });
});

async function microseconds(calls: number, work: () => PromiseLike<unknown>): Promise<number> {
  const started = performance.now();
  for (let call = 0; call < calls; call++) await work();
  return ((performance.now() - started) * 1_000) / calls;
}
