import { basename, dirname, extname, join, resolve } from "node:path";
import type { Client } from "../clients/client.js";
import { inputError } from "../core/call/request.js";
import type { Resource } from "../core/resource.js";
import { type Files, machineFiles } from "../work/place/node-files.js";
import { FileLock } from "../work/place/node-lock.js";
import type { Change } from "./change.js";
import { BulkError } from "./errors.js";
import { givenRows, InputDigest } from "./file/node-given-rows.js";
import { applyWith, checkReversible, reportOf } from "./node-apply.js";
import { headerOf } from "./node-change.js";
import { lockOf, refuseObstacle, wasSent } from "./node-journal.js";
import { keptName, keptPlans } from "./node-kept.js";
import { Memory } from "./node-memory.js";
import { makePlan, type Rows } from "./node-plan.js";
import { CODE_WORDS, type PlanSettings, settingsOf, type Words, zoneFor } from "./node-plan-settings.js";
import { whyNoReportOf, writeReport } from "./node-report.js";
import { readState } from "./node-state.js";
import type { RecordOf } from "./paths.js";
import { Service } from "./service.js";
import type { ApplyOptions, ChangeOption, PlanOptions, PlanSummary, RunOptions, RunReport } from "./types.js";

/**
 * Plans rows and applies the plan; it may be called any number of times. After an interrupted run, the next call first
 * finishes that run with its rows and options, and then plans the new rows if they or the options differ. The plan of
 * each run that sent anything is kept next to `to`, under a name with its date and digest.
 * @throws the errors of `plan` and `apply`; BulkError `in_use` while another run of the file is active, `other_plan` if
 * `confirm` is not the digest of a plan of these rows.
 * @example
 * const report = await run(client.users, [{ email: "jo@example.com", first_name: "Jo", last_name: "Fox" }], {
 *   to: "students.plan",
 *   key: "email",
 * });
 * console.log(report.created, report.complete, report.plan);
 */
export async function run<R extends Resource>(
  resource: R,
  change: Change<RecordOf<R>>,
  options: Omit<RunOptions<R>, Exclude<keyof PlanOptions<R>, ChangeOption>>,
): Promise<RunReport>;
export async function run<R extends Resource>(
  resource: R,
  rows: Iterable<object> | AsyncIterable<object>,
  options: RunOptions<R>,
): Promise<RunReport>;
export async function run(resource: Resource, rows: Rows, options: object): Promise<RunReport> {
  return runWith(machineFiles, resource, rows, options as RunOptions<unknown>, CODE_WORDS);
}

/** {@link run} with another implementation of the file system, and with the caller's terms in messages. */
export async function runWith(
  files: Files,
  resource: Resource,
  rows: Rows,
  options: RunOptions<unknown>,
  words: Words,
): Promise<RunReport> {
  const { confirm, report, share: _, stopAfter, settleMs, irreversible, sideEffects, keep = 7, ...plan } = options;
  const settings = settingsOf(resource, rows, plan as PlanOptions<unknown>, words);
  const optionError = (path: string, message: string) => inputError("run", [{ path: words.option(path), message }]);
  if (typeof plan.to !== "string") throw optionError("to", "must be the name of a file");
  if (confirm !== undefined && typeof confirm !== "string" && typeof confirm !== "function") {
    throw optionError("confirm", "must be a function, or the digest of a plan");
  }
  if (!Number.isInteger(keep) || keep < 1 || keep > 366)
    throw optionError("keep", "must be a whole number from 1 to 366");
  checkReversible(plan, irreversible, (path, message) => optionError(path, message));
  // The report is written last, but its path is checked before anything is sent.
  const obstacle = report === undefined ? null : await whyNoReportOf(report, plan.to, rows);
  if (obstacle !== null) throw optionError("report", obstacle);
  const path = resolve(plan.to);
  await refuseObstacle(path, true);
  const lock = await lockOf(`${path}.run`, plan.to, true, files);
  try {
    const { signal, onProgress } = plan;
    const apply = {
      // A getter, because the command line computes the share of requests only once the plan is made.
      get share() {
        return options.share;
      },
      stopAfter,
      settleMs,
      irreversible,
      sideEffects,
      signal,
      onProgress,
    };
    const memory = await Memory.of(plan.to, settings.target, files);
    return await runJob({ files, settings, to: plan.to, apply, options, path, memory, keep }, rows);
  } finally {
    await lock.release();
  }
}

/**
 * Stage of a run: no plan, a plan of which nothing was sent, a plan of which something was sent, or a finished plan
 * that was renamed.
 */
type Place = "none" | "planned" | "begun" | "finished";

/**
 * Next action of a run. `finish` carries out the existing plan; `tell` returns the report of the finished one.
 * `absent`, `changed` and `other` are reasons to send nothing.
 */
type Next = "plan" | "finish" | "finish, plan" | "finish, changed" | "tell" | "absent" | "changed" | "other";

/**
 * The next action for each stage: for the rows of the existing plan, for other rows, and again for both if the caller
 * confirms a digest.
 */
const RUNS: Readonly<Record<Place, readonly [same: Next, other: Next, digest: readonly [same: Next, other: Next]]>> = {
  none: ["plan", "plan", ["absent", "absent"]],
  planned: ["plan", "plan", ["finish", "other"]],
  begun: ["finish", "finish, plan", ["finish", "finish, changed"]],
  finished: ["plan", "plan", ["tell", "changed"]],
};

const CHANGED = "The rows have changed since it was made: run again without a digest.";

/** The inputs of a run, which renames the file `to` at its end if it sent anything. */
interface Job {
  readonly files: Files;
  readonly settings: PlanSettings;
  readonly to: string;
  readonly apply: ApplyOptions;
  readonly options: RunOptions<unknown>;
  /** Absolute path of the file `to`. */
  readonly path: string;
  readonly memory: Memory;
  readonly keep: number;
}

async function runJob(job: Job, rows: Rows): Promise<RunReport> {
  const { options, to, apply, files, path } = job;
  const digest = typeof options.confirm === "string" ? options.confirm : null;
  const otherPlanError = (message: string) => new BulkError("other_plan", `${to} ${message}`);
  const isThere = (await files.modified(path)) !== null;
  const kept =
    isThere || digest === null ? undefined : (await keptPlans(path, files)).find((name) => name.endsWith(digest));
  const isBegun = isThere && (await wasSent(path));
  const place: Place = isBegun ? "begun" : isThere ? "planned" : kept === undefined ? "none" : "finished";
  if (digest !== null && isThere) {
    const { end } = await readState(path);
    if (end.digest !== digest)
      throw otherPlanError(`is not the plan that was confirmed: its digest is ${end.digest}. Nothing was sent.`);
  }
  const [same, other, confirmed] = RUNS[place];
  if (digest === null && same === other) return planAndApply(job, rows, null);
  const given = digest === null ? ((await copyOnce(rows)) ?? rows) : rows;
  const isSame = place !== "none" && (await isPlanOf(job, given, kept));
  const next = digest === null ? (isSame ? same : other) : confirmed[isSame ? 0 : 1];
  if (next === "tell" && kept !== undefined)
    return { ...(await reportOf(kept, apply.sideEffects)), plan: kept, digest: digest ?? "", earlier: null };
  if (next === "absent") throw otherPlanError("does not exist, so there is no plan to confirm. Nothing was sent.");
  if (next === "changed") throw otherPlanError(`is finished, and kept as ${kept}. ${CHANGED} Nothing was sent.`);
  if (next === "other")
    throw otherPlanError("was made from other rows or options. Nothing was sent: run again without a digest.");
  const { isConfirmed, ...report } = await applyAndReport(job, isSame ? options.report : null);
  // An unconfirmed run does not look for the records of unresolved rows, so the plan stays until one is confirmed.
  if (digest === null && !isConfirmed && isInDoubt(report)) return report;
  const ended = { ...report, plan: await end(job, report) };
  if (next === "finish, changed") throw otherPlanError(`is finished, and kept as ${ended.plan}. ${CHANGED}`);
  return next === "finish" || report.open > 0 ? ended : planAndApply(job, given, ended);
}

async function planAndApply(job: Job, rows: Rows, earlier: RunReport | null): Promise<RunReport> {
  const { files, to, settings, options, memory } = job;
  const { read } = await makePlan(files, settings, rows, memory);
  const { isConfirmed: _, ...applied } = await applyAndReport(job, options.report);
  const report = { ...applied, requests: read + applied.requests };
  // While a row is unresolved, the plan stays: the next run looks for its record again.
  const isOver = report.open === 0 && !isInDoubt(report);
  return { ...report, plan: isOver ? await end(job, report) : to, earlier };
}

/**
 * Applies the plan if it is confirmed, and writes its report.
 * @param at path of the report; null adds the date and digest of the plan to its name.
 */
async function applyAndReport(
  { files, settings, apply, path, to, options }: Job,
  at: string | undefined | null,
): Promise<RunReport & { readonly isConfirmed: boolean }> {
  const { confirm, report } = options;
  const { transport, name } = settings.target;
  const { end, header } = await readState(path);
  if (header.resource !== name) {
    throw new BulkError(
      "other_plan",
      `${to} is a plan of ${header.resource} that is not finished: apply it first. Nothing was sent.`,
    );
  }
  const summary = end as unknown as PlanSummary;
  const write = async () => {
    if (report === undefined) return;
    await writeReport(to, at ?? addMark(report, keptName("", header.made, end.digest)));
  };
  // The caller may want to read the report before confirming.
  if (typeof confirm === "function") await write();
  const isConfirmed = typeof confirm !== "function" || (await confirm(summary, to)) === true;
  const client = { inside: () => ({ transport }), baseUrl: transport.baseUrl, [name]: settings.resource };
  const applied = isConfirmed ? await applyWith(files, client as unknown as Client, to, apply) : null;
  const found = await reportOf(path, apply.sideEffects);
  await write();
  return { ...found, ...applied, plan: to, digest: end.digest, earlier: null, isConfirmed };
}

/**
 * Adds a finished plan to the .memory file, renames it if any of its requests was sent, and deletes older plans that
 * `keep` no longer covers. @returns the path of the plan.
 */
async function end({ files, path, to, memory, keep, settings }: Job, { open }: RunReport): Promise<string> {
  if (open > 0 || (await files.modified(path)) === null) return to;
  const lock = await FileLock.of(path, files);
  if (typeof lock === "string") throw new BulkError("in_use", `${to} is in use by ${lock}.`);
  try {
    // If the process is killed before the plan is renamed, the next run finds the plan and does the rest.
    const night = await memory.take(path, settings.target);
    await memory.save();
    const kept = night?.sent ? keptName(to, night.day, night.plan) : to;
    if (kept !== to) await files.rename(path, resolve(kept));
    await memory.prune(keep);
    await files.syncFolderOf(path);
    return kept;
  } finally {
    await lock.release();
  }
}

// Rows that cannot be read count as different, so the plan is finished before the error is reported.
async function isPlanOf({ settings, path }: Job, rows: Rows, kept: string | undefined): Promise<boolean> {
  const { end, header } = await readState(kept ?? path);
  const { change, options, target } = settings;
  const { where, signal } = options;
  // The plan may have changed the records, so a change is compared by its function and condition, not by its rows.
  if (change) return header.change === headerOf(settings, where, "").change;
  const digest = new InputDigest(settings, options);
  const service = new Service(target, { pace: null, signal });
  try {
    const given = givenRows(rows as Iterable<object>, settings, () => zoneFor(settings, service), signal);
    for await (const row of given) digest.add(row);
  } catch {
    signal?.throwIfAborted();
    return false;
  }
  return digest.text === end.input;
}

// Copies rows that can be read only once, because they are compared with the plan before they are planned; otherwise
// null. Must not return the rows themselves: the list of a client can be awaited, and would become its first page.
async function copyOnce(rows: Rows): Promise<object[] | null> {
  const { [Symbol.asyncIterator]: async, [Symbol.iterator]: sync } = rows as Partial<
    AsyncIterable<object> & Iterable<object>
  >;
  if ((async?.call(rows) ?? sync?.call(rows)) !== (rows as unknown)) return null;
  const all: object[] = [];
  for await (const row of rows as Iterable<object>) all.push(row);
  return all;
}

// Also true if the list does not show a created record: planning the same rows would create it again.
function isInDoubt({ unknown, unconfirmed }: RunReport): boolean {
  return unknown + unconfirmed > 0;
}

// students.result.csv -> students.result.2026-11-23.7f3a9c1e.csv
function addMark(path: string, mark: string): string {
  const end = extname(path);
  return join(dirname(path), basename(path, end) + mark + end);
}
