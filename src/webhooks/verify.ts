import { type Bytes, decode, mac, sameBytes, toBytes } from "./crypto.js";
import { WebhookVerificationError } from "./errors.js";
import {
  type CompleteScheme,
  completeScheme,
  parseSignatureHeader,
  readHeader,
  secretList,
  type WebhookHeaders,
  type WebhookScheme,
} from "./scheme.js";

/** How old a delivery may be, in seconds, when nothing else is said. */
export const DEFAULT_TOLERANCE_SECONDS = 300;

/** A delivery to verify. */
export interface VerifyWebhookOptions {
  /** The raw body, as text or bytes, exactly as it came. A parsed object cannot be verified: its bytes are gone. */
  readonly body: string | Uint8Array | ArrayBuffer;
  /** The delivery's headers: `Headers`, node:http's, or a plain object; names in any case. */
  readonly headers: WebhookHeaders;
  /** One secret, or several during a rotation: any of them will do. */
  readonly secrets: string | readonly string[];
  /** How deliveries are signed; default {@link WebhookScheme}. */
  readonly scheme?: WebhookScheme | undefined;
  /** How far the time of signing may be from now, in either direction. Default 300 seconds. */
  readonly toleranceSeconds?: number | undefined;
  /** The time, in milliseconds since the epoch. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** What is known of a delivery once it is verified. */
export interface VerifiedWebhook {
  /** Time of signing in unix seconds; null where the scheme has none. */
  readonly timestamp: number | null;
  /** Position of the secret that fitted in `secrets`: when the old one is never met any more, drop it. */
  readonly secretIndex: number;
}

/**
 * Verifies that a delivery was signed with one of the secrets and is recent. Any signature in the header may fit any
 * secret, compared in constant time. Uses WebCrypto only, so it runs in every runtime.
 * @throws WebhookVerificationError when it does not verify; `reason` tells why.
 * @throws ConfigurationError when there is no secret to verify with.
 * @example
 * const body = "{}"; // as it came, not parsed
 * const headers = await signWebhook({ body, secrets: "old secret" });
 * await verifyWebhook({ body, headers, secrets: ["new secret", "old secret"] });
 */
export async function verifyWebhook(options: VerifyWebhookOptions): Promise<VerifiedWebhook> {
  const scheme = completeScheme(options.scheme);
  const secrets = secretList(options.secrets, "verifyWebhook");
  const body = rawBody(options.body);
  const { timestamp, signatures } = readSignatures(options.headers, scheme);
  const seconds = timestamp === null ? null : checkAge(timestamp, options);

  let secretIndex = -1;
  for (const [index, secret] of secrets.entries()) {
    const expected = await mac(scheme, secret, timestamp, body);
    // No early end: how long this takes tells nothing about which pair fitted.
    for (const signature of signatures) {
      const fits = sameBytes(expected, signature);
      if (fits && secretIndex < 0) secretIndex = index;
    }
  }
  if (secretIndex < 0) {
    throw new WebhookVerificationError(
      "wrong_signature",
      "No signature of the webhook fits any of the secrets: the body was changed on its way here, or the secret is another one",
    );
  }
  return { timestamp: seconds, secretIndex };
}

/**
 * The raw body as bytes.
 * @throws WebhookVerificationError when it is a parsed object.
 */
export function rawBody(body: unknown): Bytes {
  const bytes = toBytes(body);
  if (bytes) return bytes;
  throw new WebhookVerificationError(
    "parsed_body",
    "A webhook's signature belongs to its raw body, as text or bytes, but this is a parsed value: take the body before " +
      "any JSON parser does (Express: express.raw({ type: 'application/json' }); fetch: await request.text())",
  );
}

function readSignatures(
  headers: WebhookHeaders,
  scheme: CompleteScheme,
): { timestamp: string | null; signatures: Uint8Array[] } {
  const value = readHeader(headers, scheme.header);
  if (value === null) {
    throw new WebhookVerificationError("missing_signature", `The webhook has no header ${scheme.header}`);
  }
  const parsed = parseSignatureHeader(value, scheme);
  const signatures = parsed?.signatures.flatMap((text) => decode(text, scheme.encoding) ?? []);
  if (!parsed || !signatures?.length) {
    throw new WebhookVerificationError(
      "malformed_signature",
      `The header ${scheme.header} holds no readable field ${scheme.signatureField}`,
    );
  }
  if (scheme.timestampField !== null && parsed.timestamp === null) {
    throw new WebhookVerificationError(
      "missing_timestamp",
      `The header ${scheme.header} has no field ${scheme.timestampField}`,
    );
  }
  return { timestamp: scheme.timestampField === null ? null : parsed.timestamp, signatures };
}

function checkAge(timestamp: string, options: VerifyWebhookOptions): number {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError("missing_timestamp", "The webhook's time of signing is not in unix seconds");
  }
  const tolerance = options.toleranceSeconds ?? DEFAULT_TOLERANCE_SECONDS;
  const age = (options.now ?? Date.now)() / 1_000 - Number(timestamp);
  if (age > tolerance) {
    throw new WebhookVerificationError("too_old", `The webhook was signed more than ${tolerance} seconds ago`);
  }
  if (age < -tolerance) {
    throw new WebhookVerificationError("in_the_future", `The webhook was signed more than ${tolerance} seconds ahead`);
  }
  return Number(timestamp);
}
