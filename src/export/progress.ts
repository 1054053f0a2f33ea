import type { Page } from "../core/lists/pages.js";
import { linkTarget } from "../core/lists/position.js";

/** How far an export is. */
export interface ExportProgress {
  /** Records written, those of earlier runs included. */
  readonly records: number;
  /** Pages written, those of earlier runs included. */
  readonly pages: number;
  /** Bytes written, those of earlier runs included. */
  readonly bytes: number;
  /** Records per second of this run. */
  readonly recordsPerSecond: number;
  /**
   * Share of the list that is written, 0 to 100; null when it is not known. The service does not report totals: only lists that
   * are read with the deprecated `page` have a link to their last page. 100 after the last page of every list.
   */
  readonly percent: number | null;
  /** True when this run continued an earlier one. */
  readonly resumed: boolean;
}

/** Reads from a page which share of its list has been read with it, in percent; null when the page does not say. */
export function percentOf({ hasNext, response }: Pick<Page<unknown>, "hasNext" | "response">): number | null {
  if (!hasNext) return 100;
  const link = response.headers.get("link");
  const next = pageNumber(linkTarget(link, "next"));
  const last = pageNumber(linkTarget(link, "last"));
  if (next === null || last === null || last < 1) return null;
  return Math.min(100, Math.max(0, ((next - 1) / last) * 100));
}

function pageNumber(target: string | null): number | null {
  const text = target === null ? null : URL.parse(target, "https://school.example")?.searchParams.get("page");
  return text && /^\d+$/.test(text) ? Number(text) : null;
}
