import type { InputIssue } from "../../core/error-details.js";
import { InputError } from "../../core/errors.js";
import { isPlainObject } from "../../core/json.js";
import { hmac } from "./crypto.js";
import { DEFAULT_HEADER, isHeaderName, writeSignature } from "./signature-header.js";
import { rawBody, SECRET_RULE, toSecrets } from "./verify.js";

/** Options for `signWebhook`. */
export interface SignWebhookOptions {
  /** The exact text or bytes to send. */
  readonly body: string | Uint8Array | ArrayBuffer;
  /** The primary secret or, during a rotation, the primary and the secondary one; each adds a signature. */
  readonly secrets: string | readonly string[];
  /** The name of the signature header. Default `education-admin-signature-v1`. */
  readonly header?: string | undefined;
  /** The time of signing, in Unix seconds. Default: now. */
  readonly timestamp?: number | undefined;
}

/**
 * Signs a body as the service does, to test a receiver. Returns the signature header.
 * @throws InputError if there is no secret, or an option is invalid.
 * @throws WebhookVerificationError if the body is a parsed object.
 * @example
 * const tenant_id = "5f0c1d7e-2b7a-4b60-9d7c-0a4a3f1f6a11";
 * const body = JSON.stringify({ tenant_id, educator: "academy", event: "invoice.updated", event_data: { id: 7 } });
 * const headers = { ...(await signWebhook({ body, secrets: "s3cret" })), "content-type": "application/json" };
 * const delivery = new Request("http://127.0.0.1:3000/webhooks", { method: "POST", body, headers });
 */
export async function signWebhook(options: SignWebhookOptions): Promise<Record<string, string>> {
  const given: Partial<SignWebhookOptions> = isPlainObject(options) ? options : {};
  const { body, secrets, header = DEFAULT_HEADER, timestamp: at = Date.now() / 1_000, ...others } = given;
  const list = toSecrets(secrets);
  const issues: InputIssue[] = Object.keys(others).map((path) => ({ path, message: "is not an option" }));
  if (list === null)
    issues.push({ path: "secrets", message: `must be one secret or a list of secrets, each ${SECRET_RULE}` });
  if (!isHeaderName(header)) issues.push({ path: "header", message: "must be a valid header name" });
  if (!(Number.isFinite(at) && at >= 0)) issues.push({ path: "timestamp", message: "must be Unix seconds" });
  if (list === null || issues.length > 0) {
    throw new InputError(`signWebhook: ${issues.map(({ path, message }) => `${path} ${message}`).join("; ")}`, issues);
  }
  const bytes = rawBody(body);
  const timestamp = String(Math.floor(at));
  const signatures = await Promise.all(list.map((secret) => hmac(secret, timestamp, bytes)));
  return { [header]: writeSignature({ timestamp, signatures }) };
}
