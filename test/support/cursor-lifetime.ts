import type { Sandbox } from "../../src/sandbox/index.js";

/** A sandbox's `fetch` whose cursors expire. `sent` holds the time of each request, beginning with the first. */
export function withCursorLifetime({ fetch, clock }: Pick<Sandbox, "fetch" | "clock">, lifetimeMs: number) {
  const made = new Map<string, number>();
  const times: number[] = [];
  const expiring: typeof fetch = async (input, init) => {
    times.push(clock.now());
    const cursor = new URL(String(input)).searchParams.get("cursor");
    if (cursor !== null && clock.now() - (made.get(cursor) ?? 0) > lifetimeMs)
      return Response.json({ errors: { cursor: ["has expired"] }, code: 400, message: "no" }, { status: 400 });
    const response = await fetch(input, init);
    const next = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
    if (next !== undefined) made.set(decodeURIComponent(next), clock.now());
    return response;
  };
  return { fetch: expiring, sent: () => times.map((time) => time - (times[0] ?? 0)) };
}
