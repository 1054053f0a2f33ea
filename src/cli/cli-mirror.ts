import { parseArgs } from "node:util";
import type { Client } from "../clients/client.js";
import { sqlite } from "../mirror/databases/sqlite.js";
import { type Mirror, mirror, type SyncProgress } from "../mirror/mirror.js";
import { chosenPlans, plansOf } from "../mirror/plan.js";
import type { ListReport } from "../mirror/report.js";
import type { ListOf } from "../mirror/types.js";
import { CONNECTION_HELP, CONNECTION_OPTIONS, refuseSecrets } from "./cli-arguments.js";
import { clientOf, settingsOf } from "./cli-connection.js";
import { tableOf } from "./table.js";
import { type Command, type Terminal, UsageError } from "./terminal.js";

const HELP = `Usage: education-admin-sdk mirror --to <file> [options]

Keeps a copy of the service's lists in an SQLite file: reads all of them, and then again every 6 hours until it is
interrupted. What is there stays there: rows whose records are gone are marked (gone_at), and the views current_…
leave them out. A run that was interrupted goes on where it was.

Options:
  --to <file>              the SQLite file; created if there is none
  --resources <names>      the lists, separated by commas; flat: every list but those that take a request for each
                           record of another list, such as the payments of invoices     (default: every list)
  --share <share>          most of the request budget to use   (default: 0.2)
  --once                   end after one run; exit status 1 unless every list is complete
  --accept <names>         lists whose missing rows are marked although they are many, or only another key saw them
  --key-name <name>        a name for all keys that see the same, if the key changes from run to run
${CONNECTION_HELP}`;

/** `education-admin-sdk mirror --to school.sqlite` */
export const mirrorCommand: Command = {
  async run(args, terminal) {
    refuseSecrets(args);
    const values = valuesOf(args);
    if (values.help) {
      terminal.stdout.write(HELP);
      return;
    }
    if (!values.to) throw new UsageError("Where to? Name the file: --to school.sqlite");
    if (values.api !== undefined && values.api !== "main" && values.api !== "admin") {
      throw new UsageError("--api must be main or admin");
    }
    const client: Client = clientOf(values.api ?? "main", settingsOf(terminal, values["env-file"]));
    const share = values.share === undefined ? undefined : Number(values.share);
    // node:sqlite is young: a Node without it can run every other command.
    const { DatabaseSync } = await import("node:sqlite");
    const progress = new Progress(terminal);
    const resources = values.resources === "flat" ? "flat" : namesOf(values.resources);
    const copy = mirror(client, sqlite(new DatabaseSync(values.to)), {
      resources: resources as ListOf<Client>[] | "flat" | undefined,
      share,
      keyName: values["key-name"],
      onReport: (report) => progress.finished(report),
    }) as Mirror;
    const stop = new AbortController();
    const end = () => stop.abort(new Error("Interrupted: the next run goes on from here"));
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
    try {
      const accept = namesOf(values.accept) ?? [];
      // Lists below others may take days; whoever keeps the copy running leaves them to the time in which no list is due.
      const first = chosenPlans(plansOf(client), resources)
        .filter(({ name, parent }) => values.once || parent === null || accept.includes(name))
        .map(({ name }) => name);
      const { lists, complete } = await copy.sync({
        resources: first,
        accept,
        signal: stop.signal,
        onProgress: (at) => progress.page(at),
      });
      for (const report of lists) progress.finished(report);
      if (values.once) {
        if (!complete)
          throw new Error(
            `Not complete: ${lists
              .filter((list) => !list.complete)
              .map(({ list }) => list)
              .join(", ")}`,
          );
        return;
      }
      await copy.run({ signal: stop.signal });
    } finally {
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, end);
    }
  },
};

function valuesOf(args: readonly string[]): Values {
  const text = { type: "string" } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        to: text,
        resources: text,
        share: text,
        accept: text,
        "key-name": text,
        once: { type: "boolean" },
        ...CONNECTION_OPTIONS,
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

interface Values {
  readonly to?: string;
  readonly resources?: string;
  readonly share?: string;
  readonly accept?: string;
  readonly "key-name"?: string;
  readonly once?: boolean;
  readonly api?: string;
  readonly "env-file"?: string;
  readonly help?: boolean;
}

function namesOf(value: string | undefined): string[] | undefined {
  return value?.split(",").map((name) => name.trim());
}

/** What a list is up to, for people: a table that is written over on a terminal, a line per finished list elsewhere. */
class Progress {
  readonly #terminal: Terminal;
  readonly #rows = new Map<string, Readonly<Record<string, unknown>>>();
  #lines = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  page({ list, read, requests }: SyncProgress): void {
    this.#show({ list, read, requests, state: "reading" });
  }

  finished(report: ListReport): void {
    const { list, read, added, changed, gone, requests } = report;
    const row = { list, read, added, changed, gone, requests, state: stateOf(report) };
    if (!this.#terminal.stderr.isTTY) {
      this.#terminal.stderr.write(
        `${list}: ${row.state}; ${read} read, ${added} added, ${changed} changed, ${gone} gone, ${requests} requests\n`,
      );
      return;
    }
    this.#show(row);
  }

  #show(row: { readonly list: string; readonly [column: string]: unknown }): void {
    this.#rows.set(row.list, row);
    const { stderr } = this.#terminal;
    if (!stderr.isTTY) return;
    const names = ["list", "read", "added", "changed", "gone", "requests", "state"];
    const table = tableOf([...this.#rows.values()], names, stderr.columns ?? 80);
    // Up to the first line of the table before, and clear what is below.
    stderr.write(`${this.#lines > 0 ? `\u001b[${this.#lines}A\u001b[0J` : ""}${table}`);
    this.#lines = this.#rows.size + 1;
  }
}

function stateOf({ complete, held, error, pending }: ListReport): string {
  if (complete) return "complete";
  if (error) return error.message;
  if (held?.reason === "key") return `${held.missing} missing rows that only another key has seen`;
  if (held) return `nothing marked as gone (${held.reason}: ${held.missing} missing)`;
  return `${pending} missing rows wait for the next run`;
}
