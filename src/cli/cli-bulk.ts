import { apply, plan, readCsv, undo } from "../bulk/node.js";
import { reasonOf } from "../bulk/node-report.js";
import { readState, rowsOf } from "../bulk/node-state.js";
import type { BulkProgress, BulkRow, PlanOptions, PlanSummary } from "../bulk/types.js";
import type { Client } from "../clients/client.js";
import { didYouMean } from "../core/option-checks.js";
import { Resource } from "../core/resource.js";
import { csvRow } from "../export/csv.js";
import { type Connection, connection, helpBelow, names } from "./cli-arguments.js";
import { type Command, InvalidArgumentError, Option } from "./cli-commander.js";
import { clientFor } from "./cli-connection.js";
import { interruptible } from "./cli-interrupt.js";
import { ask } from "./cli-question.js";
import { counted } from "./counted.js";
import { kebab } from "./operations.js";
import { LiveLine, minuteOf } from "./progress-line.js";
import { plainText } from "./table.js";
import { type Terminal, UsageError } from "./terminal.js";
import { isNoticeable, type Wait, waitLines } from "./wait-lines.js";

interface Values extends Connection {
  readonly to: string;
  readonly key: readonly string[];
  readonly column?: Readonly<Record<string, string>>;
  readonly find?: Readonly<Record<string, string>>;
  readonly clear?: readonly string[];
  readonly param?: Readonly<Record<string, string>>;
  readonly do?: string;
  readonly create: boolean;
  readonly update: boolean;
  readonly only?: readonly string[];
  readonly csv?: true;
  readonly confirm?: string;
  readonly share?: number;
  readonly irreversible?: true;
  readonly creates?: "delete";
}

const DESCRIPTION =
  "Writes many records: plan compares the rows with the service and sends only reads, apply carries the plan out and continues it after any interruption. A plan holds the values of its rows; it is readable for you only.";

const STATUS_HELP =
  "Exit status: 0 when every row is as wanted (plan: when no row is refused); 1 when a row is refused, stale, failed, unknown or doubled; 2 when nothing was sent.";

/** `education-admin-sdk bulk plan users students.csv --key email --to students.plan` */
export function bulkCommand(group: Command, terminal: Terminal): void {
  helpBelow(group.usage("<command> [options]").description(DESCRIPTION), () => STATUS_HELP);
  const row = (name: string, summary: string) =>
    group
      .command(name)
      .summary(summary)
      .description(`${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}.`);
  const plan = row("plan", "compares the rows of a file with the service, and sends only reads")
    .argument("<resource>", "users, accounts, …")
    .argument("<rows.csv>", "the file, with a header")
    .requiredOption("--to <file>", "the file of the plan (required)")
    .requiredOption("--key <field,…>", "the field or fields by which a row finds its record, or id (required)", names)
    .option(
      "--column <field=name>",
      "the column of a field; can be repeated. Without it columns are named as fields",
      pair,
    )
    .option(
      "--find <field=field>",
      "the column holds another field of the records that the field refers to: label_ids=name",
      pair,
    )
    .option(
      "--clear <field,…>",
      "fields that an empty cell clears; elsewhere an empty cell leaves the field alone",
      names,
    )
    .option("--param <name=value>", "path parameters: object_slug=equipment", pair)
    .option("--do <action>", "carry out an action instead: approve")
    .option("--no-create", "refuse rows without a record")
    .option("--no-update", "leave records as they are");
  connection(plan).action((resource: string, file: string, values: Values) =>
    planned(terminal, values, resource, file),
  );
  row("show", "prints the rows of a plan, before, during and after apply")
    .argument("<plan>", "the file of the plan")
    .option(
      "--only <what,…>",
      "rows that would be, or are: create, update, delete, leave, refuse, created, stale, failed, …",
      names,
    )
    .option("--csv", "as CSV")
    .action((plan: string, values: Values) => shown(terminal, values, plan));
  const apply = row("apply", "carries a plan out, and continues it after any interruption")
    .argument("<plan>", "the file of the plan")
    .option(
      "--confirm <digest>",
      "the digest that plan and show print; without it a terminal asks, and a program ends with 2",
    )
    .option("--share <share>", "the largest share of the request budget to use, above 0 to 1 (default: 0.5)", Number)
    .option("--irreversible", "needed for actions");
  helpBelow(apply, () => STATUS_HELP);
  connection(apply).action((plan: string, values: Values) => applied(terminal, values, plan));
  row("undo", "writes the plan that undoes another, as far as it was applied")
    .argument("<plan>", "the file of the plan")
    .requiredOption("--to <file>", "the file of the new plan (required)")
    .addOption(
      new Option(
        "--creates <what>",
        "also delete the records that were created, where the service deletes them",
      ).choices(["delete"]),
    )
    .action((plan: string, values: Values) => undone(terminal, values, plan));
}

async function planned(terminal: Terminal, values: Values, name: string, file: string): Promise<void> {
  const client = clientFor(terminal, values, { onWait: () => undefined });
  const resource = resourceOf(client, name);
  const options = {
    to: values.to,
    key: values.key,
    ...(values.column && { columns: { ...Object.fromEntries(values.key.map((key) => [key, key])), ...values.column } }),
    find: values.find,
    clear: values.clear,
    params: values.param,
    do: values.do,
    create: values.create,
    update: values.update,
  };
  const line = new LiveLine(terminal.stderr);
  const onProgress = ({ rows }: BulkProgress) => line.show(`${counted(rows, "row")} planned`);
  const summary = await plan(resource, readCsv(file), { ...options, onProgress } as unknown as PlanOptions<Resource>);
  line.clear();
  terminal.stdout.write(summaryOf(summary, values.to));
  if (summary.refuse > 0)
    throw new Error(`${counted(summary.refuse, "row")} refused; bulk show ${values.to} --only refuse`);
}

// By the name that programs have for it, or as other commands spell it: planned-courses.
function resourceOf(client: Client, name: string): Resource {
  const all = Object.entries(client).filter((entry): entry is [string, Resource] => entry[1] instanceof Resource);
  const [, found] = all.find(([known]) => kebab(known) === kebab(name)) ?? [];
  if (found) return found;
  const names = all.map(([known]) => kebab(known));
  throw new UsageError(`This API has no "${name}"${didYouMean(kebab(name), names)}`);
}

async function shown(terminal: Terminal, values: Values, name: string): Promise<void> {
  const { only } = values;
  if (values.csv) terminal.stdout.write(csvRow(["_row", "_do", "_outcome", "_id", "_changes", "_reason"], {}));
  for await (const row of rowsOf(name)) {
    if (only && !only.includes(row.do) && !only.includes(String(row.outcome))) continue;
    const cells = [row.row, row.do, row.outcome, row.id, changesOf(row), reasonOf(row)].map(plainText);
    terminal.stdout.write(values.csv ? csvRow(cells, {}) : `${cells.filter((cell) => cell !== "").join("  ")}\n`);
  }
  if (values.csv) return;
  terminal.stdout.write(summaryOf((await readState(name)).end as unknown as PlanSummary, name));
}

function changesOf({ send, before }: BulkRow): string {
  const parts = Object.entries(send).map(([path, value]) => {
    const now = JSON.stringify(value);
    return path in before ? `${path}: ${JSON.stringify(before[path])} -> ${now}` : `${path}: ${now}`;
  });
  return parts.join(", ");
}

async function applied(terminal: Terminal, values: Values, name: string): Promise<void> {
  const { end } = await readState(name);
  const confirm = values.confirm ?? (await asked(terminal, end as unknown as PlanSummary, name));
  const client = clientFor(terminal, values, { onWait: () => undefined, readOnly: false });
  const line = new LiveLine(terminal.stderr);
  const waits = waitLines(terminal.stderr);
  const report = await interruptible(terminal, `Interrupted: bulk apply ${name} goes on from here`, async (signal) => {
    try {
      return await apply(client, name, {
        confirm,
        share: values.share,
        irreversible: values.irreversible,
        signal,
        onProgress: (progress) => {
          line.show(progressOf(progress));
          if (!terminal.stderr.isTTY) tellWait(progress, waits);
        },
      });
    } finally {
      line.clear();
    }
  });
  const { requests, differing, complete, ...outcomes } = report;
  const counts = Object.entries(outcomes).filter(([, count]) => count > 0);
  terminal.stdout.write(
    `${counts.map(([outcome, count]) => `${count} ${outcome}`).join(", ") || "no rows"}; ${counted(requests, "request")}\n`,
  );
  if (differing > 0) terminal.stderr.write(`${counted(differing, "row")} stored otherwise than sent\n`);
  if (!complete) throw new Error(`Not every row is as wanted; bulk show ${name}`);
}

// A plan is not carried out by whoever runs a command that was typed for another one.
async function asked(terminal: Terminal, summary: PlanSummary, name: string): Promise<string> {
  const answer = await ask(terminal, {
    before: summaryOf(summary, name),
    question: "Carry it out? Type yes: ",
    otherwise: `bulk apply needs --confirm <digest>: the one that bulk show ${name} prints`,
  });
  if (answer !== "yes") throw new UsageError("Nothing was sent");
  return summary.digest;
}

async function undone(terminal: Terminal, values: Values, name: string): Promise<void> {
  terminal.stdout.write(summaryOf(await undo(name, { to: values.to, creates: values.creates }), values.to));
}

function pair(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("must be a name and a value: email=E-mail");
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

function summaryOf(
  { create, update, delete: gone = 0, leave, refuse, requests, minutes, digest }: PlanSummary,
  name: string,
): string {
  const sent = create + update + gone;
  if (sent + leave === 0 && refuse > 0) return `${counted(refuse, "row")} refused; nothing to send\n`;
  const counts = { create, update, delete: gone, leave, refuse };
  const parts = Object.entries(counts).flatMap(([what, count]) => (count > 0 ? `${count} ${what}` : []));
  const costs = `${counted(requests, "request")}, about ${counted(Math.ceil(minutes), "minute")}`;
  return `${parts.join(", ") || "no rows"}; ${sent > 0 ? costs : "nothing to send"}\nTo apply it: npx education-admin-sdk bulk apply ${name} --confirm ${digest}\n`;
}

function tellWait({ waitingUntil: until }: BulkProgress, tell: (wait: Wait) => void): void {
  const why = "its share of the rate limit is used up, or it will look for creates whose responses were lost";
  if (until !== null && isNoticeable({ until, why })) tell({ until, why });
}

function progressOf({ rows, total, waitingUntil, endsAt }: BulkProgress): string {
  const waiting = waitingUntil ? `, waiting until ${minuteOf(waitingUntil)}` : "";
  return `${rows} of ${counted(total ?? 0, "row")}${waiting}${endsAt ? `, ends about ${minuteOf(endsAt)}` : ""}`;
}
