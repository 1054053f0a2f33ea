import { existsSync } from "node:fs";
import { optionsOf } from "../../core/option-checks.js";
import { SCHOOL, statusOf } from "../../schools/record.js";
import { STORE_OPTIONS } from "../../stores/options.js";
import type { SealedEntries } from "../../stores/sealing.js";
import { hasTokens, tokenEntries } from "../../stores/sqlite/tokens.js";
import { helpBelow, subcommand } from "../arguments.js";
import type { Command } from "../commander.js";
import { confirm } from "../question.js";
import { tableOf } from "../tell/table.js";
import { checkMark, jsonText, type Terminal, UsageError } from "../terminal.js";

interface Values {
  readonly in: string;
  readonly prefix?: string;
  readonly json?: true;
  readonly yes?: true;
}

const DESCRIPTION =
  "Lists and disconnects the schools of an application, as stored in the SQLite file of sqliteTokens. It needs neither the file's encryption key nor an API key, and shows no token.";

/** `education-admin-sdk schools list --in tokens.sqlite` */
export function schoolsCommand(group: Command, terminal: Terminal): void {
  group.description(DESCRIPTION);
  const list = subcommand(
    group,
    "list",
    "prints each school's address, state, connection date and last refresh",
  ).option("--json", "a JSON array");
  helpBelow(list, () => "Exit status: 1 if a school must be connected again, otherwise 0.");
  const forgets = "Forgets a school and its tokens. Running programs stop using it within a minute.";
  const disconnect = subcommand(group, "disconnect", "forgets a school and its tokens; asks first", forgets)
    .argument("<school>", "its address, as list prints it")
    .option("--yes", "do not ask");
  for (const command of [list, disconnect]) {
    command
      .requiredOption("--in <file>", "the SQLite file (required)")
      .option("--prefix <prefix>", "the prefix of its tables, if not education_admin_");
  }
  list.action((values: Values) => withEntries(values, (entries) => printSchools(terminal, values, entries)));
  disconnect.action((school: string, values: Values) =>
    withEntries(values, (entries) => disconnectSchool(terminal, values, entries, school)),
  );
}

async function printSchools(terminal: Terminal, { json }: Values, entries: SealedEntries): Promise<void> {
  const all = (await entries.list(SCHOOL)).map(statusOf);
  const { stdout, stderr } = terminal;
  if (json) stdout.write(`${jsonText(all)}\n`);
  else if (all.length === 0) stderr.write("No school is connected\n");
  else {
    const rows = all.map(({ school, state, connectedAt, refreshedAt }) => ({
      school,
      state,
      connected: timeOf(connectedAt),
      refreshed: refreshedAt && timeOf(refreshedAt),
    }));
    stdout.write(tableOf(rows, null, stdout.columns));
  }
  const lost = all.filter(({ state }) => state === "reconnect_needed").length;
  if (lost > 0)
    throw new Error(
      `${lost} of ${all.length} must be connected again: have someone from the school open the URL of authorizeUrl`,
    );
}

async function disconnectSchool(
  terminal: Terminal,
  { yes }: Values,
  entries: SealedEntries,
  school: string,
): Promise<void> {
  const key = SCHOOL + school.replace(/\/+$/, "");
  if (!(await entries.get(key))) throw new UsageError(`${school} is not connected`);
  if (!yes) {
    await confirm(terminal, {
      before: `${school} cannot be used again until it authorizes the application.\n`,
      question: "Disconnect it?",
      otherwise: "schools disconnect needs --yes if there is no terminal to ask on. Nothing was changed",
      refused: "Nothing was changed",
    });
  }
  // Retried because another process may be refreshing the school's tokens.
  for (;;) {
    const entry = await entries.get(key);
    if (!entry || (await entries.delete(key, entry.version))) break;
  }
  terminal.stderr.write(`${checkMark(terminal)}${school} is disconnected\n`);
}

async function withEntries(values: Values, work: (entries: SealedEntries) => Promise<void>): Promise<void> {
  const { in: file } = values;
  const { prefix } = optionsOf("--prefix", { prefix: values.prefix }, STORE_OPTIONS);
  if (!existsSync(file)) throw new UsageError(`--in: there is no file ${file}`);
  // Loaded only here, so that an older Node without node:sqlite can run every other command.
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(file);
  try {
    if (!holdsTokens(database, prefix)) throw new UsageError(`--in: ${file} has no tokens of schools`);
    await work(tokenEntries(database, prefix));
  } finally {
    database.close();
  }
}

function holdsTokens(database: Parameters<typeof hasTokens>[0], prefix: string): boolean {
  try {
    return hasTokens(database, prefix);
  } catch {
    // The file is not an SQLite database.
    return false;
  }
}

function timeOf(at: Date): string {
  return at.toISOString().replace(/\.\d+Z$/, "Z");
}
