export class BodyTooLarge extends Error {}

/** The body ended early; `bytes` holds the part that arrived. */
export class BodyTruncated extends Error {
  readonly bytes: Uint8Array;
  constructor(bytes: Uint8Array, cause: unknown) {
    super("the body is truncated", { cause });
    this.bytes = bytes;
  }
}

/**
 * Reads the body of a request or response, up to a maximum number of bytes.
 * @param stop when this promise resolves, the body is canceled and the part that has arrived is returned.
 * @throws BodyTooLarge if the body is longer; BodyTruncated if it ends early.
 */
export async function readBytes(
  message: Request | Response,
  limit: number,
  stop?: Promise<unknown>,
): Promise<Uint8Array> {
  const { body } = message;
  const declared = Number(message.headers.get("content-length") ?? Number.NaN);
  if (declared > limit) {
    // Not awaited: canceling a stream may take arbitrarily long.
    body?.cancel().catch(() => undefined);
    throw new BodyTooLarge();
  }
  // Some platforms and test doubles have no body stream, and node-fetch has a Node stream: the body is read as a whole.
  if (typeof body?.getReader !== "function") {
    const whole = new Uint8Array(await message.arrayBuffer());
    if (whole.byteLength > limit) throw new BodyTooLarge();
    return whole;
  }
  const reader = body.getReader();
  const cancel = () => reader.cancel().catch(() => undefined);
  stop?.then(cancel);
  const bytes = new ByteBuffer(limit);
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new BodyTruncated(bytes.all(), cause);
    });
    if (done) return bytes.all();
    if (bytes.length + value.byteLength > limit) {
      cancel();
      throw new BodyTooLarge();
    }
    bytes.add(value);
  }
}

// Collects the bytes in one growing buffer. A list of one-byte chunks would take a hundred times the memory of the
// bytes, and decoding to text chunk by chunk would double the cost of parsing.
class ByteBuffer {
  readonly #limit: number;
  #bytes = new Uint8Array();
  length = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(chunk: Uint8Array<ArrayBuffer>): void {
    const length = this.length + chunk.byteLength;
    if (this.length === 0) this.#bytes = chunk;
    else {
      if (length > this.#bytes.byteLength) {
        const larger = new Uint8Array(Math.max(length, Math.min(2 * this.#bytes.byteLength, this.#limit)));
        larger.set(this.#bytes.subarray(0, this.length));
        this.#bytes = larger;
      }
      this.#bytes.set(chunk, this.length);
    }
    this.length = length;
  }

  all(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }
}
