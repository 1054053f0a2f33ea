import { ConfigurationError } from "../core/errors.js";

/**
 * How deliveries are signed. The service does not describe it, so everything is open; the defaults are what was seen
 * in public: a header holding `t=<unix seconds>` and one or more `signature=<hex>`, each an HMAC-SHA256 over
 * `<t>.<raw body>`. Plain data: it can live in a configuration file.
 */
export interface WebhookScheme {
  /** Name of the header with the signatures. Default `webhook-signature`; the real name is not documented: set it. */
  readonly header?: string;
  /** Name of the field with the time of signing in unix seconds; null when only the body is signed. Default `t`. */
  readonly timestampField?: string | null;
  /** Name of the field with a signature; it may come several times. Default `signature`. */
  readonly signatureField?: string;
  /** Hash of the HMAC. Default `SHA-256`. */
  readonly algorithm?: "SHA-256" | "SHA-384" | "SHA-512";
  /** How a signature is written. Default `hex`. */
  readonly encoding?: "hex" | "base64";
  /** Name of a header with an identifier of the delivery that stays the same when it is sent again. Default none. */
  readonly deliveryIdHeader?: string;
}

/** A scheme with its defaults filled in. */
export interface CompleteScheme {
  readonly header: string;
  readonly timestampField: string | null;
  readonly signatureField: string;
  readonly algorithm: "SHA-256" | "SHA-384" | "SHA-512";
  readonly encoding: "hex" | "base64";
  readonly deliveryIdHeader: string | null;
}

/** Headers as fetch (`Headers`), node:http or a plain object have them; names in any case. */
export type WebhookHeaders =
  | {
      /** The value of a header; null when there is none. */
      get(name: string): string | null;
    }
  | { readonly [name: string]: string | readonly string[] | undefined };

/** Fills in what a scheme leaves out. */
export function completeScheme(scheme: WebhookScheme = {}): CompleteScheme {
  return {
    header: scheme.header ?? "webhook-signature",
    timestampField: scheme.timestampField === undefined ? "t" : scheme.timestampField,
    signatureField: scheme.signatureField ?? "signature",
    algorithm: scheme.algorithm ?? "SHA-256",
    encoding: scheme.encoding ?? "hex",
    deliveryIdHeader: scheme.deliveryIdHeader ?? null,
  };
}

/** The secrets as a list, refused when there is none to check with. */
export function secretList(secrets: string | readonly string[], where: string): readonly string[] {
  const list = typeof secrets === "string" ? [secrets] : secrets;
  if (!Array.isArray(list) || list.length === 0 || list.some((one) => typeof one !== "string" || one === "")) {
    throw new ConfigurationError(`${where} needs at least one secret, and every secret must be text that is not empty`);
  }
  return list;
}

/** Reads one header out of whatever carries them; null when it is absent. */
export function readHeader(headers: WebhookHeaders, name: string): string | null {
  if (typeof headers.get === "function") return headers.get(name);
  const wanted = name.toLowerCase();
  for (const [key, value] of Object.entries(headers)) {
    if (key.toLowerCase() !== wanted || value === undefined) continue;
    return typeof value === "string" ? value : (value as readonly string[]).join(", ");
  }
  return null;
}

/** What a signature header holds. */
export interface SignatureHeader {
  /** The text of the time field; null when there is none. */
  readonly timestamp: string | null;
  readonly signatures: readonly string[];
}

// Bounds the work a stranger's header can cause; during a rotation a sender writes two or three.
const MAX_HEADER_LENGTH = 8_192;
const MAX_SIGNATURES = 16;

/** Takes a signature header apart: fields in any order, spaces anywhere, separated by commas, semicolons or spaces. */
export function parseSignatureHeader(value: string, scheme: CompleteScheme): SignatureHeader | null {
  if (value.length > MAX_HEADER_LENGTH) return null;
  let timestamp: string | null = null;
  const signatures: string[] = [];
  // A name starts after a separator only: without that, a long header without fields would be gone through again and again.
  for (const part of value.matchAll(/(?<![^\s,;])([^\s,;=]+)[ \t]*=[ \t]*"?([^\s,;"]+)/g)) {
    const [, name, text] = part as unknown as [string, string, string];
    if (name === scheme.timestampField) {
      // Two times in one header: which of them was signed is anybody's guess.
      if (timestamp !== null && timestamp !== text) return null;
      timestamp = text;
    } else if (name === scheme.signatureField) signatures.push(text);
  }
  return signatures.length > MAX_SIGNATURES ? null : { timestamp, signatures };
}
