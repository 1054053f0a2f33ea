import { ConfigurationError } from "../../core/errors.js";
import { acceptAny, type Check, callable, must, type OptionTable, optionsOf } from "../../core/option-checks.js";
import { readSecret } from "../../core/secret.js";
import { timeOf } from "../checks.js";
import { parsedBody, WebhookVerificationError } from "../errors.js";
import { type Bytes, hmac, sameText, toBytes } from "./crypto.js";
import {
  isHeaderName,
  readSignature,
  type SignatureHeader,
  signatureOf,
  type WebhookHeaders,
} from "./signature-header.js";

/** A delivery must have been signed within this many seconds of the current time. */
const TOLERANCE_SECONDS = 300;

/** A delivery to verify. */
export interface VerifyWebhookOptions {
  /** The raw body, as text or bytes, exactly as received. A parsed object fails: its original bytes are lost. */
  readonly body: string | Uint8Array | ArrayBuffer;
  /** The delivery's headers: `Headers`, node:http's, or a plain object; names in any case. */
  readonly headers: WebhookHeaders;
  /** One secret, or several during a rotation; a signature by any of them is accepted. */
  readonly secrets: string | readonly string[];
  /** The name of the signature header. Default: the only header whose name ends in `-signature-v1`. */
  readonly header?: string | undefined;
  /** Returns the time of arrival, in milliseconds since the epoch. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

export const headerName: Check<string> = /* @__PURE__ */ must(isHeaderName, "must be a valid header name");

const OPTIONS = {
  body: [acceptAny],
  headers: [acceptAny],
  secrets: [acceptAny],
  header: [headerName],
  now: [callable<() => number>],
} satisfies OptionTable<VerifyWebhookOptions>;

/** The result of verifying a delivery. */
export interface VerifiedWebhook {
  /** The time of signing, in Unix seconds. */
  readonly timestamp: number;
  /** The index in `secrets` of the secret that matched. Remove an old secret once it no longer matches any delivery. */
  readonly secretIndex: number;
}

/**
 * Verifies that a delivery was signed with one of the secrets, at most 300 seconds before or after now. Any signature
 * in the header may match any secret. The comparison takes constant time. Uses only WebCrypto, so it runs in every
 * runtime.
 * @throws WebhookVerificationError if the verification fails; `reason` says why.
 * @throws ConfigurationError if there is no secret, `headers`, `header` or `now` is invalid, or an option is unknown.
 * @example
 * const body = "{}"; // as received, not parsed
 * const headers = await signWebhook({ body, secrets: "old secret" });
 * await verifyWebhook({ body, headers, secrets: ["new secret", "old secret"] });
 */
export async function verifyWebhook(options: VerifyWebhookOptions): Promise<VerifiedWebhook> {
  const { header, now, ...given } = optionsOf("verifyWebhook", options, OPTIONS);
  const secrets = secretList("verifyWebhook", given.secrets);
  const body = rawBody(given.body);
  const { timestamp, signatures } = checkHeaders(options.headers, header, now ?? Date.now);

  let secretIndex = -1;
  for (const [index, secret] of secrets.entries()) {
    const expected = await hmac(secret, timestamp, body);
    // No early exit: the duration must not reveal which pair matched.
    for (const signature of signatures) {
      const matches = sameText(expected, signature);
      if (matches && secretIndex < 0) secretIndex = index;
    }
  }
  if (secretIndex < 0) {
    throw new WebhookVerificationError(
      "wrong_signature",
      "No signature of the webhook matches any secret: the body was changed in transit, or the secret is not the one that " +
        "the webhook's settings page in the service shows",
    );
  }
  return { timestamp: Number(timestamp), secretIndex };
}

/** The raw body as bytes. @throws WebhookVerificationError if it is a parsed object. */
export function rawBody(body: unknown): Bytes {
  const bytes = toBytes(body);
  if (bytes) return bytes;
  throw parsedBody();
}

/**
 * Checks, without the body, that there is a recent signature.
 * @throws WebhookVerificationError otherwise.
 */
export function checkHeaders(headers: WebhookHeaders, header: string | undefined, now: () => number): SignatureHeader {
  const signature = readSignature(signatureOf(headers, header));
  if (signature === null) {
    throw new WebhookVerificationError(
      "malformed_signature",
      "The webhook's signature header does not have the form t=<unix seconds>,signature=<64 hexadecimal digits>",
    );
  }
  const age = timeOf("now", now) / 1_000 - Number(signature.timestamp);
  if (Math.abs(age) <= TOLERANCE_SECONDS) return signature;
  const [reason, when] = age > 0 ? (["too_old", "ago"] as const) : (["in_the_future", "ahead"] as const);
  throw new WebhookVerificationError(
    reason,
    `The webhook was signed more than ${TOLERANCE_SECONDS} seconds ${when}: it is a replay, or this machine's clock is wrong`,
  );
}

export function secretList(where: string, secrets: unknown): readonly string[] {
  const list = toSecrets(secrets);
  if (list) return list;
  throw new ConfigurationError(`${where} needs at least one secret, and every secret must be ${SECRET_RULE}`);
}

export const SECRET_RULE = "non-empty text without a line break";

/** One secret or several as a list; null if they are invalid. */
export function toSecrets(secrets: unknown): readonly string[] | null {
  // `Array.from` turns holes in the list into undefined, which is not a secret.
  const list: readonly unknown[] = Array.isArray(secrets) ? Array.from(secrets) : [secrets];
  const read = list.map(readSecret).filter((one) => one !== null);
  return read.length > 0 && read.length === list.length ? read : null;
}
