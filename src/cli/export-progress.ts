import type { ExportProgress } from "../export/node.js";
import { grouped, LiveLine, minuteOf, size } from "./progress-line.js";
import type { Output } from "./terminal.js";
import type { Wait } from "./wait-lines.js";

const BAR = 24;
/** A terminal with fewer columns gets no bar. */
const WIDE = 72;

/** What the service permits, which is the limit of a client without options. */
const LIMIT = { requests: 500, windowMs: 300_000 };

/** What people wait for before a long export: `1,300 requests, about 10 minutes at the limit`; null for a short one. */
export function estimate(requests: number): string | null {
  const ms = waitsOf(requests);
  return ms === 0 ? null : `${grouped(requests)} requests, about ${ms / 60_000} minutes at the limit`;
}

/** Shows how far an export is: rate, total and end where they are known, and what it waits for. */
export class ExportLine {
  readonly #line: LiveLine;
  readonly #total: number | null;
  readonly #now: () => number;
  readonly #begun: number;
  #first: ExportProgress | null = null;
  #last: ExportProgress | null = null;

  /**
   * @param total how many pages the list has; null where the service does not say so.
   * @param now milliseconds since the epoch.
   */
  constructor(output: Output, total: number | null, now: () => number = Date.now) {
    this.#line = new LiveLine(output);
    this.#total = total;
    this.#now = now;
    this.#begun = now();
  }

  /** Whether a page was written. */
  get hasBegun(): boolean {
    return this.#last !== null;
  }

  page(progress: ExportProgress): void {
    this.#first ??= progress;
    this.#last = progress;
    this.#line.show(this.#text(progress));
  }

  wait({ until, why }: Wait): void {
    const waiting = `waiting${until ? ` until ${minuteOf(until)}` : ""}: ${why}`;
    this.#line.show(this.#last ? `${grouped(this.#last.records)} records; ${waiting}` : waiting);
  }

  clear(): void {
    this.#line.clear();
  }

  #text(progress: ExportProgress): string {
    const { records, bytes, recordsPerSecond, pages } = progress;
    // Records that are created meanwhile make the list longer than it was.
    const percent = progress.percent ?? (this.#total && Math.min(99, Math.floor((pages / this.#total) * 100)));
    const end = this.#total === null ? null : this.#end(pages, this.#total);
    const parts = [
      `${grouped(records)} records`,
      `${grouped(recordsPerSecond)}/s`,
      ...(end === null ? [] : [`ends about ${minuteOf(end)}`]),
      size(bytes),
    ];
    if (percent === null) return parts.join("  ");
    const done = Math.round((percent / 100) * BAR);
    const bar = this.#line.width < WIDE ? "" : `[${"#".repeat(done)}${" ".repeat(BAR - done)}] `;
    return [`${bar}${Math.floor(percent)} %`, ...parts].join("  ");
  }

  // The pace so far knows nothing of a window that is yet to be used up.
  #end(pages: number, total: number): Date | null {
    const left = total - pages;
    const read = pages - (this.#first?.pages ?? 0);
    if (left <= 0 || read === 0) return null;
    const paced = ((this.#now() - this.#begun) / read) * left;
    return new Date(this.#now() + Math.max(paced, waitsOf(left)));
  }
}

function waitsOf(requests: number): number {
  return Math.floor((requests - 1) / LIMIT.requests) * LIMIT.windowMs;
}
