import { ConfigurationError } from "../core/errors.js";
import type { WebhookPayloadReason, WebhookVerificationReason } from "./errors.js";

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

/** Which delivery a report is about. */
export interface ReportedDelivery {
  /** Identifier of the delivery. */
  readonly deliveryId: string;
  /** Name of the event, `invoice.updated`. */
  readonly event: string;
  /** How many times it was handed to the listeners, this time included. */
  readonly attempt: number;
}

/** Something a receiver did. Holds no body, no header and no secret. */
export type WebhookReport =
  /** Answered with an error; nothing was stored. */
  | { readonly kind: "refused"; readonly status: number; readonly reason: WebhookRefusal }
  /** Stored and answered. */
  | { readonly kind: "stored"; readonly deliveryId: string; readonly event: string }
  /** A copy of a known delivery: answered, not stored again. */
  | { readonly kind: "duplicate"; readonly deliveryId: string; readonly event: string }
  /** Every listener that wanted it succeeded. */
  | ({ readonly kind: "handled"; readonly durationMs: number } & ReportedDelivery)
  /** Older than what was handled of the same record, and skipped (`outOfOrder: "drop"`). */
  | ({ readonly kind: "dropped" } & ReportedDelivery)
  /** A listener exceeded `listenerTimeoutMs`, or the runtime stopped it; its slot is free. Usually followed by `retry` or `dead`. */
  | ({ readonly kind: "stuck"; readonly timeoutMs: number } & ReportedDelivery)
  /** A listener failed; the delivery is handed out again. */
  | ({ readonly kind: "retry"; readonly delayMs: number; readonly error: unknown } & ReportedDelivery)
  /** It failed for the last time and was set aside. */
  | ({ readonly kind: "dead"; readonly error: unknown } & ReportedDelivery)
  /**
   * The store, `secrets`, the verification itself, `onDead` or `waitUntil` failed, or a listener in the mode
   * `handle-then-answer`. A delivery that was stored stays stored.
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

/** Called for what a receiver does; an exception it throws changes nothing. */
export type WebhookReporter = (report: WebhookReport) => void;

/** A reporter whose exceptions are ignored. Without a reporter, what needs a person is logged, without details. */
export function safeReporter(reporter: WebhookReporter | undefined): WebhookReporter {
  const report = reporter ?? consoleReporter();
  return (one) => {
    try {
      report(one);
    } catch {
      // A reporter's exception must not fail the delivery.
    }
  };
}

function consoleReporter(): WebhookReporter {
  const warned = new Set<string>();
  return (report) => {
    if (report.kind === "refused") {
      const { status, reason } = report;
      if (warned.has(reason)) return;
      warned.add(reason);
      console.warn(`Webhooks: refused a delivery with ${status} (${reason}); this reason is logged only once`);
    } else if (report.kind === "dead") {
      const { deliveryId, attempt } = report;
      console.error(
        `Webhook ${printable(report.event)} (delivery ${deliveryId}) failed ${attempt} times and was set aside`,
      );
    } else if (report.kind === "stuck") {
      const { deliveryId, timeoutMs } = report;
      console.error(`Webhook ${printable(report.event)} (delivery ${deliveryId}): no end within ${timeoutMs} ms`);
    } else if (report.kind === "failed") {
      console.error(`Webhooks: ${report.what} failed (${describe(report.error)})`);
    }
  };
}

const LONGEST_PRINTED = 100;

/** Text of a sender as it may stand in a log line: printable ASCII, everything else escaped, at most 100 characters. */
export function printable(text: string): string {
  const escaped = text
    .slice(0, LONGEST_PRINTED)
    .replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return text.length > LONGEST_PRINTED ? `${escaped}…` : escaped;
}

// The name only, as messages of stores and listeners may quote data; those of this library do not.
function describe(error: unknown): string {
  if (error instanceof ConfigurationError) return error.message;
  return printable(error instanceof Error ? error.name : typeof error);
}
