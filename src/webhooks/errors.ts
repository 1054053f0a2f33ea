import { EducationAdminError } from "../core/errors.js";

/** Why a delivery's signature, or the secret in its URL, was not accepted. */
export type WebhookVerificationReason =
  | "parsed_body"
  | "missing_signature"
  | "malformed_signature"
  | "missing_timestamp"
  | "too_old"
  | "in_the_future"
  | "wrong_signature"
  | "wrong_secret";

/** Why a delivery's body is not an event. */
export type WebhookPayloadReason = "not_json" | "not_an_object" | "too_deep" | "no_event_name" | "malformed_event_data";

/** A delivery does not come from who holds the secret, is too old, or cannot be checked. Holds no body and no secret. */
export class WebhookVerificationError extends EducationAdminError {
  static override readonly kind: string = "WebhookVerificationError";
  /** What was wrong, as a word that stays the same between versions. */
  readonly reason: WebhookVerificationReason;
  constructor(reason: WebhookVerificationReason, message: string) {
    super("webhook", message);
    this.reason = reason;
  }
}

/** A delivery's body is not an event of the service. Holds no part of the body. */
export class WebhookPayloadError extends EducationAdminError {
  static override readonly kind: string = "WebhookPayloadError";
  /** What was wrong, as a word that stays the same between versions. */
  readonly reason: WebhookPayloadReason;
  constructor(reason: WebhookPayloadReason, message: string) {
    super("webhook", message);
    this.reason = reason;
  }
}
