import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { ConnectionError, MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { handlers } from "../../src/sandbox/msw.js";

const BASE_URL = "https://school.example/prefix/";
const sandbox = createSandbox({ size: 120 });
const server = setupServer(...handlers(sandbox, { baseUrl: BASE_URL }), ...handlers(sandbox));

beforeAll(() => server.listen({ onUnhandledFrame: "error" }));
afterEach(() => sandbox.reset());
afterAll(() => server.close());

// Without a `fetch` option, so that the client uses the platform's, which msw intercepts.
const client = new MainClient({ baseUrl: BASE_URL, apiKey: sandbox.apiKey, retry: false });

describe("msw handlers", () => {
  test("respond to requests for the service's address, page by page", async () => {
    const accounts = await client.accounts.list().toArray({ max: 1_000 });
    expect(accounts).toHaveLength(120);
    expect(sandbox.requests.map(({ path }) => path)).toEqual(["/prefix/api/v1/accounts", "/prefix/api/v1/accounts"]);
  });

  test("give clients of this process their whole budget after a reset, even after a 429", async () => {
    const limited = new MainClient({
      baseUrl: BASE_URL,
      apiKey: sandbox.apiKey,
      retry: false,
      rateLimit: { requests: 5 },
    });
    for (let sent = 0; sent < 5; sent++) await limited.accounts.get(1);
    sandbox.reset();
    expect(limited.rateLimit).toMatchObject({ used: 0, resetAt: null });
    expect((await limited.accounts.get(1, { totalTimeout: 60_000 })).id).toBe(1);
    sandbox.faults.next({ retryAfter: 287 });
    await expect(limited.accounts.get(1)).rejects.toMatchObject({ code: "rate_limited" });
    sandbox.reset();
    expect((await limited.accounts.get(1, { totalTimeout: 60_000 })).id).toBe(1);
  });

  test("accept bodies, and respond without one", async () => {
    const { id } = await client.courseLocations.create({ name: "Example Hall" });
    expect(sandbox.store.courseLocations.get(id)?.name).toBe("Example Hall");
    expect(await client.courseLocations.delete(id)).toBeUndefined();
  });

  test("use the sandbox's own address by default", async () => {
    const { baseUrl, apiKey } = sandbox;
    expect((await new MainClient({ baseUrl, apiKey }).organization.contacts.list()).records).toHaveLength(100);
  });

  test("turn a broken connection into a failure", async () => {
    sandbox.faults.next({ reset: true });
    await expect(client.accounts.get(1)).rejects.toBeInstanceOf(ConnectionError);
  });

  test("turn a cut response into a broken connection, because msw reads the body first", async () => {
    sandbox.faults.next({ cut: true });
    await expect(client.accounts.get(1)).rejects.toBeInstanceOf(ConnectionError);
  });

  test("pass an abort on to a waiting request", async () => {
    sandbox.faults.next({ delayMs: Number.POSITIVE_INFINITY });
    const controller = new AbortController();
    const call = client.accounts.get(1, { signal: controller.signal });
    await expect.poll(() => sandbox.requests.length).toBe(1);
    controller.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
  });
});
