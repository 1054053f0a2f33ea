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
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new BodyCut(decode(chunks, bytes), cause);
    });
    if (done) return decode(chunks, bytes);
    bytes += value.byteLength;
    if (bytes > LARGEST_BODY_BYTES) {
      await reader.cancel().catch(() => undefined);
      throw new BodyTooLarge();
    }
    chunks.push(value);
  }
}

// All at once: decoding piece by piece makes V8 keep two bytes a character, which doubles the cost of parsing the text.
function decode(chunks: readonly Uint8Array[], bytes: number): string {
  const [first] = chunks;
  if (chunks.length === 1) return new TextDecoder().decode(first);
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return new TextDecoder().decode(whole);
}
