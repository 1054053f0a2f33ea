import { resolve } from "node:path";
import type { ParseArgsOptionsConfig } from "node:util";
import type { Operation } from "../core/operation.js";
import { type ExportFormat, type ExportProgress, type ExportStream, exportTo } from "../export/node.js";
import { targetAt } from "../export/node-target.js";
import { CONNECTION_HELP, columnPaths, columns, filterHelp, parameterUsage, readArguments } from "./cli-arguments.js";
import { listOf } from "./cli-connection.js";
import { counted } from "./counted.js";
import { LISTS } from "./operations.js";
import { LiveLine, progressLine, size } from "./progress-line.js";
import { type Command, type Terminal, UsageError } from "./terminal.js";

const OPTIONS = {
  format: { type: "string", default: "ndjson" },
  out: { type: "string", short: "o" },
  columns: { type: "string" },
  delimiter: { type: "string" },
  "escape-formulas": { type: "boolean", default: false },
  "byte-order-mark": { type: "boolean", default: false },
  gzip: { type: "boolean", default: false },
  resume: { type: "boolean", default: false },
  quiet: { type: "boolean", default: false },
} as const satisfies ParseArgsOptionsConfig;

/** `education-admin-sdk export invoices --status open --format csv --out open.csv` */
export const exportCommand: Command = {
  async run(args, terminal) {
    const asked = readArguments("export", args, LISTS, OPTIONS, (operation) =>
      terminal.stdout.write(help(args[0], operation)),
    );
    if (!asked) return;
    const { values } = asked;
    const { format } = values;
    if (format !== "csv" && format !== "ndjson") throw new UsageError("--format must be csv or ndjson");
    const paths = columnPaths(asked);
    const out = values.out === undefined ? null : String(values.out);
    if (out === null && values.resume) throw new UsageError("--resume needs --out");
    if (out !== null) await checkOut(out);
    const line = new ProgressLine(terminal, values.quiet === true);
    const pages = listOf(asked, terminal, { priority: "batch" }, values.quiet ? () => undefined : undefined);
    try {
      const target = out ?? (terminal.stdout as unknown as ExportStream);
      const { records, bytes, resumed } = await exportTo(target, pages, {
        format: format satisfies ExportFormat,
        columns: paths ?? undefined,
        csv: {
          delimiter: values.delimiter as string | undefined,
          escapeFormulas: values["escape-formulas"] === true,
          byteOrderMark: values["byte-order-mark"] === true,
        },
        gzip: values.gzip === true,
        resume: values.resume === true,
        onProgress: (progress) => line.show(progress),
      });
      line.end(
        `${counted(records, "record")}, ${size(bytes)}${resumed ? ", continued" : ""}${out === null ? "" : `: ${out}`}`,
      );
    } catch (error) {
      line.clear();
      if (line.written && out !== null)
        terminal.stderr.write("The same command with --resume continues this export.\n");
      throw error;
    }
  },
};

// What the library says of streams is for programs.
async function checkOut(out: string): Promise<void> {
  if (out === "") throw new UsageError("--out must name a file");
  const found = await targetAt(resolve(out));
  if ("path" in found) return;
  const advice = found.stream ? `leave out --out and send the output there: export … > ${out}` : found.advice;
  throw new UsageError(`--out: ${out} ${found.what}; ${advice}`);
}

/** The line on which a terminal shows the progress. Programs that read the errors get none. */
class ProgressLine {
  readonly #terminal: Terminal;
  readonly #quiet: boolean;
  readonly #line: LiveLine;
  /** Whether a page was written. */
  written = false;

  constructor(terminal: Terminal, quiet: boolean) {
    this.#terminal = terminal;
    this.#quiet = quiet;
    this.#line = new LiveLine(terminal.stderr);
  }

  show(progress: ExportProgress): void {
    this.written = true;
    if (!this.#quiet) this.#line.show(progressLine(progress));
  }

  clear(): void {
    if (!this.#quiet) this.#line.clear();
  }

  /** Says what was written. */
  end(text: string): void {
    this.clear();
    if (!this.#quiet) this.#terminal.stderr.write(`${text}\n`);
  }
}

function help(name: string | undefined, operation: Operation | null): string {
  return `Usage: education-admin-sdk export ${operation ? `${name}${parameterUsage(operation)}` : "<list>"} [options]

Writes a whole list to a file, or to the output. A file has its name only once it is complete, and keeps the permissions
of the one it replaces. What a kill, a power cut or a full disk has interrupted, the same command with --resume
continues. For a pipe or a device, send the output there: export accounts > /path/of/pipe

${operation ? filterHelp(operation) : `Lists:\n${columns(LISTS.names)}\n\n`}Options:
  --format csv|ndjson      (default: ndjson, one JSON text per line)
  -o, --out <file>         (default: the output)
  --columns <a,b.c>        fields to write, nested ones with dots
  --delimiter <character>  between the cells of CSV    (default: a comma)
  --escape-formulas        CSV: put an apostrophe before text that a spreadsheet would run as a formula
  --byte-order-mark        CSV: begin with the mark by which Excel recognises UTF-8
  --gzip                   compress
  --resume                 continue an interrupted export of the same list in the same format
  --quiet                  no progress and no summary
${CONNECTION_HELP}`;
}
