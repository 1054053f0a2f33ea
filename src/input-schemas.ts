import * as z from "zod/mini";
import type { Operation } from "./core/operation.js";
import { fieldsOf, type Schema, traitsOf } from "./core/schema/traits.js";
import { fieldDescriptions, operationDescriptions, usualDescriptions } from "./generated/input-descriptions.js";
import * as schemas from "./generated/schemas.js";
import { closed } from "./models/closed.js";

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown };

type Writable = Record<string, unknown>;

/**
 * The JSON Schema of an operation's input, for language-model tools and forms: an object with `params`, `query` and
 * `body`, each only if the operation has it. Every field has a type and a description, and no other fields are allowed.
 * Unstable.
 * @example
 * const row = allOperations.find(({ id }) => id === "accounts.update");
 * if (row) console.log(JSON.stringify(inputSchemaOf(row)));
 */
export function inputSchemaOf(row: Operation): JsonSchema {
  const parts: [name: string, part: Writable][] = [];
  if (row.params) parts.push(["params", paramsOf(row, row.params)]);
  const query = queryOf(row);
  if (query) parts.push(["query", query]);
  if (row.body) parts.push(["body", jsonSchemaOf(row.body)]);
  // A query without required fields may be left out.
  const required = parts.filter(([name, { required }]) => name === "body" || required).map(([name]) => name);
  return {
    description: operationDescriptions[row.id],
    type: "object",
    properties: Object.fromEntries(parts),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

const PAGES = {
  per_page: { description: "Records per page.", type: "integer", minimum: 1, maximum: 100 },
  cursor: { description: "The cursor that came with the previous page.", type: "string" },
};

function queryOf({ query, paged }: Operation): Writable | null {
  const filters = query ? jsonSchemaOf(query) : null;
  if (paged === undefined || paged === "none") return filters;
  const { properties, ...rest } = filters ?? { type: "object", additionalProperties: false };
  return { ...rest, properties: { ...(properties as object | undefined), ...PAGES } };
}

function paramsOf({ path }: Operation, params: Schema): Writable {
  const schema = undescribed(params);
  for (const [name, field] of Object.entries(schema.properties as Record<string, Writable>)) {
    field.description = pathParameterText(name, path);
  }
  return schema;
}

/** Describes a path parameter: in `invoices/{id}`, `id` identifies the record that the preceding segment names. */
export function pathParameterText(name: string, path: string): string {
  if (name === "object_type") return "Kind of record.";
  const [, of = "", kind] = /^(?:(\w+)_)?(id|slug)$/.exec(name) ?? [];
  const before = path.split(`/{${name}}`)[0]?.split("/").at(-1) ?? "";
  const record = of || before.replace(/ies$/, "y").replace(/s$/, "");
  return `${kind === "slug" ? "Slug" : "Identifier"} of the ${record.replaceAll("_", " ")}.`;
}

function jsonSchemaOf(schema: Schema): Writable {
  const json = undescribed(schema);
  describe(schema, json);
  return json;
}

function undescribed(schema: Schema): Writable {
  const json = z.toJSONSchema(closed(schema), { io: "input" });
  // Removes zod's limit for integers, which the service does not have. Parsing also gives each field its own
  // object, so that the description of one field does not change another.
  return JSON.parse(
    JSON.stringify(json, (key, value) =>
      key === "$schema" || (key === "maximum" && value === Number.MAX_SAFE_INTEGER) ? undefined : value,
    ),
  ) as Writable;
}

function describe(schema: Schema, json: Writable): void {
  const texts = fieldDescriptions[nameOf(schema) ?? ""];
  const properties = json.properties as Record<string, Writable>;
  for (const [name, field] of Object.entries(fieldsOf(schema))) {
    const property = properties[name];
    if (!property) continue;
    const inside = objectsIn(property);
    for (const [index, model] of modelsIn(field).entries()) {
      const object = inside[index];
      if (object) describe(model, object);
    }
    const text = texts?.[name] ?? usualDescriptions[name];
    if (text !== undefined) properties[name] = { description: text, ...property };
  }
}

let names: ReadonlyMap<unknown, string> | undefined;

function nameOf(schema: Schema): string | undefined {
  names ??= new Map(Object.entries(schemas).map(([name, exported]) => [exported, name]));
  return names.get(schema);
}

// The models nested in a field, in the order in which zod writes their JSON Schemas.
function modelsIn(schema: Schema): Schema[] {
  const traits = traitsOf(schema);
  switch (traits.kind) {
    case "object":
      return [schema];
    case "optional":
    case "nullable":
      return modelsIn(traits.inner);
    case "array":
      return modelsIn(traits.item);
    case "record":
      return modelsIn(traits.value);
    case "union":
    case "variants":
      return traits.options.flatMap(modelsIn);
    default:
      return [];
  }
}

function objectsIn(json: Writable): Writable[] {
  if (json.properties) return [json];
  const inside = [json.items, json.additionalProperties, json.anyOf, json.oneOf].flat();
  return inside.flatMap((part) => (typeof part === "object" && part !== null ? objectsIn(part as Writable) : []));
}
