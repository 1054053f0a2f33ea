import { EducationAdminError } from "../core/errors.js";

/** Reason why a plan could not be made or carried out. */
export type BulkReason =
  | "not_a_plan"
  | "other_plan"
  | "other_school"
  | "in_use"
  | "blind"
  | "stopped"
  | "unlikely"
  | "carried_out";

/** Thrown if a plan cannot be made or applied any further; `reason` names the cause. Contains no values of rows. */
export class BulkError extends EducationAdminError {
  static override readonly kind: string = "BulkError";
  declare readonly code: "bulk";
  /**
   * `not_a_plan`: the file is not a complete plan. `other_plan`: the plan was edited after it was made, or is not the
   * confirmed one. `other_school`: the plan was made for another address, school or API. `in_use`: another process is
   * using it. `blind`: the list shows none of the records that it showed when the plan was made. `stopped`: too many
   * consecutive equal failures, or the plan cannot be written, or another process writes to it. `unlikely`: the rows
   * are probably not the intended ones; the message names the value of `allow` that accepts them. `carried_out`: a
   * change with this file name was already carried out.
   */
  readonly reason: BulkReason;

  constructor(reason: BulkReason, message: string, cause?: unknown) {
    super("bulk", message, { cause });
    this.reason = reason;
  }
}
