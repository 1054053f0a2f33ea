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
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new BodyCut(text, cause);
    });
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > LARGEST_BODY_BYTES) {
      await reader.cancel().catch(() => undefined);
      throw new BodyTooLarge();
    }
    text += decoder.decode(value, { stream: true });
  }
}
