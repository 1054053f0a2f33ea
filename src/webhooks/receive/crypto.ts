import { ConfigurationError } from "../../core/errors.js";
import type { CompleteScheme } from "./scheme.js";

/**
 * Bytes as WebCrypto takes them: `Uint8Array<ArrayBuffer>`, written so that the declarations also compile before TypeScript
 * 5.7, where Uint8Array has no type parameter.
 */
export type Bytes = ReturnType<(typeof TextEncoder)["prototype"]["encode"]>;

const utf8 = /* @__PURE__ */ new TextEncoder();

/** The raw body as bytes; null when it is neither text nor bytes. Does not use `instanceof`, which fails across realms. */
export function toBytes(body: unknown): Bytes | null {
  if (typeof body === "string") return utf8.encode(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice();
  if (Object.prototype.toString.call(body) === "[object ArrayBuffer]") return new Uint8Array(body as ArrayBuffer);
  return null;
}

/**
 * The HMAC over the body, after what is signed before it, such as `<timestamp>.`.
 * @throws ConfigurationError when the secret is not written as the scheme says.
 */
export async function mac(scheme: CompleteScheme, secret: string, before: string, body: Bytes): Promise<Uint8Array> {
  const { subtle } = globalThis.crypto;
  const algorithm = { name: "HMAC", hash: scheme.algorithm };
  const key = await subtle.importKey("raw", keyOf(scheme, secret), algorithm, false, ["sign"]);
  const prefix = utf8.encode(before);
  const signed = new Uint8Array(prefix.length + body.length);
  signed.set(prefix);
  signed.set(body, prefix.length);
  return new Uint8Array(await subtle.sign("HMAC", key, signed));
}

function keyOf({ format }: CompleteScheme, secret: string): Bytes {
  if (format !== "standard-webhooks") return utf8.encode(secret);
  const key = decode(secret.replace(/^whsec_/, ""), "base64");
  if (key === null || key.length === 0) {
    throw new ConfigurationError("Webhooks: secrets of Standard Webhooks are base64");
  }
  return key.slice();
}

/** Compares in constant time: the duration does not depend on where the first difference is. */
export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < one.length; at++) difference |= one[at]! ^ (other[at] ?? 0);
  return difference === 0;
}

/** SHA-256 of a text, in hexadecimal. */
export async function sha256(text: string): Promise<string> {
  return encode(new Uint8Array(await globalThis.crypto.subtle.digest("SHA-256", utf8.encode(text))), "hex");
}

/** Writes bytes as text. */
export function encode(bytes: Uint8Array, encoding: "hex" | "base64"): string {
  if (encoding === "hex") return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return btoa(String.fromCharCode(...bytes));
}

/** Reads bytes from text; null when the text does not have that encoding. */
export function decode(text: string, encoding: "hex" | "base64"): Uint8Array | null {
  if (encoding === "hex") {
    if (text.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(text)) return null;
    return Uint8Array.from({ length: text.length / 2 }, (_, at) => Number.parseInt(text.slice(at * 2, at * 2 + 2), 16));
  }
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return null;
  }
}
