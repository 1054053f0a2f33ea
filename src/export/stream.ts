import { raceAbort } from "../core/abort.js";

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

/** Writes pages to a stream, and listens to it from the first page to the last. */
export class StreamWriter {
  readonly #stream: ExportStream;
  readonly #broken = new AbortController();
  readonly #onEnd = (error?: Error | null) => this.#broken.abort(error ?? closedError());

  constructor(stream: ExportStream) {
    this.#stream = stream;
    if (stream.destroyed || stream.writableEnded) this.#onEnd();
    stream.on("error", this.#onEnd);
    // A connection that ends calls no callback.
    stream.on("close", this.#onEnd);
  }

  /** Aborts with the stream's error when it fails or is closed, between two pages too. */
  get broken(): AbortSignal {
    return this.#broken.signal;
  }

  /**
   * Writes a page and waits until the stream has taken it, so that no more than a page is ever in memory.
   * @throws the stream's error; an Error when it was closed before.
   */
  async write(page: Uint8Array): Promise<void> {
    if (this.#stream.destroyed || this.#stream.writableEnded) throw closedError();
    const written = new Promise<void>((resolve, reject) => {
      this.#stream.write(page, (error) => {
        if (!error) return resolve();
        this.#onEnd(error);
        reject(error);
      });
    });
    await raceAbort(written, this.broken);
  }

  /** Stops listening. A stream that has failed may emit its error later: nobody else may listen to it. */
  close(): void {
    this.#stream.off("close", this.#onEnd);
    if (!this.broken.aborted) this.#stream.off("error", this.#onEnd);
  }
}

function closedError(): Error {
  return new Error("The stream was closed before the export was complete");
}
