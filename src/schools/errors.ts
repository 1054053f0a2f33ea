import { EducationAdminError } from "../core/errors.js";

/**
 * Why a school cannot be used. `not_connected`: there are no tokens of it. `reconnect_needed`: its tokens no longer work, and only a
 * new consent helps. `unreachable`: its token endpoint or the token store did not answer as it should, so later may help.
 * `application_refused`: it does not accept the client id or secret. `callback`: a callback was refused.
 */
export type SchoolErrorReason =
  | "not_connected"
  | "reconnect_needed"
  | "unreachable"
  | "application_refused"
  | "callback";

/** A school cannot be used, or a callback was refused. Holds no token, code, state or secret. */
export class SchoolError extends EducationAdminError {
  static override readonly kind: string = "SchoolError";
  /** What was wrong, as a word that does not change between versions. */
  readonly reason: SchoolErrorReason;
  /** The address of the school; null for a callback that belongs to none. */
  readonly school: string | null;

  constructor(reason: SchoolErrorReason, school: string | null, message: string, cause?: unknown) {
    super("school", message, { outcome: "not_sent", cause });
    this.reason = reason;
    this.school = school;
  }
}

const ADVICE: Readonly<Record<SchoolErrorReason, string>> = {
  not_connected: "is not connected: send somebody of the school to authorizeUrl",
  reconnect_needed: "no longer accepts its tokens: send somebody of the school to authorizeUrl again",
  unreachable: "gave no tokens",
  application_refused: "does not accept the application: check clientId, clientSecret and redirectUri",
  callback: "was not connected",
};

/** The error for a school. @param why what the school answered, without anything that was sent. */
export function schoolError(reason: SchoolErrorReason, school: string, why = "", cause?: unknown): SchoolError {
  return new SchoolError(reason, school, `${school} ${ADVICE[reason]}${why && ` (${why})`}`, cause);
}

/** The error for a callback that was refused. */
export function callbackError(school: string | null, why: string): SchoolError {
  return new SchoolError("callback", school, `The callback was refused: ${why}`);
}
