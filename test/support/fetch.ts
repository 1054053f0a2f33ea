/** A test's replacement for fetch. The library always passes the URL as text. */
export type TestFetch = (input: string, init: RequestInit) => Promise<Response>;

/** One call of a recording fetch. */
export interface FetchCall {
  readonly url: URL;
  readonly init: RequestInit;
  readonly headers: Record<string, string>;
  readonly body: string | null;
  /** Position among the calls, from 0. */
  readonly index: number;
}

/** A scripted fetch that records its calls. */
export interface RecordingFetch {
  readonly fetch: TestFetch;
  readonly calls: FetchCall[];
}

/** Makes a fetch that records its calls and returns the responses of a script. */
export function recordingFetch(answer: (call: FetchCall) => Response | Promise<Response>): RecordingFetch {
  const calls: FetchCall[] = [];
  const fetch: TestFetch = async (input, init) => {
    const call: FetchCall = {
      url: new URL(input),
      init,
      headers: init.headers as Record<string, string>,
      body: (init.body ?? null) as string | null,
      index: calls.length,
    };
    calls.push(call);
    return answer(call);
  };
  return { fetch, calls };
}

/** Makes a JSON response. */
export function jsonResponse(value: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(value), { status, headers: { "content-type": "application/json", ...headers } });
}

/** The error that the platform's fetch rejects with: the code is in its cause. */
export function networkError(code: string): TypeError {
  return new TypeError("fetch failed", { cause: Object.assign(new Error(`connect ${code}`), { code }) });
}
