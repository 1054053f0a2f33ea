import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A service that counts arrivals in a sliding and in a fixed window, and refuses requests above the limit of either.
 */
export interface CountingServer {
  readonly baseUrl: string;
  /** When each accepted request arrived, by `performance.now()`. */
  readonly accepted: { readonly at: number; readonly key: string }[];
  readonly refused: { readonly at: number }[];
  close(): Promise<void>;
}

/** Starts the server on a free port. */
export async function countingServer(limit: number, windowMs: number, latencyMs: number): Promise<CountingServer> {
  const accepted: { at: number; key: string }[] = [];
  const refused: { at: number }[] = [];
  let first = 0;
  let fixedSince: number | null = null;
  let fixed = 0;
  const isOver = (now: number): boolean => {
    while ((accepted[first]?.at ?? Infinity) <= now - windowMs) first++;
    fixedSince ??= now;
    while (now >= fixedSince + windowMs) {
      fixedSince += windowMs;
      fixed = 0;
    }
    return accepted.length - first >= limit || fixed >= limit;
  };
  const server = createServer((request, response) => {
    const now = performance.now();
    const over = isOver(now);
    if (over) refused.push({ at: now });
    else {
      fixed++;
      accepted.push({ at: now, key: (request.headers.authorization ?? "").slice("Bearer ".length) });
    }
    setTimeout(() => {
      response.writeHead(over ? 429 : 200, {
        "content-type": "application/json",
        ...(over ? { "retry-after": String(Math.ceil(windowMs / 1_000)) } : {}),
      });
      response.end(over ? '{"error":"Too many requests"}' : '{"id":1}');
    }, latencyMs);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accepted,
    refused,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
