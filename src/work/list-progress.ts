/** The state of work over a list, from which its progress is computed. */
export interface ListWork {
  /** Records done, those of earlier runs included. */
  readonly done: number;
  /** How many of them earlier runs did. Default 0. */
  readonly doneBefore?: number;
  /** How many there are according to the service: `page.total` or `list.count()`. Null if unknown. */
  readonly total: number | null;
  /** Whether there is more to do. */
  readonly hasNext: boolean;
  /** Milliseconds since this run began. */
  readonly elapsedMs: number;
  /** Requests of this run; 0 if they do not count. */
  readonly requests: number;
  /** The client's rate limit; null without one. */
  readonly limit: { readonly requests: number; readonly windowMs: number } | null;
}

/** Progress to show. */
export interface ListProgress {
  /** 0 to 99 while there is more to do, then 100; null if unknown. */
  readonly percent: number | null;
  /** Milliseconds until the end, from the pace so far and the windows of the rate limit still to come; null if unknown. */
  readonly leftMs: number | null;
}

const UNKNOWN: ListProgress = { percent: null, leftMs: null };

/**
 * Computes the progress of work over a list, from its first page on. A total may be missing, wrong or changing: it affects
 * only what is shown, and one that was reached before the end is ignored.
 */
export function listProgress({
  done,
  doneBefore = 0,
  total,
  hasNext,
  elapsedMs,
  requests,
  limit,
}: ListWork): ListProgress {
  if (!hasNext) return { percent: 100, leftMs: 0 };
  if (total === null || total <= done) return UNKNOWN;
  const percent = Math.min(99, (done / total) * 100);
  const read = done - doneBefore;
  if (read <= 0) return { percent, leftMs: null };
  const left = (total - done) / read;
  const windows = limit === null ? 0 : Math.floor((requests + Math.ceil(requests * left) - 1) / limit.requests);
  const begun = limit === null ? 0 : Math.floor((requests - 1) / limit.requests);
  return { percent, leftMs: Math.max(elapsedMs * left, (windows - begun) * (limit?.windowMs ?? 0)) };
}
