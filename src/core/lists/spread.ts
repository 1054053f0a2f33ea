import { type Clock, wait } from "../clock.js";
import type { RateLimit } from "../limits/queue.js";
import type { RateLimitState } from "../limits/rate-limiters.js";

// The lifetime of cursors is not documented, so a list that is being read sends a request at least this often.
const LONGEST_PAUSE_MS = 20_000;

/**
 * Milliseconds to wait before the next page of a list that needs more requests than the window has left. The window's
 * remaining requests are spread over its remaining time, because the list's cursor may expire during a wait for the
 * next window.
 * @param wanted requests for the rest of the list; infinite if its length is unknown.
 * @param left requests that the window still has room for.
 * @param resetMs milliseconds until the window has room for more.
 */
export function pauseBetweenPages(wanted: number, left: number, resetMs: number): number {
  // If nothing is left, the request waits in the queue.
  if (wanted <= left || left <= 0 || left * LONGEST_PAUSE_MS >= resetMs) return 0;
  return resetMs / (left + 1);
}

export async function spreadPages(
  wanted: number,
  { clock, rateLimit }: { readonly clock: Clock; readonly rateLimit: RateLimit | null },
  { used, resetAt }: Pick<RateLimitState, "used" | "resetAt">,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (!rateLimit || !resetAt) return;
  const { requests, reserve } = rateLimit;
  const forBatch = requests - Math.floor(requests * reserve);
  // If more requests were sent than batch calls may send, some were interactive, so the limit for all calls applies.
  const left = (used < forBatch ? forBatch : requests) - used;
  const pause = pauseBetweenPages(wanted, left, resetAt.getTime() - clock.now());
  await wait(clock, Math.min(pause, LONGEST_PAUSE_MS), signal);
}
