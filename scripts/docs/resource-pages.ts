import * as core from "../../src/core/operation.ts";
import { httpLine } from "../build/method-docs.ts";
import type { Tables } from "../lib/from-source.ts";
import { type JsonSchema, JsonSchemas } from "../lib/json-schemas.ts";
import { references, Types } from "../lib/llms-full.ts";
import { byResource } from "../lib/names.ts";
import { callOf, flags } from "../lib/operations-doc.ts";
import { methodOf, type SourceIndex } from "../lib/source-index.ts";
import { fieldList, plain } from "./markdown.ts";

type Rows = readonly [core.Operation, ...core.Operation[]];

// Sentences for the flags in the list of all operations; empty for flags that only maintainers need.
const WORDS: Readonly<Record<string, string>> = {
  // The method's docstring already has it.
  "**path not confirmed**": "",
  "**repeatable**": "Repeating it is harmless, so it is retried although it is a POST.",
  "**beta**": "Beta: the service may change it without notice.",
  "**public**": "",
};

// Names of field types, for one value and for several.
const TYPES: Readonly<Record<string, readonly [one: string, several: string]>> = {
  int: ["whole number", "whole numbers"],
  number: ["number", "numbers"],
  string: ["text", "texts"],
  boolean: ["true or false", "truth values"],
  decimal: ["amount as text", "amounts as text"],
  date: ["day", "days"],
  dateTime: ["point in time", "points in time"],
};

/** Returns a record, as the service sends it, for the schema of a response. */
export type ExampleRecords = (schema: unknown) => unknown;

/**
 * Writes a page for each resource: HTTP, scopes, fields, an example and a response of every operation, then the types
 * of its records.
 */
export function resourcePages(
  tables: Tables,
  exported: Readonly<Record<string, unknown>>,
  sources: SourceIndex,
  records: ExampleRecords,
): Map<string, string> {
  const schemas = new JsonSchemas(exported, sources);
  return new Map(
    byResource(tables).map(([name, rows]) => [
      name,
      new ResourcePage(name, tables, schemas, sources, records).text(rows),
    ]),
  );
}

class ResourcePage {
  readonly #name: string;
  readonly #tables: Tables;
  readonly #schemas: JsonSchemas;
  readonly #components: Readonly<Record<string, JsonSchema>>;
  readonly #sources: SourceIndex;
  readonly #types: Types;
  readonly #exampleOf: ExampleRecords;

  constructor(name: string, tables: Tables, schemas: JsonSchemas, sources: SourceIndex, records: ExampleRecords) {
    this.#name = name;
    this.#exampleOf = records;
    this.#tables = tables;
    this.#schemas = schemas;
    this.#components = schemas.all();
    this.#sources = sources;
    this.#types = new Types(schemas);
  }

  text(rows: readonly core.Operation[]): string {
    const about = this.#sources.resource(rows[0]?.apis[0] ?? "main", this.#name)?.text ?? "";
    const operations = [...Map.groupBy(rows, ({ id }) => id).values()].map((same) =>
      this.#operation(same as unknown as Rows),
    );
    return [`# ${this.#name}`, plain(about), ...operations, ...this.#records()].filter(Boolean).join("\n\n");
  }

  #operation(rows: Rows): string {
    const [row] = rows;
    const apis = rows.flatMap((one) => one.apis);
    const method = methodOf(this.#sources, apis[0] ?? "main", row.id);
    const call = callOf(row, apis, method);
    const name = core.rowNameOf(row.id);
    const notes = flags(rows.map((one) => ({ row: one, notes: this.#tables.notesOf(one) })));
    return [
      `## ${call.slice(call.indexOf(`.${name}(`) + 1)} {#${name}}`,
      httpLine(rows, core),
      plain(method.text),
      notes
        .map((note) => WORDS[note] ?? `${note.replace(/[a-z]/, (first) => first.toUpperCase())}.`)
        .flatMap((text) => (text === "" ? [] : `- ${plain(text)}`))
        .join("\n"),
      ...this.#examples(row, apis),
      ...rows.map((one) => this.#input(one, rows.length > 1)),
      this.#output(rows),
      this.#example(row),
    ]
      .filter(Boolean)
      .join("\n\n");
  }

  // If the two APIs differ, each has its own example.
  #examples(row: core.Operation, apis: readonly core.Api[]): string[] {
    const all = apis.flatMap((api) => this.#sources.method(api, row.id)?.example?.trim() ?? []);
    return [...new Set(all)].map((example) => `\`\`\`ts example\n${example}\n\`\`\``);
  }

  #input(row: core.Operation, isOneOfSeveral: boolean): string {
    const where = isOneOfSeveral ? ` (${row.apis.map((api) => core.API_NAME[api]).join(" and ")} API)` : "";
    const query = row.query ? this.#schemas.fields(row.query) : [];
    const body = row.body ? (this.#components[this.#bodyName(row.body)] ?? null) : null;
    return [
      query.length === 0
        ? ""
        : details(
            `Filters${where}`,
            query.map(({ name, schema, description, required }) =>
              this.#field(name, { ...schema, description }, required ? "required" : ""),
            ),
          ),
      body === null ? "" : details(`Body: ${this.#bodyName(row.body)}${where}`, this.#fields(body, "required")),
    ]
      .filter(Boolean)
      .join("\n\n");
  }

  #output(rows: Rows): string {
    const answers = new Set(
      rows.map((row) => {
        if (!row.response) return "Returns no body.";
        const type = this.#types.typeNameOf(row.response);
        const joined = row.paged ? references(row) : [];
        const many = row.paged
          ? `A list of ${link(type)} records`
          : row.array
            ? `An array of ${link(type)}`
            : `Returns ${link(type)}`;
        return `${many}${joined.length === 0 ? "" : `; \`with\` joins ${joined.map((name) => `\`${name}\``).join(", ")}`}.`;
      }),
    );
    return [...answers].join(" ");
  }

  #example({ response, paged, array }: core.Operation): string {
    if (!response) return "";
    const record = this.#exampleOf(response);
    const json = JSON.stringify(paged || array ? [record] : record, null, 2);
    return `<details><summary>A response from the service</summary>\n\n\`\`\`json\n${json}\n\`\`\`\n\n</details>`;
  }

  /** Every type that the page names, directly or through another type: the set grows during the loop. */
  #records(): string[] {
    const written: string[] = [];
    for (const name of this.#types.used) {
      const component = this.#components[name];
      if (!component) continue;
      const about = plain((component.description as string | undefined) ?? "");
      const values = (component.enum ?? component["x-extensible-enum"]) as readonly string[] | undefined;
      const forms = component.oneOf as readonly JsonSchema[] | undefined;
      const said = values
        ? `${values.map((value) => `\`${value}\``).join(", ")}${component.enum ? "" : ", and any that the service adds"}.`
        : forms
          ? `${forms.map((form) => link(this.#types.of(form))).join(", ")}.`
          : fieldList(this.#fields(component, "optional"));
      written.push([`## ${name} {#type-${name}}`, about, said].filter(Boolean).join("\n\n"));
    }
    return written;
  }

  #bodyName(schema: unknown): string {
    const { $ref = "" } = this.#schemas.ref(schema) as { $ref?: string };
    return $ref.slice($ref.lastIndexOf("/") + 1);
  }

  // For a body, readers need to know which fields are required; for a record, which are optional.
  #fields({ properties = {}, required = [], oneOf, anyOf }: JsonSchema, said: "required" | "optional"): string[] {
    const forms = (oneOf ?? anyOf) as readonly JsonSchema[] | undefined;
    if (forms) return forms.map((form) => `- ${this.#renderType(this.#types.of(form))}`);
    return Object.entries(properties as Record<string, JsonSchema>).map(([name, field]) =>
      this.#field(name, field, (required as string[]).includes(name) === (said === "required") ? said : ""),
    );
  }

  #field(name: string, field: JsonSchema, mark: "required" | "optional" | ""): string {
    const text = plain(((field.description as string | undefined) ?? "").replaceAll("\n\n", " "));
    const marks = [mark, field.deprecated ? "deprecated" : ""].filter(Boolean);
    return `- **\`${name}\`** ${this.#renderType(this.#types.of(field))}${marks.map((mark) => ` *${mark}*`).join("")}${text ? `<br>${text}` : ""}`;
  }

  #renderType(type: string): string {
    const [, plain = "", list, nothing] = /^(\w+)(\[\])?( \| null)?$/.exec(type) ?? [];
    const [one, several] = TYPES[plain] ?? [];
    if (one) return `*${list ? `list of ${several}` : one}${nothing ? ", or null" : ""}*`;
    const named = /^\(?(\w+)\)?(\[\])?( \| null)?$/.exec(type)?.[1] ?? "";
    return this.#types.used.has(named) && this.#components[named] ? `[\`${type}\`](#type-${named})` : `\`${type}\``;
  }
}

function link(type: string): string {
  return `[\`${type}\`](#type-${type})`;
}

function details(title: string, fields: readonly string[]): string {
  if (fields.length === 0) return "";
  return `<details open><summary>${title}</summary>\n\n${fieldList(fields)}\n\n</details>`;
}
