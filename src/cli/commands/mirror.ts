import type { DatabaseSync } from "node:sqlite";
import type { Client } from "../../clients/client.js";
import { optionsOf } from "../../core/option-checks.js";
import { POSTGRES_OPTIONS } from "../../mirror/databases/names.js";
import { sqlite } from "../../mirror/databases/sqlite.js";
import { type Mirror, mirror } from "../../mirror/mirror.js";
import { DEFAULT_SHARE } from "../../mirror/options.js";
import { plansOf, selectPlans } from "../../mirror/plan.js";
import { ddlOf } from "../../mirror/schema.js";
import type { ListOf } from "../../mirror/types.js";
import { postgresDialect } from "../../sql/postgres-dialect.js";
import { sqliteDialect } from "../../sql/sqlite-dialect.js";
import { machineFiles } from "../../work/place/node-files.js";
import { type Connection, connection, resourceNames } from "../arguments.js";
import { type Command, Option } from "../commander.js";
import { clientFor, offlineClient } from "../connection.js";
import { fileOf } from "../files.js";
import { interruption } from "../interrupt.js";
import { MirrorProgress } from "../tell/mirror-progress.js";
import { type Terminal, UsageError } from "../terminal.js";

interface Values extends Connection {
  readonly to?: string;
  readonly resources?: readonly string[];
  readonly share: number;
  readonly once?: true;
  readonly accept: readonly string[];
  readonly keyName?: string;
  readonly prefix?: string;
  readonly ddl?: "postgres" | "sqlite";
  readonly schema?: string;
}

/** Interval between progress lines when the output is not a terminal. */
const TICK_MS = 60_000;
const EVERY_HOURS = 6;

const DESCRIPTION = `Keeps a copy of the service's lists in an SQLite file: reads all of them, and reads them again every ${EVERY_HOURS} hours until it is interrupted. The mirror deletes no row. It marks rows whose records are gone (gone_at), and the views current_… leave them out. After an interruption, the next run continues where the last one stopped.`;

/** `education-admin-sdk mirror --to school.sqlite` */
export function mirrorCommand(command: Command, terminal: Terminal): void {
  command
    .description(DESCRIPTION)
    .option("--to <file>", "the SQLite file, created if it does not exist (required, except with --ddl)")
    .option(
      "--resources <names>",
      "the lists, separated by commas, or flat for every list except those that take a request for each record of another list, such as the payments of invoices (default: every list)",
      resourceNames,
    )
    .option(
      "--share <share>",
      "the largest share of the request budget to use: more than 0, at most 1",
      Number,
      DEFAULT_SHARE,
    )
    .option(
      "--once",
      "end after one run; exit status 1 unless every list is complete. Without it, Ctrl-C ends the command with exit status 0",
    )
    .addOption(
      new Option(
        "--accept <names>",
        "mark missing rows of these lists as gone even if there are many, the list is empty, or only another key has read them",
      )
        .argParser(resourceNames)
        .default([], "none"),
    )
    .option("--key-name <name>", "a name for all keys that see the same records, if the key changes from run to run")
    .option("--prefix <prefix>", "prefix for all tables and views, such as school_, if the file has other tables")
    .addOption(
      new Option(
        "--ddl <database>",
        "print the statements that create the tables in a database, and end. Needs no key",
      ).choices(["sqlite", "postgres"]),
    )
    .option("--schema <schema>", "with --ddl postgres: the schema of the tables");
  connection(command).action((values: Values) => run(values, terminal));
}

async function run(values: Values, terminal: Terminal): Promise<void> {
  const [first] = values.resources ?? [];
  const resources = (first === "flat" ? first : values.resources) as ListOf<Client>[] | "flat" | undefined;
  if (values.ddl !== undefined) {
    terminal.stdout.write(statements(values, resources));
    return;
  }
  if (values.schema !== undefined) throw new UsageError("--schema needs --ddl postgres: SQLite has no schemas");
  if (!values.to) throw new UsageError("Name the file to write: --to school.sqlite");
  if (/^(file:)?:memory:|[?&]mode=memory/.test(values.to)) {
    throw new UsageError(`--to: ${values.to} would keep nothing after the command; name a file: --to school.sqlite`);
  }
  const { share, accept } = values;
  const progress = new MirrorProgress(terminal.stderr);
  const client: Client = clientFor(terminal, values, { onWait: (wait) => progress.wait(wait) });
  // Lists that belong to other records can take days to read: without --once or --accept, they are left out here and
  // read when no other list is due.
  const lists = selectPlans(plansOf(client), resources)
    .filter(({ name, parent }) => values.once || parent === null || accept.includes(name))
    .map(({ name }) => name);
  progress.begin(lists.length);
  const database = await openDatabase(values.to);
  const copy = mirror(client, sqlite(database, { prefix: values.prefix }), {
    resources,
    share,
    keyName: values.keyName,
    every: { default: `${EVERY_HOURS}h` },
    onReport: (report) => {
      progress.finish(report);
      void tellNext();
    },
    onRepair: (report) => progress.reportRepair(report),
    onWait: (until) => progress.wait({ until, why: `the request budget (share ${share}) is used up` }),
  }) as Mirror;
  const tellNext = async () => {
    const ages = await Promise.all(lists.map((name) => copy.freshness(name))).catch(() => []);
    const next = Math.min(...ages.map(({ asOf }) => (asOf?.getTime() ?? 0) + EVERY_HOURS * 3_600_000));
    if (ages.length > 0 && next > Date.now() && !signal.aborted) progress.idle(new Date(next));
  };
  const { signal, release } = interruption(terminal, "Interrupted: the next run resumes from here");
  const ticking = setInterval(() => progress.tick(), TICK_MS);
  try {
    const incomplete: string[] = [];
    // Syncs one list after another, in the order of a normal run, to report each when it is done.
    for (const name of lists) {
      const report = await copy.sync({
        resources: [name],
        accept,
        signal,
        onProgress: (at) => {
          if (at.waitingUntil === null) progress.page(at);
        },
      });
      for (const list of report.lists) {
        progress.finish(list);
        if (!list.complete) incomplete.push(list.list);
      }
    }
    if (!values.once) {
      void tellNext();
      await copy.run({ signal });
    }
    if (incomplete.length > 0)
      throw new Error(`Not complete: ${incomplete.join(", ")}. The next run resumes from here`);
  } catch (error) {
    if (isDatabaseError(error))
      throw new Error(`--to: ${values.to}: ${error.message}. The next run resumes from here`, { cause: error });
    // An interrupt is the normal end of a command that runs forever.
    if (!signal.aborted || values.once) throw error;
    progress.clear();
    terminal.stderr.write("Stopped: the next run resumes from here\n");
  } finally {
    clearInterval(ticking);
    progress.clear();
    release();
  }
}

function statements({ ddl, prefix, schema, api }: Values, resources: ListOf<Client>[] | "flat" | undefined): string {
  if (ddl === "sqlite" && schema !== undefined) throw new UsageError("--schema needs --ddl postgres");
  const names = optionsOf("Mirror", { prefix, schema }, POSTGRES_OPTIONS);
  const dialect = ddl === "sqlite" ? sqliteDialect(names) : postgresDialect(names);
  return `${ddlOf(dialect, selectPlans(plansOf(offlineClient(api)), resources)).join("\n")}\n`;
}

// SQLite error codes for a file that cannot hold a mirror: no permission, read-only, cannot be opened, not a database.
const WRONG_FILE = new Set([3, 8, 14, 26]);
const BUSY_TIMEOUT_MS = 5_000;

// Loaded only here, so that an older Node without node:sqlite can run every other command.
async function openDatabase(file: string): Promise<DatabaseSync> {
  const { DatabaseSync } = await import("node:sqlite");
  if (!file.startsWith("file:")) {
    const { path, mode } = await fileOf(file, null, "--to");
    // Only the owner may read the school's data; SQLite gives its side files the same permissions.
    const made = mode === null ? machineFiles.create(path, 0o600) : null;
    // If this fails, SQLite reports the problem with a better error message.
    await made?.then((empty) => empty.close()).catch(() => undefined);
  }
  try {
    const database = new DatabaseSync(file);
    // SQLite checks a file only on first use, so run a statement here.
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; BEGIN IMMEDIATE; ROLLBACK`);
    return database;
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    const message = `--to: ${file}: ${error.message}`;
    const { errcode = 0 } = error as Error & { readonly errcode?: number };
    // The lower byte is the error code; the higher bytes refine it.
    throw WRONG_FILE.has(errcode & 0xff) ? new UsageError(message) : new Error(message, { cause: error });
  }
}

function isDatabaseError(error: unknown): error is Error {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === "ERR_SQLITE_ERROR";
}
