import { describe, expect, it, vi } from "vitest";
import { ConfigurationError } from "../../src/core/errors.js";
import {
  createWebhookHandler,
  memoryStore,
  type WebhookEvent,
  type WebhookInbox,
  WebhookVerificationError,
} from "../../src/webhooks/index.js";
import { collector, payloadOf, SECRET, signature, signedRequest, sleep } from "./support.js";

const body = payloadOf("invoice.updated", { id: 4071 });
const versioned = payloadOf("invoice.updated", { id: 4071, updated_at: "2026-01-01T10:00:00Z" });

describe("receiving", () => {
  it("answers 200 with nothing in it and hands the event and its circumstances to onEvent", async () => {
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

  it("answers before any listener runs", async () => {
    const order: string[] = [];
    const handler = createWebhookHandler({ signature, onEvent: () => void order.push("listener") });
    await handler(await signedRequest(body)).then(() => order.push("answer"));
    await handler.drain();
    expect(order).toEqual(["answer", "listener"]);
  });

  it("answers 200 to a delivery it knows and does not hand it out again, before and after it was handled", async () => {
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

  it("tells equal bodies signed at different times apart", async () => {
    const now = Math.floor(Date.now() / 1_000);
    const onEvent = vi.fn();
    const handler = createWebhookHandler({ signature, onEvent });
    for (const timestamp of [now - 2, now - 1, now]) await handler(await signedRequest(body, { timestamp }));
    await handler.drain();
    expect(onEvent).toHaveBeenCalledTimes(3);
  });
});

describe("refusing", () => {
  const cases: [string, number, string, () => Request | Promise<Request>][] = [
    ...["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"].map((method): (typeof cases)[number] => [
      `the method ${method}`,
      405,
      "method",
      () => new Request("http://localhost", { method }),
    ]),
    [
      "a form",
      415,
      "content_type",
      () => signedRequest(body, { headers: { "content-type": "application/x-www-form-urlencoded" } }),
    ],
    [
      "text that only looks like JSON",
      415,
      "content_type",
      () => signedRequest(body, { headers: { "content-type": "text/json" } }),
    ],
    [
      "no content type",
      415,
      "content_type",
      () => new Request("http://localhost", { method: "POST", body: new TextEncoder().encode(body) }),
    ],
    ["a compressed body", 415, "content_type", () => signedRequest(body, { headers: { "content-encoding": "gzip" } })],
    ["a large body", 413, "too_large", () => signedRequest(payloadOf("a.b", { text: "x".repeat(2_000) }))],
    ["a body said to be large", 413, "too_large", () => signedRequest(body, { headers: { "content-length": "1001" } })],
    ["broken JSON", 400, "not_json", () => signedRequest('{"event":')],
    ["an empty body", 400, "not_json", () => signedRequest("")],
    ["JSON that is no object", 400, "not_an_object", () => signedRequest("[]")],
    ["an object without an event", 400, "no_event_name", () => signedRequest('{"id":1}')],
    ["data that is no object", 400, "malformed_event_data", () => signedRequest('{"event":"a.b","event_data":[]}')],
    [
      "a body nested too deep",
      400,
      "too_deep",
      () => signedRequest(`{"event":"a.b","x":${"[".repeat(64)}${"]".repeat(64)}}`),
    ],
    [
      "no signature",
      401,
      "missing_signature",
      () => new Request("http://localhost", { method: "POST", body, headers: { "content-type": "application/json" } }),
    ],
    [
      "a wrong signature",
      401,
      "wrong_signature",
      () =>
        signedRequest(body, {
          headers: { "webhook-signature": `t=${Math.floor(Date.now() / 1_000)},signature=${"ab".repeat(32)}` },
        }),
    ],
    ["an old signature", 401, "too_old", () => signedRequest(body, { timestamp: Date.now() / 1_000 - 400 })],
    [
      "broken JSON of a stranger",
      401,
      "missing_signature",
      () =>
        new Request("http://localhost", { method: "POST", body: "{", headers: { "content-type": "application/json" } }),
    ],
  ];

  it.each(cases)("%s: %i %s", async (_, status, reason, request) => {
    const onEvent = vi.fn();
    const { reports, report } = collector();
    const handler = createWebhookHandler({ signature, maxBodyBytes: 1_000, onEvent, report });
    const answer = await handler(await request());
    expect(answer.status).toBe(status);
    expect(answer.headers.get("allow")).toBe(status === 405 ? "POST" : null);
    expect(reports).toEqual([{ kind: "refused", status, reason }]);
    const text = `${await answer.text()}${JSON.stringify([...answer.headers])}`;
    for (const value of [SECRET, "4071", "academy", "abab", "signature="]) expect(text).not.toContain(value);
    await handler.drain();
    expect(onEvent).not.toHaveBeenCalled();
  });

  it("accepts the types that are JSON", async () => {
    const handler = createWebhookHandler({ signature, onEvent: () => undefined });
    for (const type of ["application/json", "Application/JSON; charset=utf-8", "application/vnd.events+json"]) {
      expect((await handler(await signedRequest(body, { headers: { "content-type": type } }))).status, type).toBe(200);
    }
  });

  it("stops reading at the limit: a body without end is refused while it still comes", async () => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1_000;
        controller.enqueue(new Uint8Array(1_000).fill(0x20));
      },
    });
    const handler = createWebhookHandler({ signature, maxBodyBytes: 10_000, onEvent: () => undefined });
    const request = new Request("http://localhost", {
      method: "POST",
      body: endless,
      duplex: "half",
      headers: { "content-type": "application/json" },
    } as RequestInit);
    expect((await handler(request)).status).toBe(413);
    expect(sent).toBeLessThan(20_000);
  });

  it("takes a body of exactly the limit", async () => {
    const handler = createWebhookHandler({
      signature,
      maxBodyBytes: new TextEncoder().encode(body).length,
      onEvent: () => undefined,
    });
    expect((await handler(await signedRequest(body))).status).toBe(200);
  });

  it("answers 408 to a body that does not arrive in time", async () => {
    const silent = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(Uint8Array.of(0x7b)) });
    const handler = createWebhookHandler({ signature, timeoutMs: 50, onEvent: () => undefined });
    const started = performance.now();
    const answer = await handler(
      new Request("http://localhost", {
        method: "POST",
        body: silent,
        duplex: "half",
        headers: { "content-type": "application/json" },
      } as RequestInit),
    );
    expect(answer.status).toBe(408);
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it("answers 400 to a body that breaks off", async () => {
    const broken = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error("reset")) });
    const handler = createWebhookHandler({ signature, onEvent: () => undefined });
    const answer = await handler(
      new Request("http://localhost", {
        method: "POST",
        body: broken,
        duplex: "half",
        headers: { "content-type": "application/json" },
      } as RequestInit),
    );
    expect(answer.status).toBe(400);
  });

  it("says what to do when the body was read before, or when no fetch request is given", async () => {
    const handler = createWebhookHandler({ signature, onEvent: () => undefined });
    const request = await signedRequest(body);
    await request.json();
    await expect(handler(request)).rejects.toBeInstanceOf(WebhookVerificationError);
    await expect(handler({ method: "POST", headers: {} } as Request)).rejects.toThrow(/toNodeHandler/);
  });
});

describe("the store's part in the answer", () => {
  it("answers 503 when the store fails, reports the failure, and accepts the second try", async () => {
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

  it("answers 503 when the store throws instead of rejecting", async () => {
    const store: WebhookInbox = {
      put: () => {
        throw new Error("no connection");
      },
    };
    const handler = createWebhookHandler({ signature, store, report: () => undefined });
    expect((await handler(await signedRequest(body))).status).toBe(503);
  });

  it("answers 503 within timeoutMs when the store is slow, and still handles what it kept late, once", async () => {
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

  it("needs no more of a store than put when something else takes the deliveries", async () => {
    const put = vi.fn<WebhookInbox["put"]>().mockResolvedValue("stored");
    const handler = createWebhookHandler({ signature, store: { put } });
    expect((await handler(await signedRequest(body))).status).toBe(200);
    await handler.drain();
    const [[delivery]] = put.mock.calls as unknown as [[Record<string, unknown>]];
    expect(delivery).toMatchObject({ event: "invoice.updated", payload: body });
    expect(JSON.parse(JSON.stringify(delivery))).toEqual(delivery);
  });

  it("refuses with 503 once the memory store is full, and again accepts when there is room", async () => {
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

  it("refuses with 503 after close", async () => {
    const handler = createWebhookHandler({ signature, onEvent: () => undefined });
    await handler.close();
    expect((await handler(await signedRequest(body))).status).toBe(503);
  });

  it("hands its work to waitUntil of a runtime that stops after the answer", async () => {
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

describe("knowing the sender", () => {
  it("accepts any of several secrets in the URL and nothing else", async () => {
    const handler = createWebhookHandler({
      signature: { urlSecrets: ["new one", "old"] },
      report: () => undefined,
      onEvent: () => undefined,
    });
    const send = async (query: string) => {
      const init = { method: "POST", body, headers: { "content-type": "application/json" } };
      return (await handler(new Request(`http://localhost/webhooks${query}`, init))).status;
    };
    expect(await send("?secret=new%20one")).toBe(200);
    expect(await send("?secret=old")).toBe(200);
    for (const query of ["", "?secret=", "?secret=ol", "?secret=older", "?Secret=old", "?token=old"])
      expect(await send(query), query).toBe(401);
  });

  it("without a time of signing, recognises a duplicate by its version and takes equal thin bodies for two changes", async () => {
    const events: string[] = [];
    const handler = createWebhookHandler({
      signature: { urlSecrets: "s" },
      onEvent: ({ event }) => events.push(event),
    });
    const full = payloadOf("invoice.updated", { id: 1, updated_at: "2026-01-01T10:00:00Z" });
    const thin = payloadOf("course.updated", { id: 1, type: "Course" });
    for (const text of [full, full, thin, thin]) {
      await handler(
        new Request("http://localhost/?secret=s", {
          method: "POST",
          body: text,
          headers: { "content-type": "application/json" },
        }),
      );
    }
    await handler.drain();
    expect(events).toEqual(["invoice.updated", "course.updated", "course.updated"]);
  });

  it("asks a check of one's own, and takes a throwing one for a no", async () => {
    for (const [verify, status] of [
      [() => true, 200],
      [async () => false, 401],
      [
        () => {
          throw new Error("x");
        },
        401,
      ],
    ] as const) {
      const handler = createWebhookHandler({
        signature: { verify },
        report: () => undefined,
        onEvent: () => undefined,
      });
      expect((await handler(await signedRequest(body))).status).toBe(status);
    }
    const verify = vi.fn(() => true);
    await createWebhookHandler({ signature: { verify }, onEvent: () => undefined })(await signedRequest(body));
    expect(verify).toHaveBeenCalledWith({
      body: new TextEncoder().encode(body),
      headers: expect.any(Headers),
      url: "http://localhost/webhooks",
    });
  });

  it("warns once when anybody may post, unless false says that this is meant", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    expect(
      (await createWebhookHandler({ signature: false, onEvent: () => undefined })(await signedRequest(body))).status,
    ).toBe(200);
    expect(warn).not.toHaveBeenCalled();
    expect((await createWebhookHandler({ onEvent: () => undefined })(await signedRequest(body))).status).toBe(200);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it("refuses options that make no sense when the handler is made", () => {
    const bad: object[] = [
      { signature: { secrets: [] } },
      { signature: { secrets: "" } },
      { signature: { urlSecrets: [""] } },
      { signature: {} },
      { timeoutMs: 0 },
      { maxBodyBytes: -1 },
      { maxDepth: Number.NaN },
      { concurrency: 0 },
      { maxAttempts: 0 },
      { on: { "invoice*": () => 1 } },
    ];
    for (const options of bad) {
      expect(() => createWebhookHandler({ signature, ...options }), JSON.stringify(options)).toThrow(
        ConfigurationError,
      );
    }
  });
});
