import { hash } from "node:crypto";
import { join } from "node:path";
import { BulkError } from "../bulk/errors.js";
import { wasSent } from "../bulk/node-journal.js";
import { openMark } from "../bulk/node-mark.js";
import { planWith, type Rows } from "../bulk/node-plan.js";
import type { BulkJournal, PlanOptions } from "../bulk/types.js";
import { inputError } from "../core/call/request.js";
import type { Page, Pages } from "../core/lists/pages.js";
import { acceptAny, callable, checkOptions, must, type OptionTable, record } from "../core/option-checks.js";
import { checkIds, otherRecord } from "../core/other-record.js";
import type { Resource } from "../core/resource.js";
import { REQUEST_OPTIONS } from "../core/settings.js";
import { machineFiles } from "../work/place/node-files.js";
import { pluralize } from "../work/pluralize.js";

/** Options for every act. */
export interface ActOptions {
  /**
   * The folder for the files from which an interrupted act continues, or a function that returns a database journal for
   * a name, such as `(name) => bulkJournal(connection, name)`. Default: the working directory.
   */
  readonly marks?: string | ((name: string) => BulkJournal) | undefined;
  /** Called with the steps of the act, as sentences; unless it returns true, the act ends before it writes. */
  readonly confirm?: ((steps: readonly string[]) => boolean | Promise<boolean>) | undefined;
  /**
   * Milliseconds within which the service may still carry out a request whose response was lost. Default 60,000 for a
   * single record, twice the client's `timeout` for many.
   */
  readonly settleMs?: number | undefined;
  /** Ends the act; the next call continues it. */
  readonly signal?: AbortSignal | undefined;
}

export type Place = string | BulkJournal;

export function placeOf({ marks = "." }: ActOptions, name: string): Place {
  return typeof marks === "function" ? marks(name) : join(marks, name);
}

const OPTIONS: OptionTable<ActOptions> = {
  marks: [must((value) => ["string", "function"].includes(typeof value), "must be a folder or a function")],
  confirm: [callable],
  // `apply` and `once` check it.
  settleMs: [acceptAny],
  signal: REQUEST_OPTIONS.signal,
};

/**
 * Checks the fields and options of an act. Refuses unknown names: a misspelled one would otherwise be ignored.
 * @throws InputError
 */
export function checkAct(
  act: string,
  given: object,
  fields: Parameters<typeof checkOptions>[1],
  options: object,
  names: readonly (keyof ActOptions)[] = ["marks", "confirm", "settleMs", "signal"],
): void {
  const fail = (path: string, message: string) => refusal(act, path, message);
  checkOptions(record("", given, fail), fields, fail);
  checkOptions(options, Object.fromEntries(names.map((name) => [name, OPTIONS[name]])), fail, "options.");
}

/**
 * Reads the records of a list, each once, and again if the service counts more records than it shows: some may have
 * been deleted during the first reading.
 * @throws ResponseFormatError for a record without an identifier; BulkError `stopped` if the list stays too short.
 */
export async function readList<T>(operation: string, list: Pick<Pages<T>, "byPage">): Promise<readonly T[]> {
  for (let isAgain = false; ; isAgain = true) {
    const found = new Map<unknown, T>();
    let last: Page<T> | null = null;
    for await (const page of list.byPage()) {
      for (const one of checkIds(operation, page.records)) found.set((one as { readonly id: unknown }).id, one);
      last = page;
    }
    const total = last?.total ?? 0;
    if (found.size >= total) return [...found.values()];
    if (isAgain)
      throw new BulkError(
        "stopped",
        `${operation}: the service counts ${total} records, but its list shows ${found.size}. Use an API key that can read all of them.`,
      );
  }
}

/** @throws ResponseFormatError if the response is a different record. */
export async function readOne<T>(operation: string, id: number, call: PromiseLike<T>): Promise<T> {
  const found = await call;
  if ((found as { readonly id?: unknown } | null)?.id !== id) throw otherRecord(operation, id);
  return found;
}

/** A short hash that identifies values without revealing them. */
export function digestOf(...values: readonly unknown[]): string {
  return hash("sha256", JSON.stringify(values)).slice(0, 16);
}

export async function isConfirmed({ confirm, signal }: ActOptions, steps: readonly string[]): Promise<boolean> {
  signal?.throwIfAborted();
  return confirm === undefined || (await confirm(steps)) === true;
}

export function refusal(act: string, path: string, message: string): Error {
  return inputError(act, [{ path, message }]);
}

/** True if requests of a plan were sent; such a plan is continued, never made again. */
export function isBegun(at: Place): Promise<boolean> {
  return ofPlan(() => wasSent(at));
}

/** Runs a check on a plan; false if the plan does not exist. */
export async function ofPlan(ask: () => Promise<boolean>): Promise<boolean> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof BulkError && error.reason === "not_a_plan") return false;
    throw error;
  }
}

/** Makes the plan of an act. @throws InputError if the plan refuses a row. */
export async function planWhole(act: string, resource: Resource, rows: Rows, options: object): Promise<void> {
  const { reasons } = await planWith(machineFiles, resource, rows, options as PlanOptions<unknown>);
  const [first] = reasons;
  if (first)
    throw refusal(act, first.column ?? "", `cannot be written in ${pluralize(first.count, "row")}: ${first.message}`);
}

/** True if a call of `once` with this mark was interrupted. @throws BulkError `in_use` during such a call. */
export async function isMarked(at: Place, act: string): Promise<boolean> {
  const mark = await openMark(at, act);
  try {
    return (await mark.read()) !== null;
  } finally {
    await mark.close();
  }
}

/** Runs `work` with a stored value, null at first, that no other process can change until `work` ends. */
export async function withKept<Kept, Result>(
  at: Place,
  act: string,
  work: (kept: Kept | null, keep: (value: Kept) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const mark = await openMark(at, act);
  try {
    return await work(JSON.parse((await mark.read()) ?? "null"), (value) => mark.write(JSON.stringify(value)));
  } finally {
    await mark.close();
  }
}
