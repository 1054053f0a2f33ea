import type { FetchLike } from "../../src/index.js";

/** One request as it went out. */
export interface SentRequest {
  readonly method: string;
  /** The whole URL as text, exactly as given to `fetch`. */
  readonly url: string;
  /** Names and values of the query, decoded, in their order. */
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  /** The body's text; null when there was none. */
  readonly body: string | null;
}

/** A `fetch` that records what it is asked and answers what it is told. */
export interface Recorder {
  readonly fetch: FetchLike;
  readonly sent: SentRequest[];
  /** What the next requests are answered; `undefined` stands for a 204 without a body. */
  answer: unknown;
}

/** Makes a `fetch` that opens no connection: it records every request and answers `answer` as JSON. */
export function recorder(answer?: unknown): Recorder {
  const recording: Recorder = {
    answer,
    sent: [],
    fetch: async (url, init) => {
      recording.sent.push({
        method: init.method ?? "GET",
        url,
        query: [...new URL(url).searchParams],
        headers: Object.fromEntries(new Headers(init.headers)),
        body: typeof init.body === "string" ? init.body : null,
      });
      return recording.answer === undefined ? new Response(null, { status: 204 }) : Response.json(recording.answer);
    },
  };
  return recording;
}
