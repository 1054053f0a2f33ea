import { MainClient } from "education-admin-sdk";
import { account } from "./lib/records.ts";
import { systemClock } from "./node_modules/education-admin-sdk/dist/core/clock.js";
// Not public, so by its path: the governor by itself.
import { Governor } from "./node_modules/education-admin-sdk/dist/core/governor.js";

/** Makes calls with and without the governor, in a process of its own, and tells what one costs in microseconds. */
interface Question {
  readonly governed: boolean;
  readonly calls: number;
}

const body = JSON.stringify(account(1));
const fetch = async (): Promise<Response> => new Response(body, { headers: { "content-type": "application/json" } });
const limit = { requests: 1_000_000_000, windowMs: 1_000, reserve: 0.1, concurrency: 10, queueLimit: 100_000 };
const options = { baseUrl: "https://bench.example", apiKey: "bench", fetch, validation: "off" } as const;
const clients = {
  governed: new MainClient({ ...options, rateLimit: limit }),
  free: new MainClient({ ...options, rateLimit: false }),
};
const governor = new Governor("bench", systemClock);
const { signal } = new AbortController();

process.on("disconnect", () => process.exit());
process.on("message", async ({ governed, calls }: Question) => {
  const client = governed ? clients.governed : clients.free;
  const call = await microseconds(calls, () => client.accounts.get(1));
  const admission = await microseconds(calls, async () => {
    const permit = await governor.admit({ limit, priority: "interactive", signal, deadline: null, leaseMs: 330_000 });
    permit.settle(true);
  });
  process.send?.({ call, admission });
});

async function microseconds(calls: number, work: () => PromiseLike<unknown>): Promise<number> {
  const started = performance.now();
  for (let call = 0; call < calls; call++) await work();
  return ((performance.now() - started) * 1_000) / calls;
}
