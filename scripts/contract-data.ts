// Takes the part of the service's contract data that this library covers:
//   node scripts/contract-data.ts <folder> [resource …]
// The folder holds the whole contract as operations.json and records.json. Kept are the operations of the service
// description, those taken before, those of the resources named, and the records, payloads and enumerations they reach.
// See test/contract/data/README.md.
import { readFileSync, writeFileSync } from "node:fs";
import { ROOT } from "./lib/generated.ts";

type Json = Record<string, unknown>;

const TARGET = `${ROOT}test/contract/data/`;

function take(folder: string, resources: readonly string[]): void {
  const whole = read(`${folder}/operations.json`) as { prefix: Json; operations: Json[] } & Json;
  const shapes = read(`${folder}/records.json`) as Record<"records" | "payloads" | "enumerations", Json> & Json;
  const missing = resources.filter((name) => !whole.operations.some(({ resource }) => resource === name));
  if (missing.length > 0) throw new Error(`The contract has no resource ${missing.join(", ")}.`);
  const before = (read(`${TARGET}operations.json`) as { operations: Json[] }).operations.map(({ id }) => id);
  const operations = whole.operations.filter(
    ({ id, resource, source }) => source === "seed" || before.includes(id) || resources.includes(resource as string),
  );
  const ids = new Set(operations.map(({ id }) => id as string));
  // Rows that only public documents show carry their scopes themselves.
  const ofIds = (name: string) => ({
    ...only(whole[name] as Json, ids),
    ...Object.fromEntries(operations.filter((row) => name in row).map((row) => [row.id, row[name]])),
  });
  const reached = reach(operations, shapes);
  write("operations.json", {
    prefix: whole.prefix,
    scopes: ofIds("scopes"),
    scopes_main: ofIds("scopes_main"),
    scopes_rule: ofIds("scopes_rule"),
    operations,
  });
  write("records.json", {
    records: only(shapes.records, reached),
    payloads: only(shapes.payloads, reached),
    enumerations: only(shapes.enumerations, reached),
    webhook_events: shapes.webhook_events,
  });
}

// Every name of a record, payload or enumeration in the operations, and in what those names stand for.
function reach(
  operations: readonly Json[],
  { records, payloads, enumerations }: Record<"records" | "payloads" | "enumerations", Json>,
): Set<string> {
  const known: Json = { ...records, ...payloads, ...enumerations };
  const reached = new Set<string>();
  const visit = (value: unknown): void => {
    for (const name of typesIn(value).flatMap((type) => type.match(/\b[A-Z]\w+/g) ?? [])) {
      if (!Object.hasOwn(known, name) || reached.has(name)) continue;
      reached.add(name);
      visit(known[name]);
    }
  };
  visit(operations);
  return reached;
}

// Types stand at these keys; a note may hold words that are names as well.
function typesIn(value: unknown, key = ""): string[] {
  if (typeof value === "string") return ["type", "response", "value"].includes(key) ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => typesIn(inner, Array.isArray(value) ? key : name));
}

function only(of: Json, names: ReadonlySet<string>): Json {
  return Object.fromEntries(Object.entries(of).filter(([name]) => names.has(name)));
}

function read(file: string): Json {
  return JSON.parse(readFileSync(file, "utf8")) as Json;
}

function write(file: string, content: Json): void {
  writeFileSync(TARGET + file, `${JSON.stringify(content, null, 1)}\n`);
}

const [folder, ...resources] = process.argv.slice(2);
if (folder === undefined) throw new Error("Give the folder that holds the whole contract.");
take(folder, resources);
