import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { MainClient } from "education-admin-sdk";
import { mirror, sqlite } from "education-admin-sdk/mirror";

const HELP = `Shows how full the planned courses are, from a mirror in an SQLite file that it brings up to date first.

Usage: node mirror-dashboard.ts [options]
  --database <file>  default: school.sqlite
  --at-most <age>    how old the mirror may be before it is read again, such as 10m; default: 1h
  --help`;

const { values: options } = parseArgs({
  options: {
    database: { type: "string", default: "school.sqlite" },
    "at-most": { type: "string", default: "1h" },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  console.log(HELP);
  process.exit();
}

const lists = ["plannedCourses", "enrollments"] as const;
const copy = mirror(new MainClient({ readOnly: true }), sqlite(new DatabaseSync(options.database)), {
  resources: lists,
});
const atMost = options["at-most"] as "1h";
for (const list of lists) {
  const { isFresh } = await copy.freshness(list, { atMost });
  if (isFresh) continue;
  const [report] = (await copy.sync({ resources: [list] })).lists;
  if (report?.complete) console.error(`${list}: ${report.read} read with ${report.requests} requests`);
  else throw new Error(`${list} is not complete`, { cause: report?.error ?? report?.held });
}

// Queries use a connection of their own.
const database = new DatabaseSync(options.database, { readOnly: true });
const rows = database
  .prepare(
    `SELECT p.id, p.course_id, count(e.id) AS students, sum(e.status = 'canceled') AS canceled
     FROM current_planned_courses p LEFT JOIN current_enrollments e ON e.planned_course_id = p.id
     GROUP BY p.id ORDER BY students DESC, p.id LIMIT 10`,
  )
  .all();
console.table(rows);
