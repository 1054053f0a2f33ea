import type { Api } from "../core/operation.js";
import type { Values } from "./fields.js";
import type { Problem } from "./problems.js";
import type { RowOutcome, RowProblem } from "./types.js";

/** The first line of a plan. */
export interface Header {
  readonly bulk: 1;
  readonly resource: string;
  readonly api: Api;
  readonly address: string;
  /** Tells the client's key from others; absent for a key function, whose tokens change. */
  readonly keyMark?: string | undefined;
  /** The newest record that was shown, by which another key of the same school is recognised; absent where there was none. */
  readonly shown?: { readonly id: number; readonly created_at: string } | undefined;
  readonly params?: Values | undefined;
  readonly key: readonly string[];
  /** Names of columns by path, where the rows name them otherwise than the fields. */
  readonly columns?: Readonly<Record<string, string>> | undefined;
  /** The action, in a plan of actions. */
  readonly action?: string | undefined;
  readonly made: string;
  /** How the rows came, for the report. */
  readonly input?: InputFormat | undefined;
}

/** How planning read one list in which rows are created; comes just before the plan's end. */
export interface ListLine {
  /** The path parameters of the list. */
  readonly list: Values;
  /** Ranges of the identifiers that it showed: first, last, first, last, … Other records are new. */
  readonly seen: readonly number[];
  readonly pages: number;
  /** Checkpoint from which new records are looked for; absent where the whole list has to be read. */
  readonly tail?: string | undefined;
  /** The filter by which each key was read, where the whole list was not. */
  readonly filter?: string | undefined;
}

/** How the rows of a plan were written. The head is absent in an undo. */
export interface InputFormat {
  readonly csv: { readonly delimiter: string; readonly head?: string };
}

/** A row as planned. */
export interface PlannedRow {
  readonly row: number;
  readonly do: "create" | "update" | "delete" | "leave" | "refuse";
  /** Absent where a row has none: in a plan of actions, and where it is refused. */
  readonly key?: string | undefined;
  readonly id?: number | undefined;
  /** Of a create the body; of an update the values that differ, by path. */
  readonly send?: Values;
  /** What the record had, by path. */
  readonly before?: Values;
  /** Why a row is refused, or which fields a `leave` keeps although the row wants them otherwise. */
  readonly why?: readonly Problem[] | undefined;
  /** `created_at` of the record: an identifier may come back as another record. */
  readonly created?: unknown;
  /** `updated_at` that a record to delete must still have. */
  readonly version?: unknown;
  /** In an undo of a change in doubt: the service may carry that one out until then. */
  readonly after?: number | undefined;
  /** The row as it came: the text of CSV, or its values. Absent in an undo. */
  readonly in?: unknown;
}

/** The last line of a plan. */
export interface PlanEnd {
  readonly end: Values & { readonly digest: string };
}

/** Refuses an earlier row, because a later one has the same key. */
export interface Refusal {
  readonly row: number;
  readonly refuse: readonly RowProblem[];
}

/** Any line. */
export type Line = Partial<Header & PlannedRow & ListLine & PlanEnd & Refusal & Fact & { readonly sum: string }>;

/** What has become of a row. */
export interface Fact {
  readonly row: number;
  /** When a request was about to be sent. */
  readonly try?: number;
  /** With a `try` of an update: tells whether a field that it does not send has moved. */
  readonly print?: string | undefined;
  /** The service has not carried that request out. */
  readonly none?: true;
  /** A change was refused when it was sent again. */
  readonly refused?: true;
  /** The last request of a create was answered with success, but without its record. */
  readonly answered?: true;
  readonly done?: RowOutcome;
  readonly id?: number | undefined;
  /** When a write was answered with success; of a create, when it was known which record it has made. */
  readonly made?: number;
  /** `updated_at` of the record: before, with a `try` of a change; after, with an outcome. */
  readonly version?: unknown;
  /** The records to look at. */
  readonly ids?: readonly number[] | undefined;
  readonly differs?: Readonly<Record<string, readonly [unknown, unknown]>>;
  /** Fields that moved although they were not sent, before and after. */
  readonly side?: Readonly<Record<string, readonly [unknown, unknown]>>;
  readonly status?: number;
  readonly why?: readonly RowProblem[] | undefined;
  /** Whether the last look has shown that a write was carried out, and a create once. */
  readonly confirmed?: boolean;
  /** The key under which the list shows that record, where the service has stored it otherwise. */
  readonly stored?: string;
}

/** The ranges of some identifiers: first, last, first, last, … */
export function rangesOf(ids: Iterable<number>): number[] {
  const ranges: number[] = [];
  for (const id of Float64Array.from(ids).sort()) {
    if (id === (ranges.at(-1) ?? Number.NaN) + 1) ranges[ranges.length - 1] = id;
    else ranges.push(id, id);
  }
  return ranges;
}

/** Whether an identifier is in one of the ranges. */
export function isSeen(ranges: readonly number[], id: number): boolean {
  let [low, high] = [0, ranges.length / 2];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (id > (ranges[2 * middle + 1] ?? 0)) low = middle + 1;
    else high = middle;
  }
  return id >= (ranges[2 * low] ?? Number.POSITIVE_INFINITY);
}
