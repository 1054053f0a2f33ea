/**
 * Bytes that WebCrypto accepts: `Uint8Array<ArrayBuffer>`, written so that the declarations also compile with
 * TypeScript before 5.7, whose Uint8Array has no type parameter.
 */
export type Bytes = ReturnType<(typeof TextEncoder)["prototype"]["encode"]>;

const utf8 = /* @__PURE__ */ new TextEncoder();

/** The raw body as bytes; null if it is neither text nor bytes. Avoids `instanceof`, which fails across realms. */
export function toBytes(body: unknown): Bytes | null {
  if (typeof body === "string") return utf8.encode(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice();
  if (Object.prototype.toString.call(body) === "[object ArrayBuffer]") return new Uint8Array(body as ArrayBuffer);
  return null;
}

export async function hmac(secret: string, timestamp: string, body: Bytes): Promise<string> {
  const { subtle } = globalThis.crypto;
  const key = await subtle.importKey("raw", utf8.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const before = utf8.encode(`${timestamp}.`);
  const signed = new Uint8Array(before.length + body.length);
  signed.set(before);
  signed.set(body, before.length);
  return hex(await subtle.sign("HMAC", key, signed));
}

/** Compares in constant time, so that the duration does not reveal the position of the first difference. */
export function sameText(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < one.length; at++) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}

export async function sha256(text: string): Promise<string> {
  return hex(await globalThis.crypto.subtle.digest("SHA-256", utf8.encode(text)));
}

function hex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
