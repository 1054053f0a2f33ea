import type { Conditions } from "../../work/conditions.js";
import type { DescribeCommand } from "../arguments.js";
import { listOf } from "../connection.js";
import { operationCommand, whereOption } from "../operation-command.js";
import { LISTS } from "../operations.js";

/** `education-admin-sdk count invoices --status open` */
export const countCommand: DescribeCommand = /* @__PURE__ */ operationCommand<{
  readonly where?: readonly Conditions[];
}>({
  description: "Prints how many records a list has. It takes one request; with --where it reads the whole list.",
  choice: LISTS,
  options: (row, operation) => row.addOption(whereOption(operation)),
  async run(asked, terminal) {
    const pages = listOf(asked, terminal, {});
    let count = asked.values.where ? null : await pages.count();
    if (count === null) {
      count = 0;
      for await (const { records } of pages.byPage()) count += records.length;
    }
    terminal.stdout.write(`${count}\n`);
  },
});
