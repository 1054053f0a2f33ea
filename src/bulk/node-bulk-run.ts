import { basename, dirname, extname, join, resolve } from "node:path";
import type { Client } from "../clients/client.js";
import { inputError } from "../core/call/request.js";
import type { Resource } from "../core/resource.js";
import { type Files, machineFiles } from "../export/node-files.js";
import { FileLock } from "../export/node-lock.js";
import { BulkError } from "./errors.js";
import type { RowCounts } from "./file/last-time.js";
import { givenRows, InputDigest } from "./file/node-given-rows.js";
import { applyWith, reportOf } from "./node-apply.js";
import { doubtOf } from "./node-earlier.js";
import { unopened, wasSent } from "./node-journal.js";
import { keptName, keptPlans, newestKept } from "./node-kept.js";
import { planWith } from "./node-plan.js";
import { isPlanFile } from "./node-plan-file.js";
import { CODE_WORDS, type PlanSettings, settingsOf, type Words } from "./node-plan-settings.js";
import { whyNoReportOf, writeReport } from "./node-report.js";
import { historyOf, plannedRows, readState, rowsOf } from "./node-state.js";
import type { ApplyOptions, PlanOptions, PlanSummary, RunOptions, RunReport } from "./types.js";

type Rows = Iterable<object> | AsyncIterable<object>;

/**
 * Plans rows and applies the plan, as often as it is started. A run that was interrupted is continued: with the same rows that is
 * all; an interrupted run of other rows is finished first, then the rows are planned. The plan of each run that sent anything is
 * kept next to `to`, under a name with the date and its digest.
 * @throws what `plan` and `apply` throw; BulkError `in_use` while another run of the file goes on, `other_plan` where `confirm` is
 * the digest of no plan of these rows.
 * @example
 * const report = await run(client.users, [{ email: "jo@example.com", first_name: "Jo", last_name: "Fox" }], {
 *   to: "students.plan",
 *   key: "email",
 * });
 * console.log(report.created, report.complete, report.plan);
 */
export async function run<R extends Resource>(
  resource: R,
  rows: Iterable<object> | AsyncIterable<object>,
  options: RunOptions<R>,
): Promise<RunReport> {
  return runWith(machineFiles, resource, rows, options as RunOptions<unknown>, CODE_WORDS);
}

/** As `run`, on a disk of the caller and in the words of the caller. */
export async function runWith(
  files: Files,
  resource: Resource,
  rows: Rows,
  options: RunOptions<unknown>,
  words: Words,
): Promise<RunReport> {
  const { confirm, report, escapeFormulas, share, stopAfter, settleMs, irreversible, sideEffects, ...plan } = options;
  const settings = settingsOf(resource, rows, plan as PlanOptions<unknown>, words);
  const wrong = (path: string, message: string) => inputError("run", [{ path: words.option(path), message }]);
  if (typeof plan.to !== "string") throw wrong("to", "must be the name of a file");
  if (confirm !== undefined && typeof confirm !== "string" && typeof confirm !== "function") {
    throw wrong("confirm", "must be a function, or the digest of a plan");
  }
  if (escapeFormulas !== undefined && typeof escapeFormulas !== "boolean") {
    throw wrong("escapeFormulas", "must be true or false");
  }
  // Before anything is sent, though it is written last.
  const obstacle = report === undefined ? null : await whyNoReportOf(report, plan.to, rows);
  if (obstacle !== null) throw wrong("report", obstacle);
  const path = resolve(plan.to);
  const lock = await FileLock.of(`${path}.run`, files).catch((error: unknown) => {
    throw unopened(plan.to, true, error);
  });
  if (!(lock instanceof FileLock)) {
    throw new BulkError("in_use", `${plan.to} is in use by ${lock}. Nothing was sent.`);
  }
  try {
    const apply = {
      share,
      stopAfter,
      settleMs,
      irreversible,
      sideEffects,
      signal: plan.signal,
      onProgress: plan.onProgress,
    };
    const job = new Job(
      files,
      resource,
      settings,
      plan as PlanOptions<unknown> & { readonly to: string },
      apply,
      options,
    );
    return await job.run(rows);
  } finally {
    await lock.release();
  }
}

/** One run. The file `to` exists while a run is under way; a run that ends renames it. */
class Job {
  readonly #files: Files;
  readonly #client: Client;
  readonly #resource: Resource;
  readonly #settings: PlanSettings;
  readonly #plan: PlanOptions<unknown> & { readonly to: string };
  readonly #apply: ApplyOptions;
  readonly #options: RunOptions<unknown>;
  readonly #path: string;

  constructor(
    files: Files,
    resource: Resource,
    settings: PlanSettings,
    plan: PlanOptions<unknown> & { readonly to: string },
    apply: ApplyOptions,
    options: RunOptions<unknown>,
  ) {
    const { transport, name } = settings.target;
    this.#files = files;
    this.#client = { inside: () => ({ transport }), baseUrl: transport.baseUrl, [name]: resource } as unknown as Client;
    this.#resource = resource;
    this.#settings = settings;
    this.#plan = plan;
    this.#apply = apply;
    this.#options = options;
    this.#path = resolve(plan.to);
  }

  async run(rows: Rows): Promise<RunReport> {
    const { confirm, report } = this.#options;
    if (typeof confirm === "string") return this.#confirmed(rows, confirm);
    if (!(await this.#isUnderWay())) return this.#planned(rows, null);
    const again = await rowsTwice(rows);
    const isSame = await this.#isOf(again.first);
    const { isConfirmed, ...earlier } = await this.#carriedOut(isSame ? report : null);
    // Rows in doubt that nobody has looked for: the plan stays to be confirmed.
    if (!isConfirmed && isInDoubt(earlier)) return earlier;
    if (earlier.open > 0 || isSame) return { ...earlier, plan: await this.#keep(earlier) };
    const kept = { ...earlier, plan: await this.#keep(earlier) };
    return this.#planned(again.second, kept);
  }

  // What was confirmed is carried out, nothing else.
  async #confirmed(rows: Rows, digest: string): Promise<RunReport> {
    const { to } = this.#plan;
    const other = (message: string) => new BulkError("other_plan", `${to} ${message}`);
    if (!(await this.#isThere(this.#path))) {
      const kept = (await keptPlans(this.#path, this.#files)).find((name) =>
        name.replace(/\.open$/, "").endsWith(digest),
      );
      if (!kept) throw other("is not there, so there is no plan to confirm. Nothing was sent.");
      if (await this.#isOf(rows, kept))
        return { ...(await told(kept, this.#apply.sideEffects)), plan: kept, digest, earlier: null };
      throw other(
        `is finished, and kept as ${kept}. The rows have changed since it was made: run again without a digest. Nothing was sent.`,
      );
    }
    const { end } = await readState(this.#path);
    if (end.digest !== digest)
      throw other(`is not the plan that was confirmed: its digest is ${end.digest}. Nothing was sent.`);
    const isBegun = await this.#isUnderWay();
    const isSame = await this.#isOf(rows);
    if (!isSame && !isBegun) {
      throw other("was made of other rows or options than these. Nothing was sent: run again without a digest.");
    }
    const { isConfirmed: _, ...report } = await this.#carriedOut(isSame ? this.#options.report : null);
    const kept = { ...report, plan: await this.#keep(report) };
    if (isSame) return kept;
    throw other(
      `is finished, and kept as ${kept.plan}. The rows have changed since it was made: run again without a digest.`,
    );
  }

  async #planned(rows: Rows, earlier: RunReport | null): Promise<RunReport> {
    const last = await this.#last();
    await planWith(this.#files, this.#resource, rows, this.#plan, { words: this.#settings.words, last });
    const { isConfirmed: _, ...report } = await this.#carriedOut(this.#options.report);
    // Rows in doubt are looked for once more by the next run.
    const isOver = report.open === 0 && !isInDoubt(report);
    return { ...report, plan: isOver ? await this.#keep(report) : this.#plan.to, earlier };
  }

  /**
   * Applies the plan, if it is confirmed, and writes its report.
   * @param at where to; null: under the report's name with the date and digest of the plan.
   */
  async #carriedOut(at: string | undefined | null): Promise<RunReport & { readonly isConfirmed: boolean }> {
    const { confirm, report, escapeFormulas } = this.#options;
    const { to } = this.#plan;
    const { end, header } = await readState(this.#path);
    const { name } = this.#settings.target;
    if (header.resource !== name) {
      throw new BulkError(
        "other_plan",
        `${to} is a plan of ${header.resource} that is not finished: apply it first. Nothing was sent.`,
      );
    }
    const summary = end as unknown as PlanSummary;
    const write = async () => {
      if (report === undefined) return;
      await writeReport(to, at ?? marked(report, keptName("", header.made, end.digest)), { escapeFormulas });
    };
    // Whoever is asked may want to read it.
    if (typeof confirm === "function") await write();
    const isConfirmed = typeof confirm !== "function" || (await confirm(summary, to)) === true;
    const applied = isConfirmed ? await applyWith(this.#files, this.#client, to, this.#apply) : null;
    const found = await told(this.#path, this.#apply.sideEffects);
    await write();
    return { ...found, ...applied, plan: to, digest: end.digest, earlier: null, isConfirmed };
  }

  /** Keeps a plan of which anything was sent. @returns where it is. */
  async #keep(report: RunReport): Promise<string> {
    const { to } = this.#plan;
    if (report.open > 0 || !(await this.#isUnderWay())) return to;
    const { header, end } = await readState(this.#path);
    const lock = await FileLock.of(this.#path, this.#files);
    if (!(lock instanceof FileLock)) throw new BulkError("in_use", `${to} is in use by ${lock}.`);
    try {
      const isOpen = await this.#hasDoubts();
      const kept = keptName(to, header.made, end.digest) + (isOpen ? ".open" : "");
      await this.#files.rename(this.#path, resolve(kept));
      await this.#files.syncFolderOf(this.#path);
      return kept;
    } finally {
      await lock.release();
    }
  }

  async #isThere(path: string): Promise<boolean> {
    return (await this.#files.modified(path)) !== null;
  }

  async #isUnderWay(): Promise<boolean> {
    return (await this.#isThere(this.#path)) && (await wasSent(this.#path));
  }

  // Rows that cannot be read count as other rows: the plan is finished first, then their error is reported.
  async #isOf(rows: Rows, plan = this.#path): Promise<boolean> {
    const { end } = await readState(plan);
    const digest = new InputDigest(this.#settings, this.#plan);
    try {
      for await (const row of givenRows(rows, this.#settings, this.#plan.signal)) digest.add(row);
    } catch {
      this.#plan.signal?.throwIfAborted();
      return false;
    }
    return digest.text === end.input;
  }

  async #hasDoubts(): Promise<boolean> {
    const state = await readState(this.#path);
    for await (const row of plannedRows(this.#path, state))
      if (doubtOf(historyOf(row, state), "") !== null) return true;
    return false;
  }

  // What was planned last: by a run that had nothing to send, or by one whose plan was kept.
  async #last(): Promise<RowCounts | null> {
    const { target } = this.#settings;
    for (const plan of [this.#path, ...(await newestKept(this.#path, this.#files))]) {
      // One that was not completed says nothing.
      const { header, end } = (await isPlanFile(plan)) ? await readState(plan).catch(() => NO_PLAN) : NO_PLAN;
      if (header?.resource === target.name && header.address === target.transport.baseUrl) {
        return end as unknown as PlanSummary;
      }
    }
    return null;
  }
}

const NO_PLAN = { header: null, end: null };

// Rows that can be read only once are kept in memory, because they are first compared with those of the plan.
async function rowsTwice(rows: Rows): Promise<{ readonly first: Rows; readonly second: Rows }> {
  const { [Symbol.asyncIterator]: async, [Symbol.iterator]: sync } = rows as Partial<
    AsyncIterable<object> & Iterable<object>
  >;
  const isOnce = (async?.call(rows) ?? sync?.call(rows)) === (rows as unknown);
  if (!isOnce) return { first: rows, second: rows };
  const all: object[] = [];
  for await (const row of rows) all.push(row);
  return { first: all, second: all };
}

async function told(
  path: string,
  accepted: readonly string[] | undefined,
): Promise<Omit<RunReport, "plan" | "digest" | "earlier">> {
  let open = 0;
  for await (const { outcome } of rowsOf(path)) if (outcome === null) open++;
  return { ...(await reportOf(path, 0, accepted)), open };
}

// Also where the list does not show what was created: a plan of the same rows would create it again.
function isInDoubt({ unknown, unconfirmed }: RunReport): boolean {
  return unknown + unconfirmed > 0;
}

// students.result.csv -> students.result.2026-11-23.7f3a9c1e.csv
function marked(path: string, mark: string): string {
  const end = extname(path);
  return join(dirname(path), basename(path, end) + mark + end);
}
