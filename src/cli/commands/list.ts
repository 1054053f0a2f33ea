import { type DescribeCommand, positiveNumber } from "../arguments.js";
import { type ListValues, listOf } from "../connection.js";
import { columnsOption, operationCommand, whereOptions } from "../operation-command.js";
import { LISTS } from "../operations.js";
import { columnsOf } from "../tell/list-columns.js";
import { pickPaths, tableOf } from "../tell/table.js";
import { jsonText, UsageError } from "../terminal.js";

const FIRST = 20;

interface Values extends ListValues {
  readonly limit?: number;
  readonly all?: true;
  readonly json?: true;
}

/** `education-admin-sdk list accounts --limit 10 --json` */
export const listCommand: DescribeCommand = /* @__PURE__ */ operationCommand<Values>({
  description: "Prints the first records of a list as a table, or as JSON.",
  choice: LISTS,
  options: (row, operation) =>
    whereOptions(row, operation)
      .option("--limit <number>", `maximum number of records to print (default: ${FIRST})`, positiveNumber)
      .option("--all", "print every record")
      .option("--json", "print a JSON array with all fields, or only with those that --columns names")
      .addOption(columnsOption(operation, "fields to print, nested ones with dots (default: the six most important)")),
  async run(asked, terminal) {
    const { stdout, stderr } = terminal;
    const { limit, all, json, columns } = asked.values;
    if (all && limit !== undefined) throw new UsageError("--all contradicts --limit; leave one out");
    // Reading one more record than shown reveals whether there are more.
    const max = all ? undefined : limit === undefined ? FIRST + 1 : limit;
    const { pages, tell } = await listOf(asked, terminal, {});
    const read = await pages.toArray({ max });
    const records = all ? read : read.slice(0, limit ?? FIRST);
    const shown = columns ? records.map((record) => pickPaths(record, columns)) : records;
    if (json) stdout.write(`${jsonText(shown)}\n`);
    else if (records.length === 0) stderr.write("no records\n");
    else stdout.write(tableOf(records, columns ?? columnsOf(asked.operation.id), stdout.columns));
    if (records.length < read.length) stderr.write(`${FIRST} shown; add --all to print the rest\n`);
    tell(records);
  },
});
