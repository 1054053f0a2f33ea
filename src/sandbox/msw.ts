import { HttpResponse, http, type RequestHandler } from "msw";
import type { Sandbox } from "./sandbox.js";

/** Which requests the sandbox answers. */
export interface HandlersOptions {
  /** Address, or addresses, your code calls: what stands before `api/…`. Default: the sandbox's `baseUrl`. */
  readonly baseUrl?: string | readonly string[] | undefined;
}

/**
 * Handlers for msw, in Node (`setupServer`) and in browsers (`setupWorker`): the sandbox answers what your code sends
 * to the service's address.
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
        // A connection that broke; of an aborted request nobody sees the answer.
        return HttpResponse.error();
      }
    }),
  );
}
