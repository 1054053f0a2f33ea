import { lstat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { apply, rowsOf, settle, undo, writeReport } from "../../bulk/node.js";
import { checkReversible } from "../../bulk/node-apply.js";
import { runWith } from "../../bulk/node-bulk-run.js";
import { wasSent } from "../../bulk/node-journal.js";
import { newestKept } from "../../bulk/node-kept.js";
import { planWith } from "../../bulk/node-plan.js";
import { reasonOf, whyNoReportOf } from "../../bulk/node-report.js";
import { readState } from "../../bulk/node-state.js";
import type { ApplyOptions, BulkProgress, BulkRow, PlanOptions, PlanSummary, RunOptions } from "../../bulk/types.js";
import type { Client } from "../../clients/client.js";
import { csvRow } from "../../export/csv.js";
import { machineFiles, orNull } from "../../work/place/node-files.js";
import { pluralize } from "../../work/pluralize.js";
import { connection, helpBelow, names, namesAmong, positiveNumber, share, subcommand } from "../arguments.js";
import { type Command, Option } from "../commander.js";
import { clientFor } from "../connection.js";
import { interruptible } from "../interrupt.js";
import { confirm } from "../question.js";
import { writePlanPage } from "../serve/plan-page.js";
import {
  OUTCOMES,
  outcomeSentence,
  outcomesIn,
  outcomesOf,
  planSentence,
  progressOf,
  reasonLines,
  reportLine,
  SHELL_WORDS,
  showCommand,
  waitOf,
  writesOf,
} from "../tell/bulk-words.js";
import { LiveLine } from "../tell/progress-line.js";
import { plainText } from "../tell/table.js";
import { isNoticeable, waitLines } from "../tell/wait-lines.js";
import { type Terminal, UsageError } from "../terminal.js";
import { checkFile, type Given, propose, proposing, resourceOf } from "./bulk-check.js";
import { optionsOf, planning, reading, rowsIn, type Values } from "./bulk-options.js";

const DESCRIPTION =
  "Writes many records. `run` plans the rows of a file, asks, and carries out the plan; you can start it as often as you like. `plan`, `show` and `apply` are its separate steps. A plan contains the values of its rows, and only you can read it.";

const STATUS_HELP =
  "Exit status: 0 if every record matches its row; 1 if the outcome of any row is refused, stale, failed, unknown, ignored or doubled, or if a value was stored or read back differently; 2 if the plan was not confirmed or could not be started.";
const PLAN_STATUS_HELP = "Exit status: 0 if no row is refused, 1 if a row is refused, 2 if there is no plan.";

const SETTLE_STATUS_HELP = "Exit status: 0 if no row is in doubt any more, 1 otherwise.";
const CHECK_STATUS_HELP =
  "Exit status: 0 if every row can be read, 1 if a row is refused, 2 if the file cannot be read with these options.";

const PLANNED = ["create", "update", "delete", "leave", "refuse"];

/** `education-admin-sdk bulk run users students.csv --key email --to students.plan` */
export function bulkCommand(group: Command, terminal: Terminal): void {
  helpBelow(group.description(DESCRIPTION), () => STATUS_HELP);
  const row = (name: string, summary: string) => subcommand(group, name, summary);
  const ofPlan = (name: string, summary: string) => row(name, summary).argument("<plan>", "the file of the plan");
  const run = planning(row("run", "plans, asks and applies; finishes an interrupted run first"))
    .option("--yes", "apply without asking, including the rest of an interrupted run")
    .option("--confirm <digest>", "apply only the plan with this digest, which an earlier run has printed")
    .option(
      "--keep <days>",
      "keep the finished plans of the last <days> days on which there was a run (default: 7)",
      positiveNumber,
    );
  const apply = ofPlan("apply", "carries out a plan, and continues it after any interruption")
    .option(
      "--confirm <digest>",
      "the digest that `plan` and `show` print; without it, the command asks on a terminal, and otherwise ends with exit status 2",
    )
    .option("--yes", "apply without asking");
  for (const writing of [run, apply]) {
    writing
      .option(
        "--share <share>",
        "the largest share of the request budget to use: more than 0, at most 1 (default: 0.5; on a terminal 0.9 for up to 400 requests)",
        share,
      )
      .option("--irreversible", "needed for actions and deletions, which `bulk undo` does not reverse")
      .option("--side-effects <field,…>", "fields that the service may change even though they are not sent", names);
    helpBelow(writing, () => STATUS_HELP);
    connection(writing);
  }
  run.action((...given: Given) => ran(terminal, ...given));
  apply.action((plan: string, values: Values) => applyPlan(terminal, values, plan));
  const plan = planning(row("plan", "compares the rows of a file with the service; only reads from it"));
  helpBelow(plan, () => PLAN_STATUS_HELP);
  connection(plan).action((...given: Given) => writePlan(terminal, ...given));
  const check = reading(row("check", "checks the rows of a file; needs no API key and sends no request"));
  helpBelow(check, () => CHECK_STATUS_HELP);
  check
    .addOption(new Option("--api <api>", "which API has the resource (default: main)").choices(["main", "admin"]))
    .action((...given: Given) => checkFile(terminal, run, ...given));
  ofPlan("show", "prints the rows of a plan, before, during and after `apply`")
    .option(
      "--only <what,…>",
      "show only rows with these planned actions or outcomes: create, update, delete, leave, refuse, created, stale, failed, …",
      // Without this check, a misspelled word would print nothing, as if all were well.
      (text) => namesAmong(text, [...PLANNED, ...OUTCOMES]),
    )
    .option("--csv", "as CSV")
    .option("--html <file.html>", "instead, write a printable web page for the person who approves the plan")
    .action((plan: string, values: Values) => showPlan(terminal, values, plan));
  ofPlan("report", "writes the rows of the planned file again, with the outcome of each row")
    .requiredOption("--to <file>", "the file to write, .xlsx or .csv; an existing file is replaced (required)")
    .action(async (plan: string, values: Values) => {
      const found = await planNamed(plan, terminal, "last");
      await writeReport(found, values.to);
      terminal.stdout.write(`Written: ${values.to}. ${outcomeSentence(await outcomesIn(rowsOf(found)), found)}`);
    });
  const settle = row("settle", "asks the service about creates of earlier runs whose outcome is unknown; only reads")
    .argument("<plan>", "the plan file that was passed to bulk run as --to")
    .option("--absent <row,…>", "rows whose records you have looked for in the service and not found", names);
  helpBelow(settle, () => SETTLE_STATUS_HELP);
  connection(settle).action((plan: string, values: Values) => settleRows(terminal, values, plan));
  ofPlan("undo", "writes a plan that undoes what another plan has changed so far")
    .requiredOption("--to <file>", "the file of the new plan (required)")
    .option("--delete-created", "also delete the records that were created, if the service can delete them")
    .action((plan: string, values: Values) => planUndo(terminal, values, plan));
}

async function ran(terminal: Terminal, ...given: Given): Promise<void> {
  const [name, file, values] = given;
  refuseTwoAnswers(values);
  checkReversible(optionsOf(values) as object, values.irreversible, () => new UsageError(IRREVERSIBLE));
  const line = new LiveLine(terminal.stderr);
  let requests = Number.POSITIVE_INFINITY;
  const ask = async (summary: PlanSummary, plan: string) => {
    line.clear();
    requests = summary.requests;
    if (summary.refuse > 0) await propose(terminal, given);
    if (writesOf(summary) === 0) return true;
    const otherwise = `${planSentence(summary, plan, values.report)}Without a terminal to ask on, bulk run needs --yes or --confirm ${summary.digest}. Nothing was sent`;
    return confirm(terminal, { before: planSentence(summary, plan), otherwise });
  };
  const { to } = values;
  // Anything but a regular file is refused later, with a reason; opening a pipe here would block.
  if ((await orNull(lstat(to)))?.isFile() && (await wasSent(resolve(to))))
    terminal.stderr.write(
      `Continues ${to}, which an earlier run began, with the rows and options of that plan. To start over instead, stop this run, rename ${to} and keep it: it records what was sent\n`,
    );
  const rows = await rowsIn(file, values, terminal);
  const report = await runWriting(terminal, values, line, (client, options) =>
    proposing(terminal, given, () =>
      runWith(
        machineFiles,
        resourceOf(client, name),
        rows,
        {
          ...(optionsOf(values) as unknown as RunOptions<unknown>),
          ...options,
          confirm: values.confirm ?? (values.yes ? undefined : ask),
          // A getter, because the number of requests is known only once the plan is made.
          get share() {
            return shareFor(values, terminal, requests);
          },
          report: values.report,
          keep: values.keep,
        },
        SHELL_WORDS,
      ),
    ),
  );
  const all = report.earlier ? [report.earlier, report] : [report];
  if (report.earlier) terminal.stdout.write(`First finished ${report.earlier.plan}, the plan of an earlier run.\n`);
  for (const one of all) {
    const summary = await summaryOf(one.plan);
    terminal.stdout.write(
      `${outcomeSentence(outcomesOf(one, one.open), one.plan)}${one.open > 0 ? reportLine(one.plan, values.report) : ""}${reasonLines(summary)}Plan: ${one.plan}\n`,
    );
  }
  if (values.yes && report.refused > 0) await propose(terminal, given);
  if (!all.every(({ complete }) => complete)) throw new Error(NOT_ALL);
}

// A person should not wait for the next rate limit window if the run fits into this one.
function shareFor({ share }: Values, { stderr }: Terminal, requests: number): number | undefined {
  return share ?? (stderr.isTTY && requests <= SHORT_RUN ? 0.9 : undefined);
}

/** A run of at most this many requests may use 90% of the request budget. */
const SHORT_RUN = 400;
const NOT_ALL = "Not every record matches its row";
const INTERRUPTED = "Interrupted: the same command continues from here";
const IRREVERSIBLE = "Bulk undo does not reverse actions or deletions: add --irreversible";

async function writePlan(terminal: Terminal, ...given: Given): Promise<void> {
  const [name, file, values] = given;
  const client = clientFor(terminal, values);
  const resource = resourceOf(client, name);
  const line = new LiveLine(terminal.stderr);
  const options = { ...optionsOf(values), onProgress: (progress: BulkProgress) => line.show(progressOf(progress)) };
  const { to, report } = values;
  const rows = await rowsIn(file, values, terminal);
  const obstacle = report === undefined ? null : await whyNoReportOf(report, to, rows);
  if (obstacle !== null) throw new UsageError(`--report ${obstacle}`);
  const summary = await proposing(terminal, given, () =>
    planWith(machineFiles, resource, rows, options as PlanOptions<unknown>, SHELL_WORDS),
  );
  if (report !== undefined) await writeReport(to, report);
  line.clear();
  terminal.stdout.write(planSentence(summary, values.to, report));
  if (summary.refuse > 0) {
    await propose(terminal, given);
    throw new Error(`${pluralize(summary.refuse, "row")} refused. To see why: ${showCommand(values.to, "refused")}`);
  }
}

async function showPlan(terminal: Terminal, values: Values, given: string): Promise<void> {
  const { only, html } = values;
  if (html !== undefined) {
    if (only || values.csv) throw new UsageError("--html writes all rows: leave out --only and --csv");
    terminal.stdout.write(await writePlanPage(await planNamed(given, terminal, "last"), html));
    return;
  }
  const name = await planNamed(given, terminal, "last");
  const head = ["row", "do", "outcome", "id", "changes", "reason"];
  let isFirst = true;
  const write = (cells: readonly string[]) => {
    const widths = [5, 6, 9, 7, 0, 0];
    const line = cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ");
    terminal.stdout.write(values.csv ? csvRow(cells, {}) : `${line.trimEnd()}\n`);
  };
  if (values.csv) write(head.map((cell) => `_${cell}`));
  for await (const row of rowsOf(name)) {
    if (only && !only.includes(row.do) && !only.includes(String(row.outcome))) continue;
    if (isFirst && !values.csv) write(head);
    isFirst = false;
    write([row.row, row.do, row.outcome, row.id, changesOf(row), reasonOf(row)].map(plainText));
  }
  if (values.csv) return;
  const outcomes = await outcomesIn(rowsOf(name));
  const summary = await summaryOf(name);
  // If the plan was not started or has nothing to send, show what it would do.
  terminal.stdout.write(
    outcomes.open === writesOf(summary) ? planSentence(summary, name) : outcomeSentence(outcomes, name),
  );
}

function changesOf({ send, before }: BulkRow): string {
  const parts = Object.entries(send).map(([path, value]) => {
    const now = JSON.stringify(value);
    return path in before ? `${path}: ${JSON.stringify(before[path])} -> ${now}` : `${path}: ${now}`;
  });
  return parts.join(", ");
}

function refuseTwoAnswers({ yes, confirm }: Values): void {
  if (yes && confirm !== undefined) throw new UsageError("Give --yes or --confirm, not both");
}

async function applyPlan(terminal: Terminal, values: Values, name: string): Promise<void> {
  refuseTwoAnswers(values);
  const { end, header } = await readState(name);
  checkReversible({ ...header, do: header.action }, values.irreversible, () => new UsageError(IRREVERSIBLE));
  const summary = end as unknown as PlanSummary;
  const otherwise = `bulk apply needs --yes, or --confirm <digest> with the digest that ${showCommand(name)} prints`;
  if (!values.confirm && !values.yes) await confirm(terminal, { before: planSentence(summary, name), otherwise });
  const share = shareFor(values, terminal, summary.requests);
  const report = await runWriting(terminal, values, new LiveLine(terminal.stderr), (client, options) =>
    // The digest ensures that no other plan is applied.
    apply(client, name, { ...options, confirm: values.confirm ?? summary.digest, share }),
  );
  terminal.stdout.write(outcomeSentence(outcomesOf(report, 0), name));
  if (!report.complete) throw new Error(NOT_ALL);
}

async function settleRows(terminal: Terminal, values: Values, plan: string): Promise<void> {
  const client = clientFor(terminal, values);
  const report = await settle(client, plan, { absent: values.absent?.map(Number) });
  const lines = [
    ...report.found.map(({ row, plan, ids: [id] }) => `row ${row} of ${plan} created record ${id}`),
    ...report.absent.map(({ row, plan }) => `row ${row} of ${plan} created no record: the next run may create it`),
    ...report.open.map(({ row, plan, ids }) => {
      const which =
        ids.length === 0
          ? "the list does not show whether it created a record"
          : `record ${ids.join(", ")} may be the one that it created`;
      return `row ${row} of ${plan} is in doubt: ${which}. If it has no record, pass --absent ${row}`;
    }),
  ];
  terminal.stdout.write(lines.length === 0 ? "No row is in doubt.\n" : `${lines.map(plainText).join("\n")}\n`);
  if (report.open.length > 0) throw new Error(`${pluralize(report.open.length, "row")} still in doubt`);
}

async function planUndo(terminal: Terminal, values: Values, given: string): Promise<void> {
  const name = await planNamed(given, terminal, "only");
  const creates = values.deleteCreated ? "delete" : undefined;
  const summary = await undo(name, { to: values.to, creates });
  const stay = summary.leave + summary.refuse;
  if (summary.update + (summary.delete ?? 0) > 0 || stay === 0) {
    terminal.stdout.write(planSentence(summary, values.to));
    return;
  }
  const reasons = new Set<string>();
  for await (const row of rowsOf(values.to)) reasons.add(reasonOf(row));
  const why = [...reasons].filter(Boolean).slice(0, 3).join("; ").replaceAll("cannot be undone: ", "");
  terminal.stdout.write(
    `Nothing to undo${why && `: ${plainText(why)}`} (${pluralize(stay, "record")} ${stay === 1 ? "stays" : "stay"}).\n`,
  );
}

async function summaryOf(plan: string): Promise<PlanSummary> {
  return (await readState(plan)).end as unknown as PlanSummary;
}

function runWriting<T>(
  terminal: Terminal,
  values: Values,
  line: LiveLine,
  work: (client: Client, options: ApplyOptions) => Promise<T>,
): Promise<T> {
  const waits = waitLines(terminal.stderr);
  const client = clientFor(terminal, values, { onWait: waits, readOnly: false });
  const onProgress = (progress: BulkProgress) => {
    line.show(progressOf(progress));
    const wait = waitOf(progress);
    if (!terminal.stderr.isTTY && wait && isNoticeable(wait)) waits(wait);
  };
  const { share, irreversible, sideEffects } = values;
  return interruptible(terminal, INTERRUPTED, (signal) =>
    work(client, { share, irreversible, sideEffects, signal, onProgress }).finally(() => line.clear()),
  );
}

/**
 * Finds a plan by its name. A finished run renames its plan; the name then means the plan that was renamed last.
 * @param which `only` if taking the wrong plan would do harm.
 * @throws UsageError for `only` if several runs have kept a plan of that name.
 */
async function planNamed(given: string, terminal: Terminal, which: "last" | "only"): Promise<string> {
  if ((await machineFiles.modified(resolve(given))) !== null) return given;
  const kept = (await newestKept(given, machineFiles)).map((path) => join(dirname(given), basename(path)));
  const [last] = kept;
  if (last === undefined) return given;
  if (which === "only" && kept.length > 1) {
    throw new UsageError(`${given}: several runs have kept a plan of that name. Name one of them: ${kept.join(", ")}`);
  }
  terminal.stderr.write(`${given} is kept as ${last}\n`);
  return last;
}
