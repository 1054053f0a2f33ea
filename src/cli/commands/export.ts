import { type ExportFormat, type ExportProgress, type ExportStream, exportTo } from "../../export/node.js";
import { diskProblem } from "../../work/place/problem.js";
import { pluralize } from "../../work/pluralize.js";
import { type DescribeCommand, positiveNumber } from "../arguments.js";
import { Option } from "../commander.js";
import { type ListValues, listOf } from "../connection.js";
import { fileOf } from "../files.js";
import { onInterrupt } from "../interrupt.js";
import { type Asked, columnsOption, operationCommand, whereOptions } from "../operation-command.js";
import { LISTS } from "../operations.js";
import { ExportLine } from "../tell/export-progress.js";
import { size } from "../tell/progress-line.js";
import { type Wait, waitLines } from "../tell/wait-lines.js";
import { checkMark, type Terminal, UsageError } from "../terminal.js";

interface Values extends ListValues {
  readonly format?: ExportFormat;
  readonly out?: string;
  readonly delimiter?: string;
  readonly gzip?: true;
  readonly limit?: number;
  readonly resume?: true;
  readonly quiet?: true;
}

const DESCRIPTION =
  "Writes a whole list to a workbook, to a file of text, or to the standard output. A file gets its name only once it is complete, and keeps the permissions of the file that it replaces. If an export is interrupted, for example by a power cut or a full disk, the same command with --resume continues it, unless it writes a workbook. For a pipe or a device, redirect the output: education-admin-sdk export accounts > /path/of/pipe";

/** `education-admin-sdk export invoices --status open --format csv --out open.csv` */
export const exportCommand: DescribeCommand = /* @__PURE__ */ operationCommand<Values>({
  description: DESCRIPTION,
  choice: LISTS,
  options: (row, operation) =>
    whereOptions(row, operation)
      .addOption(
        new Option(
          "--format <format>",
          "format of the output (default: by the name of the file, otherwise ndjson)",
        ).choices(["xlsx", "csv", "ndjson"]),
      )
      .option(
        "-o, --out <file>",
        "the file to write: .xlsx for people, .csv or .ndjson for programs (default: the standard output)",
      )
      .addOption(columnsOption(operation, "fields to write, nested ones with dots"))
      .option("--delimiter <character>", "the character between CSV cells (default: a comma)")
      .option("--gzip", "compress the output; a file whose name ends in .gz is compressed anyway")
      .option("--resume", "continue an interrupted export of the same list in the same format")
      .option("--quiet", "print no progress and no summary")
      .option("--limit <number>", "maximum number of records to write (default: all)", positiveNumber),
  run: exportList,
});

async function exportList(asked: Asked<Values>, terminal: Terminal): Promise<void> {
  const { out = null, columns, delimiter, limit, resume, quiet } = asked.values;
  if (out === null && resume) throw new UsageError("--resume needs --out");
  const form = formOf(asked.values);
  const isSheet = form.format === "xlsx";
  if (isSheet && resume)
    throw new UsageError("--resume: a workbook cannot be continued; leave out --resume, or name a .csv");
  if (out !== null) await fileOf(out, "export");
  const shown = quiet ? { write: () => undefined } : terminal.stderr;
  const line = new ExportLine(shown);
  const onWait = shown.isTTY ? (wait: Wait) => line.wait(wait) : waitLines(shown);
  const { pages, tell } = await listOf(asked, terminal, { priority: "batch" }, onWait);
  const hint =
    out === null
      ? "the output is not complete."
      : isSheet
        ? "an existing file is unchanged; the same command exports again."
        : `the same command ${resume ? "" : "with --resume "}continues this export.`;
  const clear = () => line.clear();
  // If the program that reads the output closes it, the process exits at once, without the cleanup below, so the
  // progress line is cleared on exit too.
  process.once("exit", clear);
  const release = onInterrupt(() => {
    clear();
    terminal.stderr.write(`Interrupted: ${hint}\n`);
  });
  try {
    const target = out ?? (terminal.stdout as unknown as ExportStream);
    const { records, bytes, resumed, total, absent } = await exportTo(target, pages, {
      ...form,
      columns: columns?.map(({ path }) => path),
      csv: { delimiter },
      ...(isSheet && { timeZone: asked.values.zone }),
      limit,
      resume: resume === true,
      onProgress: (progress) => {
        if (!line.hasBegun) shown.write(estimateOf(progress));
        line.page(progress);
      },
    });
    line.clear();
    const written = `${pluralize(records, "record")}, ${size(bytes)}${resumed ? ", continued" : ""}`;
    shown.write(`${quiet || out === null ? "" : checkMark(terminal)}${written}${out === null ? "" : `: ${out}`}\n`);
    tell([], absent);
    // Printed with --quiet too: people would otherwise assume that the file has the whole list.
    if (limit === undefined && total !== null && records < total)
      terminal.stderr.write(`The service counts ${pluralize(total, "record")}, but its list had ${records}\n`);
  } catch (error) {
    line.clear();
    const full = diskProblem(error);
    // A workbook's error already names the remedy and the state of the file.
    const isTold = full === null ? !line.hasBegun : isSheet;
    if (out === null || isTold) throw error;
    const what = full === null ? (error as Error).message : `${out} could not be written: ${full.what}.`;
    throw new Error(`${what} ${hint.slice(0, 1).toUpperCase()}${hint.slice(1)}`, { cause: error });
  } finally {
    release();
    process.off("exit", clear);
  }
}

const PAGE = 100;
const WINDOW = { requests: 500, minutes: 5 };

// Printed after the first page, which shows the list's length, so that a person can stop an export that would take an
// hour.
function estimateOf({ total, percent, records, pages }: ExportProgress): string {
  if (total === null || percent === 100) return "";
  const requests = pages + Math.ceil((total - records) / PAGE);
  const minutes = Math.floor((requests - 1) / WINDOW.requests) * WINDOW.minutes;
  const time = minutes === 0 ? "" : `, at least ${pluralize(minutes, "minute")}`;
  return `${pluralize(total, "record")} in ${pluralize(requests, "request")}${time}\n`;
}

const NAMED: Readonly<Record<string, ExportFormat>> = { xlsx: "xlsx", csv: "csv", ndjson: "ndjson", jsonl: "ndjson" };

/**
 * Infers format and compression from a file name: `x.csv.gz` is compressed CSV. @throws UsageError if an option
 * contradicts the name.
 */
function formOf({ format, gzip, out = "" }: Values): { readonly format: ExportFormat; readonly gzip: boolean } {
  const [, kind, compressed] = /(?:\.(xlsx|csv|ndjson|jsonl))?(\.gz)?$/i.exec(out) ?? [];
  const named = kind === undefined ? undefined : NAMED[kind.toLowerCase()];
  if (format && named && format !== named) {
    throw new UsageError(
      `--format ${format} contradicts --out ${out}; leave out --format, or name the file .${format}`,
    );
  }
  if (!format && !named && /\.\w+$/.test(out.replace(/\.gz$/i, ""))) {
    throw new UsageError(`--out ${out} does not end in .xlsx, .csv or .ndjson; add --format xlsx, csv or ndjson`);
  }
  if ((format ?? named) === "xlsx" && (gzip || compressed))
    throw new UsageError("A workbook is already compressed: leave out --gzip and .gz");
  if (gzip && named && !compressed) throw new UsageError(`--gzip contradicts --out ${out}; name the file ${out}.gz`);
  return { format: format ?? named ?? "ndjson", gzip: gzip === true || compressed !== undefined };
}
