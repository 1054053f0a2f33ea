import type { CellDoubt } from "./file/damage.js";
import type { FieldCounts, MissingCounts, RunDoubt } from "./file/last-time.js";
import type { Action, Key, Path, Reference } from "./paths.js";

/** A column whose cells are not in the form that the service accepts. */
export interface ColumnReader {
  /** The name of the column. */
  readonly from: string;
  /**
   * Converts a non-empty cell to the value of a field. The result is checked like a cell. Undefined or an empty text
   * leaves the field alone; an exception refuses the row with its message.
   */
  readonly read: (cell: string) => unknown;
}

/** Formats of cells that are not in the service's form. */
export interface CellFormats {
  /**
   * Format of days, made of `d` or `dd`, `M` or `MM` (`MMM` or `MMMM` for a name), and `yyyy` or `yy` (30 to 99 mean
   * 1930 to 1999): `dd-MM-yyyy`. A time of midnight after the day is ignored. Default `yyyy-MM-dd`.
   */
  readonly date?: string | undefined;
  /**
   * Format of times: a `date` format with `H` or `HH`, or `h` or `hh` and `a` for AM and PM, with `mm` and optionally
   * `ss`, as in `dd-MM-yyyy HH:mm` or `yyyy-MM-ddTHH:mm`, in the zone `timeZone`. Default: times with a UTC offset.
   */
  readonly dateTime?: string | undefined;
  /**
   * The time zone of `dateTime` values, such as `Europe/Amsterdam`. Default: the school's `time_zone`, which takes one
   * request to read.
   */
  readonly timeZone?: string | undefined;
  /** A word for yes, in addition to `yes`, `true` and `1`. */
  readonly yes?: string | undefined;
  /** A word for no, in addition to `no`, `false` and `0`. */
  readonly no?: string | undefined;
  /** Separator of the texts in a list. Default `;`. */
  readonly list?: string | undefined;
  /** Decimal sign of amounts: `,` for 1200,50 or 1.200,50. Default `.`. */
  readonly decimal?: "." | "," | undefined;
  /** Cells that count as empty, whatever their case: `["NULL", "n.v.t.", "-"]`. Default none. */
  readonly empty?: readonly string[] | undefined;
  /**
   * The values that replace whole cells, whatever the case of a cell: `{ Nederland: "NL" }`. Free texts such as names
   * are not replaced. Default none.
   */
  readonly words?: Readonly<Record<string, string>> | undefined;
}

/** The records that the rows should list completely, and the operation on those that no row names. */
export interface MissingRecords<R> {
  /** Conditions on the records, as in `where` of a `change`: `status=active and planned_course_id=7`. */
  readonly where: string;
  /**
   * An action such as `cancel`; `update`, which writes `set`; `delete`; or `list`, which only names the records in the
   * plan. `undo` restores updates only, so all but `update` and `list` need the option `irreversible`.
   */
  readonly do: "list" | "update" | "delete" | Action<R>;
  /** The values that `update` writes, written as in cells: `{ end_date: "2026-07-31" }`. */
  readonly set?: { readonly [P in Path<R>]?: unknown } | undefined;
}

/** Options for `plan`. */
export interface PlanOptions<R> {
  /**
   * The file of the plan, or a journal in a database. `plan` replaces an existing plan if none of its requests were
   * sent.
   */
  readonly to: string | BulkJournal;
  /**
   * The field or fields by which a row finds its record. A field that cannot be sent, such as `account_type` of
   * accounts, is only compared, and needs another field beside it: `["name", "account_type"]`.
   */
  readonly key: Key<R> | readonly Key<R>[];
  /**
   * The column of each field, with a function that reads its cells if necessary. `date+from` joins the cells of two
   * columns with a blank; a path such as `category.name` reads nested rows. Default: columns are named like the fields.
   */
  readonly columns?: { readonly [P in Path<R> | Key<R>]?: string | ColumnReader } | undefined;
  /**
   * Formats of dates, amounts and lists in all columns, including custom fields whose type comes from a sign-up
   * question. A cell in another format refuses its row.
   */
  readonly formats?: CellFormats | undefined;
  /**
   * Conditions on the columns of the source, or on the records of a `change`, that select what to plan:
   * `status=active and total>0`, with `= != < > <= >= contains`, `today`, `and`, `or` and brackets. Default: all rows.
   */
  readonly where?: string | undefined;
  /** Values that every row has in addition to its columns, written as in cells: `{ locale: "nl" }`. */
  readonly set?: { readonly [P in Exclude<Key<R>, "id">]?: unknown } | undefined;
  /**
   * Suspicious data to accept. In cells: `spreadsheet_error` (`#N/A`), `too_narrow` (`####`), `lost_letter`,
   * `decoded_twice`, `exponent`, `line_break`, `country`, `no_value` (`NULL`), `text_formula` (`=A1`), `thousands`
   * (`1.250` in an amount), `wrong_encoding`, `lost_zeros` and `escaped` (the record's text as another program writes
   * it; the record keeps its text) and `day_order` (day and month of a column in the other order). In all rows:
   * `shuffled` (most values of a column would go to another row's record), and, compared with the last `run`,
   * `mostly_new`, `empty_list`, `mostly_changed`, `mostly_cleared` and `no_rows`; `many_missing` lifts the limit of
   * `missing`. By default, each of these makes the row or the run be refused.
   */
  readonly allow?: readonly (CellDoubt | RunDoubt)[] | undefined;
  /**
   * Reference fields whose column contains another field of the referenced records: `{ label_ids: "name" }`. A
   * condition as in `where` can select among those records: `{ account_id: "name where account_type=business" }`.
   */
  readonly find?: { readonly [F in Reference<R>]?: string } | undefined;
  /** Fields that an empty cell clears; in all other fields, an empty cell changes nothing. */
  readonly clear?: readonly Path<R>[] | undefined;
  /**
   * `first`: of the rows with the same key, plans the first, leaves those with the same values, and refuses the others.
   * Default: refuses all of them.
   */
  readonly duplicates?: "first" | undefined;
  /**
   * True to create a record even if the key of its row is nearly that of a record, of another row or of an earlier
   * run's record: the keys differ only in case, blanks, quotes, invisible characters, leading zeros and the like.
   * Default false: refuses the row and names both spellings.
   */
  readonly allowAlike?: boolean | undefined;
  /**
   * True to repeat a change that was already carried out under this name, and to accept rows that change values as an
   * interrupted plan of the last 12 hours did, such as by 10 percent: they were probably computed from values that the
   * plan had already changed. Default false: refuses both.
   */
  readonly again?: boolean | undefined;
  /**
   * Records that meet a condition and whose key no row has, planned after the rows. Refuses all of them if a row could
   * not be read or none matches a record, if the list is incomplete, or if more than 20 and more than a tenth of the
   * records would be changed or deleted. Refuses a record that was created or changed since the last `run`, or that a
   * row without a record may mean. Rows that the option `where` leaves out count as absent. Default: leaves them alone.
   */
  readonly missing?: MissingRecords<R> | undefined;
  /** Path parameters of nested resources: `{ object_slug: "rooms" }`. */
  readonly params?: Readonly<Record<string, string | number>> | undefined;
  /**
   * Runs this action, such as `approve`, on each record instead of writing fields. The key must be `id`, and the
   * records must show the state that the action sets.
   */
  readonly do?: Action<R> | undefined;
  /** False to refuse rows that match no record. Default true. */
  readonly create?: boolean | undefined;
  /** False to leave existing records as they are. Default true. */
  readonly update?: boolean | undefined;
  /** Stops the planning without writing a plan; an earlier plan stays. */
  readonly signal?: AbortSignal | undefined;
  /** Called as rows are planned. Exceptions it throws are ignored. */
  readonly onProgress?: ((progress: BulkProgress) => void) | undefined;
}

/** The options of `plan` that a `change` accepts; `where` selects its records. */
export type ChangeOption = "to" | "where" | "again" | "params" | "signal" | "onProgress";

/** Options for `apply`. */
export interface ApplyOptions {
  /** The digest of the plan that was shown; refuses any other plan. */
  readonly confirm?: string | undefined;
  /** Maximum share of the client's request budget to use: more than 0, at most 1. Default 0.5. */
  readonly share?: number | undefined;
  /** Number of consecutive equal failures after which the run stops. Default 10. */
  readonly stopAfter?: number | undefined;
  /**
   * Milliseconds to wait before looking for the effect of a request whose response was lost. The last check after a
   * repeated create comes after three times as long; a write that no reading shows is awaited at most three times as
   * long. Default: twice the client's `timeout`.
   */
  readonly settleMs?: number | undefined;
  /**
   * Must be true for a plan with an action or a `missing` that deletes, because `undo` reverses neither. Default false.
   */
  readonly irreversible?: boolean | undefined;
  /**
   * Fields that the service may change although they are not sent, by the names in `side` of `rowsOf`. Default none.
   * The run stops when the first create, update or delete changes any other field, when two later writes change the
   * same field, or when the same field has changed in three records after their writes.
   */
  readonly sideEffects?: readonly string[] | undefined;
  /** Ends the run. Requests under way stay in doubt until the next run looks for their effects. */
  readonly signal?: AbortSignal | undefined;
  /** Called after every row. Exceptions it throws are ignored. */
  readonly onProgress?: ((progress: BulkProgress) => void) | undefined;
}

/** Options for `run`: those of `plan` and `apply`, and a report. */
export interface RunOptions<R> extends Omit<PlanOptions<R>, "to">, Omit<ApplyOptions, "confirm"> {
  /**
   * The file of the plan while a run is active. Kept afterwards under a name like `students.plan.2026-11-23.7f3a9c1e`.
   */
  readonly to: string;
  /**
   * A function called before any plan is applied, even a continued one: the run applies the plan only if it returns
   * true. Or the digest of an existing plan: the run applies no other plan. Default: no confirmation.
   */
  readonly confirm?: string | ((summary: PlanSummary, plan: string) => boolean | Promise<boolean>) | undefined;
  /**
   * A CSV file or a workbook (`.xlsx`) for the rows and their outcomes; see `writeReport`. Also written before a
   * function `confirm` is called.
   */
  readonly report?: string | undefined;
  /**
   * Finished plans are kept for this many days, counting only days with a run; older ones are deleted. `<to>.memory`
   * keeps what later runs need of them, without keys and values. From 1 to 366, default 7.
   */
  readonly keep?: number | undefined;
}

/** Options for `settle`. */
export interface SettleOptions {
  /** Numbers of rows whose records you have looked for in the service and not found. Default none. */
  readonly absent?: readonly number[] | undefined;
  /** Ends the call; nothing is settled then. */
  readonly signal?: AbortSignal | undefined;
}

/** A create of an earlier run. */
export interface SettledRow {
  readonly row: number;
  /** Name of the row's plan, which may have been deleted since. */
  readonly plan: string;
  /** The row's record; in `open`, up to five records that may be the row's. */
  readonly ids: readonly number[];
}

/** Result of `settle`. */
export interface SettleReport {
  /** Rows whose record exists. */
  readonly found: SettledRow[];
  /** Rows without a record: the next run may create them. */
  readonly absent: SettledRow[];
  /** Rows that later runs still refuse: look at the records, then name in `absent` the rows that have none. */
  readonly open: SettledRow[];
}

/** Options for `undo`. */
export interface UndoOptions {
  /** The file of the new plan, or a journal in a database. */
  readonly to: string | BulkJournal;
  /**
   * `delete`: also deletes the created records, if the service can delete them and they are unchanged. Default: they
   * stay.
   */
  readonly creates?: "delete" | undefined;
}

/** Progress of making or applying a plan. */
export interface BulkProgress {
  /** Rows that are done. */
  readonly rows: number;
  /** Rows of the plan; null while it is being made. */
  readonly total: number | null;
  /** Requests sent in this run. */
  readonly requests: number;
  /** The end of the current wait; null if the run is not waiting. */
  readonly waitingUntil: Date | null;
  /**
   * Reason for the wait. `share`: the run's share of the request budget is used up. `retry`: the run will repeat a
   * request that got a 429 or no response. `proof`: the run will look for writes whose responses were lost, or that the
   * service does not show yet. Null if the run is not waiting.
   */
  readonly waitingFor: "share" | "retry" | "proof" | null;
  /**
   * Percentage done, 0 to 100: of the list to compare while the plan is made, of the rows while it is applied. Null if
   * unknown.
   */
  readonly percent: number | null;
  /** Expected end of the run, or of reading the list; null if unknown. */
  readonly endsAt: Date | null;
}

/** Effects and cost of a plan. */
export interface PlanSummary {
  readonly create: number;
  readonly update: number;
  /** Records to delete; only in a plan that reverses creates, or whose `missing` deletes. */
  readonly delete?: number;
  readonly leave: number;
  readonly refuse: number;
  /** The part of these counts that concerns records that no row names; absent without the option `missing`. */
  readonly missing?: MissingCounts;
  /** Effects on the fields of rows that match a record, by path; absent if no row does, and in an undo. */
  readonly fields?: Readonly<Record<string, FieldCounts>>;
  /**
   * Reasons for refusing rows, with their counts, the most frequent first. A row with several problems counts for each.
   * Values of a single row appear as `…` in the message. `column` is absent if the problem concerns the whole row.
   */
  readonly reasons: readonly { readonly message: string; readonly column?: string; readonly count: number }[];
  /** The names of `formats` that no column needed for its cells; absent if there are none. */
  readonly unusedFormats?: readonly string[];
  /**
   * Fields that have another value again although the same value was sent on 5 or more of the last 14 days on which the
   * file was run; absent if there are none.
   */
  readonly setBack?: readonly { readonly id: number; readonly field: string; readonly days: number }[];
  /** Requests that `apply` sends if nothing fails. */
  readonly requests: number;
  /**
   * Minutes that these requests take at half of the client's request budget; for an undo, which has no client, at half
   * of 500 requests per 5 minutes.
   */
  readonly minutes: number;
  /** Requests that the planning took. */
  readonly read: number;
  /** Identifies this exact plan; pass it to `apply` as `confirm`. */
  readonly digest: string;
}

/** Outcome of a row. */
export type RowOutcome =
  | "created"
  | "updated"
  | "deleted"
  | "unchanged"
  | "refused"
  | "stale"
  | "failed"
  | "unknown"
  | "ignored"
  | "doubled";

/** Number of rows of the plan for each outcome, including earlier runs of the plan. */
export type BulkReport = { readonly [Outcome in RowOutcome]: number } & {
  /** Requests sent by this call, without earlier runs of the plan. For `run`, includes planning but not `earlier`. */
  readonly requests: number;
  /** Rows for which the service stored a value other than the one sent. */
  readonly differing: number;
  /** Rows for which the service changed fields that were not sent: see `side` of `rowsOf`. */
  readonly sideEffects: number;
  /** Written rows that no later read has confirmed; a create is confirmed only if exactly one record exists. */
  readonly unconfirmed: number;
  /** For a `change` with `where`: records that meet the condition now and are not in the plan. */
  readonly joined?: readonly number[];
  /**
   * True if every record matches its row, a later read has confirmed it, and only sent fields and `sideEffects`
   * changed.
   */
  readonly complete: boolean;
};

/** Result of `run`. */
export type RunReport = BulkReport & {
  /** The file of the plan: the name under which it is kept if anything was sent, otherwise `to`. */
  readonly plan: string;
  readonly digest: string;
  /** Rows still to be sent, because the plan was not confirmed. */
  readonly open: number;
  /** Report of an interrupted run of other rows, which was finished first; null if there was none. */
  readonly earlier: RunReport | null;
};

/** Why a row is refused or failed, or why a field stays as it is. */
export interface RowProblem {
  readonly column?: string | undefined;
  readonly field?: string | undefined;
  readonly message: string;
}

/** A row of a plan with its outcome. */
export interface BulkRow {
  /** Number of the row, from 1; in a file, titles and the header count too. */
  readonly row: number;
  readonly do: "create" | "update" | "delete" | "leave" | "refuse";
  /** True for a record that no row of the source names, see `missing`: its number follows those of the rows. */
  readonly missing: boolean;
  /** Null until the row is done. */
  readonly outcome: RowOutcome | null;
  /** The identifier of the record, if it is known. */
  readonly id: number | null;
  /** The values to send, by path. */
  readonly send: Readonly<Record<string, unknown>>;
  /** The record's values when the plan was made, by path. */
  readonly before: Readonly<Record<string, unknown>>;
  /**
   * True if a later read showed that the write was carried out and, for a `created` row, that its record exists exactly
   * once. False if the read did not show that: apply the plan again to check again. Null for other outcomes.
   */
  readonly confirmed: boolean | null;
  /** The records to check by hand: for an `unknown`, `doubled` or `stale` row, those that are or may be its own. */
  readonly ids: readonly number[];
  /** Values that the service stored differently: the value sent and the value stored. */
  readonly differs: Readonly<Record<string, readonly [sent: unknown, got: unknown]>>;
  /**
   * Fields that the write changed without sending them: values before and after. `undo` restores a field if several
   * writes changed it, or if the plan has only one write.
   */
  readonly side: Readonly<Record<string, readonly [before: unknown, after: unknown]>>;
  readonly why: readonly RowProblem[];
}

/**
 * Keeps a plan and its outcomes in a database. Create one with `bulkJournal` of `./stores/sqlite` or
 * `./stores/postgres`.
 */
export interface BulkJournal {
  /** Adds lines; they are durable once it resolves. */
  append(lines: readonly string[]): Promise<void>;
  /** All lines, in the order in which they were added. */
  lines(): AsyncIterable<string>;
  /** Takes or extends the right to append. @returns false while another owner has it. */
  claim(owner: string, forMs: number): Promise<boolean>;
}
