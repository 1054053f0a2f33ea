import { describe, expect, it, vi } from "vitest";
import { ConfigurationError } from "../../src/core/errors.js";
import { createWebhookHandler } from "../../src/webhooks/index.js";
import { payloadOf, signature, signedRequest } from "./support.js";

const body = payloadOf("invoice.updated", { id: 4071 });

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
