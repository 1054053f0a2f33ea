import { hash } from "node:crypto";
import { join } from "node:path";
import { BulkError } from "../bulk/errors.js";
import { wasSent } from "../bulk/node-journal.js";
import { openMark } from "../bulk/node-mark.js";
import { planWith, type Rows } from "../bulk/node-plan.js";
import type { BulkJournal, PlanOptions } from "../bulk/types.js";
import { inputError } from "../core/call/request.js";
import { callable, checkNames, record } from "../core/option-checks.js";
import { checkIds, otherRecord } from "../core/other-record.js";
import type { Resource } from "../core/resource.js";
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

const OPTIONS = ["marks", "confirm", "settleMs", "signal"];

/** Refuses unknown fields and options: a misspelled name would otherwise be ignored. @throws InputError */
export function checkAct(act: string, given: object, known: readonly string[], options: object, all = OPTIONS): void {
  const fail = (path: string, message: string) => refusal(act, path, message);
  const namesOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 1]));
  checkNames(record("", given, fail), namesOf(known), fail);
  checkNames(options, namesOf(all), fail, "options.");
  const { confirm } = options as ActOptions;
  if (confirm !== undefined) callable("options.confirm", confirm, fail);
}

/** @throws ResponseFormatError for a record without an identifier. */
export async function readList<T>(operation: string, records: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const one of records) all.push(one);
  return checkIds(operation, all);
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
