import type { ParseArgsOptionsConfig } from "node:util";
import type { Operation } from "../core/operation.js";
import {
  CONNECTION_HELP,
  columnPaths,
  columns,
  filterHelp,
  parameterUsage,
  positiveNumber,
  readArguments,
} from "./cli-arguments.js";
import { listOf } from "./cli-connection.js";
import { LISTS } from "./operations.js";
import { tableOf } from "./table.js";
import type { Command } from "./terminal.js";

const OPTIONS = {
  limit: { type: "string", default: "20" },
  json: { type: "boolean", default: false },
  columns: { type: "string" },
} as const satisfies ParseArgsOptionsConfig;

/** `education-admin-sdk list accounts --limit 10 --json` */
export const listCommand: Command = {
  async run(args, terminal) {
    const asked = readArguments("list", args, LISTS, OPTIONS, (operation) =>
      terminal.stdout.write(help(args[0], operation)),
    );
    if (!asked) return;
    const { limit, json } = asked.values;
    const max = positiveNumber("limit", limit);
    const shown = columnPaths(asked);
    const records = await listOf(asked, terminal, {}).toArray({ max });
    if (json) terminal.stdout.write(`${JSON.stringify(records, null, 2)}\n`);
    else if (records.length === 0) terminal.stderr.write("no records\n");
    else {
      const { columns: width } = terminal.stdout;
      terminal.stdout.write(tableOf(records, shown, width ?? Number.POSITIVE_INFINITY));
    }
  },
};

function help(name: string | undefined, operation: Operation | null): string {
  return `Usage: education-admin-sdk list ${operation ? `${name}${parameterUsage(operation)}` : "<list>"} [options]

Prints the first records of a list as a table, or as JSON.

${operation ? filterHelp(operation) : `Lists:\n${columns(LISTS.names)}\n\n`}Options:
  --limit <number>         most records to print       (default: 20)
  --json                   a JSON array with all fields
  --columns <a,b.c>        columns of the table        (default: the first plain fields)
${CONNECTION_HELP}`;
}
