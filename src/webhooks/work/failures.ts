import type { Clock } from "../../core/clock.js";
import { rememberAtMost } from "../bounded-map.js";
import type { WebhookReport, WebhookReporter } from "./reports.js";

/** A part of a receiver or worker that fails. */
export interface WebhookFailing {
  /** The name of an event whose listeners fail, or the failing part, as in reports: `put`, `take`, `secrets` … */
  readonly what: string;
  /** When the first failure since the last success was reported. */
  readonly since: Date;
}

const MOST = 100;

/** Derives from reports which parts fail, and since when. */
export class Failures {
  readonly #clock: Clock;
  readonly #since = new Map<string, Date>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  list(): WebhookFailing[] {
    return [...this.#since].map(([what, since]) => ({ what, since }));
  }

  watch(report: WebhookReporter): WebhookReporter {
    return (one) => {
      this.#note(one);
      report(one);
    };
  }

  passed(what: string): void {
    this.#since.delete(what);
  }

  #note(report: WebhookReport): void {
    // `waitUntil` is left out: its success is not reported, so its failure would stay in the list.
    if (report.kind === "failed" && report.what !== "waitUntil") this.#noteFailure(report.what);
    else if (report.kind === "refused" && report.reason === "store") this.#noteFailure("put");
    else if (report.kind === "stored" || report.kind === "duplicate") this.passed("put");
    else if (report.kind === "retry" || report.kind === "dead") this.#noteFailure(report.event);
    else if (report.kind === "handled") for (const what of [report.event, "listener"]) this.passed(what);
  }

  #noteFailure(what: string): void {
    if (!this.#since.has(what)) rememberAtMost(this.#since, MOST, what, new Date(this.#clock.now()));
  }
}
