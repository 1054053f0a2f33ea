import type { Observers } from "../../core/events.js";
import type { Output } from "../terminal.js";

export interface Wait {
  /** The earliest end; null if unknown. */
  readonly until: Date | null;
  /** The reason, as a clause such as `the service asked to wait (429)`. */
  readonly why: string;
}

const NOTICEABLE_MS = 2_000;
const BETWEEN_LINES_MS = 10_000;
const SAME_MS = 1_000;

/** Whether a wait is long enough to report; an unknown end counts as long. */
export function isNoticeable({ until }: Wait): boolean {
  return until === null || until.getTime() - Date.now() >= NOTICEABLE_MS;
}

/** Observers that report a client's waits, except those under 2 seconds and those for requests in flight. */
export function waitObservers(report: (wait: Wait) => void): Pick<Observers, "retry" | "wait"> {
  const reportNoticeable = (wait: Wait) => {
    if (isNoticeable(wait)) report(wait);
  };
  return {
    wait({ reason, expectedAt }) {
      if (reason === "concurrency") return;
      reportNoticeable({ until: expectedAt, why: reason === "window" ? "the rate limit is used up" : whyOf("429") });
    },
    retry({ reason, delayMs }) {
      if (delayMs >= NOTICEABLE_MS) report({ until: new Date(Date.now() + delayMs), why: whyOf(reason) });
    },
  };
}

/** Writes waits as lines, at most one per 10 seconds: `Waiting until 12:03:20: the service asked to wait (429).` */
export function waitLines(output: Output): (wait: Wait) => void {
  let told = Number.NEGATIVE_INFINITY;
  let last: Wait | null = null;
  let next: Wait | null = null;
  const write = (wait: Wait) => {
    told = Date.now();
    last = wait;
    // Replaces a progress line that the terminal may show.
    output.write(`${output.isTTY ? "\r\x1b[K" : ""}${lineOf(wait)}\n`);
  };
  const writeNext = () => {
    const wait = next;
    next = null;
    if (wait && endOf(wait) > Date.now()) write(wait);
  };
  return (wait) => {
    // Calls that wait until the same time share one line, whenever their waits began.
    if (last?.until && endOf(last) > Date.now() && endOf(wait) <= endOf(last) + SAME_MS) return;
    const pauseMs = told + BETWEEN_LINES_MS - Date.now();
    if (pauseMs <= 0) write(wait);
    else if (next === null) {
      next = wait;
      setTimeout(writeNext, pauseMs).unref();
    } else if (endOf(wait) > endOf(next)) next = wait;
  };
}

function lineOf({ until, why }: Wait): string {
  return `Waiting${until ? ` until ${timeOf(until)}` : ""}: ${why}.`;
}

// Rounds up to whole seconds, so that the wait is over by then. Adds the day if it is not today.
function timeOf(until: Date): string {
  const rounded = new Date(Math.ceil(until.getTime() / 1_000) * 1_000);
  const time = rounded.toLocaleTimeString("en-GB");
  return rounded.toDateString() === new Date().toDateString() ? time : `${rounded.toLocaleDateString("sv-SE")} ${time}`;
}

function endOf({ until }: Wait): number {
  return until?.getTime() ?? Number.POSITIVE_INFINITY;
}

const REASONS: Readonly<Record<string, string>> = {
  "429": "the service asked to wait (429)",
  connection: "the connection failed",
  timeout: "no response arrived in time",
  truncated: "the response was truncated",
};

function whyOf(reason: string): string {
  return REASONS[reason] ?? `the service answered ${reason}`;
}
