import type { Fact, PlannedRow } from "../../../src/bulk/lines.js";
import type { Look } from "../../../src/bulk/sight.js";
import type { Read, Step } from "../../../src/bulk/step.js";

/** A row of the guide's tables: journal lines, records seen and the decision. Times are in minutes; `settleMs` is 1. */
export interface Case {
  readonly row: "create" | "change" | "delete";
  /** The guide's description of the case. */
  readonly when: string;
  readonly next: string;
  readonly lines: readonly Fact[];
  /** Another create of the plan, whose record exists. */
  readonly witness?: { readonly lines: readonly Fact[] };
  readonly now: number;
  readonly look?: Partial<Look>;
  readonly read?: Partial<Read>;
  readonly decision: Partial<Step>;
}

/** The planned row of each kind of case. */
export const ROWS: Readonly<Record<Case["row"], PlannedRow>> = {
  create: { row: 1, do: "create", key: "ada", send: { name: "Ada" } },
  change: { row: 1, do: "update", key: "ann", id: 7, send: { name: "Ada" }, before: { name: "Ann" } },
  delete: { row: 1, do: "delete", id: 7, before: { name: "Ada" }, version: 1 },
};
export const WITNESS: PlannedRow = { row: 2, do: "create", key: "zoe", send: { name: "Zoe" } };
