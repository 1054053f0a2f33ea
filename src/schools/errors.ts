import { EducationAdminError } from "../core/errors.js";

/**
 * Why a school cannot be used. `not_connected`: it has no tokens. `reconnect_needed`: its tokens no longer work, and
 * only a new consent helps. `unreachable`: its token endpoint or the token store failed; try again later.
 * `application_refused`: it refuses the client id or secret. `callback`: a callback was refused.
 */
export type SchoolErrorReason =
  | "not_connected"
  | "reconnect_needed"
  | "unreachable"
  | "application_refused"
  | "callback";

/** Thrown if a school cannot be used or a callback is refused. The error contains no token, code, state or secret. */
export class SchoolError extends EducationAdminError {
  static override readonly kind: string = "SchoolError";
  /** The reason, as a code that does not change between versions. */
  readonly reason: SchoolErrorReason;
  /** The address of the school; null for a callback that belongs to no school. */
  readonly school: string | null;

  constructor(reason: SchoolErrorReason, school: string | null, message: string, cause?: unknown) {
    super("school", message, { outcome: "not_sent", cause });
    this.reason = reason;
    this.school = school;
  }
}

const ADVICE: Readonly<Record<SchoolErrorReason, string>> = {
  not_connected: "is not connected: have someone from the school open the URL of authorizeUrl",
  reconnect_needed: "no longer accepts its tokens: have someone from the school open the URL of authorizeUrl",
  unreachable: "issued no tokens",
  application_refused: "does not accept the application: check clientId, clientSecret and redirectUri",
  callback: "was not connected",
};

/** Makes the error for a school. @param why the school's reason, without anything that was sent to the school. */
export function schoolError(reason: SchoolErrorReason, school: string, why = "", cause?: unknown): SchoolError {
  return new SchoolError(reason, school, `${school} ${ADVICE[reason]}${why && ` (${why})`}`, cause);
}

export function callbackError(school: string | null, why: string): SchoolError {
  return new SchoolError("callback", school, `The callback was refused: ${why}`);
}
