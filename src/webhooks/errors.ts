import { EducationAdminError } from "../core/errors.js";

/** Why the signature of a delivery was refused. */
export type WebhookVerificationReason =
  | "parsed_body"
  | "missing_signature"
  | "several_signatures"
  | "malformed_signature"
  | "too_old"
  | "in_the_future"
  | "wrong_signature";

/** Why the body of a delivery is not an event. */
export type WebhookPayloadReason =
  | "not_json"
  | "not_an_object"
  | "too_deep"
  | "no_event_name"
  | "malformed_event_data"
  | "malformed_tenant";

/**
 * Thrown for a delivery that is not signed with the secret, is too old, or cannot be verified. The error contains
 * neither the body nor a secret.
 */
export class WebhookVerificationError extends EducationAdminError {
  static override readonly kind: string = "WebhookVerificationError";
  /** The reason, as a code that does not change between versions. */
  readonly reason: WebhookVerificationReason;
  constructor(reason: WebhookVerificationReason, message: string) {
    super("webhook", message);
    this.reason = reason;
  }
}

/** The error for a body that was already parsed: only the original bytes can be verified. */
export function parsedBody(): WebhookVerificationError {
  return new WebhookVerificationError(
    "parsed_body",
    "The raw body of the webhook was already read: put its route before any body parser (or, in Express, behind " +
      "express.raw({ type: 'application/json' })), or keep the bytes in request.rawBody",
  );
}

/** Thrown for a delivery whose body is not a webhook event. The error contains no part of the body. */
export class WebhookPayloadError extends EducationAdminError {
  static override readonly kind: string = "WebhookPayloadError";
  /** The reason, as a code that does not change between versions. */
  readonly reason: WebhookPayloadReason;
  constructor(reason: WebhookPayloadReason, message: string) {
    super("webhook", message);
    this.reason = reason;
  }
}

/** Thrown if a listener takes longer than `listenerTimeoutMs` to handle an event. */
export class WebhookListenerTimeoutError extends EducationAdminError {
  static override readonly kind: string = "WebhookListenerTimeoutError";
  constructor(timeoutMs: number) {
    super("webhook", `The webhook listener did not finish within ${timeoutMs} ms (listenerTimeoutMs)`);
  }
}

/** Thrown if another process is handling an event of the same record. Pass the delivery to `process` again later. */
export class WebhookRecordBusyError extends EducationAdminError {
  static override readonly kind: string = "WebhookRecordBusyError";
  constructor() {
    super("webhook", "Another process is handling an event of the same record: call process(delivery) again later");
  }
}
