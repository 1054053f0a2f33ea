import { AdminClient, type ClientOptions, InputError, MainClient } from "../../../src/index.js";
import { options } from "../../support/clients.js";
import { type FetchCall, jsonResponse, recordingFetch } from "../../support/fetch.js";

/** Both provider clients with one recording, which keeps their requests and responds with `{}` or `[]`. */
export interface Wire {
  readonly main: MainClient;
  readonly admin: AdminClient;
  readonly calls: FetchCall[];
  /** The body of the last request, byte for byte as text. */
  body(): string | null;
  /** The query of the last request as written, without the page size every list adds. */
  query(): string;
}

/** Creates clients whose requests are only recorded. */
export function wire(more: ClientOptions = {}): Wire {
  const { fetch, calls } = recordingFetch(({ url, init }) => {
    const list = init.method === "GET" && !/\/\d+$/.test(url.pathname);
    return init.method === "DELETE" ? new Response(null, { status: 204 }) : jsonResponse(list ? [] : {});
  });
  const settings = options({ fetch, validation: "off", rateLimit: false, ...more });
  return {
    main: new MainClient(settings),
    admin: new AdminClient(settings),
    calls,
    body: () => calls.at(-1)?.body ?? null,
    query: () => (calls.at(-1)?.url.search ?? "").replace(/^\?/, "").replace(/&?per_page=100/, ""),
  };
}

/** The issues of a refused call; throws if it is not refused. */
export async function issuesOf(call: PromiseLike<unknown>): Promise<InputError["issues"]> {
  const error = await Promise.resolve(call).then(
    () => new Error("the call was not refused"),
    (reason: unknown) => reason,
  );
  if (error instanceof InputError) return error.issues;
  throw error;
}
