import { type DescribeCommand, positiveNumber } from "./cli-arguments.js";
import { listOf } from "./cli-connection.js";
import { columnsOption, operationCommand } from "./cli-operations.js";
import { LISTS } from "./operations.js";
import { picked, tableOf } from "./table.js";

interface Values {
  readonly limit: number;
  readonly json?: true;
  readonly columns?: readonly string[];
}

/** `education-admin-sdk list accounts --limit 10 --json` */
export const listCommand: DescribeCommand = /* @__PURE__ */ operationCommand<Values>({
  description: "Prints the first records of a list as a table, or as JSON.",
  choice: LISTS,
  options: (row, operation) =>
    row
      .option("--limit <number>", "most records to print", positiveNumber, 20)
      .option("--json", "a JSON array with all fields, or with those of --columns")
      .addOption(columnsOption(operation, "fields to print, nested ones with dots (default: the first plain fields)")),
  async run(asked, terminal) {
    const { stdout, stderr } = terminal;
    const { limit, json, columns = null } = asked.values;
    const records = await listOf(asked, terminal, {}).toArray({ max: limit });
    const shown = columns ? records.map((record) => picked(record, columns)) : records;
    if (json) stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
    else if (records.length === 0) stderr.write("no records\n");
    else stdout.write(tableOf(records, columns, stdout.columns ?? Number.POSITIVE_INFINITY));
  },
});
