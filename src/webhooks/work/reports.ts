import type { Clock } from "../../core/clock.js";
import { ApiError, ConfigurationError, EducationAdminError } from "../../core/errors.js";
import { callObserver } from "../../core/events.js";
import { later, type Moment } from "../../core/time.js";
import { momentNow } from "../../work/schedule.js";
import type { WebhookPayloadReason, WebhookVerificationReason } from "../errors.js";

/** Why a delivery was refused. */
export type WebhookRefusal =
  | WebhookVerificationReason
  | WebhookPayloadReason
  | "method"
  | "content_type"
  | "too_large"
  | "too_slow"
  | "incomplete"
  | "store"
  | "secrets"
  | "verification"
  | "listener"
  | "closed";

/** The delivery that a report is about. */
export interface ReportedDelivery {
  /** The identifier of the delivery. */
  readonly deliveryId: string;
  /** The name of the event, such as `invoice.updated`. */
  readonly event: string;
  /** How many times the delivery was handed to the listeners, including this time. */
  readonly attempt: number;
}

/** An action of a receiver. Contains no body, no header value and no secret. */
export type WebhookReport =
  /**
   * The response was an error, and nothing was stored. For a 401, `signatureHeaders` lists the names of received
   * headers that contain "signature", at most 5.
   */
  | {
      readonly kind: "refused";
      readonly status: number;
      readonly reason: WebhookRefusal;
      readonly signatureHeaders?: readonly string[];
    }
  /** The delivery was stored, and the response was a success. */
  | { readonly kind: "stored"; readonly deliveryId: string; readonly event: string }
  /** A copy of a known delivery: the response was a success, and nothing was stored. */
  | { readonly kind: "duplicate"; readonly deliveryId: string; readonly event: string }
  /** All matching listeners succeeded. */
  | ({ readonly kind: "handled"; readonly durationMs: number } & ReportedDelivery)
  /** The event was older than a handled version of its record, and was skipped (`outOfOrder: "drop"`). */
  | ({ readonly kind: "dropped" } & ReportedDelivery)
  /**
   * A listener exceeded `listenerTimeoutMs`, or the runtime stopped it; another delivery can take its slot. Usually
   * followed by `retry` or `dead`.
   */
  | ({ readonly kind: "stuck"; readonly timeoutMs: number } & ReportedDelivery)
  /** A listener failed; the delivery will be handed out again. */
  | ({ readonly kind: "retry"; readonly delayMs: number; readonly error: unknown } & ReportedDelivery)
  /** The last attempt failed and the delivery was set aside. */
  | ({ readonly kind: "dead"; readonly error: unknown } & ReportedDelivery)
  /**
   * The store, `secrets`, the verification itself, `onDead` or `waitUntil` failed, or, with `handle-then-answer`, a
   * listener. A stored delivery stays stored.
   */
  | {
      readonly kind: "failed";
      readonly what:
        | "put"
        | "take"
        | "extend"
        | "done"
        | "retry"
        | "dead"
        | "unlock"
        | "onDead"
        | "secrets"
        | "verification"
        | "listener"
        | "waitUntil";
      readonly error: unknown;
    };

/** Called for every action of a receiver. Its exceptions are ignored. */
export type WebhookReporter = (report: WebhookReport) => void;

/**
 * Wraps a reporter so that its exceptions are ignored. Without a reporter, logs the problems that need human attention.
 */
export function safeReporter(reporter: WebhookReporter | undefined, clock: Clock): WebhookReporter {
  const report = reporter ?? consoleReporter(clock);
  return (one) => callObserver(report, one);
}

// Only the first failure of an outage is logged. An outage ends after this many milliseconds without a failure.
const QUIET_MS = 60_000;
const OF_THE_STORE: ReadonlySet<string> = new Set(["put", "take", "extend", "done", "retry", "dead", "unlock"]);

function consoleReporter(clock: Clock): WebhookReporter {
  const warned = new Set<string>();
  const quietUntil = { store: -Infinity, listener: -Infinity } as Record<"store" | "listener", Moment>;
  const logFailure = (whose: keyof typeof quietUntil, what: string, reason: string) => {
    const now = momentNow(clock);
    const isQuiet = now < quietUntil[whose];
    quietUntil[whose] = later(now, QUIET_MS);
    if (!isQuiet) console.error(`Webhooks: ${what} failed (${reason}); logged once per outage`);
  };
  return (report) => {
    if (report.kind === "refused") {
      const { status, reason, signatureHeaders: names } = report;
      const came = names ? `; headers with "signature" in their names: ${names.join(", ") || "none"}` : "";
      if (reason === "store") logFailure("store", "put", "too slow");
      else if (!warned.has(reason)) {
        warned.add(reason);
        console.warn(`Webhooks: refused a delivery with ${status} (${reason}${came}); this reason is logged only once`);
      }
    } else if (report.kind === "retry") {
      logFailure("listener", `a listener of ${toAscii(report.event)}`, describe(report.error));
    } else if (report.kind === "dead") {
      const { deliveryId, attempt } = report;
      console.error(
        `Webhook ${toAscii(report.event)} (delivery ${deliveryId}) failed ${attempt} times and was set aside: ${describe(report.error)}`,
      );
    } else if (report.kind === "stuck") {
      const { deliveryId, timeoutMs } = report;
      console.error(`Webhook ${toAscii(report.event)} (delivery ${deliveryId}) did not finish within ${timeoutMs} ms`);
    } else if (report.kind === "failed") {
      if (OF_THE_STORE.has(report.what)) logFailure("store", report.what, describe(report.error));
      else console.error(`Webhooks: ${report.what} failed (${describe(report.error)})`);
    }
  };
}

const LONGEST_PRINTED = 100;

/** Makes a sender's text safe for a log line: printable ASCII, everything else escaped, at most 100 characters. */
export function toAscii(text: string): string {
  const escaped = text
    .slice(0, LONGEST_PRINTED)
    .replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return text.length > LONGEST_PRINTED ? `${escaped}…` : escaped;
}

// Describes an error by name, status and code only, because messages from stores and listeners may quote data. This
// library's own messages do not, so they are included.
function describe(error: unknown): string {
  if (error instanceof ConfigurationError) return error.message;
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as { code?: unknown };
  if (error instanceof EducationAdminError && error.code === "webhook") return toAscii(error.message);
  if (error instanceof ApiError) return toAscii(`${error.name} ${error.status}, ${error.operation}`);
  const isCode = typeof code === "string" && /^\w{1,40}$/.test(code);
  return toAscii(isCode ? `${error.name} ${code}` : error.name);
}
