// Copies the service's contract data into the project: node scripts/contract-data.ts <folder>
// The folder contains operations.json and records.json. See test/contract/data/README.md.
import { readFileSync, writeFileSync } from "node:fs";
import { ROOT } from "./lib/generated.ts";

type Json = Record<string, unknown>;

const SCOPES = ["scopes", "scopes_main", "scopes_rule"] as const;

function copy(folder: string): void {
  const { prefix, operations, ...rest } = read(`${folder}/operations.json`) as {
    prefix: Json;
    operations: Json[];
  } & Json;
  // Rows that come only from public documents contain their own scopes.
  const scopes = SCOPES.map((name) => {
    const scoped = operations.filter((row) => name in row).map((row) => [row.id, row[name]]);
    return [name, { ...(rest[name] as Json), ...Object.fromEntries(scoped) }];
  });
  write("operations.json", { prefix, ...Object.fromEntries(scopes), operations });
  const { legend: _, ...records } = read(`${folder}/records.json`) as Json;
  write("records.json", records);
}

function read(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}

// One entry per line, for readable diffs.
function write(name: string, data: Json): void {
  const lines = Object.entries(data).map(([key, value]) => {
    const entries = Array.isArray(value)
      ? value.map((item) => `    ${JSON.stringify(item)}`)
      : Object.entries(value as Json).map(([item, inner]) => `    ${JSON.stringify(item)}: ${JSON.stringify(inner)}`);
    const [open, close] = Array.isArray(value) ? "[]" : "{}";
    return `  ${JSON.stringify(key)}: ${open}\n${entries.join(",\n")}\n  ${close}`;
  });
  writeFileSync(`${ROOT}test/contract/data/${name}`, `{\n${lines.join(",\n")}\n}\n`);
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Name the folder that contains operations.json and records.json.");
copy(folder);
