import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { MainClient, type Pages } from "education-admin-sdk";

const HELP = `Keeps a copy of the catalogue in an SQLite file: categories, products, variants, courses, planned courses and
programs. The view "agenda" joins planned courses with their courses.

Usage: node catalogue-to-sqlite.ts [options]
  --database <file>  default: catalogue.sqlite
  --help

A later run writes only what changed. Records that are missing from a list are marked as gone, but only after the whole
list was read, and never because of an empty list. A list that cannot be read is left as it was and the others are
copied; then the exit status is 1. Programs need a feature flag.`;

const { values: options } = parseArgs({
  options: {
    database: { type: "string", default: "catalogue.sqlite" },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  console.log(HELP);
  process.exit();
}

interface CatalogueRecord {
  readonly id: number;
  /** Planned courses have the name of their course only. */
  readonly name?: string;
  /** Programs have no times. */
  readonly updated_at?: string;
}

const client = new MainClient({ readOnly: true });
const database = new DatabaseSync(options.database);
database.exec("PRAGMA journal_mode = WAL");

const lists: Readonly<Record<string, Pages<CatalogueRecord>>> = {
  categories: client.categories.list(),
  products: client.catalogProducts.list(),
  variants: client.catalogVariants.list(),
  courses: client.courses.list(),
  planned_courses: client.plannedCourses.list(),
  programs: client.programs.list(),
};
for (const [table, list] of Object.entries(lists)) {
  try {
    console.log(`${table}: ${await copy(table, list)}`);
  } catch (error) {
    console.error(`${table}: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
database.exec(`CREATE VIEW IF NOT EXISTS agenda AS
  SELECT planned.id, courses.name, planned.record ->> 'status' AS status, planned.record ->> 'start_date' AS start_date,
    planned.record ->> 'end_date' AS end_date, planned.record ->> 'available_places' AS available_places
  FROM planned_courses AS planned JOIN courses ON courses.id = planned.record ->> 'course_id'
  WHERE planned.gone_at IS NULL ORDER BY start_date`);
database.close();

async function copy(table: string, list: Pages<CatalogueRecord>): Promise<string> {
  database.exec(`CREATE TABLE IF NOT EXISTS ${table} (
    id INTEGER PRIMARY KEY, name TEXT, updated_at TEXT, record TEXT NOT NULL, gone_at TEXT
  ) STRICT`);
  const known = new Map(
    database
      .prepare(`SELECT id, record FROM ${table} WHERE gone_at IS NULL`)
      .all()
      .map(({ id, record }) => [id as number, record as string]),
  );
  const put = database.prepare(`INSERT INTO ${table} VALUES (?, ?, ?, ?, NULL) ON CONFLICT (id) DO UPDATE
    SET name = excluded.name, updated_at = excluded.updated_at, record = excluded.record, gone_at = NULL`);
  const counts = { read: 0, new: 0, changed: 0, gone: 0 };

  // One transaction per page, so that an interrupted run leaves whole pages behind.
  for await (const { records } of list.byPage()) {
    transaction(() => {
      for (const record of records) {
        const text = JSON.stringify(record);
        const before = known.get(record.id);
        known.delete(record.id);
        counts.read++;
        // Compares whole records, because the service does not say that every change moves updated_at.
        if (before === text) continue;
        counts[before === undefined ? "new" : "changed"]++;
        put.run(record.id, record.name ?? null, record.updated_at ?? null, text);
      }
    });
  }

  // A list that is suddenly empty says more about the key or the service than about the catalogue.
  if (counts.read === 0 && known.size > 0) throw new Error(`The list of ${table} is empty: nothing was marked as gone`);
  const markGone = database.prepare(`UPDATE ${table} SET gone_at = ? WHERE id = ?`);
  transaction(() => {
    for (const id of known.keys()) markGone.run(new Date().toISOString(), id);
  });
  counts.gone = known.size;
  return Object.entries(counts)
    .map(([what, count]) => `${count} ${what}`)
    .join(", ");
}

function transaction(work: () => void): void {
  database.exec("BEGIN");
  try {
    work();
    database.exec("COMMIT");
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}
