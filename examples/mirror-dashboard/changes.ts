import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { changes, sqlite } from "education-admin-sdk/mirror";

const HELP = `Prints what has changed in a mirror since the last time, one line of JSON each. It needs no key and only reads the file.

Usage: node changes.ts [options]
  --database <file>  default: school.sqlite
  --bookmark <file>  where the number of the last change is kept; default: changes.bookmark
  --help`;

const { values: options } = parseArgs({
  options: {
    database: { type: "string", default: "school.sqlite" },
    bookmark: { type: "string", default: "changes.bookmark" },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  console.log(HELP);
  process.exit();
}

const database = sqlite(new DatabaseSync(options.database, { readOnly: true }));
const after = existsSync(options.bookmark) ? Number(readFileSync(options.bookmark, "utf8")) : 0;
for await (const { seq, kind, id, fields, at } of changes(database, { after, resources: ["enrollments"] })) {
  console.log(JSON.stringify({ seq, kind, id, fields, at }));
  // After the change was dealt with: a program that dies in between gets it once more.
  writeFileSync(`${options.bookmark}.new`, String(seq));
  renameSync(`${options.bookmark}.new`, options.bookmark);
}
