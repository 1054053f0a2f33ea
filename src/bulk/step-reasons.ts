import type { StoredOtherwise } from "./stored.js";
import type { RowProblem } from "./types.js";

export function unreadMessage(id: number, status: number): string {
  return `record ${id} cannot be read (status ${status}), although other records can`;
}

export function hidesMessage(ids: readonly number[]): string {
  return `the list does not show records that this plan created (${ids.join(", ")}), so it cannot show whether there is a duplicate; look in the service`;
}

export const GONE = "the record is gone, or the API key cannot see it";
export const GONE_SINCE = "the record was deleted after it was written";
export const LEFT = "no longer meets the condition of the plan";
export const UNSEEN = "the service does not show its value, so changing a part of it may clear the rest";
export const ANOTHERS =
  "the service answered with a record that existed before, or that another row created; check whether it belongs to this row";
export const NOT_AS_SENT =
  "the service reported success, but the record that it returned differs from what was sent; check whether it belongs to this row";
export const REFUSED = "was refused, but carried out anyway";
export const REFUSED_OTHERWISE = "was refused, and the record has neither the old values nor those sent: look at it";
export const REFUSED_BUT = "was refused, but may have been carried out: look at";
export const NOT_DELETED = "was not carried out: the service reported success, but the record still exists";
export const NOT_CARRIED_OUT =
  "was not carried out: the service reported success, but the field does not have the value sent";
export const MOVED_ELSEWHERE =
  "another field of the record has changed since the write, by the service or by someone else; which field is unknown, because the run was interrupted";
export const CHANGED_SINCE =
  "does not have the value sent, and the record was modified after the write: the service did not carry out the change, or someone reverted it";
export const ANSWERED =
  "the create succeeded, but the response lacked the record and the list does not show it, so the row was not sent again; look in the service, and apply the plan again later";
export const UNPROVEN =
  "the response was lost, and the list shows no record of this plan, so the list may be incomplete and the row was not sent again; look in the service, and apply the plan again later";

/** A problem for each field that does not have the value sent. */
export function changedSince({ differs }: StoredOtherwise, message = CHANGED_SINCE): RowProblem[] {
  return Object.keys(differs).map((field) => ({ field, message }));
}
