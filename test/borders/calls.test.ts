import { describe, expect, test, vi } from "vitest";
import { type Account, MainClient } from "../../src/index.js";
import { mainClient, options } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { accountRecord } from "../support/records.js";

const { fetch } = recordingFetch(() => jsonResponse(accountRecord()));

describe("a fetch of the caller's", () => {
  test("that throws instead of rejecting is a failed connection", async () => {
    const throwing = () => {
      throw new TypeError("fetch failed");
    };
    const call = mainClient({ fetch: throwing, retry: false }).accounts.get(7);
    await expect(call).rejects.toMatchObject({ name: "ConnectionError", attempts: 1 });
  });

  test("may return a Response of another class than the platform's", async () => {
    const client = mainClient({
      fetch: async () => {
        const { status, headers, body } = jsonResponse(accountRecord());
        return {
          status,
          headers,
          body,
          bodyUsed: false,
          ok: true,
          url: "",
          redirected: false,
          type: "basic",
        } as Response;
      },
    });
    expect((await client.accounts.get(7)).id).toBe(7);
  });
});

/** Imitates a signal from another realm or a polyfill: it has the methods of AbortSignal but not the class. */
class OtherSignal extends EventTarget {
  aborted = false;
  reason: unknown;
  abort(reason: unknown): void {
    this.aborted = true;
    this.reason = reason;
    this.dispatchEvent(new Event("abort"));
  }
}

describe("a signal of another class than the platform's", () => {
  test("ends a call with its reason", async () => {
    const signal = new OtherSignal();
    const hanging = vi.fn(() => {
      setImmediate(() => signal.abort("enough"));
      return new Promise<Response>(() => undefined);
    });
    const call = mainClient({ fetch: hanging }).accounts.get(7, { signal: signal as unknown as AbortSignal });
    await expect(call).rejects.toBe("enough");
    expect(hanging).toHaveBeenCalledOnce();
  });

  test("leaves a call alone that it does not abort", async () => {
    const signal = new OtherSignal() as unknown as AbortSignal;
    expect((await mainClient({ fetch }).accounts.get(7, { signal })).id).toBe(7);
  });
});

describe("an observer", () => {
  test("whose promise never settles delays no call", async () => {
    const never = vi.fn(() => new Promise<void>(() => undefined));
    const client = mainClient({ fetch, on: { request: never, response: never } });
    expect((await client.accounts.get(7)).id).toBe(7);
    expect(never).toHaveBeenCalledTimes(2);
  });

  test("of two clients gets the events of both, and its changes to an event reach no other observer", async () => {
    const seen: string[] = [];
    const on = {
      request: (event: { operation: string }) => {
        seen.push(event.operation);
        Object.assign(event, { operation: "changed" });
      },
      response: ({ operation }: { operation: string }) => void seen.push(operation),
    };
    const clients = [mainClient({ fetch, on }), mainClient({ fetch, on })];
    await Promise.all(clients.map((client) => client.accounts.get(7)));
    expect(seen.sort()).toEqual(Array.from({ length: 4 }, () => "accounts.get"));
  });
});

test("a school that another copy of the package defined checks what is sent", async () => {
  vi.resetModules();
  const { defineSchool } = await import("../../src/school/index.js");
  vi.resetModules();
  const school = defineSchool({ accounts: { sector: "string" } });
  const client = new MainClient({ ...options({ fetch }), school } as never) as MainClient;
  const body = { name: "A", custom: { other: "B" } } as unknown as Partial<Account>;
  await expect(client.accounts.create(body as never)).rejects.toMatchObject({ code: "input" });
});
