import { existsSync } from "node:fs";
import type { Twin } from "../../sandbox/twin.js";
import { compareTwins } from "../../twin/compare.js";
import { formatTwin } from "../../twin/file.js";
import { takeTwin } from "../../twin/take.js";
import { writeWhole } from "../../work/place/node-whole.js";
import { pluralize } from "../../work/pluralize.js";
import { type Connection, connection, helpBelow, positiveNumber } from "../arguments.js";
import { type Command, Option } from "../commander.js";
import { clientFor } from "../connection.js";
import { fileOf, twinIn } from "../files.js";
import { asUsage } from "../system-problem.js";
import { LiveLine, size } from "../tell/progress-line.js";
import { checkMark, type Terminal, UsageError } from "../terminal.js";

interface Values extends Connection {
  readonly to?: string;
  readonly compare?: string;
  readonly without?: "names";
  readonly pages?: number;
}

const DESCRIPTION =
  "Writes a file from which a sandbox can imitate the school: its own fields, courses, categories and labels, how the service behaves, and, for other records, how often each field holds each kind of value. The file contains no record about people or money. The command only reads, and prints how many requests it sends.";

const STATUS_HELP =
  "Exit status: 0 if nothing changed or the file was written; 1 if --compare found changes; 2 if the school could not be read.";

/** `education-admin-sdk twin --to school.twin.json` */
export function twinCommand(command: Command, terminal: Terminal): void {
  command
    .description(DESCRIPTION)
    .option("--to <file>", "the file to write; an existing file is replaced only after the whole school has been read")
    .option("--compare <file>", "write nothing; print what changed since the file was written")
    .addOption(new Option("--without <what>", "leave out names of courses, labels and the like").choices(["names"]))
    .option(
      "--pages <number>",
      "maximum number of pages to read of each list about people and money (default: 8)",
      positiveNumber,
    );
  connection(helpBelow(command, () => STATUS_HELP)).action((values: Values) => run(values, terminal));
}

async function run({ to, compare, without, pages, ...values }: Values, terminal: Terminal): Promise<void> {
  if ((to === undefined) === (compare === undefined)) throw new UsageError("Give either --to or --compare, and a file");
  if (compare !== undefined && without)
    throw new UsageError("--compare compares only what the file contains: leave out --without");
  const target = to === undefined ? null : await fileOf(to, "twin", "--to");
  const before = compare === undefined ? null : twinIn(compare, "--compare");
  // Someone may have written a file of that name by hand; do not overwrite it.
  const earlier = target && existsSync(target.path) ? twinIn(target.path, "--to") : null;
  const line = new LiveLine(terminal.stderr);
  let requests = 0;
  let isTold = false;
  const twin = await takeTwin(clientFor(terminal, values), {
    pages,
    names: before ? before.names : without === undefined,
    onProgress: (progress) => {
      ({ requests } = progress);
      if (!isTold)
        terminal.stderr.write(
          `This takes about ${progress.expected} requests, including the ${requests} that this estimate took.\n`,
        );
      isTold = true;
      line.show(`${requests} of about ${progress.expected} requests`);
    },
  }).catch(asUsage);
  line.clear();
  for (const [list, status] of Object.entries(twin.unread))
    terminal.stderr.write(`${list} could not be read: ${status}\n`);
  if (target) {
    const isSame = earlier !== null && formatTwin(earlier) === formatTwin({ ...twin, taken: earlier.taken });
    const bytes = new TextEncoder().encode(formatTwin(twin));
    if (!isSame) await writeWhole(target.path, bytes);
    const what = isSame ? "is unchanged" : `was written, ${size(bytes.length)}`;
    terminal.stderr.write(`${checkMark(terminal)}${to} ${what}: ${pluralize(requests, "request")}\n`);
  } else if (before) reportChanges(before, twin, String(compare), terminal);
}

function reportChanges(before: Twin, twin: Twin, file: string, terminal: Terminal): void {
  const changes = compareTwins(before, twin);
  terminal.stdout.write(changes.map(({ path, change }) => `${path}: ${change}\n`).join(""));
  if (changes.length === 0) terminal.stderr.write(`${checkMark(terminal)}Nothing changed since ${before.taken}\n`);
  else
    throw new Error(
      `${pluralize(changes.length, "change")} since ${before.taken}; to accept them, run twin --to ${file}`,
    );
}
