import { describe, expect, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";

// One sandbox and one client for the whole file, as in the guide.
const sandbox = createSandbox({ size: "small", skipWaits: true, data: { accounts: [{ name: "Own Ltd" }] } });
const client = new MainClient(sandbox);
const fresh = { accounts: 26, requests: 0, name: "Own Ltd" };

const sandboxState = () => ({
  accounts: sandbox.store.accounts.count,
  requests: sandbox.requests.length,
  name: sandbox.store.accounts.get(26)?.name,
});

// Changes that a test may leave behind.
const MESSES: readonly (() => unknown)[] = [
  () => client.accounts.create({ name: "Left behind" }),
  () => client.accounts.update(26, { name: "Renamed" }),
  () => sandbox.store.accounts.delete(26),
  () => {
    sandbox.faults.next({ retryAfter: 287 });
    return client.accounts.get(1);
  },
  () => {
    sandbox.faults.next({ delayMs: Number.POSITIVE_INFINITY });
    void client.accounts.create({ name: "Never answered" });
  },
  () => void client.accounts.create({ name: "Not awaited" }),
  () => {
    sandbox.webhooks.subscribe({ to: () => new Promise<Response>(() => undefined) });
    sandbox.store.leads.update(1, { status: "won" });
  },
  () => sandbox.revokeKey(sandbox.apiKey),
  () => void sandbox.clock.setTimeout(() => sandbox.store.accounts.insert({ name: "Too late" }), 5),
  () => sandbox.store.accounts.update(26, { name: "Changed" }),
];

describe("a thousand tests on one sandbox", () => {
  test.each(Array.from({ length: 1_000 }, (_, at) => at))(
    "%i sees no trace of another",
    { timeout: 2_000 },
    async (at) => {
      sandbox.reset();
      expect(sandboxState()).toEqual(fresh);
      expect((await client.accounts.get(26)).name).toBe("Own Ltd");
      expect(client.rateLimit.used).toBe(1);
      await MESSES[at % MESSES.length]?.();
    },
  );
});
