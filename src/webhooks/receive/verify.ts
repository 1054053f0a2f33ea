import { atLeast, checkFunction, checkNames, timeOf } from "../checks.js";
import { parsedBody, WebhookVerificationError } from "../errors.js";
import { type Bytes, mac, sameBytes, toBytes } from "./crypto.js";
import {
  type CompleteScheme,
  completeScheme,
  readHeader,
  secretList,
  type WebhookHeaders,
  type WebhookScheme,
} from "./scheme.js";
import { readSignatureHeader } from "./signature-header.js";

const DEFAULT_TOLERANCE_SECONDS = 300;

/** A delivery to verify. */
export interface VerifyWebhookOptions {
  /** The raw body, as text or bytes, exactly as received. A parsed object cannot be verified: its bytes are gone. */
  readonly body: string | Uint8Array | ArrayBuffer;
  /** The delivery's headers: `Headers`, node:http's, or a plain object; names in any case. */
  readonly headers: WebhookHeaders;
  /** One secret, or several during a rotation; a signature by any of them is accepted. */
  readonly secrets: string | readonly string[];
  /** How deliveries are signed; default {@link WebhookScheme}. */
  readonly scheme?: WebhookScheme | undefined;
  /** Most seconds between the time of signing and now, in either direction. Default 300. */
  readonly toleranceSeconds?: number | undefined;
  /** The time, in milliseconds since the epoch. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

const OPTIONS = ["body", "headers", "secrets", "scheme", "toleranceSeconds", "now"] as const;

/** The result of verifying a delivery. */
export interface VerifiedWebhook {
  /** Time of signing in unix seconds; null where the scheme has none. */
  readonly timestamp: number | null;
  /** Position in `secrets` of the secret that matched. Once an old secret no longer matches anything, remove it. */
  readonly secretIndex: number;
}

/**
 * Verifies that a delivery was signed with one of the secrets and is recent. Any signature in the header may match any
 * secret, and the comparison takes constant time. Uses WebCrypto only, so it runs in every runtime.
 * @throws WebhookVerificationError when it does not verify; `reason` says why.
 * @throws ConfigurationError when there is no secret, when the scheme, `toleranceSeconds` or `now` cannot work, or when
 * an option is unknown.
 * @example
 * const body = "{}"; // as received, not parsed
 * const headers = await signWebhook({ body, secrets: "old secret" });
 * await verifyWebhook({ body, headers, secrets: ["new secret", "old secret"] });
 */
export async function verifyWebhook(options: VerifyWebhookOptions): Promise<VerifiedWebhook> {
  checkNames("the options of verifyWebhook", options, OPTIONS);
  checkFunction("now", options.now);
  const scheme = completeScheme(options.scheme);
  const secrets = secretList(options.secrets, "verifyWebhook");
  const tolerance = checkTolerance(options.toleranceSeconds);
  const body = rawBody(options.body);
  const { seconds, signatures, before } = checkHeaders(options.headers, scheme, tolerance, options.now ?? Date.now);

  let secretIndex = -1;
  for (const [index, secret] of secrets.entries()) {
    const expected = await mac(scheme, secret, before, body);
    // No early exit: the duration must not tell which pair matched.
    for (const signature of signatures) {
      const matches = sameBytes(expected, signature);
      if (matches && secretIndex < 0) secretIndex = index;
    }
  }
  if (secretIndex < 0) {
    throw new WebhookVerificationError(
      "wrong_signature",
      "No signature of the webhook matches any secret: the body was changed, or the secret is wrong",
    );
  }
  return { timestamp: seconds, secretIndex };
}

/** The raw body as bytes. @throws WebhookVerificationError when it is a parsed object. */
export function rawBody(body: unknown): Bytes {
  const bytes = toBytes(body);
  if (bytes) return bytes;
  throw parsedBody();
}

/** What the headers of a delivery say of its signature. */
interface Signed {
  /** Time of signing in unix seconds; null where the scheme has none. */
  readonly seconds: number | null;
  readonly signatures: readonly Uint8Array[];
  /** What is signed before the body. */
  readonly before: string;
}

/**
 * Checks what can be checked without the body: that there is a signature, and that it is recent.
 * @throws WebhookVerificationError when there is none or it is not.
 */
export function checkHeaders(
  headers: WebhookHeaders,
  scheme: CompleteScheme,
  tolerance: number,
  now: () => number,
): Signed {
  const { header, format, timestampField, signatureField } = scheme;
  const value = readHeader(headers, header);
  if (value === null) throw new WebhookVerificationError("missing_signature", `The webhook has no header ${header}`);
  const parsed = readSignatureHeader(value, scheme);
  if (!parsed) {
    const what = format === "fields" ? `field ${signatureField}` : "signature";
    throw new WebhookVerificationError("malformed_signature", `The header ${header} has no readable ${what}`);
  }
  const { signatures } = parsed;
  if (timestampField === null) return { seconds: null, signatures, before: "" };
  const isStandard = format === "standard-webhooks";
  const timestamp = isStandard ? readHeader(headers, timestampField) : parsed.timestamp;
  if (timestamp === null) {
    const what = isStandard ? "header" : "field";
    throw new WebhookVerificationError("missing_timestamp", `The webhook has no ${what} ${timestampField}`);
  }
  const seconds = checkAge(timestamp, tolerance, timeOf("now", now));
  const id = isStandard ? `${readHeader(headers, scheme.deliveryIdHeader ?? "") ?? ""}.` : "";
  return { seconds, signatures, before: `${id}${timestamp}.` };
}

/**
 * The tolerance with its default.
 * @throws ConfigurationError when it is not a finite number of at least 0; NaN would accept a delivery of any age.
 */
export function checkTolerance(toleranceSeconds: number | undefined): number {
  return atLeast(0, "toleranceSeconds", toleranceSeconds ?? DEFAULT_TOLERANCE_SECONDS);
}

function checkAge(timestamp: string, tolerance: number, now: number): number {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError("missing_timestamp", "The webhook's time is not in unix seconds");
  }
  const age = now / 1_000 - Number(timestamp);
  if (Math.abs(age) > tolerance) {
    const [reason, when] = age > 0 ? (["too_old", "ago"] as const) : (["in_the_future", "ahead"] as const);
    throw new WebhookVerificationError(reason, `The webhook was signed more than ${tolerance} seconds ${when}`);
  }
  return Number(timestamp);
}
