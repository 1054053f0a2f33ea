import type { Operation } from "../../src/core/operation.ts";
import { fieldsOf, isSchema, type Schema, traitsOf } from "../../src/core/schema/traits.ts";
import { formatSources, HEADER } from "./doors.ts";
import type { Tables } from "./from-source.ts";
import type { GeneratedFiles } from "./generated.ts";
import { typeName } from "./json-schemas.ts";
import { schemaNames } from "./names.ts";

const PATH = "src/generated/operation-calls.ts";
const ANY = "Readonly<Record<string, unknown>>";

/** Writes `src/generated/operation-calls.ts`: the types of each operation's input and result. */
export function operationCalls(tables: Tables, exported: Readonly<Record<string, unknown>>): GeneratedFiles {
  const types = new Types(exported);
  const byId = Map.groupBy(tables.operations, ({ id }) => id);
  const entries = [...byId].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, rows]) => entry(id, rows, types));
  const text = [
    HEADER,
    'import type { PagedQuery, PageQuery } from "../core/operation.js";\n',
    `import type { ${[...types.used].sort().join(", ")} } from "./resources.js";\n\n`,
    "/** The input and the response of each operation, by its identifier. */\n",
    `export interface OperationCalls {\n${entries.join("\n")}\n}\n`,
  ].join("");
  return formatSources([[PATH, text]]);
}

// If Main and Admin differ in an operation, each part is the union of both.
function entry(id: string, rows: readonly Operation[], types: Types): string {
  const part = (name: string, of: (row: Operation) => string) =>
    `readonly ${name}: ${[...new Set(rows.map(of))].join(" | ")};`;
  const parts = [
    part("params", paramsOf),
    part("query", (row) => queryOf(row, types)),
    part("body", ({ body }) => (body ? types.of(body) : "null")),
    part("data", (row) => dataOf(row, types)),
  ];
  return `  readonly "${id}": { ${parts.join(" ")} };`;
}

function paramsOf({ params }: Operation): string {
  const fields = Object.entries(fieldsOf(params)).map(([name, field]) => {
    const isNumber = isSchema(field) && traitsOf(field).kind === "number";
    return `readonly ${name}: ${isNumber ? "number" : "string"};`;
  });
  return fields.length === 0 ? "Readonly<Record<never, never>>" : `{ ${fields.join(" ")} }`;
}

function queryOf({ query, paged }: Operation, types: Types): string {
  const pages = paged === "cursor+page" ? "PagedQuery" : paged === "cursor" ? "PageQuery" : null;
  const filters = query ? types.of(query) : null;
  const parts = [filters, pages].filter((part) => part !== null);
  return parts.length === 0 ? "Readonly<Record<never, never>>" : parts.join(" & ");
}

function dataOf({ response, paged, array }: Operation, types: Types): string {
  if (!response) return "null";
  const record = types.of(response);
  return paged || array ? `readonly ${record}[]` : record;
}

class Types {
  readonly used = new Set<string>();
  readonly #names: ReadonlyMap<Schema, string>;

  constructor(exported: Readonly<Record<string, unknown>>) {
    this.#names = schemaNames(exported);
  }

  of(schema: Schema): string {
    const name = this.#names.get(schema);
    if (name === undefined) return ANY;
    const type = typeName(name);
    this.used.add(type);
    return type;
  }
}
