import type { DescribeCommand } from "./arguments.js";

/** A command whose code is loaded on first use. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  load(): Promise<DescribeCommand>;
}

const row = <Name extends string>(
  name: Name,
  summary: string,
  file: () => Promise<{ readonly [Export in `${Name}Command`]: DescribeCommand }>,
): CommandEntry => ({ name, summary, load: async () => (await file())[`${name}Command`] });

export const COMMANDS: readonly CommandEntry[] = [
  row("get", "print one record", () => import("./commands/get.js")),
  row("list", "print records of a list", () => import("./commands/list.js")),
  row("count", "print how many records a list has", () => import("./commands/count.js")),
  row("export", "write a whole list to a workbook, CSV or NDJSON", () => import("./commands/export.js")),
  row("create", "create one record; asks first", () => import("./commands/write.js")),
  row("update", "change fields of one record; asks first", () => import("./commands/write.js")),
  row("do", "carry out an action on one record; asks first", () => import("./commands/write.js")),
  row("bulk", "create and correct many records from a workbook or CSV", () => import("./commands/bulk.js")),
  row("enroll", "enroll people in a planned course, never twice; asks first", () => import("./commands/acts.js")),
  row("reschedule", "move a planned course with its meetings; asks first", () => import("./commands/acts.js")),
  row("credit", "credit an invoice, whole or in part; asks first", () => import("./commands/acts.js")),
  row("pay", "record a payment of an invoice, never twice; asks first", () => import("./commands/acts.js")),
  row("attendance", "mark who was at a meeting; asks first", () => import("./commands/acts.js")),
  row("mcp", "give an assistant tools that read the school's data", () => import("./commands/mcp.js")),
  row("mirror", "keep a copy of the service's lists in an SQLite file", () => import("./commands/mirror.js")),
  row(
    "erase",
    "take a person out of mirrors, plans, exports and inboxes; asks first",
    () => import("./commands/erase.js"),
  ),
  row("webhooks", "forward webhooks to a URL of yours, and try them out", () => import("./commands/webhooks.js")),
  row(
    "schools",
    "list and disconnect the schools that an application is connected to",
    () => import("./commands/schools.js"),
  ),
  row("types", "write TypeScript types of the school's own fields", () => import("./commands/types.js")),
  row("doctor", "compare the service with what this library relies on", () => import("./commands/doctor.js")),
  row(
    "twin",
    "write a file that lets the sandbox imitate your school, or print what has changed since",
    () => import("./commands/twin.js"),
  ),
  row(
    "sandbox",
    "serve an imitation of the service, for tests and for a first look",
    () => import("./commands/sandbox.js"),
  ),
  row(
    "completion",
    "print the script that completes commands in bash, zsh or fish",
    () => import("./commands/completion.js"),
  ),
];
