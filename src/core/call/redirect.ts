import type { Method } from "../method.js";
import type { RedirectProblem } from "./attempt-result.js";
import type { WireResponse } from "./body.js";

const MOST_REDIRECTS = 5;

export type Redirect = { readonly url: string } | { readonly problem: RedirectProblem };

/**
 * Reads a redirect. Refuses one that would send the token to another origin, or a write twice.
 * @param sent the request that was redirected; `redirects` is the number of redirects followed before it.
 * @returns null for a response that is not a redirect.
 */
export function redirectOf(
  { status, headers, opaqueRedirect }: WireResponse,
  sent: { readonly method: Method; readonly url: string; readonly origin: string; readonly redirects: number },
): Redirect | null {
  if (opaqueRedirect) return { problem: "hidden" };
  if (!REDIRECTS.includes(status)) return null;
  if (sent.method !== "GET") return { problem: "write" };
  const location = headers.get("location");
  const target = location === null ? null : URL.parse(location, sent.url);
  if (target === null) return { problem: "no_location" };
  if (target.origin !== sent.origin) return { problem: "other_origin" };
  return sent.redirects < MOST_REDIRECTS ? { url: target.href } : { problem: "too_many" };
}

// 304 is not a redirect, and 305 and 306 are obsolete.
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
