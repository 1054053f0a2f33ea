import type { DescribeCommand } from "./arguments.js";

/** A command as the list of commands shows it. Its code is loaded only when it is asked for. */
export interface CommandEntry {
  readonly name: string;
  /** What it does, in a few words. */
  readonly summary: string;
  load(): Promise<DescribeCommand>;
}

/** Every command, in the order of the help text. */
export const COMMANDS: readonly CommandEntry[] = [
  { name: "get", summary: "print one record", load: async () => (await import("./commands/get.js")).getCommand },
  {
    name: "list",
    summary: "print records of a list",
    load: async () => (await import("./commands/list.js")).listCommand,
  },
  {
    name: "count",
    summary: "print how many records a list has",
    load: async () => (await import("./commands/count.js")).countCommand,
  },
  {
    name: "export",
    summary: "write a whole list to a file, as CSV or NDJSON",
    load: async () => (await import("./commands/export.js")).exportCommand,
  },
  {
    name: "create",
    summary: "create one record; asks first",
    load: async () => (await import("./commands/write.js")).createCommand,
  },
  {
    name: "update",
    summary: "change fields of one record; asks first",
    load: async () => (await import("./commands/write.js")).updateCommand,
  },
  {
    name: "do",
    summary: "carry out an action on one record; asks first",
    load: async () => (await import("./commands/write.js")).doCommand,
  },
  {
    name: "bulk",
    summary: "create and correct many records from a CSV file",
    load: async () => (await import("./commands/bulk.js")).bulkCommand,
  },
  {
    name: "mcp",
    summary: "give an assistant tools that read the school",
    load: async () => (await import("./commands/mcp.js")).mcpCommand,
  },
  {
    name: "mirror",
    summary: "keep a copy of the service's lists in an SQLite file",
    load: async () => (await import("./commands/mirror.js")).mirrorCommand,
  },
  {
    name: "webhooks",
    summary: "forward, repeat and try out webhooks at an address of this machine",
    load: async () => (await import("./commands/webhooks.js")).webhooksCommand,
  },
  {
    name: "schools",
    summary: "list and disconnect the schools that an application is connected to",
    load: async () => (await import("./commands/schools.js")).schoolsCommand,
  },
  {
    name: "types",
    summary: "write the types of the school's own fields",
    load: async () => (await import("./commands/types.js")).typesCommand,
  },
  {
    name: "doctor",
    summary: "compare the service with what this library relies on",
    load: async () => (await import("./commands/doctor.js")).doctorCommand,
  },
  {
    name: "twin",
    summary: "write a file from which the sandbox imitates your school, and compare it later",
    load: async () => (await import("./commands/twin.js")).twinCommand,
  },
  {
    name: "sandbox",
    summary: "serve the service from memory, for tests and for a first look",
    load: async () => (await import("./commands/sandbox.js")).sandboxCommand,
  },
  {
    name: "completion",
    summary: "print the script that completes commands in bash, zsh or fish",
    load: async () => (await import("./commands/completion.js")).completionCommand,
  },
];
