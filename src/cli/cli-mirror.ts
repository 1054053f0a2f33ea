import type { DatabaseSync } from "node:sqlite";
import type { ParseArgsOptionsConfig } from "node:util";
import type { Client } from "../clients/client.js";
import { sqlite } from "../mirror/databases/sqlite.js";
import { type Mirror, mirror } from "../mirror/mirror.js";
import { DEFAULT_SHARE } from "../mirror/options.js";
import { chosenPlans, plansOf } from "../mirror/plan.js";
import type { ListOf } from "../mirror/types.js";
import { CONNECTION_HELP, CONNECTION_OPTIONS, parsedOptions, refuseSecrets } from "./cli-arguments.js";
import { clientOf, settingsOf } from "./cli-connection.js";
import { MirrorProgress } from "./mirror-progress.js";
import { type Command, UsageError } from "./terminal.js";

const OPTIONS = {
  to: { type: "string" },
  resources: { type: "string" },
  share: { type: "string" },
  accept: { type: "string" },
  "key-name": { type: "string" },
  once: { type: "boolean" },
  ...CONNECTION_OPTIONS,
} as const satisfies ParseArgsOptionsConfig;

/** How often a program that reads the errors gets a line. */
const TICK_MS = 60_000;

const HELP = `Usage: education-admin-sdk mirror --to <file> [options]

Keeps a copy of the service's lists in an SQLite file: reads all of them, and then again every 6 hours until it is
interrupted. What is there stays there: rows whose records are gone are marked (gone_at), and the views current_…
leave them out. A run that was interrupted goes on where it was.

Options:
  --to <file>              the SQLite file; created if there is none
  --resources <names>      the lists, separated by commas; flat: every list but those that take a request for each
                           record of another list, such as the payments of invoices     (default: every list)
  --share <share>          most of the request budget to use   (default: ${DEFAULT_SHARE})
  --once                   end after one run; exit status 1 unless every list is complete. Without it, Ctrl-C ends the
                           command with exit status 0
  --accept <names>         lists whose missing rows are marked although they are many, the list is empty, or only
                           another key saw them
  --key-name <name>        a name for all keys that see the same, if the key changes from run to run
${CONNECTION_HELP}`;

/** `education-admin-sdk mirror --to school.sqlite` */
export const mirrorCommand: Command = {
  async run(args, terminal) {
    refuseSecrets(args);
    const values = parsedOptions("mirror", args, OPTIONS);
    if (values.help) {
      terminal.stdout.write(HELP);
      return;
    }
    if (!values.to) throw new UsageError("Where to? Name the file: --to school.sqlite");
    if (/^(file:)?:memory:|[?&]mode=memory/.test(values.to)) {
      throw new UsageError(`--to: ${values.to} would keep nothing after the command; name a file: --to school.sqlite`);
    }
    if (values.api !== undefined && values.api !== "main" && values.api !== "admin") {
      throw new UsageError("--api must be main or admin");
    }
    const share = values.share === undefined ? DEFAULT_SHARE : Number(values.share);
    const accept = namesOf(values.accept) ?? [];
    const resources = values.resources === "flat" ? "flat" : namesOf(values.resources);
    const progress = new MirrorProgress(terminal.stderr);
    const client: Client = clientOf(values.api ?? "main", settingsOf(terminal, values["env-file"]), ({ until, why }) =>
      progress.wait(why, until),
    );
    // Lists below others may take days; whoever keeps the copy running leaves them to the time in which no list is due.
    const first = chosenPlans(plansOf(client), resources as ListOf<Client>[] | "flat" | undefined)
      .filter(({ name, parent }) => values.once || parent === null || accept.includes(name))
      .map(({ name }) => name);
    progress.begin(first.length);
    const database = await opened(values.to);
    const copy = mirror(client, sqlite(database), {
      resources: resources as ListOf<Client>[] | "flat" | undefined,
      share,
      keyName: values["key-name"],
      onReport: (report) => progress.finished(report),
      onWait: (until) => progress.wait(`the request budget (share ${share}) is used up`, until),
    }) as Mirror;
    const stop = new AbortController();
    const end = () => stop.abort(new Error("Interrupted: the next run goes on from here"));
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
    terminal.stop?.addEventListener("abort", end, { once: true });
    const ticking = setInterval(() => progress.tick(), TICK_MS);
    try {
      const incomplete: string[] = [];
      // One after another, as one run would read them, to tell of each when it is done.
      for (const name of first) {
        const { lists } = await copy.sync({
          resources: [name],
          accept,
          signal: stop.signal,
          onProgress: (at) => progress.page(at),
        });
        for (const report of lists) {
          progress.finished(report);
          if (!report.complete) incomplete.push(report.list);
        }
      }
      if (!values.once) await copy.run({ signal: stop.signal });
      if (incomplete.length > 0) throw new Error(`Not complete: ${incomplete.join(", ")}`);
    } catch (error) {
      if (isDatabaseError(error)) throw new Error(`--to: ${values.to}: ${error.message}`, { cause: error });
      // To be interrupted is how a command ends that would go on for ever.
      if (!stop.signal.aborted || values.once) throw error;
      progress.clear();
      terminal.stderr.write("Stopped: the next run goes on from here\n");
    } finally {
      clearInterval(ticking);
      progress.clear();
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, end);
    }
  },
};

// Results of SQLite that say that no copy can be kept in this file: not permitted, read-only, cannot be opened, no database.
const WRONG_FILE = new Set([3, 8, 14, 26]);
const BUSY_TIMEOUT_MS = 5_000;

// node:sqlite is young: a Node without it can run every other command.
async function opened(file: string): Promise<DatabaseSync> {
  const { DatabaseSync } = await import("node:sqlite");
  try {
    const database = new DatabaseSync(file);
    // SQLite looks at a file when it first uses it.
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; BEGIN IMMEDIATE; ROLLBACK`);
    return database;
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    const message = `--to: ${file}: ${error.message}`;
    const { errcode = 0 } = error as Error & { readonly errcode?: number };
    // The lower byte: what stands above it says more exactly why.
    throw WRONG_FILE.has(errcode & 0xff) ? new UsageError(message) : new Error(message, { cause: error });
  }
}

function isDatabaseError(error: unknown): error is Error {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === "ERR_SQLITE_ERROR";
}

function namesOf(value: string | undefined): string[] | undefined {
  return value?.split(",").map((name) => name.trim());
}
