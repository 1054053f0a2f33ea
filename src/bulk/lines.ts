import type { Api } from "../core/operation.js";
import type { Values } from "./fields.js";
import type { Problem } from "./problems.js";
import type { RowOutcome, RowProblem } from "./types.js";

export interface Header {
  readonly bulk: 1;
  readonly resource: string;
  readonly api: Api;
  readonly address: string;
  /** Fingerprint of the API key by `markOf`; absent if the key is a function. */
  readonly keyMark?: string | undefined;
  /** The newest record read, which identifies the school if another API key is used; absent if there was none. */
  readonly shown?: { readonly id: number; readonly created_at: string } | undefined;
  readonly params?: Values | undefined;
  readonly key: readonly string[];
  /** Column names by path, if the columns are not named like the fields. */
  readonly columns?: Readonly<Record<string, string>> | undefined;
  readonly action?: string | undefined;
  readonly made: string;
  readonly input?: InputFormat | undefined;
  /** Fingerprint of the function and the condition of a `change`; absent in other plans. */
  readonly change?: string | undefined;
  /** The condition that the records of a change must still meet when they are written; its days are days in `zone`. */
  readonly where?: string | undefined;
  /** The condition on records that no row names, and the operation on those that meet it. */
  readonly missing?: { readonly where: string; readonly do: string } | undefined;
  readonly zone?: string | undefined;
}

/** The result of reading one list in which rows create records. Written just before the last line of the plan. */
export interface ListLine {
  readonly list: Values;
  /** Ranges of the identifiers that the list showed: first, last, first, last, … Other records are new. */
  readonly seen: readonly number[];
  readonly pages: number;
  /** Checkpoint from which to look for new records; absent if the whole list must be read. */
  readonly tail?: string | undefined;
  /** The filter by which each key was looked up, if the whole list was not read. */
  readonly filter?: string | undefined;
}

/** The format of the source rows. `head`, the header line, is absent in an undo. */
export interface InputFormat {
  readonly csv: { readonly delimiter: string; readonly head?: string };
}

export interface PlannedRow {
  readonly row: number;
  readonly do: "create" | "update" | "delete" | "leave" | "refuse";
  /** Absent in a plan of actions, and for refused or repeated rows. */
  readonly key?: string | undefined;
  readonly id?: number | undefined;
  /** The body of a create; the differing values of an update, by path. */
  readonly send?: Values;
  /** The record's values when the plan was made, by path. */
  readonly before?: Values;
  /** Explains the decision, for example by the problems of a refused row or by the fields that keep their values. */
  readonly why?: readonly Problem[] | undefined;
  /** True if no row of the source names the record. */
  readonly missing?: true;
  /** `created_at` of the record, to notice if its identifier is given to another record. */
  readonly created?: unknown;
  /** The record's `updated_at`: a deletion, or a change of a record that no row names, requires it to be unchanged. */
  readonly version?: unknown;
  /** In the undo of a change of unknown outcome: until when the service may still make that change. */
  readonly after?: number | undefined;
  /** The source row: its line in the CSV file, or its values. Absent in an undo. */
  readonly in?: unknown;
}

export interface PlanEnd {
  readonly end: Values & { readonly digest: string };
}

/** Refuses an earlier row because a later row has the same key. */
export interface Refusal {
  readonly row: number;
  readonly refuse: readonly RowProblem[];
}

export type Line = Partial<Header & PlannedRow & ListLine & PlanEnd & Refusal & Fact & { readonly sum: string }>;

/** A journal line about one row of a run. */
export interface Fact {
  readonly row: number;
  /** When a request was about to be sent. */
  readonly try?: number;
  /** With the `try` of an update: fingerprint of the fields that the update does not send. */
  readonly print?: string | undefined;
  /** When a later call continued the plan; noted for only one of the rows already sent. */
  readonly resumed?: number;
  /** The service did not carry out the request. */
  readonly none?: true;
  /** A change was refused when it was sent again. */
  readonly refused?: true;
  /** The last request of a create was answered with success, but without the record. */
  readonly answered?: true;
  readonly done?: RowOutcome;
  readonly id?: number | undefined;
  /** When a write was answered; for a create, when its record became known. */
  readonly made?: number;
  /** `updated_at` of the record: before the change in a `try` line, after it in a line with an outcome. */
  readonly version?: unknown;
  /** The records to check by hand. */
  readonly ids?: readonly number[] | undefined;
  readonly differs?: Readonly<Record<string, readonly [unknown, unknown]>>;
  /** Fields that changed although they were not sent: values before and after. */
  readonly side?: Readonly<Record<string, readonly [unknown, unknown]>>;
  readonly status?: number | undefined;
  readonly why?: readonly RowProblem[] | undefined;
  /** True if no response named the created record, so that it was found in the list. */
  readonly found?: true;
  /** When the request of a create was sent. */
  readonly sent?: number;
  /** When a create was sent and answered, by the service's clock. */
  readonly dates?: readonly [from: number, to: number];
  /** `created_at` in the response to a create. */
  readonly born?: unknown;
  /** `ours` if a create made the record; otherwise why it may be someone else's: undo then leaves it alone. */
  readonly whose?: string;
  /**
   * With the `try` of a create whose record has no `created_at`: the greatest identifier when the list was last read,
   * and when that reading began.
   */
  readonly floor?: readonly [id: number, at: number] | undefined;
  /** True if the last check showed that a write was carried out (for a create, exactly once). */
  readonly confirmed?: boolean;
  /** The key under which the list shows the record, if the service stored it in another form. */
  readonly stored?: string;
}

/** Groups identifiers into ranges: first, last, first, last, … */
export function rangesOf(ids: Iterable<number>): number[] {
  const ranges: number[] = [];
  for (const id of Float64Array.from(ids).sort()) {
    if (id === (ranges.at(-1) ?? Number.NaN) + 1) ranges[ranges.length - 1] = id;
    else ranges.push(id, id);
  }
  return ranges;
}

export function isSeen(ranges: readonly number[], id: number): boolean {
  let [low, high] = [0, ranges.length / 2];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (id > (ranges[2 * middle + 1] ?? 0)) low = middle + 1;
    else high = middle;
  }
  return id >= (ranges[2 * low] ?? Number.POSITIVE_INFINITY);
}
