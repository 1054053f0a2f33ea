import { raceAbort } from "../core/abort.js";

/**
 * A stream to which an export writes: any `Writable` of Node, such as `process.stdout` or the response of an HTTP
 * server.
 */
export interface ExportStream {
  /** Accepts a page and calls back once it is written. */
  write(chunk: Uint8Array, callback: (error?: Error | null) => void): unknown;
  /** Registers a listener for the failure or the end of the stream. */
  on(event: "error" | "close", listener: (error?: Error) => void): unknown;
  /** Removes a listener. */
  off(event: "error" | "close", listener: (error?: Error) => void): unknown;
  /** True if the stream no longer accepts data. */
  readonly destroyed?: boolean | undefined;
  /** True if `end` was called. */
  readonly writableEnded?: boolean | undefined;
}

/** Writes pages to a stream, and watches it for failures until `close`. */
export class StreamWriter {
  readonly #stream: ExportStream;
  readonly #broken = new AbortController();
  readonly #onEnd = (error?: Error | null) => this.#broken.abort(error ?? closedError());

  constructor(stream: ExportStream) {
    this.#stream = stream;
    if (stream.destroyed || stream.writableEnded) this.#onEnd();
    stream.on("error", this.#onEnd);
    // If the connection closes, no write callback is called, only this listener.
    stream.on("close", this.#onEnd);
  }

  /** Aborts with the stream's error if the stream fails or closes, even between two pages. */
  get broken(): AbortSignal {
    return this.#broken.signal;
  }

  /**
   * Writes a page and waits until the stream has accepted it, so that at most one page is in memory.
   * @throws the stream's error; an Error if the stream was closed.
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

  /**
   * Stops listening. After a failure, the error listener stays: the stream may still emit the error, which would end
   * the process without a listener.
   */
  close(): void {
    this.#stream.off("close", this.#onEnd);
    if (!this.broken.aborted) this.#stream.off("error", this.#onEnd);
  }
}

function closedError(): Error {
  return new Error("The stream was closed before the export was complete");
}
