export interface ListWork {
  /** Records processed, including those of earlier runs. */
  readonly done: number;
  /** Records that earlier runs processed. Default 0. */
  readonly doneBefore?: number;
  /** Size of the list as the service reports it (`page.total` or `list.count()`); null if unknown. */
  readonly total: number | null;
  readonly hasNext: boolean;
  /** Milliseconds since this run began. */
  readonly elapsedMs: number;
  /** Requests sent in this run; 0 if they do not count against a limit. */
  readonly requests: number;
  /** The client's rate limit; null if it has none. */
  readonly limit: { readonly requests: number; readonly windowMs: number } | null;
}

export interface ListProgress {
  /** 0 to 99 while there is more to do, then 100; null if unknown. */
  readonly percent: number | null;
  /**
   * Estimated milliseconds until the end, from the pace so far and the rate limit windows still to come; null if
   * unknown.
   */
  readonly leftMs: number | null;
}

const UNKNOWN: ListProgress = { percent: null, leftMs: null };

/**
 * Computes the progress through a list, from its first page on. The total may be missing, wrong or changing: it only
 * affects the display, and is ignored once that many records were processed.
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
