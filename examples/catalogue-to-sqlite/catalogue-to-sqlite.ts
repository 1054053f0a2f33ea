import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { MainClient, type Pages } from "education-admin-sdk";

const HELP = `Keeps a copy of the catalogue in an SQLite file: categories, products and variants.

Usage: node catalogue-to-sqlite.ts [options]
  --database <file>  default: catalogue.sqlite
  --help

Another run writes only what changed, and marks what is gone, once a list was read to its end.`;

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
  readonly name: string;
  readonly updated_at: string;
}

const client = new MainClient();
const database = new DatabaseSync(options.database);
database.exec("PRAGMA journal_mode = WAL");

const lists: Readonly<Record<string, Pages<CatalogueRecord>>> = {
  categories: client.categories.list(),
  products: client.catalogProducts.list(),
  variants: client.catalogVariants.list(),
};
for (const [table, list] of Object.entries(lists)) console.log(`${table}: ${await copy(table, list)}`);
database.close();

async function copy(table: string, list: Pages<CatalogueRecord>): Promise<string> {
  database.exec(`CREATE TABLE IF NOT EXISTS ${table} (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, updated_at TEXT NOT NULL, record TEXT NOT NULL, gone_at TEXT
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

  // A transaction for each page: a run that breaks off leaves whole records behind.
  for await (const { records } of list.byPage()) {
    transaction(() => {
      for (const record of records) {
        const text = JSON.stringify(record);
        const before = known.get(record.id);
        known.delete(record.id);
        counts.read++;
        // The whole record is compared: the service does not say that updated_at covers everything in it.
        if (before === text) continue;
        counts[before === undefined ? "new" : "changed"]++;
        put.run(record.id, record.name, record.updated_at, text);
      }
    });
  }

  // Only after a whole list is what was not in it gone.
  const leave = database.prepare(`UPDATE ${table} SET gone_at = ? WHERE id = ?`);
  transaction(() => {
    for (const id of known.keys()) leave.run(new Date().toISOString(), id);
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
