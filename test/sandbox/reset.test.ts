import { describe, expect, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { createWebhookHandler } from "../../src/webhooks/index.js";
import { ask } from "./support.js";

const turn = () => new Promise((resolve) => setTimeout(resolve, 5));
const failed = { retry: false } as const;

describe("reset gives the next test a new sandbox", () => {
  test("a client that has used up its budget has it again, and so has the service", async () => {
    const sandbox = createSandbox({ size: 5 });
    const client = new MainClient(sandbox);
    for (let at = 0; at < 500; at++) await client.accounts.get(1);
    expect(client.rateLimit.used).toBe(500);
    sandbox.reset();
    expect(client.rateLimit).toMatchObject({ used: 0, resetAt: null });
    expect((await client.accounts.get(1, { totalTimeout: 1_000 })).id).toBe(1);
    expect(sandbox.requests).toHaveLength(1);
  });

  test("a 429 of an earlier test delays neither the same client nor a new one", async () => {
    const sandbox = createSandbox({ size: 5 });
    const client = new MainClient(sandbox);
    sandbox.faults.next({ retryAfter: 287 });
    await expect(client.accounts.get(1, failed)).rejects.toMatchObject({ code: "rate_limited" });
    sandbox.reset();
    expect((await client.accounts.get(1, { totalTimeout: 1_000 })).id).toBe(1);
    expect((await new MainClient(sandbox).accounts.get(2, { totalTimeout: 1_000 })).id).toBe(2);
  });

  test("a request in flight is neither carried out nor counted afterwards", async () => {
    const sandbox = createSandbox({ size: 5, rateLimit: { requests: 2 } });
    const client = new MainClient(sandbox);
    sandbox.faults.next({ delayMs: 20 });
    void client.accounts.create({ name: "From before" });
    await turn();
    void ask(sandbox, "api/v1/accounts/1");
    sandbox.reset();
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(sandbox.requests).toEqual([]);
    expect(sandbox.store.accounts.count).toBe(5);
    expect((await client.accounts.list()).records).toHaveLength(5);
    expect(client.rateLimit.used).toBe(1);
  });

  test("a call that waited before it keeps waiting if waits are skipped afterwards", async () => {
    const sandbox = createSandbox({ size: 5, skipWaits: true, now: "2030-01-01T00:00:00.000Z" });
    const client = new MainClient(sandbox);
    sandbox.faults.next({ retryAfter: 287 });
    // This unfinished work keeps the clock from skipping the wait before the reset.
    void sandbox.clock.during(() => new Promise(() => undefined));
    void client.accounts.get(1).then(() => undefined);
    await expect.poll(() => sandbox.clock.pending.nextInMs ?? 0).toBeGreaterThan(200_000);
    sandbox.reset();
    expect(sandbox.clock.pending.count).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(sandbox.requests).toEqual([]);
    expect(sandbox.clock.now()).toBe(Date.UTC(2030, 0, 1));
  });

  test("calls in flight and calls that wait for a permit hold no slot afterwards, and end only if they are aborted", async () => {
    const sandbox = createSandbox({ size: 5 });
    if (sandbox.rateLimit === false) throw new Error("the sandbox has a rate limit");
    const client = new MainClient({ ...sandbox, rateLimit: { ...sandbox.rateLimit, concurrency: 1 } });
    sandbox.faults.next({ delayMs: Number.POSITIVE_INFINITY });
    const controller = new AbortController();
    const { signal } = controller;
    const settled: unknown[] = [];
    for (const id of [1, 2]) client.accounts.get(id, { signal }).then(undefined, (error) => settled.push(error));
    await expect.poll(() => client.rateLimit.queued).toBe(1);
    sandbox.reset();
    expect(client.rateLimit).toMatchObject({ used: 0, queued: 0 });
    expect((await client.accounts.get(3, { totalTimeout: 1_000 })).id).toBe(3);
    await turn();
    expect(sandbox.requests.map(({ path }) => path)).toEqual(["/api/v1/accounts/3"]);
    expect(settled).toEqual([]);
    controller.abort();
    await expect.poll(() => settled).toHaveLength(2);
  });

  test("unfinished work does not prevent later waits from being skipped", async () => {
    const sandbox = createSandbox({ size: 5, skipWaits: true });
    sandbox.webhooks.subscribe({ to: () => new Promise<Response>(() => undefined) });
    sandbox.store.leads.update(1, { status: "won" });
    await turn();
    void ask(sandbox, "api/v1/accounts/1");
    sandbox.reset();
    await new Promise<void>((resolve) => sandbox.clock.setTimeout(resolve, 3_600_000));
  });

  test("waiting deliveries are not sent, and an earlier receiver handles later ones", async () => {
    const sandbox = createSandbox({ size: 5 });
    const seen: number[] = [];
    const to = async (request: Request) => {
      await turn();
      const { event_data } = (await request.json()) as { event_data: { id: number } };
      seen.push(event_data.id);
      return new Response();
    };
    sandbox.webhooks.subscribe({ to });
    for (const id of [1, 2, 3]) sandbox.store.leads.update(id, { status: "won" });
    await Promise.resolve();
    sandbox.reset();
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(seen.filter((id) => id !== 1)).toEqual([]);
    expect(sandbox.webhooks.deliveries).toEqual([]);
    sandbox.webhooks.subscribe({ to });
    sandbox.store.leads.update(4, { status: "won" });
    await sandbox.webhooks.settled();
    expect(seen).toContain(4);
    expect(sandbox.webhooks.deliveries).toHaveLength(1);
  });

  test("a webhook handler on the sandbox's clock continues", async () => {
    const sandbox = createSandbox({ size: 5 });
    const seen: unknown[] = [];
    const handler = createWebhookHandler({
      signature: { secrets: "s3cret" },
      clock: sandbox.clock,
      onEvent: ({ event_data }) => void seen.push(event_data.id),
    });
    for (const id of [1, 2]) {
      sandbox.webhooks.subscribe({ to: handler, secrets: "s3cret" });
      sandbox.store.leads.update(id, { status: "won" });
      await sandbox.webhooks.settled();
      await expect.poll(() => seen).toContain(id);
      sandbox.reset();
    }
  });

  test("the sandbox's own keys are valid again, identifiers of make start again, and created keys remain", async () => {
    const sandbox = createSandbox({ size: 5 });
    const extra = sandbox.createKey();
    const first = sandbox.make.account();
    sandbox.revokeKey(sandbox.apiKey);
    sandbox.reset();
    expect((await ask(sandbox, "api/v1/accounts/1")).status).toBe(200);
    expect((await ask({ ...sandbox, apiKey: extra }, "api/v1/accounts/1")).status).toBe(200);
    expect(sandbox.make.account()).toEqual(first);
  });
});

describe("the rate limit of a sandbox", () => {
  test("shows a new client the requests of another before its first call", async () => {
    const sandbox = createSandbox({ size: 5 });
    await new MainClient(sandbox).accounts.get(1);
    expect(new MainClient(sandbox).rateLimit.used).toBe(1);
  });

  test("is off in clients of a sandbox with false", async () => {
    const sandbox = createSandbox({ size: 5, rateLimit: false });
    for (const connection of [sandbox, sandbox.main]) {
      const client = new MainClient(connection);
      await client.accounts.get(1);
      expect(client.rateLimit.limit).toBeNull();
    }
    for (let at = 0; at < 501; at++) expect((await ask(sandbox, "api/v1/accounts/1")).status).toBe(200);
  });
});
