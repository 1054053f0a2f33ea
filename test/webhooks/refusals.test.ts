import { describe, expect, it, vi } from "vitest";
import { createWebhookHandler, memoryStore } from "../../src/webhooks/index.js";
import { toAscii } from "../../src/webhooks/work/reports.js";
import { payloadOf, SECRET, signature, signedRequest } from "./support.js";

const body = payloadOf("user.updated", { email: "jane@example.com" });

describe("without a reporter", () => {
  it("warns once per reason for refusal, naming neither body nor secret", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const handler = createWebhookHandler({ signature });
    const forgedRequest = () =>
      signedRequest(body, {
        headers: { "x-signature": "own", "education-admin-signature-v1": `t=1,signature=${"ab".repeat(32)}` },
      });
    for (let n = 0; n < 3; n++) await handler(await forgedRequest());
    for (let n = 0; n < 3; n++) await handler(await signedRequest("{"));
    expect(warn.mock.calls.map(([text]) => text)).toEqual([
      'Webhooks: refused a delivery with 401 (too_old; headers with "signature" in their names: education-admin-signature-v1, x-signature); this reason is logged only once',
      "Webhooks: refused a delivery with 400 (not_json); this reason is logged only once",
    ]);
    await createWebhookHandler({ signature })(await forgedRequest());
    expect(warn).toHaveBeenCalledTimes(3);
    expect(JSON.stringify(warn.mock.calls)).not.toMatch(new RegExp(`jane|${SECRET}`));
  });

  it("explains an error of the function secrets", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const error = vi.spyOn(console, "error").mockImplementation(() => undefined);
    await createWebhookHandler({ signature: { secrets: () => undefined } })(await signedRequest(body));
    expect(error.mock.calls.flat().join()).toMatch(/secrets failed \(createWebhookHandler needs at least one secret/);
  });

  it("logs nothing if there is one", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    await createWebhookHandler({ signature, report: () => undefined })(await signedRequest("{"));
    expect(warn).not.toHaveBeenCalled();
  });

  it("escapes an event's name, which the sender chose", async () => {
    const error = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const onEvent = () => {
      throw new Error("no");
    };
    const handler = createWebhookHandler({ signature: false, maxAttempts: 1, onEvent, store: memoryStore() });
    const name = `a.b\n\u001b[2J\u202eevil\u0085${"x".repeat(500)}`;
    await handler(await signedRequest(payloadOf(name)));
    await handler.drain();
    const [[line]] = error.mock.calls as [[string]];
    expect(line).toMatch(
      /^Webhook a\.b\\u000a\\u001b\[2J\\u202eevil\\u0085x{10,}… \(delivery [\w.-]+\) failed 1 times/,
    );
    expect(line).toMatch(/^[\x20-\x7e…]{0,250}$/);
    expect(toAscii("invoice.updated")).toBe("invoice.updated");
  });
});

it("reports a body that was already read as parsed_body", async () => {
  const reasons: unknown[] = [];
  const handler = createWebhookHandler({ signature, report: (one) => reasons.push({ ...one }) });
  const request = await signedRequest(body);
  await request.text();
  await expect(handler(request)).rejects.toMatchObject({ reason: "parsed_body" });
  expect(reasons).toEqual([{ kind: "refused", status: 500, reason: "parsed_body" }]);
});
