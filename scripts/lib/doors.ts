import { basename } from "node:path";
import { asBiomeWrites } from "./biome.ts";
import type { GeneratedFiles } from "./generated.ts";
import type { ModuleExports, TableExport } from "./source-exports.ts";

/** The first line of every generated source. */
export const HEADER = "// Written by npm run generate from src/models and src/resources; do not edit.\n";

/** Writes `src/generated`: the exports of resources and models, the tables, and the union of operation ids. */
export function doors(modules: readonly ModuleExports[]): GeneratedFiles {
  return formatSources(
    Object.entries({
      "resources.ts": resources(modules),
      "schemas.ts": schemas(modules),
      "tables.ts": tables(modules),
      "notes.ts": notes(modules),
      "operation-id.ts": operationId(modules),
      "factory-types.ts": factoryTypes(modules),
    }).map(([name, text]) => [`src/generated/${name}`, HEADER + text]),
  );
}

function resources(modules: readonly ModuleExports[]): string {
  return reexports(modules, ({ classes, types }) => [...classes, ...types.map((name) => `type ${name}`)]);
}

function schemas(modules: readonly ModuleExports[]): string {
  return reexports(modules, ({ types, schemas, enumerations }) => [
    ...schemas,
    ...enumerations,
    // An enumeration's type is exported together with its value.
    ...types.filter((name) => !enumerations.includes(name)).map((name) => `type ${name}`),
  ]);
}

function tables(modules: readonly ModuleExports[]): string {
  const found = withTables(modules);
  // Sorted by resource, so that the order of documents does not depend on folders.
  const all = found
    .flatMap(({ tables }) => tables)
    .sort((a, b) => (a.resource < b.resource ? -1 : Number(a.resource > b.resource)));
  const list = (name: string, doc: string, accept: (table: TableExport) => boolean) => {
    const names = all.filter(accept).map((table) => table.name);
    return `/** ${doc} */\nexport const ${name}: readonly OperationTable[] = [${names.join(", ")}];\n`;
  };
  return [
    'import type { OperationTable } from "../core/operation.js";',
    ...found.map(({ path, tables }) => `import { ${tables.map(({ name }) => name).join(", ")} } from "../${path}.js";`),
    "",
    list("providerTables", "The tables of the Main and the Admin API.", (table) => !isOrganization(table)),
    // A client for one API must not bundle the other's schemas.
    list("mainTables", "The tables of the Main API.", isOf("MAIN_ONLY")),
    list("adminTables", "The tables of the Admin API.", isOf("ADMIN_ONLY")),
    list("organizationTables", "The tables of the Organization API.", isOrganization),
  ].join("\n");
}

function notes(modules: readonly ModuleExports[]): string {
  const found = withTables(modules);
  const imports = found.flatMap(({ path, tables }) => {
    const names = tables.flatMap((table) => (table.notes === null ? [] : [table.name, table.notes]));
    return names.length === 0 ? [] : [`import { ${names.join(", ")} } from "../${path}.js";`];
  });
  const pairs = found.flatMap(({ tables }) =>
    tables.flatMap((table) => (table.notes === null ? [] : `[${table.name}, ${table.notes}],`)),
  );
  return [
    'import type { OperationTable, TableNotes } from "../core/operation.js";',
    ...imports,
    "",
    "/** Each table that has notes, with its notes. */",
    `export const tableNotes: readonly (readonly [OperationTable, TableNotes])[] = [${pairs.join("\n")}];\n`,
  ].join("\n");
}

function operationId(modules: readonly ModuleExports[]): string {
  const ids = modules.flatMap(({ tables }) =>
    tables.flatMap(({ resource, rows }) => rows.map((row) => `${resource}.${row}`)),
  );
  const union = [...new Set(ids)].sort().map((id) => `  | "${id}"`);
  return `\n/** Id of an operation, \`<resource>.<method>\`: as named by errors, events and the client option \`routes\`. */\nexport type OperationId =\n${union.join("\n")};\n`;
}

function factoryTypes(modules: readonly ModuleExports[]): string {
  const fields = modules
    .flatMap(({ schemas, types }) =>
      schemas
        .filter((name) => !/(Query|Path)Schema$/.test(name))
        .map((name) => name.replace(/Schema$/, ""))
        .map((name) => ({ name, type: name.charAt(0).toUpperCase() + name.slice(1) }))
        .filter(({ type }) => types.includes(type)),
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return [
    'import type * as schemas from "./schemas.js";',
    "",
    "/** The type of each record and body, under the name of its factory. */",
    "export interface FactoryTypes {",
    ...fields.map(({ name, type }) => `  readonly ${name}: schemas.${type};`),
    "}\n",
  ].join("\n");
}

function reexports(modules: readonly ModuleExports[], names: (of: ModuleExports) => readonly string[]): string {
  return modules
    .map((module) => ({ path: module.path, exported: names(module) }))
    .filter(({ exported }) => exported.length > 0)
    .map(({ path, exported }) => `export { ${exported.join(", ")} } from "../${path}.js";\n`)
    .join("");
}

function withTables(modules: readonly ModuleExports[]): ModuleExports[] {
  return modules.filter(({ tables }) => tables.length > 0);
}

function isOf(constant: string): (table: TableExport) => boolean {
  return ({ apis }) => apis.includes("BOTH") || apis.includes(constant);
}

function isOrganization({ resource }: TableExport): boolean {
  return resource.startsWith("organization.");
}

/** Formats sources with the project's formatter, so that generated files pass the linter. */
export function formatSources(sources: readonly (readonly [path: string, text: string])[]): GeneratedFiles {
  const files = sources.map(([path, text]) => [basename(path), text] as const);
  const written = asBiomeWrites(files, "check");
  return Object.fromEntries(sources.map(([path], at) => [path, written[at] ?? ""]));
}
