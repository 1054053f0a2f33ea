import { decode, encode } from "./crypto.js";
import type { CompleteScheme } from "./scheme.js";

/** What the value of a signature header holds. */
export interface SignatureHeader {
  /** The text of the time field; null when there is none. */
  readonly timestamp: string | null;
  readonly signatures: readonly Uint8Array[];
}

// Limits the work that a header from anyone can cause; during a rotation a sender writes two or three signatures.
const MAX_HEADER_LENGTH = 8_192;
const MAX_SIGNATURES = 16;

/** Reads a signature header; null when it holds none, or too much. */
export function readSignatureHeader(value: string, scheme: CompleteScheme): SignatureHeader | null {
  if (value.length > MAX_HEADER_LENGTH) return null;
  const parsed = scheme.format === "fields" ? fieldsOf(value, scheme) : textsOf(value, scheme);
  if (parsed === null || parsed.texts.length > MAX_SIGNATURES) return null;
  const signatures = parsed.texts.flatMap((text) => decode(text, scheme.encoding) ?? []);
  return signatures.length === 0 ? null : { timestamp: parsed.timestamp, signatures };
}

/** Writes a signature header. */
export function writeSignatureHeader(
  macs: readonly Uint8Array[],
  timestamp: string | null,
  scheme: CompleteScheme,
): string {
  const texts = macs.map((one) => encode(one, scheme.encoding));
  if (scheme.format === "bare") return texts.join();
  if (scheme.format === "standard-webhooks") return texts.map((text) => `v1,${text}`).join(" ");
  const { timestampField, signatureField } = scheme;
  const fields = texts.map((text) => `${signatureField}=${text}`);
  return (timestamp === null ? fields : [`${timestampField}=${timestamp}`, ...fields]).join();
}

interface Parsed {
  readonly timestamp: string | null;
  readonly texts: readonly string[];
}

/** Fields in any order, spaces anywhere, separated by commas, semicolons or spaces. */
function fieldsOf(value: string, scheme: CompleteScheme): Parsed | null {
  let timestamp: string | null = null;
  const texts: string[] = [];
  // A name may start after a separator only; otherwise a long header without fields takes quadratic time.
  for (const part of value.matchAll(/(?<![^\s,;])([^\s,;=]+)[ \t]*=[ \t]*"?([^\s,;"]+)/g)) {
    const [, name, text] = part as unknown as [string, string, string];
    if (name === scheme.timestampField) {
      // With two different times it is unknown which of them was signed.
      if (timestamp !== null && timestamp !== text) return null;
      timestamp = text;
    } else if (name === scheme.signatureField) texts.push(text);
  }
  return { timestamp, texts };
}

/** Signatures without names, or each after its version: `v1,<base64> v1,<base64>`. */
function textsOf(value: string, { format }: CompleteScheme): Parsed {
  const texts = value.split(/[\s,]+/).filter((part) => part !== "");
  const isSigned = (_: string, at: number) => format === "bare" || (at > 0 && texts[at - 1] === "v1");
  return { timestamp: null, texts: texts.filter(isSigned) };
}
