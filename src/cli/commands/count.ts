import type { DescribeCommand } from "../arguments.js";
import { type ListValues, listOf } from "../connection.js";
import { operationCommand, whereOptions } from "../operation-command.js";
import { LISTS } from "../operations.js";
import { jsonText } from "../terminal.js";

/** `education-admin-sdk count invoices --status open` */
export const countCommand: DescribeCommand = /* @__PURE__ */ operationCommand<ListValues & { readonly json?: true }>({
  description: "Prints how many records a list has. It takes one request; with --where it reads the whole list.",
  choice: LISTS,
  options: (row, operation) =>
    whereOptions(row, operation).option("--json", "print a JSON object that also says what the number leaves out"),
  async run(asked, terminal) {
    const list = await listOf(asked, terminal, {});
    const { pages } = list;
    let count = asked.values.where ? null : await pages.count();
    if (count === null) {
      count = 0;
      for await (const { records } of pages.byPage()) count += records.length;
    }
    const answer = { count, complete: true, ...list.facts() };
    terminal.stdout.write(asked.values.json ? `${jsonText(answer)}\n` : `${count}\n`);
    list.tell([]);
  },
});
