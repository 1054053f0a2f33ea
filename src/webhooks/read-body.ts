import type { Bytes } from "./crypto.js";

/** The result of reading a body. */
export type ReadBody = { readonly bytes: Bytes } | { readonly failed: "too_large" | "too_slow" | "incomplete" };

/** Reads a body of at most `maxBytes` bytes, and stops when the time is up. */
export async function readBody(request: Request, maxBytes: number, timeUp: Promise<unknown>): Promise<ReadBody> {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) {
    // Not awaited: a body that never ends would delay the answer.
    request.body?.cancel().catch(() => undefined);
    return { failed: "too_large" };
  }
  if (!request.body) return { bytes: new Uint8Array() };
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader();
  const giveUp = (failed: "too_large" | "too_slow" | "incomplete"): ReadBody => {
    reader.cancel().catch(() => undefined);
    return { failed };
  };
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const next = await Promise.race([reader.read(), timeUp.then(() => null)]);
      if (next === null) return giveUp("too_slow");
      if (next.done) break;
      length += next.value.byteLength;
      if (length > maxBytes) return giveUp("too_large");
      chunks.push(next.value);
    }
  } catch {
    return giveUp("incomplete");
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return { bytes };
}
