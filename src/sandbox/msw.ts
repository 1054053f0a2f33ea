/** The `./sandbox/msw` entry: a sandbox as request handlers for msw. */
import { HttpResponse, http, type RequestHandler } from "msw";
import type { Sandbox } from "./sandbox.js";

/** Options for {@link handlers}. */
export interface HandlersOptions {
  /** The base URL or URLs that your code calls: the part before `api/…`. Default: the sandbox's `baseUrl`. */
  readonly baseUrl?: string | readonly string[] | undefined;
}

/**
 * Handlers for msw, in Node (`setupServer`) and in browsers (`setupWorker`): the sandbox responds to your code's
 * requests to the service.
 * @example
 * import { setupServer } from "msw/node";
 * const server = setupServer(...handlers(sandbox, { baseUrl: "https://school.example" }));
 */
export function handlers(sandbox: Pick<Sandbox, "baseUrl" | "fetch">, options: HandlersOptions = {}): RequestHandler[] {
  const { baseUrl = sandbox.baseUrl } = options;
  const bases = typeof baseUrl === "string" ? [baseUrl] : baseUrl;
  return bases.map((base) =>
    http.all(`${base.replace(/\/+$/, "")}/api/*`, async ({ request }) => {
      try {
        return await sandbox.fetch(request);
      } catch {
        // `fetch` throws for a broken connection and for an abort; after an abort, msw ignores this response.
        return HttpResponse.error();
      }
    }),
  );
}
