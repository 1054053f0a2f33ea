import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../../src/core/errors.js";
import { createWebhookHandler } from "../../src/webhooks/index.js";
import { payloadOf, signature, signedRequest } from "./support.js";

const body = payloadOf("invoice.updated", { id: 4071 });

describe("knowing the sender", () => {
  it("recognizes a duplicate without a signing time by its state, and treats equal thin bodies as two changes", async () => {
    const events: string[] = [];
    const handler = createWebhookHandler({
      signature: false,
      onEvent: ({ event }) => events.push(event),
    });
    const full = payloadOf("invoice.updated", { id: 1, status: "open", updated_at: "2026-01-01T10:00:00Z" });
    const thin = payloadOf("course.updated", { id: 1, type: "Course" });
    for (const text of [full, full, thin, thin]) {
      await handler(
        new Request("http://localhost/", {
          method: "POST",
          body: text,
          headers: { "content-type": "application/json" },
        }),
      );
    }
    await handler.drain();
    expect(events).toEqual(["invoice.updated", "course.updated", "course.updated"]);
  });

  it("accepts unsigned deliveries only if the option is false", async () => {
    const handler = createWebhookHandler({ signature: false, onEvent: () => undefined });
    expect((await handler(await signedRequest(body))).status).toBe(200);
    const onEvent = () => undefined;
    for (const options of [{ onEvent }, { onEvent, signature: undefined }, { onEvent, signature: null }]) {
      expect(() => createWebhookHandler(options as never)).toThrow(
        new ConfigurationError(
          "createWebhookHandler: signature must have secrets, or be false if anyone may post events",
        ),
      );
    }
  });

  it("refuses invalid options when the handler is made", () => {
    const bad: object[] = [
      { signature: { secrets: [] } },
      { signature: { secrets: "" } },
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
