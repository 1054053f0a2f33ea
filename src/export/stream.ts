/** A stream that an export writes to: any `Writable` of Node, such as `process.stdout` or the response of an HTTP server. */
export interface ExportStream {
  /** Takes a page and calls back when it is written. */
  write(chunk: Uint8Array, callback: (error?: Error | null) => void): unknown;
  /** Listens for the stream's failure and its end. */
  on(event: "error" | "close", listener: (error?: Error) => void): unknown;
  /** Stops listening. */
  off(event: "error" | "close", listener: (error?: Error) => void): unknown;
  /** Whether the stream takes nothing any more. */
  readonly destroyed?: boolean | undefined;
  /** Whether `end` was called. */
  readonly writableEnded?: boolean | undefined;
}

/**
 * Writes a page and waits until the stream has taken it, so that no more than a page is ever in memory.
 * @throws the stream's error; an Error when it was closed before.
 */
export async function writeToStream(stream: ExportStream, page: Uint8Array): Promise<void> {
  if (stream.destroyed || stream.writableEnded) throw closed();
  await new Promise<void>((resolve, reject) => {
    const end = (error: Error | null | undefined) => {
      stream.off("error", onError);
      stream.off("close", onClose);
      if (error) reject(error);
      else resolve();
    };
    const onError = (error?: Error) => end(error ?? closed());
    // A connection that ends calls no callback.
    const onClose = () => end(closed());
    stream.on("error", onError);
    stream.on("close", onClose);
    stream.write(page, end);
  });
}

function closed(): Error {
  return new Error("The stream was closed before the export was complete");
}
