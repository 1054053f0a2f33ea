/** A request as passed to `fetch`. */
export interface RecordedRequest {
  readonly method: string;
  readonly url: URL;
  readonly body: string | null;
  /** The header if it holds the client's token, otherwise null. */
  readonly authorization: string | null;
}

/** A `fetch` that sends nothing: it records each request and responds with `answer`. */
export class RecordingFetch {
  readonly #token: string;
  requests: RecordedRequest[] = [];
  /** The body of the responses that follow. */
  answer = "{}";

  constructor(token: string) {
    this.#token = token;
  }

  readonly fetch = async (input: string, init: RequestInit): Promise<Response> => {
    const sent = new Headers(init.headers).get("authorization");
    this.requests.push({
      method: init.method ?? "GET",
      url: new URL(input),
      body: typeof init.body === "string" ? init.body : null,
      authorization: sent === `Bearer ${this.#token}` ? sent : null,
    });
    return new Response(this.answer, { headers: { "content-type": "application/json" } });
  };
}
