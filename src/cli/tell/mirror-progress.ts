import type { SyncProgress } from "../../mirror/progress.js";
import type { RepairReport } from "../../mirror/repair.js";
import type { ListReport } from "../../mirror/report.js";
import { pluralize } from "../../work/pluralize.js";
import type { Output } from "../terminal.js";
import { groupDigits, LiveLine, minuteOf, percentText, waitingText } from "./progress-line.js";
import { isNoticeable, type Wait } from "./wait-lines.js";

/**
 * Shows the progress of a mirror: a line for every finished list, and the current state on a line that the terminal
 * overwrites. Without a terminal, `tick` writes the current state if it has changed.
 */
export class MirrorProgress {
  readonly #output: Output;
  readonly #line: LiveLine;
  #lists = 0;
  #done = 0;
  #read = 0;
  #requests = 0;
  #current: Omit<SyncProgress, "waitingUntil"> | null = null;
  #waiting: string | null = null;
  #next: string | null = null;
  #told = "";
  #hasToldWait = false;

  constructor(output: Output) {
    this.#output = output;
    this.#line = new LiveLine(output);
  }

  begin(lists: number): void {
    this.#lists = lists;
  }

  page(progress: Omit<SyncProgress, "waitingUntil">): void {
    this.#current = progress;
    this.#waiting = null;
    this.#line.show(this.#text);
  }

  wait(wait: Wait): void {
    this.#waiting = waitingText(wait);
    this.#line.show(this.#text);
    // A log shows the first wait immediately; `tick` writes the later ones.
    if (this.#hasToldWait || !isNoticeable(wait)) return;
    this.#hasToldWait = true;
    this.tick();
  }

  /** Reports that no list is due until the given time. */
  idle(next: Date): void {
    this.#next = `up to date; the next run begins about ${minuteOf(next)}`;
    if (this.#output.isTTY) this.#line.show(this.#text);
    else this.tick();
  }

  finish(report: ListReport): void {
    this.#done++;
    this.#read += report.read;
    this.#requests += report.requests;
    this.#current = this.#waiting = this.#next = null;
    this.#line.clear();
    this.#output.write(`${reportLine(report)}\n`);
    if (this.#done < this.#lists) this.#line.show(this.#text);
  }

  /** Prints why failed notifications could not be applied; nothing if they were. */
  reportRepair({ pending, error }: RepairReport): void {
    if (!error) return;
    this.#line.clear();
    this.#output.write(
      `failed notifications: ${pluralize(pending, "notification")} left for the next time; ${error.message}\n`,
    );
  }

  tick(): void {
    const isBusy = this.#current !== null || this.#waiting !== null || this.#next !== null;
    if (this.#output.isTTY || !isBusy || this.#text === this.#told) return;
    this.#told = this.#text;
    this.#output.write(`${this.#text}\n`);
  }

  clear(): void {
    this.#line.clear();
  }

  get #text(): string {
    const read = this.#read + (this.#current?.read ?? 0);
    const requests = this.#requests + (this.#current?.requests ?? 0);
    // Sums are shown only in the first run: later, each list is read when it is due.
    const sum =
      this.#done < this.#lists
        ? `${this.#done} of ${pluralize(this.#lists, "list")}, ${groupDigits(read)} rows, ${pluralize(requests, "request")}`
        : null;
    const current = this.#current && `${this.#current.list}: ${howFar(this.#current)}`;
    return [sum, current, this.#waiting ?? this.#next].filter((part) => part !== null).join("; ");
  }
}

// At 100 percent, shows only the rows: the line for the finished list follows immediately.
function howFar({ read, percent, expectedEnd }: Omit<SyncProgress, "waitingUntil">): string {
  if (percent === null || percent === 100) return `${groupDigits(read)} rows`;
  return percentText(percent, expectedEnd);
}

function reportLine(report: ListReport): string {
  const { list, read, added, changed, gone, requests } = report;
  return `${list}: ${stateOf(report)}; ${read} read, ${added} added, ${changed} changed, ${gone} gone, ${pluralize(requests, "request")}`;
}

function stateOf({ complete, held, error, pending, busyUntil }: ListReport): string {
  if (complete) return "complete";
  if (busyUntil) return `another process has it until ${minuteOf(busyUntil)} at most`;
  if (error) return error.message;
  if (held?.reason === "key") return `${pluralize(held.missing, "missing row")} that only another key has seen`;
  if (held) return `${pluralize(held.missing, "missing row")} not marked as gone (${held.reason})`;
  return `${pluralize(pending, "missing row")} left for the next run`;
}
