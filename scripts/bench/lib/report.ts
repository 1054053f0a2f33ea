import { mkdir, readFile, writeFile } from "node:fs/promises";
import { draw } from "./chart.ts";
import { describeMachine } from "./machine.ts";
import type { Measure, Result, Table } from "./measure.ts";
import { CHARTS, DOCUMENT } from "./paths.ts";

/** Writes a measure's charts and tables between its markers in docs/performance.md. */
export async function report(measure: Measure, result: Result): Promise<void> {
  const goals: Table = {
    head: ["goal", "reached", ""],
    rows: result.goals.map(({ goal, reached, met }) => [goal, reached, met ? "met" : "**not met**"]),
  };
  const parts = [
    ...(await drawCharts(measure, result.tables)),
    ...result.tables.map(markdown),
    ...(result.goals.length > 0 ? [markdown(goals)] : []),
    `${result.how} ${await describeMachine()}`,
  ];
  await replaceBlock(measure.name, parts.join("\n\n"));
}

/** Writes the chart files and returns the lines that show them. */
async function drawCharts({ name, charts = [] }: Measure, tables: readonly Table[]): Promise<string[]> {
  await mkdir(CHARTS, { recursive: true });
  const images = charts.map(async (chart, index) => {
    const file = `${name}${charts.length > 1 ? `-${index + 1}` : ""}.svg`;
    const table = tables[chart.table];
    if (!table) throw new Error(`${name} has no table ${chart.table} to draw`);
    await writeFile(`${CHARTS}/${file}`, draw(chart, table));
    return `![${chart.title}](charts/${file})`;
  });
  return Promise.all(images);
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
