import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { type CourseEdition, OrganizationClient } from "education-admin-sdk";
import { CourseEditionStatus } from "education-admin-sdk/schemas";

const HELP = `Draws who attends: one bar per course edition, as a chart in a single HTML file.

Usage: node attendance-report.ts [options]
  --status <status>  editions with this status: ${CourseEditionStatus.values.join(", ")} (default: completed)
  --top <number>     the editions with the most attendance records (default: 20)
  --out <file>       default: attendance.html
  --help`;

const { values: options } = parseArgs({
  options: {
    status: { type: "string", default: "completed" },
    top: { type: "string", default: "20" },
    out: { type: "string", default: "attendance.html" },
    help: { type: "boolean", default: false },
  },
});
const { status } = options;
if (options.help || !CourseEditionStatus.is(status)) {
  console.log(HELP);
  process.exit(options.help ? 0 : 1);
}

interface Bar {
  readonly edition: CourseEdition;
  readonly counts: Map<string, number>;
  total: number;
}

const organization = new OrganizationClient();
const bars = new Map<number, Bar>();
for await (const edition of organization.courseEditions.list({ status })) {
  bars.set(edition.id, { edition, counts: new Map(), total: 0 });
}
// One list for all editions: a request per edition would cost more than reading some records in vain.
for await (const { course_edition_id, attendance_state } of organization.attendanceRecords.list()) {
  const bar = bars.get(course_edition_id);
  if (!bar) continue;
  bar.counts.set(attendance_state, (bar.counts.get(attendance_state) ?? 0) + 1);
  bar.total++;
}

const shown = [...bars.values()]
  .filter(({ total }) => total > 0)
  .sort((one, other) => other.total - one.total)
  .slice(0, Number(options.top));
await writeFile(options.out, page(shown));
console.log(`${shown.length} course editions in ${options.out}`);

function page(all: readonly Bar[]): string {
  // The states are not a closed list: one that the service adds gets a colour too.
  const states = [...new Set(all.flatMap(({ counts }) => [...counts.keys()]))].sort();
  const colour = (state: string) =>
    `hsl(${Math.round((states.indexOf(state) * 360) / states.length + 140) % 360} 55% 60%)`;
  const [row, label, width] = [26, 300, 500];
  const drawn = all.map(({ edition, counts, total }, index) => {
    let x = label;
    const parts = states.map((state) => {
      const count = counts.get(state) ?? 0;
      const share = (count / total) * width;
      const part = `<rect x="${x.toFixed(1)}" y="${index * row}" width="${share.toFixed(1)}" height="${row - 6}" fill="${colour(state)}"><title>${escapeHtml(state)}: ${count} of ${total}</title></rect>`;
      x += share;
      return part;
    });
    const attended = Math.round(((counts.get("attended") ?? 0) / total) * 100);
    return `<text x="0" y="${index * row + 14}">${escapeHtml(edition.name)}</text>${parts.join("")}<text x="${label + width + 8}" y="${index * row + 14}">${attended} %</text>`;
  });
  const legend = states
    .map((state) => `<span style="background:${colour(state)}">${escapeHtml(state)}</span>`)
    .join(" ");
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Attendance</title>
<style>body { font: 14px sans-serif; margin: 2em } svg text { font-size: 13px } span { padding: 0 0.6em }</style>
<h1>Attendance by course edition</h1>
<p>${legend}</p>
<svg xmlns="http://www.w3.org/2000/svg" width="${label + width + 60}" height="${all.length * row}" role="img">
${drawn.join("\n")}
</svg>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
