import { describe, expect, it, vi } from "vitest";
import { createWebhookHandler, WebhookVerificationError } from "../../src/webhooks/index.js";
import { ManualClock } from "../support/manual-clock.js";
import { collector, payloadOf, SECRET, signature, signedRequest } from "./support.js";

const body = payloadOf("invoice.updated", { id: 4071 });

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
          headers: {
            "education-admin-signature-v1": `t=${Math.floor(Date.now() / 1_000)},signature=${"ab".repeat(32)}`,
          },
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
    expect(reports).toMatchObject([{ kind: "refused", status, reason }]);
    const text = `${await answer.text()}${JSON.stringify([...answer.headers])}`;
    for (const value of [SECRET, "4071", "academy", "abab", "signature="]) expect(text).not.toContain(value);
    await handler.drain();
    expect(onEvent).not.toHaveBeenCalled();
  });

  it("accepts the media types of JSON", async () => {
    const handler = createWebhookHandler({ signature, onEvent: () => undefined });
    for (const type of ["application/json", "Application/JSON; charset=utf-8", "application/vnd.events+json"]) {
      expect((await handler(await signedRequest(body, { headers: { "content-type": type } }))).status, type).toBe(200);
    }
  });

  it("stops reading at the limit: an endless body is refused while it arrives", async () => {
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
      headers: forgedHeaders(),
    } as RequestInit);
    expect((await handler(request)).status).toBe(413);
    expect(sent).toBeLessThan(20_000);
  });

  it("reads no body without a signature, with an old one, or with too large a declared size", async () => {
    const handler = createWebhookHandler({ signature, maxBodyBytes: 1_000, report: () => undefined });
    const answers: number[] = [];
    let reads = 0;
    for (const headers of [
      { "content-type": "application/json" },
      forgedHeaders(Date.now() - 400_000),
      { ...forgedHeaders(), "content-length": "1001" },
    ]) {
      const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
        reads++;
        controller.enqueue(new Uint8Array(100));
      };
      const body = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 });
      const init = { method: "POST", body, headers, duplex: "half" } as RequestInit;
      answers.push((await handler(new Request("http://localhost", init))).status);
    }
    expect([answers, reads]).toEqual([[401, 401, 413], 0]);
  });

  it("accepts a body of exactly the limit", async () => {
    const handler = createWebhookHandler({
      signature,
      maxBodyBytes: new TextEncoder().encode(body).length,
      onEvent: () => undefined,
    });
    expect((await handler(await signedRequest(body))).status).toBe(200);
  });

  it("responds with 408 to a body that does not arrive in time", async () => {
    const silent = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(Uint8Array.of(0x7b)) });
    const clock = new ManualClock();
    const handler = createWebhookHandler({ signature, clock, timeoutMs: 50, onEvent: () => undefined });
    const started = clock.now();
    const answer = await clock.run(handler(streamRequest(silent, clock.now())));
    expect(answer.status).toBe(408);
    expect(clock.now() - started).toBe(50);
  });

  it("responds with 400 to a body that is cut off", async () => {
    const broken = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error("reset")) });
    const handler = createWebhookHandler({ signature, onEvent: () => undefined });
    const answer = await handler(streamRequest(broken));
    expect(answer.status).toBe(400);
  });

  it("suggests a remedy if the body was already read, or the argument is not a fetch request", async () => {
    const handler = createWebhookHandler({ signature, onEvent: () => undefined });
    const request = await signedRequest(body);
    await request.json();
    await expect(handler(request)).rejects.toBeInstanceOf(WebhookVerificationError);
    await expect(handler({ method: "POST", headers: {} } as Request)).rejects.toThrow(/toNodeHandler/);
  });
});

/** The headers of an attacker who knows the format of a signature. */
function forgedHeaders(now = Date.now()): Record<string, string> {
  const signature = `t=${Math.floor(now / 1_000)},signature=${"ab".repeat(32)}`;
  return { "content-type": "application/json", "x-signature-v1": signature };
}

function streamRequest(body: ReadableStream<Uint8Array>, now?: number): Request {
  return new Request("http://localhost", {
    method: "POST",
    body,
    headers: forgedHeaders(now),
    duplex: "half",
  } as RequestInit);
}
