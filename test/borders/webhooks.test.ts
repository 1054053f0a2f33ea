import { expect, onTestFinished, test } from "vitest";
import { createWebhookHandler } from "../../src/webhooks/index.js";
import { payloadOf, signature, signedRequest } from "../webhooks/support.js";

test("a reporter that rejects changes nothing", async () => {
  const rejected: unknown[] = [];
  const note = (reason: unknown) => void rejected.push(reason);
  process.on("unhandledRejection", note);
  onTestFinished(() => void process.off("unhandledRejection", note));
  const handled: string[] = [];
  const handler = createWebhookHandler({
    signature,
    report: async () => {
      throw new Error("mine");
    },
    onEvent: ({ event }) => void handled.push(event),
  });
  expect((await handler(await signedRequest(payloadOf("account.updated")))).status).toBe(200);
  expect((await handler(new Request("http://localhost/webhooks", { method: "POST", body: "{}" }))).status).not.toBe(
    200,
  );
  await handler.drain();
  await new Promise((resolve) => setImmediate(resolve));
  expect([handled, rejected]).toEqual([["account.updated"], []]);
});
