import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { consume, sqlite } from "education-admin-sdk/mirror";

const HELP = `Notes a letter to write for each new enrollment in a mirror, once, and prints what has changed since the last time, one line of
JSON each. It needs no key.

Usage: node changes.ts [options]
  --database <file>  default: school.sqlite
  --help`;

const { values: options } = parseArgs({
  options: {
    database: { type: "string", default: "school.sqlite" },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  console.log(HELP);
  process.exit();
}

const connection = new DatabaseSync(options.database);
const LETTERS = "CREATE TABLE IF NOT EXISTS letters (enrollment TEXT PRIMARY KEY, written_at TEXT)";
await consume(
  sqlite(connection),
  "letters",
  ({ seq, kind, id, fields, at }, tx) => {
    tx.exec(LETTERS);
    // The letter and the bookmark are one transaction: a program that dies in between notes it once.
    if (kind === "added") tx.prepare("INSERT OR IGNORE INTO letters (enrollment) VALUES (?)").run(id);
    console.log(JSON.stringify({ seq, kind, id, fields, at }));
  },
  {
    resources: ["enrollments"],
    // Changes are missing, after a prune or a restore: the table has what there is now.
    begin: (tx) => tx.exec(`${LETTERS}; INSERT OR IGNORE INTO letters (enrollment) SELECT id FROM current_enrollments`),
  },
);
connection.close();
