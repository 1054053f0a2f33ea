import { describe, expect, it, vi } from "vitest";
import { ConfigurationError } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse } from "../support/fetch.js";
import { failure } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";

describe("a caller's fetch that does not behave like fetch", () => {
  it("is reported, and called once, if it returns no Response", async () => {
    for (const answer of [undefined, null, "text", {}, { ok: true, status: 200, json: async () => accountRecord() }]) {
      const fetch = vi.fn(async () => answer as never);
      const error = await failure(mainClient({ fetch }).accounts.get(7));
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error).toMatchObject({
        operation: "accounts.get",
        message: expect.stringContaining("must return a Response"),
      });
      expect(fetch).toHaveBeenCalledOnce();
    }
  });

  it("is reported, and not called again, if it returns the same Response twice", async () => {
    const fetch = vi.fn().mockResolvedValue(jsonResponse(accountRecord()));
    const client = mainClient({ fetch });
    expect((await client.accounts.get(7)).id).toBe(7);
    const error = await failure(client.accounts.get(7));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain("create a new one for each call");
    expect(fetch).toHaveBeenCalledTimes(2);
  });

  it("is reported if the body of the Response cannot be read", async () => {
    const fetch = vi.fn(async () => ({ status: 200, headers: new Headers(), json: async () => ({}) }) as never);
    const error = await failure(mainClient({ fetch }).accounts.get(7));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(fetch).toHaveBeenCalledOnce();
  });

  it("is called once if it ends a prerender, which uses no request of the limit", async () => {
    const reason = Object.assign(new Error("the prerender is complete"), { digest: "HANGING_PROMISE_REJECTION" });
    const fetch = vi.fn().mockRejectedValueOnce(reason).mockResolvedValue(jsonResponse(accountRecord()));
    const client = mainClient({ fetch, rateLimit: { requests: 1, reserve: 0 }, totalTimeout: 1 });
    expect(await failure(client.accounts.get(7))).toBe(reason);
    expect(fetch).toHaveBeenCalledOnce();
    expect((await client.accounts.get(7)).id).toBe(7);
  });

  it("may have sent a write, and the error mentions it", async () => {
    const client = mainClient({ fetch: async () => undefined as never });
    const error = await failure(client.accounts.create({ name: "A" }));
    expect(error).toMatchObject({ name: "ConfigurationError", attempts: 1, outcome: "unknown" });
    expect(error.message).toContain("may have processed it");
    expect(await failure(client.accounts.get(7))).toMatchObject({ attempts: 1, outcome: null });
  });
});
