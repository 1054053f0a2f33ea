import { readFileSync } from "node:fs";
import { type Api, type Operation, resourceNameOf, rowNameOf } from "../../src/core/operation.ts";
import { fieldsOf } from "../../src/core/schema/traits.ts";
import { resourceOf } from "../../src/resources/references.ts";
import type { Tables } from "./from-source.ts";
import { type GeneratedFiles, ROOT } from "./generated.ts";
import { type JsonSchema, JsonSchemas } from "./json-schemas.ts";
import { byResource } from "./names.ts";
import { methodOf, type SourceIndex } from "./source-index.ts";

/** The guide for assistants that `llms-full.txt` begins with, below the project's folder. */
export const SKILL = "skills/education-admin-sdk/SKILL.md";

const REF = "#/components/schemas/";
// Shorter enumerations are written inline.
const LONGEST_INLINE = 80;
// Identifiers of this form are sent as text, but callers may pass numbers.
const TEXT_IDENTIFIER = "^[1-9]\\d*$";
const CUSTOM_FIELDS = "{ [key]: string | number | boolean | string[] | null }";
const PAGINATION = { none: "", cursor: ", paged", "cursor+page": ", paged" } as const;

/**
 * Writes `llms-full.txt`: the skill's text, then every call with the types of its input and records, for assistants
 * that read a single file.
 * @param exported the exports of `src/schemas.ts`.
 */
export function llmsFull(
  tables: Tables,
  exported: Readonly<Record<string, unknown>>,
  sources: SourceIndex,
): GeneratedFiles {
  const types = new Types(new JsonSchemas(exported, sources));
  // Calls come first, because writing them finds the types that they name.
  const sections = byResource(tables).map(([name, rows]) => resource(name, rows, tables, types, sources));
  const text = [guide(), LEGEND, ...sections, types.text()].join("\n\n");
  return { "llms-full.txt": `${text}\n` };
}

// Leaves out the front matter, which only helps programs to find skills.
function guide(): string {
  return readFileSync(ROOT + SKILL, "utf8")
    .replace(/^---\n.*?\n---\n\s*/s, "")
    .replace(
      "Every call with its fields:\n`node_modules/education-admin-sdk/llms-full.txt`; look there instead of guessing names.",
      "Every call with its fields is listed below.",
    )
    .trim();
}

const LEGEND = `# Every call

\`client\` is a MainClient or an AdminClient, \`main\` only a MainClient, \`admin\` only an AdminClient. Each call takes options last.
\`?\` marks what may be left out; all other fields are required. Deprecated fields and calls are left out.

- \`int\`: a whole number. \`decimal\`: text such as "12.50". \`date\`: text yyyy-MM-dd. \`dateTime\`: text 2030-07-01T08:00:00.000Z. When
  sent, \`date\` and \`dateTime\` may also be a Date.
- A filter of the type \`T[]\` also takes one T. \`paged\` lists also take \`per_page\` and \`cursor\`; you need neither to read them.
- An enumeration that ends in \`…\` may have more values; any enumeration you read may. \`EnumName.cast("new")\` sends such a value.
- \`X[]\` after the arrow is a list; \`array of X\` is an array; \`void\` means no body. \`joins\` lists the names that
  \`.with({ name: true })\` takes.
- Where \`list\` needs no path parameter and its records have \`id: int\`, the resource also has \`getMany(ids)\` and \`lookup(field)\`.
- \`CustomFields\`: values by the slug of the field, \`{ [slug]: string | number | boolean | string[] | null }\`.
- Types are exported under these names by \`education-admin-sdk\`, schemas and enumerations (\`InvoiceStatus.values\`) by
  \`education-admin-sdk/schemas\`.`;

function resource(
  name: string,
  rows: readonly Operation[],
  tables: Tables,
  types: Types,
  sources: SourceIndex,
): string {
  const calls = rows.flatMap((row) => {
    const notes = tables.notesOf(row);
    const apis = row.apis.filter((api) => notes.deprecated?.[api] === undefined);
    return apis.length > 0 ? call(row, apis, notes.note, types, sources) : [];
  });
  const [api = "main"] = rows[0]?.apis ?? [];
  const about = sources.resource(api, name)?.text.split("\n\n")[0];
  const parts = [`## ${name}`, about, calls.join("\n"), types.meanings(rows)];
  return parts.filter((part) => part).join("\n\n");
}

function call(
  row: Operation,
  apis: readonly Api[],
  note: string | undefined,
  types: Types,
  sources: SourceIndex,
): string {
  const [api = "main"] = apis;
  const method = methodOf(sources, api, row.id);
  const owner = apis.length === 1 && api !== "organization" ? api : "client";
  const parameterOf = (name: string) =>
    method.parameters.find((parameter) => parameter.replace("?", "") === name) ?? name;
  const inputs = [
    ...(row.params ? [types.params(row.params)] : []),
    ...(row.query ? [`${parameterOf("query")}: ${types.query(row.query)}`] : []),
    ...(row.body ? [`${parameterOf("body")}: ${types.typeNameOf(row.body)}`] : []),
  ];
  const joined = row.paged ? references(row) : [];
  const facts = [
    ...(joined.length > 0 ? [`joins ${joined.join(", ")}`] : []),
    ...(row.beta ? ["beta"] : []),
    ...(row.feature ? [`needs the ${row.feature} feature flag`] : []),
    ...(note ? [note.replace(/\.$/, "")] : []),
  ];
  const answer = row.response ? types.typeNameOf(row.response) : "void";
  const shown = row.paged ? `${answer}[]${PAGINATION[row.paged]}` : row.array ? `array of ${answer}` : answer;
  return `- \`${owner}.${resourceNameOf(row.id)}.${rowNameOf(row.id)}(${inputs.join(", ")})\` → ${shown}${
    facts.length > 0 ? `; ${facts.join("; ")}` : ""
  }`;
}

/** The names that `with` accepts for a list's records. */
export function references({ id, response }: Operation): string[] {
  return Object.keys(fieldsOf(response)).flatMap((field) => {
    const name = field.endsWith("_id") ? field.slice(0, -"_id".length) : "";
    return resourceOf(name, resourceNameOf(id)) ? [name] : [];
  });
}

/** The types that calls name, in the notation of TypeScript. */
export class Types {
  readonly #schemas: JsonSchemas;
  readonly #components: Readonly<Record<string, JsonSchema>>;
  readonly #named = new Set<string>();

  constructor(schemas: JsonSchemas) {
    this.#schemas = schemas;
    this.#components = schemas.all();
  }

  /** The name of an exported schema's type; the type is then written below the calls. */
  typeNameOf(schema: unknown): string {
    return this.#of(this.#schemas.ref(schema));
  }

  /** The type of a field. */
  of(schema: JsonSchema): string {
    return this.#of(schema);
  }

  /** The names of types used so far, including those that these refer to. */
  get used(): ReadonlySet<string> {
    return this.#named;
  }

  params(schema: unknown): string {
    const fields = this.#schemas.fields(schema).map(({ name, schema }) => `${name}: ${this.#of(schema)}`);
    return fields.length === 1 ? (fields[0] ?? "") : `{ ${fields.join("; ")} }`;
  }

  query(schema: unknown): string {
    const fields = this.#schemas.fields(schema).filter(({ required, schema }) => required || !schema.deprecated);
    return `{ ${fields.map(({ name, required, schema }) => `${name}${required ? "" : "?"}: ${this.#of(schema)}`).join("; ")} }`;
  }

  /** The meanings of the filters and body fields of the given operations, each listed once. */
  meanings(rows: readonly Operation[]): string {
    const lines = rows.flatMap(({ query, body }) => [...this.#meanings("filter ", query), ...this.#meanings("", body)]);
    return [...new Set(lines)].join("\n");
  }

  /** Every type used so far, and those it refers to. */
  text(): string {
    const written: Record<string, string> = {};
    // The set grows during the loop: a type may name further types.
    for (const name of this.#named) written[name] = this.#declarationOf(name);
    const lines = Object.keys(written)
      .sort()
      .map((name) => `- \`${name}\`: ${written[name]}`);
    return `## Types\n\n${lines.join("\n")}`;
  }

  #meanings(kind: string, schema: unknown): string[] {
    const fields = schema ? this.#schemas.fields(schema) : [];
    return fields
      .filter(({ schema, description }) => !schema.deprecated && description)
      .map(({ name, description }) => `- ${kind}${name}: ${description.replaceAll("\n\n", " ")}`);
  }

  #declarationOf(name: string): string {
    const component = this.#components[name] ?? {};
    const forms = component.oneOf as readonly JsonSchema[] | undefined;
    if (forms) return `\`${forms.map((form) => this.#of(form)).join(" | ")}\``;
    const values = valuesOf(component);
    if (values) return `\`${values}\``;
    return `\`${component.properties ? this.#object(component) : this.#plain(component)}\``;
  }

  #of(schema: JsonSchema): string {
    if (typeof schema.$ref === "string") {
      const name = schema.$ref.slice(REF.length);
      const base = name.replace(/OrNull$/, "");
      if (base !== name && this.#components[base]) return orNull(this.#of({ $ref: REF + base }));
      const values = valuesOf(this.#components[name] ?? {});
      if (values && values.length <= LONGEST_INLINE) return values;
      this.#named.add(name);
      return name;
    }
    return this.#plain(schema);
  }

  #plain({ nullable, ...schema }: JsonSchema): string {
    if (nullable) return orNull(this.#plain(schema));
    const forms = (schema.anyOf ?? schema.oneOf) as readonly JsonSchema[] | undefined;
    if (forms) return [...new Set(forms.map((form) => this.#of(form)))].join(" | ");
    if (Array.isArray(schema.allOf)) return schema.allOf.map((part) => this.#of(part as JsonSchema)).join(" & ");
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (Array.isArray(schema.enum))
      return schema.enum
        .filter((value) => value !== null)
        .map((value) => JSON.stringify(value))
        .join(" | ");
    if (Array.isArray(schema.type)) return schema.type.map((type) => this.#plain({ ...schema, type })).join(" | ");
    switch (schema.type) {
      case "array":
        return listOf(this.#of((schema.items ?? {}) as JsonSchema));
      case "object":
        return schema.properties
          ? this.#object(schema)
          : mapOf(this.#of((schema.additionalProperties ?? {}) as JsonSchema));
      case "integer":
        return "int";
      case "string":
        return textType(schema);
      default:
        return (schema.type as string | undefined) ?? "unknown";
    }
  }

  #object({ properties = {}, required = [] }: JsonSchema): string {
    const fields = Object.entries(properties as Record<string, JsonSchema>)
      .filter(([, field]) => !field.deprecated)
      .map(([name, field]) => `${name}${(required as string[]).includes(name) ? "" : "?"}: ${this.#of(field)}`);
    return fields.length === 0 ? "{}" : `{ ${fields.join("; ")} }`;
  }
}

function orNull(type: string): string {
  return type.endsWith(" | null") ? type : `${type} | null`;
}

function textType({ format, pattern }: JsonSchema): string {
  if (pattern === TEXT_IDENTIFIER) return "int";
  if (format === "date-time") return "dateTime";
  if (format === "date" || format === "decimal") return format;
  return pattern === "^-?\\d+(\\.\\d+)?$" ? "decimal" : "string";
}

function mapOf(value: string): string {
  const text = `{ [key]: ${value} }`;
  return text === CUSTOM_FIELDS ? "CustomFields" : text;
}

function valuesOf(component: JsonSchema): string | null {
  const values = (component.enum ?? component["x-extensible-enum"]) as readonly string[] | undefined;
  return values ? `${values.map((value) => `"${value}"`).join(" | ")}${component.enum ? "" : " | …"}` : null;
}

function listOf(item: string): string {
  return item.includes(" | ") ? `(${item})[]` : `${item}[]`;
}
