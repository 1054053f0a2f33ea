import { BodyTooLarge, readBytes } from "../../core/bounded-body.js";
import type { Bytes } from "./crypto.js";

/** The result of reading a body. */
export type ReadBody = { readonly bytes: Bytes } | { readonly failed: "too_large" | "too_slow" | "incomplete" };

/** Reads a body of at most `maxBytes` bytes, and stops when the time is up. */
export async function readBody(request: Request, maxBytes: number, timeUp: Promise<unknown>): Promise<ReadBody> {
  const late = timeUp.then(() => null);
  try {
    const bytes = await Promise.race([readBytes(request, maxBytes, late), late]);
    // A copy, because the buffer behind the bytes may be longer, and a check of the application gets them.
    return bytes === null ? { failed: "too_slow" } : { bytes: bytes.slice() };
  } catch (error) {
    return { failed: error instanceof BodyTooLarge ? "too_large" : "incomplete" };
  }
}
