// Far beyond any page of 100 records or invoice PDF; what is larger is no answer of the service.
const LARGEST_BODY_BYTES = 64 * 1024 * 1024;

/** A body that is larger than any answer of the service. */
export class BodyTooLarge extends Error {}

/** A body that broke off, with the text that had come. */
export class BodyCut extends Error {
  readonly text: string;
  constructor(text: string, cause: unknown) {
    super("the body broke off", { cause });
    this.text = text;
  }
}

/**
 * Reads a body to its end, but no further than any answer of the service goes.
 * @throws BodyTooLarge for what is longer; BodyCut when it breaks off.
 */
export async function readText(response: Response): Promise<string> {
  const declared = Number(response.headers.get("content-length") ?? Number.NaN);
  if (declared > LARGEST_BODY_BYTES) {
    await response.body?.cancel().catch(() => undefined);
    throw new BodyTooLarge();
  }
  if (!response.body) return response.text();
  const reader = response.body.getReader();
  const body = new ByteBuffer();
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new BodyCut(body.text(), cause);
    });
    if (done) return body.text();
    if (body.length + value.byteLength > LARGEST_BODY_BYTES) {
      await reader.cancel().catch(() => undefined);
      throw new BodyTooLarge();
    }
    body.add(value);
  }
}

// Bytes in one piece: kept as they came, chunks of a single byte would cost a hundred times their length; decoded piece
// by piece, V8 would keep two bytes a character, which doubles the cost of parsing the text.
class ByteBuffer {
  #bytes = new Uint8Array();
  length = 0;

  add(chunk: Uint8Array<ArrayBuffer>): void {
    const length = this.length + chunk.byteLength;
    // A body that comes in one chunk is not copied.
    if (this.length === 0) this.#bytes = chunk;
    else {
      if (length > this.#bytes.byteLength) {
        const doubled = Math.min(2 * this.#bytes.byteLength, LARGEST_BODY_BYTES);
        const larger = new Uint8Array(Math.max(length, doubled));
        larger.set(this.#bytes.subarray(0, this.length));
        this.#bytes = larger;
      }
      this.#bytes.set(chunk, this.length);
    }
    this.length = length;
  }

  text(): string {
    return new TextDecoder().decode(this.#bytes.subarray(0, this.length));
  }
}
