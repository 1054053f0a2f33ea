import type { Chart, Table } from "./measure.ts";

const WIDTH = 760;
const LABELS = 330;
const ROW = 24;
const TOP = 40;

/**
 * Draws a column of a table as horizontal bars, with the library's bars in another colour. The chart is readable on
 * light and dark pages.
 */
export function draw({ column, title }: Chart, { head, rows }: Table): string {
  const index = head.indexOf(column);
  if (index < 0) throw new Error(`the table has no column ${column}, only ${head.join(", ")}`);
  const bars = rows.map((row) => ({ label: row[0] ?? "", text: row[index] ?? "", value: numberIn(row[index] ?? "") }));
  const longest = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
  const height = TOP + bars.length * ROW + 8;
  const lines = bars.flatMap(({ label, text, value }, row) => {
    const [y, width] = [TOP + row * ROW, Math.max(1, (value / longest) * (WIDTH - LABELS - 90))];
    const fill = label.startsWith("education-admin-sdk") ? "#2f6feb" : "#8b98a8";
    return [
      `<text x="${LABELS - 8}" y="${y + 13}" text-anchor="end">${escapeXml(label.replaceAll("`", ""))}</text>`,
      `<rect x="${LABELS}" y="${y}" width="${width.toFixed(1)}" height="17" rx="2" fill="${fill}"/>`,
      `<text x="${(LABELS + width + 6).toFixed(1)}" y="${y + 13}">${escapeXml(text)}</text>`,
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>${escapeXml(title)}</title>`,
    "<style>text { font: 12px sans-serif; fill: #59636e } .title { font-weight: bold; font-size: 14px }</style>",
    `<text class="title" x="8" y="22">${escapeXml(title)}</text>`,
    ...lines,
    "</svg>\n",
  ].join("\n");
}

// Parses a cell in the format of numbers.ts: groups of digits separated by spaces, possibly followed by a unit.
function numberIn(cell: string): number {
  const digits = /^[\d\s.]+/.exec(cell)?.[0].replace(/\s/g, "") ?? "";
  if (digits === "") throw new Error(`${cell} is not a number that can be drawn`);
  return Number(digits);
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
