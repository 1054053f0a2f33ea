import { describe, expect, it, vi } from "vitest";
import { createWebhookHandler, memoryStore, type WebhookEvent, type WebhookInbox } from "../../src/webhooks/index.js";
import { collector, payloadOf, signature, signedRequest, sleep } from "./support.js";

const body = payloadOf("invoice.updated", { id: 4071 });
const versioned = payloadOf("invoice.updated", { id: 4071, status: "open", updated_at: "2026-01-01T10:00:00Z" });

describe("receiving", () => {
  it("responds with an empty 200 and passes the event and its context to onEvent", async () => {
    const seen: unknown[] = [];
    const handler = createWebhookHandler({ signature, onEvent: (event, context) => seen.push([event, context]) });
    const before = Date.now();
    const answer = await handler(await signedRequest(body));
    expect([answer.status, await answer.text()]).toEqual([200, ""]);
    await handler.drain();
    const [[event, context]] = seen as [[WebhookEvent, Record<string, unknown>]];
    expect(event).toEqual(JSON.parse(body));
    expect(context).toMatchObject({ attempt: 1, outOfOrder: false });
    expect(context.deliveryId).toMatch(/^[0-9a-f-]{36}$/);
    expect(context.receivedAt).toBeGreaterThanOrEqual(before);
    expect(Number(context.sentAt) / 1_000).toBe(Math.floor(Number(context.sentAt) / 1_000));
  });

  it("responds before any listener runs", async () => {
    const order: string[] = [];
    const handler = createWebhookHandler({ signature, onEvent: () => void order.push("listener") });
    await handler(await signedRequest(body)).then(() => order.push("answer"));
    await handler.drain();
    expect(order).toEqual(["answer", "listener"]);
  });

  it("responds with 200 to a known delivery and does not hand it out again, before or after it was handled", async () => {
    let calls = 0;
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { kinds, report } = collector();
    const onEvent = async () => {
      calls++;
      await gate;
    };
    const handler = createWebhookHandler({ signature, report, onEvent });
    const send = async () => (await handler(await signedRequest(versioned))).status;
    expect([await send(), await send()]).toEqual([200, 200]);
    release();
    await handler.drain();
    expect(await send()).toBe(200);
    await handler.drain();
    expect(calls).toBe(1);
    expect(kinds()).toEqual(["stored", "duplicate", "handled", "duplicate"]);
  });

  it("distinguishes equal bodies that were signed at different times", async () => {
    const now = Math.floor(Date.now() / 1_000);
    const onEvent = vi.fn();
    const handler = createWebhookHandler({ signature, onEvent });
    for (const timestamp of [now - 2, now - 1, now]) await handler(await signedRequest(body, { timestamp }));
    await handler.drain();
    expect(onEvent).toHaveBeenCalledTimes(3);
  });
});

describe("the store's part in the response", () => {
  it("responds with 503 if the store fails, reports the failure, and accepts the second delivery", async () => {
    const memory = memoryStore();
    let failing = true;
    const store = {
      ...memory,
      put: async (...input: Parameters<typeof memory.put>) => {
        if (failing) throw new Error("disk full");
        return memory.put(...input);
      },
    };
    const { reports, report } = collector();
    const onEvent = vi.fn();
    const handler = createWebhookHandler({ signature, store, report, onEvent });
    const timestamp = Date.now() / 1_000;
    const answer = await handler(await signedRequest(body, { timestamp }));
    expect(answer.status).toBe(503);
    expect(await answer.text()).not.toContain("disk full");
    expect(reports).toContainEqual({ kind: "failed", what: "put", error: new Error("disk full") });
    failing = false;
    expect((await handler(await signedRequest(body, { timestamp }))).status).toBe(200);
    await handler.drain();
    expect(onEvent).toHaveBeenCalledTimes(1);
  });

  it("responds with 503 if the store throws instead of rejecting", async () => {
    const store: WebhookInbox = {
      put: () => {
        throw new Error("no connection");
      },
    };
    const handler = createWebhookHandler({ signature, store, report: () => undefined });
    expect((await handler(await signedRequest(body))).status).toBe(503);
  });

  it("responds with 503 within timeoutMs if the store is slow, and still handles a delivery stored late, once", async () => {
    const memory = memoryStore();
    const { promise: late, resolve: keep } = Promise.withResolvers<void>();
    const store = {
      ...memory,
      put: async (...input: Parameters<typeof memory.put>) => {
        await late;
        return memory.put(...input);
      },
    };
    const onEvent = vi.fn();
    const handler = createWebhookHandler({ signature, store, timeoutMs: 40, onEvent });
    expect((await handler(await signedRequest(versioned))).status).toBe(503);
    keep();
    await vi.waitFor(() => expect(onEvent).toHaveBeenCalledTimes(1), 10_000);
    await handler(await signedRequest(versioned));
    await handler.drain();
    expect(onEvent).toHaveBeenCalledTimes(1);
  });

  it("needs only put if something else takes the deliveries", async () => {
    const put = vi.fn<WebhookInbox["put"]>().mockResolvedValue("stored");
    const handler = createWebhookHandler({ signature, store: { put } });
    expect((await handler(await signedRequest(body))).status).toBe(200);
    await handler.drain();
    const [[delivery]] = put.mock.calls as unknown as [[Record<string, unknown>]];
    expect(delivery).toMatchObject({ event: "invoice.updated", payload: body });
    expect(JSON.parse(JSON.stringify(delivery))).toEqual(delivery);
  });

  it("responds with 503 while the memory store is full, and accepts deliveries again when there is room", async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const handler = createWebhookHandler({
      signature,
      store: memoryStore({ maxPending: 2 }),
      report: () => undefined,
      onEvent: () => gate,
    });
    const now = Date.now() / 1_000;
    const send = async (age: number) => (await handler(await signedRequest(body, { timestamp: now - age }))).status;
    expect([await send(1), await send(2), await send(3)]).toEqual([200, 200, 503]);
    release();
    await handler.drain();
    expect(await send(3)).toBe(200);
  });

  it("responds with 503 after close", async () => {
    const handler = createWebhookHandler({ signature, onEvent: () => undefined });
    await handler.close();
    expect((await handler(await signedRequest(body))).status).toBe(503);
  });

  it("passes its work to waitUntil of a runtime that stops after the response", async () => {
    const promises: Promise<unknown>[] = [];
    let handled = false;
    const handler = createWebhookHandler({
      signature,
      onEvent: async () => {
        await sleep(30);
        handled = true;
      },
    });
    class ExecutionContext {
      #own = promises;
      waitUntil(promise: Promise<unknown>): void {
        this.#own.push(promise);
      }
    }
    await handler(await signedRequest(body), new ExecutionContext());
    expect([promises.length, handled]).toEqual([1, false]);
    await promises[0];
    expect(handled).toBe(true);
  });
});
