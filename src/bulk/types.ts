import type { RequestOptions } from "../core/options.js";
import type { CellDoubt } from "./file/damage.js";
import type { RunDoubt } from "./file/last-time.js";

type BodyIn<Args> = Args extends [infer Body extends object, (RequestOptions | undefined)?]
  ? Body
  : Args extends [unknown, infer Body extends object, (RequestOptions | undefined)?]
    ? Body
    : never;

type MethodBody<R, Method extends string> = R extends { readonly [Name in Method]: (...args: infer Args) => unknown }
  ? BodyIn<Args>
  : never;

type Body<R> = MethodBody<R, "create"> | MethodBody<R, "update"> | MethodBody<R, "createForPlannedCourse">;

// The input of an update names the read-only fields of its record as `never`.
type FieldsOf<B> = B extends unknown
  ? {
      [Name in keyof B & string]: [NonNullable<B[Name]>] extends [never]
        ? never
        : NonNullable<B[Name]> extends string | number | boolean | Date | readonly unknown[]
          ? Name
          : NonNullable<B[Name]> extends object
            ? `${Name}.${keyof NonNullable<B[Name]> & string}`
            : Name;
    }[keyof B & string]
  : never;

/** Where a value goes in a create or an update: `email`, `address_attributes.city`, `custom.sector`. */
export type Path<R> = FieldsOf<Body<R>>;

type RecordOf<R> = R extends { readonly list: (...args: never) => AsyncIterable<infer T> } ? T : never;
// The known values of an enumeration; a text of one's own has none.
type Values<T> = T extends string ? (string extends T ? never : T) : never;
type KindsIn<T> = T extends unknown
  ? { [Name in keyof T & string]: [Values<T[Name]>] extends [never] ? never : Name }[keyof T & string]
  : never;

/** A field that tells kinds of records apart and that nobody can send: `account_type`. */
type Kind<R> = Exclude<KindsIn<RecordOf<R>>, Path<R>>;

/** A field that tells the records of a resource apart; `id` for rows that only correct records. */
export type Key<R> = Path<R> | Kind<R> | "id";

/** A field that holds the identifier of another record, or several. */
export type Reference<R> = Extract<Path<R>, `${string}_id` | `${string}_ids`>;

/** The actions of a resource: `approve`. */
export type Action<R> = Exclude<keyof R & string, `get${string}` | `list${string}` | "create" | "update" | "lookup">;

/** A column whose cells the service's own forms do not fit. */
export interface ColumnReader {
  /** The name of the column. */
  readonly from: string;
  /**
   * Makes the value of a field from a cell that is not empty. What it returns is checked as a cell is; undefined or an empty text
   * leaves the field alone, and the message of what it throws refuses the row.
   */
  readonly read: (cell: string) => unknown;
}

/** How cells are written, where that is not the service's form. */
export interface CellFormats {
  /**
   * Order and signs of a day, of `d` or `dd`, `M` or `MM`, and `yyyy` or `yy` (30 to 99 of the last century): `dd-MM-yyyy`. A
   * midnight behind it is dropped. Default `yyyy-MM-dd`.
   */
  readonly date?: string | undefined;
  /** As `date`, with `H` or `HH`, `mm` and perhaps `ss`: `dd-MM-yyyy HH:mm`, on the clocks of `timeZone`. Default: times with their zone. */
  readonly dateTime?: string | undefined;
  /** The time zone of `dateTime` values, such as `Europe/Amsterdam`. Default: the school's `time_zone`, which takes one request. */
  readonly timeZone?: string | undefined;
  /** The word for yes, besides `yes`, `true` and `1`. */
  readonly yes?: string | undefined;
  /** The word for no, besides `no`, `false` and `0`. */
  readonly no?: string | undefined;
  /** What separates the texts of a list. Default `;`. */
  readonly list?: string | undefined;
  /** With `,` an amount is written 1200,50 or 1.200,50. Default `.`. */
  readonly decimal?: "." | "," | undefined;
}

/** Options of `plan`. */
export interface PlanOptions<R> {
  /** The file of the plan, or a journal in a database. `plan` replaces an existing plan if none of its requests were sent. */
  readonly to: string | BulkJournal;
  /**
   * The field or fields by which a row finds its record. One that only the record has, such as `account_type` of accounts, is compared
   * and never sent, and has to stand beside another: `["name", "account_type"]`.
   */
  readonly key: Key<R> | readonly Key<R>[];
  /**
   * The column that holds each field, with a function that reads its cells if need be; a path such as `category.name` reads nested
   * rows. Default: columns are named as fields.
   */
  readonly columns?: { readonly [P in Path<R> | Key<R>]?: string | ColumnReader } | undefined;
  /**
   * How dates, amounts and lists are written in all columns, those of custom fields included whose kind a sign-up question tells.
   * A cell that is written otherwise refuses its row.
   */
  readonly formats?: CellFormats | undefined;
  /**
   * Which rows are planned, by columns of the source: `status=active and total>0`, with `= != < > <= >= contains`, `today` and
   * `and`. Other rows are left out. Default: all.
   */
  readonly where?: string | undefined;
  /** Values that every row has besides its columns, as a cell would have them: `{ locale: "nl" }`. */
  readonly set?: { readonly [P in Path<R> | Kind<R>]?: unknown } | undefined;
  /**
   * Doubts that are not raised: of cells `spreadsheet_error` (`#N/A`), `too_narrow` (`####`), `lost_letter`, `decoded_twice`,
   * `exponent`, `line_break` and `country`; of a `run` `mostly_new` and `no_rows`. Default: each refuses the row, or the run.
   */
  readonly allow?: readonly (CellDoubt | RunDoubt)[] | undefined;
  /**
   * Fields whose column holds another field of the records they refer to: `{ label_ids: "name" }`; of some of them, by conditions as in
   * `where`: `{ account_id: "name where account_type=business" }`.
   */
  readonly find?: { readonly [F in Reference<R>]?: string } | undefined;
  /** Fields that an empty cell clears. Elsewhere an empty cell leaves the field alone. */
  readonly clear?: readonly Path<R>[] | undefined;
  /**
   * `first`: of rows with one key the first is planned, those with the same values are left, and the others refused. Default: rows
   * with one key are all refused.
   */
  readonly duplicates?: "first" | undefined;
  /**
   * True: creates rows although their key is nearly that of a record, of another row or of an earlier run's record: the same but
   * for case, blanks, quotes, invisible characters, leading zeros and the like. Default false: they are refused with both spellings.
   */
  readonly allowAlike?: boolean | undefined;
  /** Path parameters of resources below others: `{ object_slug: "rooms" }`. */
  readonly params?: Readonly<Record<string, string | number>> | undefined;
  /** Runs this action on each record instead of writing fields: `approve`. Its state must be readable, and the key is `id`. */
  readonly do?: Action<R> | undefined;
  /** False: rows that match no record are refused. Default true. */
  readonly create?: boolean | undefined;
  /** False: records stay as they are. Default true. */
  readonly update?: boolean | undefined;
  /** Ends the planning without a plan; an earlier one stays. */
  readonly signal?: AbortSignal | undefined;
  /** Called as rows are planned; exceptions in it are ignored. */
  readonly onProgress?: ((progress: BulkProgress) => void) | undefined;
}

/** Options of `apply`. */
export interface ApplyOptions {
  /** The digest of the plan as it was shown; another one is refused. */
  readonly confirm?: string | undefined;
  /** The largest share of the client's request budget to use, above 0 to 1. Default 0.5. */
  readonly share?: number | undefined;
  /** Equal failures in a row after which nothing more is sent. Default 10. */
  readonly stopAfter?: number | undefined;
  /** Milliseconds after which a request whose response was lost is looked for; a last look waits three times as long after a repeated create. Default: twice the client's `timeout`. */
  readonly settleMs?: number | undefined;
  /** Needed for a plan of actions: `undo` does not reverse them, and some nothing can. */
  readonly irreversible?: boolean | undefined;
  /**
   * Fields that the service may move although they are not sent, as `rowsOf` names them in `side`. Default none: the run stops at
   * the first write of a kind that moves one, and at the second of the others.
   */
  readonly sideEffects?: readonly string[] | undefined;
  /** Ends the run; requests under way are in doubt, and the next run looks for them. */
  readonly signal?: AbortSignal | undefined;
  /** Called after every row; exceptions in it are ignored. */
  readonly onProgress?: ((progress: BulkProgress) => void) | undefined;
}

/** Options of `writeReport`. */
export interface ReportOptions {
  /** True: text of the report that a spreadsheet would run as a formula gets an apostrophe in front. Default false: rows stay as they came. */
  readonly escapeFormulas?: boolean | undefined;
}

/** Options of `run`: those of `plan`, `apply` and `writeReport`. */
export interface RunOptions<R> extends Omit<PlanOptions<R>, "to">, Omit<ApplyOptions, "confirm">, ReportOptions {
  /** The file of the plan while a run is under way. The plan is kept afterwards, as `students.plan.2026-11-23.7f3a9c1e`. */
  readonly to: string;
  /**
   * Asked before a plan is applied, also one that is continued; the plan stays as it is unless the answer is true. A text is the
   * digest of a plan that is there: no other one is applied. Default: nobody is asked.
   */
  readonly confirm?: string | ((summary: PlanSummary, plan: string) => boolean | Promise<boolean>) | undefined;
  /** A CSV file for the rows with what has become of them; see `writeReport`. It is there before a function `confirm` is asked, too. */
  readonly report?: string | undefined;
}

/** Options of `undo`. */
export interface UndoOptions {
  /** The file of the new plan, or a journal in a database. */
  readonly to: string | BulkJournal;
  /** `delete`: also deletes the records that were created, where the service deletes them and nobody has changed them. */
  readonly creates?: "delete" | undefined;
}

/** How far a plan or its application is. */
export interface BulkProgress {
  /** Rows that are done. */
  readonly rows: number;
  /** Rows of the plan; null while it is made. */
  readonly total: number | null;
  /** Requests sent in this run. */
  readonly requests: number;
  /** The end of the current wait; null when the run is not waiting. */
  readonly waitingUntil: Date | null;
  /**
   * Why it waits: for its `share` of the request budget, before a `retry` of what the service refused with 429 or did not
   * answer, or for `proof`, before it looks for writes whose responses were lost.
   */
  readonly waitingFor: "share" | "retry" | "proof" | null;
  /**
   * How much is done, 0 to 100: of the rows of a plan that is applied; while one is made, of the list that is compared, as far as
   * the service tells how long it is. Null if unknown.
   */
  readonly percent: number | null;
  /** Expected end of the run, or of reading that list; null if unknown. */
  readonly endsAt: Date | null;
}

/** What a plan would do. */
export interface PlanSummary {
  readonly create: number;
  readonly update: number;
  /** Records to delete: in a plan that undoes creates. */
  readonly delete?: number;
  readonly leave: number;
  readonly refuse: number;
  /**
   * Why rows are refused, and how many, the most frequent first; a row with several problems is counted with each. What is one
   * row's alone, such as its values, is `…` in the message. `column` is absent where the whole row is meant.
   */
  readonly reasons: readonly { readonly message: string; readonly column?: string; readonly count: number }[];
  /** Requests that `apply` sends when nothing fails. */
  readonly requests: number;
  /** Minutes they take at half of the client's request budget; of an undo, which has no client, of 500 requests in 5 minutes. */
  readonly minutes: number;
  /** Requests that planning took. */
  readonly read: number;
  /** Identifies this exact plan; pass it to `apply` as `confirm`. */
  readonly digest: string;
}

/** What has become of a row. */
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

/** How many rows of the plan have which outcome, whichever run of it wrote them. */
export type BulkReport = { readonly [Outcome in RowOutcome]: number } & {
  /** Requests that this call has sent, not earlier runs of the plan; `run` counts its planning too, and not what it did for `earlier`. */
  readonly requests: number;
  /** Rows in which the service stored another value than was sent. */
  readonly differing: number;
  /** Rows in which the service moved fields that were not sent; `rowsOf` names them as `side`. */
  readonly sideEffects: number;
  /** Written rows of which no later reading has shown that they were carried out, and creates once. */
  readonly unconfirmed: number;
  /** Whether every row is as wanted, a later reading has shown it, and nothing else moved but what `sideEffects` accepts. */
  readonly complete: boolean;
};

/** What `run` did. */
export type RunReport = BulkReport & {
  /** The file of the plan: kept under this name if anything was sent, else `to`. */
  readonly plan: string;
  readonly digest: string;
  /** Rows that are still to be sent: those of a plan that was not confirmed. */
  readonly open: number;
  /** What became of an interrupted run of other rows, which was finished first. */
  readonly earlier: RunReport | null;
};

/** Why a row was refused or failed, or a field left as it is. */
export interface RowProblem {
  readonly column?: string | undefined;
  readonly field?: string | undefined;
  readonly message: string;
}

/** A row of a plan, and what has become of it. */
export interface BulkRow {
  /** Its number: of a CSV file the record's, the header being 1; otherwise counted from 1. */
  readonly row: number;
  readonly do: "create" | "update" | "delete" | "leave" | "refuse";
  /** Null until the row is done. */
  readonly outcome: RowOutcome | null;
  /** The record, where it is known. */
  readonly id: number | null;
  /** What is sent, by path. */
  readonly send: Readonly<Record<string, unknown>>;
  /** What the record had when the plan was made, by path. */
  readonly before: Readonly<Record<string, unknown>>;
  /**
   * Whether a reading after the write has shown that it was carried out; of a `created` row, that its record is there and no
   * second one. False: it does not show that; apply the plan again to look again. Null for other outcomes.
   */
  readonly confirmed: boolean | null;
  /** The records to look at: of an `unknown`, `doubled` or `stale` row those that are or may be its own. */
  readonly ids: readonly number[];
  /** Values that the service stored otherwise: what was sent and what it has. */
  readonly differs: Readonly<Record<string, readonly [sent: unknown, got: unknown]>>;
  /** Fields that were not sent and moved with the write: what they were and are. `undo` sets back those of the only write, or of several. */
  readonly side: Readonly<Record<string, readonly [before: unknown, after: unknown]>>;
  readonly why: readonly RowProblem[];
}

/** Keeps a plan and what has become of it in a database; `bulkJournal` of `./stores/sqlite` and `./stores/postgres` makes one. */
export interface BulkJournal {
  /** Adds lines; they are durable when it resolves. */
  append(lines: readonly string[]): Promise<void>;
  /** All lines, in the order in which they were added. */
  lines(): AsyncIterable<string>;
  /** Takes or extends the right to append. @returns false while another owner has it. */
  claim(owner: string, forMs: number): Promise<boolean>;
}
