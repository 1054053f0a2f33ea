import { EducationAdminError } from "../core/errors.js";

/** Why a plan was not made or not carried out further. */
export type BulkReason = "not_a_plan" | "other_plan" | "other_school" | "in_use" | "blind" | "stopped" | "unlikely";

/** A plan cannot be carried out, or not further: `reason` says why. Holds no value of a row. */
export class BulkError extends EducationAdminError {
  static override readonly kind: string = "BulkError";
  declare readonly code: "bulk";
  /**
   * `not_a_plan`: no complete plan. `other_plan`: edited since it was made, or not the one confirmed. `other_school`: made for
   * another address, school or API. `in_use`: another process applies it. `blind`: the list shows none of the records that it showed when the plan was made.
   * `stopped`: too many equal failures in a row, or the plan cannot be written or another process writes to it. `unlikely`: most rows of
   * a run are new though last time's were there, or there are none.
   */
  readonly reason: BulkReason;

  constructor(reason: BulkReason, message: string, cause?: unknown) {
    super("bulk", message, { cause });
    this.reason = reason;
  }
}
