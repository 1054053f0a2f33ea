import { readFile, writeFile } from "node:fs/promises";
import { describeMachine } from "./machine.ts";
import type { Measure, Result, Table } from "./measure.ts";
import { DOCUMENT } from "./paths.ts";

/** Writes a measure's tables between its markers in docs/performance.md. */
export async function report(measure: Measure, result: Result): Promise<void> {
  const goals: Table = {
    head: ["goal", "reached", ""],
    rows: result.goals.map(({ goal, reached, met }) => [goal, reached, met ? "met" : "**not met**"]),
  };
  const parts = [
    ...result.tables.map(markdown),
    ...(result.goals.length > 0 ? [markdown(goals)] : []),
    `${result.how} ${await describeMachine()}`,
  ];
  await replaceBlock(measure.name, parts.join("\n\n"));
}

async function replaceBlock(name: string, text: string): Promise<void> {
  const [start, end] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`];
  const document = await readFile(DOCUMENT, "utf8");
  const [from, to] = [document.indexOf(start), document.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/performance.md does not contain the block ${start} … ${end}`);
  await writeFile(DOCUMENT, `${document.slice(0, from + start.length)}\n\n${text}\n\n${document.slice(to)}`);
}

/** Formats a table as Markdown; all columns but the first are numbers and aligned right. */
function markdown({ head, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, column) => (column === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n");
}

export function print(name: string, { tables, goals }: Result): void {
  console.log(`\n== ${name} ==`);
  for (const { head, rows } of tables) {
    const widths = head.map((cell, column) => Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)));
    for (const row of [head, ...rows]) {
      console.log(
        row
          .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
          .join("  "),
      );
    }
    console.log();
  }
  for (const { goal, reached, met } of goals) console.log(`${met ? "met    " : "NOT MET"}  ${goal}: ${reached}`);
}
