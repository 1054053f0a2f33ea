import { CONNECTION_HELP, columns, parameterUsage, readArguments } from "./cli-arguments.js";
import { recordOf } from "./cli-connection.js";
import { RECORDS } from "./operations.js";
import type { Command } from "./terminal.js";

/** `education-admin-sdk get accounts 7` */
export const getCommand: Command = {
  async run(args, terminal) {
    const asked = readArguments("get", args, RECORDS, {}, (operation) => {
      const usage = operation ? `${args[0]}${parameterUsage(operation)}` : "<record> [<id> …]";
      terminal.stdout.write(`Usage: education-admin-sdk get ${usage} [options]

Prints one record as JSON.

${operation ? "" : `Records:\n${columns(RECORDS.names)}\n\n`}Options:
${CONNECTION_HELP}`);
    });
    if (!asked) return;
    const record = await recordOf(asked, terminal);
    terminal.stdout.write(`${JSON.stringify(record, null, 2)}\n`);
  },
};
