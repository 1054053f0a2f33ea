import {
  API_NAME,
  API_PREFIX,
  type Api,
  type Operation,
  type OperationNotes,
  placeholders,
  scopesIn,
} from "../../src/core/operation.ts";
import { fieldsOf, requiredFields, type Schema } from "../../src/core/schema/traits.ts";
import type { Tables } from "./from-source.ts";
import type { GeneratedFiles } from "./generated.ts";
import { typeName } from "./json-schemas.ts";
import { byResource, schemaNames } from "./names.ts";
import { type MethodSource, methodOf, type SourceIndex } from "./source-index.ts";

const APIS = ["main", "admin", "organization"] as const satisfies readonly Api[];

/** A row with its notes for the documentation. */
export interface Entry {
  readonly row: Operation;
  readonly notes: OperationNotes;
}

/**
 * Writes `docs/operations.md`: one line per operation, grouped by resource.
 * @param exported the exports of `src/schemas.ts`, for the names of records.
 */
export function operationsDoc(
  tables: Tables,
  exported: Readonly<Record<string, unknown>>,
  sources: SourceIndex,
): GeneratedFiles {
  const { operations } = tables;
  const names = schemaNames(exported);
  const groups = byResource(tables).map(([resource, rows]) => [resource, Map.groupBy(rows, ({ id }) => id)] as const);
  const total = groups.reduce((sum, [, byId]) => sum + byId.size, 0);
  const counts = APIS.map((api) => `${count(operations, api)} on ${API_NAME[api]}`).join(", ");
  const sections = groups.map(([resource, byId]) =>
    [
      `## ${resource}`,
      "",
      "| Call | Request | Clients | Filters and required input | Response | Scopes | Flags and notes |",
      "| --- | --- | --- | --- | --- | --- | --- |",
      ...[...byId.values()].map((rows) => {
        const entries = rows.map((row) => ({ row, notes: tables.notesOf(row) }));
        return line(entries, names, sources);
      }),
    ].join("\n"),
  );
  return { "docs/operations.md": `${intro(total, counts)}\n\n${sections.join("\n\n")}\n\n${LEGEND}\n` };
}

function intro(total: number, counts: string): string {
  return `<!-- Written by npm run generate from the tables in src/resources. Do not edit. -->

# Operations

All ${total} operations of the three APIs: ${counts}. \`client\` is a client of
any API the line names, \`admin\` an \`AdminClient\`. [What the columns mean](#what-the-columns-mean) is at the end.`;
}

const LEGEND = `## What the columns mean

A \`MainClient\` and an \`AdminClient\` have the Organization API as \`client.organization\`. Every call takes options as
its last argument, and \`?\` marks an argument that may be left out.

- **Filters and required input**: the query parameters apart from pagination, and the required fields of the body.
- **Response**: the type of the record; \`[]\` after it marks a list or an array; a dash means that there is no body.
- **Scopes**: the scopes that the token needs, all of them unless "or" is between them; "any token" if the service
  requires none, a dash if no document names them.
- **beta**: the service may change it without notice; if an API is named, only there.
- **deprecated**: the service discourages it, in the API named.
- **needs**: the feature flag that the environment must have switched on; without it the service responds with 403 or 404.
- **path not confirmed**: the service description shows no path. The one here follows its neighbors; if a call fails
  with 404, set another with the client option \`routes\`.
- **public**: only public documents show the operation; the service description does not include it. The client option
  \`routes\` gives it another path.
- **repeatable**: repeating it is harmless although it is a POST, so it is retried as a PUT is.`;

function line(entries: readonly Entry[], names: ReadonlyMap<Schema, string>, sources: SourceIndex): string {
  const [first] = entries;
  if (!first) throw new Error("an operation without a row");
  const { row } = first;
  const apis = APIS.filter((api) => entries.some((entry) => entry.row.apis.includes(api)));
  const cells = [
    `\`${callOf(row, apis, methodOf(sources, apis[0] ?? "main", row.id))}\``,
    `\`${row.method} ${API_PREFIX[apis[0] ?? "main"]}/${row.path}\``,
    apis.map((api) => API_NAME[api]).join(", "),
    perApi(entries, ({ row }) => input(row)),
    perApi(entries, ({ row }) => answer(row, names)),
    scopes(entries),
    flags(entries).join("; "),
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

/** The call of an operation, as code. */
export function callOf(row: Operation, apis: readonly Api[], method: MethodSource): string {
  const owner = apis.length === 1 && apis[0] === "admin" ? "admin" : "client";
  // Several path parameters form one object, whose fields are more helpful than its name.
  const parameters = method.parameters.map((name) => (name === "path" ? `{ ${placeholders(row).join(", ")} }` : name));
  return `${owner}.${row.id}(${parameters.join(", ")})`;
}

function input(row: Operation): string {
  const quoteFields = (fields: readonly string[]) => fields.map((name) => `\`${name}\``).join(", ");
  const filters = Object.keys(fieldsOf(row.query));
  const required = requiredFields(row.body);
  return [
    ...(filters.length > 0 ? [`filters: ${quoteFields(filters)}`] : []),
    ...(required.length > 0 ? [`required: ${quoteFields(required)}`] : []),
  ].join("; ");
}

function answer(row: Operation, names: ReadonlyMap<Schema, string>): string {
  if (!row.response) return "–";
  return `\`${typeName(names.get(row.response) ?? "unknown")}${row.paged || row.array ? "[]" : ""}\``;
}

function scopes(entries: readonly Entry[]): string {
  const texts = entries.flatMap(({ row }) =>
    row.apis.map((api) => {
      const found = scopesIn(row, api);
      const joint = row.anyScope ? " or " : ", ";
      const text = found?.length === 0 ? "any token" : (found?.map((scope) => `\`${scope}\``).join(joint) ?? "–");
      return [API_NAME[api], text] as const;
    }),
  );
  return mergeTexts(texts);
}

// A text about each row, prefixed with the API's name only where they differ.
function perApi(entries: readonly Entry[], text: (entry: Entry) => string): string {
  return mergeTexts(
    entries.map((entry) => [entry.row.apis.map((api) => API_NAME[api]).join(", "), text(entry)] as const),
  );
}

function mergeTexts(texts: readonly (readonly [api: string, text: string])[]): string {
  const distinct = new Set(texts.map(([, text]) => text));
  if (distinct.size === 1) return texts[0]?.[1] ?? "";
  return texts.map(([api, text]) => `${api}: ${text || "–"}`).join("; ");
}

/** Warnings that a reader needs before using an operation. */
export function flags(entries: readonly Entry[]): string[] {
  const texts = entries.flatMap(({ row, notes }) => [
    ...(row.beta === true ? ["**beta**"] : (row.beta ?? []).map((api) => `**beta** in ${API_NAME[api]}`)),
    ...Object.entries(notes.deprecated ?? {}).map(
      ([api, instead]) => `**deprecated** in ${API_NAME[api as Api]}: ${withoutStop(instead)}`,
    ),
    ...(row.feature ? [`**needs** ${row.feature}`] : []),
    ...(row.pathConfirmed === false ? ["**path not confirmed**"] : []),
    ...(notes.publicOnly ? ["**public**"] : []),
    ...(row.idempotent ? ["**repeatable**"] : []),
    ...(notes.note ? [withoutStop(notes.note)] : []),
  ]);
  return [...new Set(texts)];
}

function count(operations: readonly Operation[], api: Api): number {
  return operations.filter((row) => row.apis.includes(api)).length;
}

function withoutStop(text: string): string {
  return text.replace(/\.$/, "");
}
