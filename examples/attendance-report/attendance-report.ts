import { rename, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import {
  type Course,
  isEducationAdminError,
  MainClient,
  NotFoundError,
  PermissionDeniedError,
  type PlannedCourse,
} from "education-admin-sdk";
import { PlannedCourseStatus } from "education-admin-sdk/schemas";

const HELP = `Draws who attends: one bar per planned course with its teachers, as a chart in a single HTML file.

Usage: node attendance-report.ts [options]
  --status <status>  planned courses with this status: ${PlannedCourseStatus.values.join(", ")} (default: completed)
  --top <number>     the planned courses with the most attendances (default: 20)
  --out <file>       default: attendance.html
  --help

Teachers are left out if the key may not read them. The exit status is 1 if anything else cannot be read; then a report
that was there before stays.`;

const { values: options } = parseArgs({
  options: {
    status: { type: "string", default: "completed" },
    top: { type: "string", default: "20" },
    out: { type: "string", default: "attendance.html" },
    help: { type: "boolean", default: false },
  },
});
const { status } = options;
if (options.help || !PlannedCourseStatus.is(status)) {
  console.log(HELP);
  process.exit(options.help ? 0 : 1);
}

interface Bar {
  readonly planned: PlannedCourse & { readonly course: Course | null };
  readonly teachers: string[];
  readonly counts: Map<string, number>;
  total: number;
}

try {
  const shown = await read(new MainClient({ readOnly: true }), status);
  // The report has its name only once it is complete.
  await writeFile(`${options.out}.part`, page(shown));
  await rename(`${options.out}.part`, options.out);
  console.log(`${shown.length} planned courses in ${options.out}`);
} catch (error) {
  if (!isEducationAdminError(error)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function read(client: MainClient, wanted: PlannedCourseStatus): Promise<Bar[]> {
  const bars = new Map<number, Bar>();
  for await (const planned of client.plannedCourses.list({ status: [wanted] }).with({ course: true })) {
    bars.set(planned.id, { planned, teachers: [], counts: new Map(), total: 0 });
  }
  // One list for all: a request for each planned course would cost more than reading some attendances in vain.
  for await (const { meeting, state } of client.attendances.list().with({ meeting: true })) {
    const bar = meeting && bars.get(meeting.planned_course_id);
    if (!bar) continue;
    bar.counts.set(state, (bar.counts.get(state) ?? 0) + 1);
    bar.total++;
  }
  await addTeachers(client, bars).catch((error: unknown) => {
    if (!(error instanceof NotFoundError || error instanceof PermissionDeniedError)) throw error;
    console.error(`Without teachers: ${error.message}`);
  });
  return [...bars.values()]
    .filter(({ total }) => total > 0)
    .sort((one, other) => other.total - one.total)
    .slice(0, Number(options.top));
}

async function addTeachers(client: MainClient, bars: ReadonlyMap<number, Bar>): Promise<void> {
  const places = await client.teacherEnrollments.list().with({ teacher: true, teacher_role: true }).toArray();
  for (const { planned_course_id, teacher, teacher_role } of places) {
    if (!teacher) continue;
    const name = [teacher.first_name, teacher.middle_name, teacher.last_name].filter(Boolean).join(" ");
    bars.get(planned_course_id)?.teachers.push(teacher_role ? `${name} (${teacher_role.name})` : name);
  }
}

function page(all: readonly Bar[]): string {
  // The states are not a closed list: one that the service adds gets a colour too.
  const states = [...new Set(all.flatMap(({ counts }) => [...counts.keys()]))].sort();
  const colour = (state: string) =>
    `hsl(${Math.round((states.indexOf(state) * 360) / states.length + 140) % 360} 55% 60%)`;
  const [row, label, width] = [44, 340, 500];
  const drawn = all.map(({ planned, teachers, counts, total }, index) => {
    let x = label;
    const parts = states.map((state) => {
      const count = counts.get(state) ?? 0;
      const share = (count / total) * width;
      const part = `<rect x="${x.toFixed(1)}" y="${index * row}" width="${share.toFixed(1)}" height="20" fill="${colour(state)}"><title>${escapeHtml(state)}: ${count} of ${total}</title></rect>`;
      x += share;
      return part;
    });
    const attended = Math.round(((counts.get("attended") ?? 0) / total) * 100);
    const title = [planned.course?.name ?? `course ${planned.course_id}`, planned.start_date]
      .filter(Boolean)
      .join(", ");
    return `<text x="0" y="${index * row + 14}">${escapeHtml(title)}</text><text class="teachers" x="0" y="${index * row + 30}">${escapeHtml(teachers.join(", "))}</text>${parts.join("")}<text x="${label + width + 8}" y="${index * row + 14}">${attended} %</text>`;
  });
  const legend = states
    .map((state) => `<span style="background:${colour(state)}">${escapeHtml(state)}</span>`)
    .join(" ");
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Attendance</title>
<style>body { font: 14px sans-serif; margin: 2em } svg text { font-size: 13px } svg .teachers { font-size: 11px; fill: #666 } span { padding: 0 0.6em }</style>
<h1>Attendance by planned course</h1>
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
