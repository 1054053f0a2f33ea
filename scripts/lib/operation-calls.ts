import type { Operation } from "../../src/core/operation.ts";
import { fieldsOf, isSchema, type Schema, traitsOf } from "../../src/core/schema/traits.ts";
import { formatSources, HEADER } from "./doors.ts";
import type { Tables } from "./from-source.ts";
import type { GeneratedFiles } from "./generated.ts";
import { typeName } from "./json-schemas.ts";
import { schemaNames } from "./names.ts";

const PATH = "src/generated/operation-calls.ts";

type Names = ReadonlyMap<Schema, string>;

const NONE = "object";
const DECLARED = `/** The input and the response of one operation. A part that the operation lacks is empty; a missing body is null. */
export interface OperationCall<Data = null, Params = object, Query = object, Body = null> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly data: Data;
}
`;

/** Writes `src/generated/operation-calls.ts`: the types of each operation's input and result. */
export function operationCalls(tables: Tables, exported: Readonly<Record<string, unknown>>): GeneratedFiles {
  const names = schemaNames(exported);
  const byId = Map.groupBy(tables.operations, ({ id }) => id);
  const entries = [...byId].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, rows]) => entry(id, rows, names));
  const text = [
    HEADER,
    'import type { PagedQuery, PageQuery } from "../core/operation.js";\n',
    'import type * as sdk from "./resources.js";\n\n',
    DECLARED,
    "\n/** The input and the response of each operation, by its identifier. */\n",
    `export interface OperationCalls {\n${entries.join("\n")}\n}\n`,
  ].join("");
  return formatSources([[PATH, text]]);
}

// If Main and Admin differ in an operation, each part is the union of both.
function entry(id: string, rows: readonly Operation[], names: Names): string {
  const part = (of: (row: Operation) => string) => [...new Set(rows.map(of))].join(" | ");
  const [data, params, query, body] = [
    part((row) => dataOf(row, names)),
    part(paramsOf),
    part((row) => queryOf(row, names)),
    part(({ body }) => (body ? typeOf(body, names) : "null")),
  ];
  return `  readonly "${id}": OperationCall<${[data, params, query, body].join(", ").replace(/(, object)*(, null)$/, "")}>;`;
}

function paramsOf({ params }: Operation): string {
  const fields = Object.entries(fieldsOf(params)).map(([name, field]) => {
    const isNumber = isSchema(field) && traitsOf(field).kind === "number";
    return `readonly ${name}: ${isNumber ? "number" : "string"};`;
  });
  return fields.length === 0 ? NONE : `{ ${fields.join(" ")} }`;
}

function queryOf({ query, paged }: Operation, names: Names): string {
  const pages = paged === "cursor+page" ? "PagedQuery" : paged === "cursor" ? "PageQuery" : null;
  const filters = query ? typeOf(query, names) : null;
  return [filters, pages].filter((part) => part !== null).join(" & ") || NONE;
}

function dataOf({ response, paged, array }: Operation, names: Names): string {
  if (!response) return "null";
  return paged || array ? `readonly ${typeOf(response, names)}[]` : typeOf(response, names);
}

function typeOf(schema: Schema, names: Names): string {
  const name = names.get(schema);
  return name === undefined ? "Readonly<Record<string, unknown>>" : `sdk.${typeName(name)}`;
}
