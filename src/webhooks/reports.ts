import type { WebhookPayloadReason, WebhookVerificationReason } from "./errors.js";

/** Why a delivery was refused before it was kept. */
export type WebhookRefusal =
  | WebhookVerificationReason
  | WebhookPayloadReason
  | "method"
  | "content_type"
  | "too_large"
  | "too_slow"
  | "incomplete"
  | "store"
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
  /** Answered with an error; nothing was kept. */
  | { readonly kind: "refused"; readonly status: number; readonly reason: WebhookRefusal }
  /** Kept and answered. */
  | { readonly kind: "stored"; readonly deliveryId: string; readonly event: string }
  /** Known already; answered, not kept again. */
  | { readonly kind: "duplicate"; readonly deliveryId: string; readonly event: string }
  /** Every listener that wanted it succeeded. */
  | ({ readonly kind: "handled"; readonly durationMs: number } & ReportedDelivery)
  /** Older than what was handled of the same record, and left out (`outOfOrder: "drop"`). */
  | ({ readonly kind: "dropped" } & ReportedDelivery)
  /** A listener threw; the delivery comes again. */
  | ({ readonly kind: "retry"; readonly delayMs: number; readonly error: unknown } & ReportedDelivery)
  /** It failed for the last time and was set aside. */
  | ({ readonly kind: "dead"; readonly error: unknown } & ReportedDelivery)
  /** The store, or `onDead`, failed; a delivery that was kept stays kept. */
  | {
      readonly kind: "failed";
      readonly what: "put" | "take" | "extend" | "done" | "retry" | "dead" | "onDead";
      readonly error: unknown;
    };

/** Told what a receiver does; one that throws changes nothing. */
export type WebhookReporter = (report: WebhookReport) => void;

/** A reporter that cannot do harm. Without one, only what needs a person is said, on the console and without details. */
export function safeReporter(reporter: WebhookReporter | undefined): WebhookReporter {
  return (report) => {
    try {
      (reporter ?? complain)(report);
    } catch {
      // Reporters look on; the delivery goes on.
    }
  };
}

function complain(report: WebhookReport): void {
  if (report.kind === "dead") {
    const { event, deliveryId, attempt } = report;
    console.error(`Webhook ${event} (delivery ${deliveryId}) failed ${attempt} times and was set aside`);
  } else if (report.kind === "failed") {
    console.error(`Webhooks: ${report.what} failed (${nameOf(report.error)})`);
  }
}

// The name only: messages of stores and listeners may quote what they were given.
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
