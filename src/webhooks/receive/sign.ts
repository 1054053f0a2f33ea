import { mac } from "./crypto.js";
import { completeScheme, secretList, type WebhookScheme } from "./scheme.js";
import { writeSignatureHeader } from "./signature-header.js";
import { rawBody } from "./verify.js";

/** What to sign, and how. */
export interface SignWebhookOptions {
  /** The exact text or bytes to send. */
  readonly body: string | Uint8Array | ArrayBuffer;
  /** One secret, or several during a rotation: one signature for each. */
  readonly secrets: string | readonly string[];
  /** How deliveries are signed; default {@link WebhookScheme}. */
  readonly scheme?: WebhookScheme | undefined;
  /** Time of signing in unix seconds. Default: now. */
  readonly timestamp?: number | undefined;
  /** Identifier of the delivery, sent in the scheme's `deliveryIdHeader`; not sent when the scheme names none. With `standard-webhooks` by default a random one. */
  readonly deliveryId?: string | undefined;
}

/**
 * Signs a body as the service does, for tests of a receiver: returns the headers to send with it.
 * @throws ConfigurationError when there is no secret, or when the scheme cannot work.
 * @throws WebhookVerificationError when the body is a parsed object.
 * @example
 * const tenant_id = "5f0c1d7e-2b7a-4b60-9d7c-0a4a3f1f6a11";
 * const body = JSON.stringify({ tenant_id, educator: "academy", event: "invoice.updated", event_data: { id: 7 } });
 * const headers = { ...(await signWebhook({ body, secrets: "s3cret" })), "content-type": "application/json" };
 * const delivery = new Request("http://127.0.0.1:3000/webhooks", { method: "POST", body, headers });
 */
export async function signWebhook(options: SignWebhookOptions): Promise<Record<string, string>> {
  const scheme = completeScheme(options.scheme);
  const secrets = secretList(options.secrets, "signWebhook");
  const body = rawBody(options.body);
  const seconds = Math.floor(options.timestamp ?? Date.now() / 1_000);
  const timestamp = scheme.timestampField === null ? null : String(seconds);
  const isStandard = scheme.format === "standard-webhooks";
  const deliveryId = options.deliveryId ?? (isStandard ? `msg_${globalThis.crypto.randomUUID()}` : undefined);
  const before = `${isStandard ? `${deliveryId}.` : ""}${timestamp === null ? "" : `${timestamp}.`}`;
  const macs = await Promise.all(secrets.map((secret) => mac(scheme, secret, before, body)));
  return {
    [scheme.header]: writeSignatureHeader(macs, timestamp, scheme),
    ...(isStandard && { [scheme.timestampField ?? ""]: timestamp ?? "" }),
    ...(scheme.deliveryIdHeader !== null && deliveryId !== undefined && { [scheme.deliveryIdHeader]: deliveryId }),
  };
}
