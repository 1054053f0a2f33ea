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

/** A delivery is not signed with the secret, is too old, or cannot be verified. Contains no body and no secret. */
export class WebhookVerificationError extends EducationAdminError {
  static override readonly kind: string = "WebhookVerificationError";
  /** The reason, as a word that stays the same in all versions. */
  readonly reason: WebhookVerificationReason;
  constructor(reason: WebhookVerificationReason, message: string) {
    super("webhook", message);
    this.reason = reason;
  }
}

/** The error for a body that was parsed, so that its bytes are gone. */
export function parsedBody(): WebhookVerificationError {
  return new WebhookVerificationError(
    "parsed_body",
    "The raw body of the webhook was already read: put its route before any body parser (or, in Express, behind " +
      "express.raw({ type: 'application/json' })), or keep the bytes in request.rawBody",
  );
}

/** The body of a delivery is not an event of the service. Contains no part of the body. */
export class WebhookPayloadError extends EducationAdminError {
  static override readonly kind: string = "WebhookPayloadError";
  /** The reason, as a word that stays the same in all versions. */
  readonly reason: WebhookPayloadReason;
  constructor(reason: WebhookPayloadReason, message: string) {
    super("webhook", message);
    this.reason = reason;
  }
}

/** A listener took longer than `listenerTimeoutMs` for one event. */
export class WebhookListenerTimeoutError extends EducationAdminError {
  static override readonly kind: string = "WebhookListenerTimeoutError";
  constructor(timeoutMs: number) {
    super("webhook", `The webhook listener did not finish within ${timeoutMs} ms (listenerTimeoutMs)`);
  }
}

/** Another process is handling an event of the same record. Pass the delivery to `process` again later. */
export class WebhookRecordBusyError extends EducationAdminError {
  static override readonly kind: string = "WebhookRecordBusyError";
  constructor() {
    super("webhook", "Another process handles an event of the same record: hand over the delivery again later");
  }
}
