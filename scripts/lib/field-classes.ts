import { FIELD_CLASSES, type FieldClass } from "../../src/core/field-class.ts";
import { fieldsOf, formatOf, type Schema, traitsOf, unwrap } from "../../src/core/schema/traits.ts";
import { formatSources, HEADER } from "./doors.ts";
import type { Tables } from "./from-source.ts";
import type { GeneratedFiles } from "./generated.ts";
import { schemaNames } from "./names.ts";
import type { SourceIndex } from "./source-index.ts";

const PATH = "src/generated/field-classes.ts";

/**
 * Writes `src/generated/field-classes.ts`: the class of every field of every record. A comment at the end of a field's
 * line names the class, unless the schema determines it: identifiers, Booleans, enumerations, amounts and times.
 * @throws Error listing each field without a class, and each comment that does not name a class.
 */
export function fieldClasses(
  tables: Tables,
  exported: Readonly<Record<string, unknown>>,
  sources: SourceIndex,
): GeneratedFiles {
  const problems: string[] = [];
  const entries: string[] = [];
  for (const [name, schema] of recordSchemas(tables, exported)) {
    const byClass: Partial<Record<FieldClass, string[]>> = {};
    for (const [field, inner] of Object.entries(fieldsOf(schema))) {
      const kept = valueIn(inner);
      if (["object", "variants"].includes(traitsOf(kept).kind)) continue;
      const stated = sources.schema(name)?.fields.get(field)?.mark ?? null;
      const found = stated === null ? classBySchema(field, kept) : FIELD_CLASSES.find((one) => one === stated);
      if (found) byClass[found] = [...(byClass[found] ?? []), field];
      else problems.push(`${name}.${field}: ${stated === null ? "has no class" : `"${stated}" is not a class`}`);
    }
    const classes = FIELD_CLASSES.flatMap((one) => (byClass[one] ? [`${one}: "${byClass[one].join(" ")}"`] : []));
    entries.push(`  ${name}: { ${classes.join(", ")} },\n`);
  }
  if (problems.length > 0) {
    throw new Error(
      `State what these fields hold, in a comment after each, such as \`phone: z.string(), // contact\`; the classes are ${FIELD_CLASSES.join(", ")}:\n${problems.join("\n")}`,
    );
  }
  const text = [
    HEADER,
    'import type { FieldClass } from "../core/field-class.js";\n',
    "\n/** Fields of each record by class of content, keyed by the exported name of its schema; fields that hold records are left out. */\n",
    "export const fieldClasses: Readonly<Record<string, { readonly [Class in FieldClass]?: string }>> = {\n",
    ...entries.sort(),
    "};\n",
  ].join("");
  return formatSources([[PATH, text]]);
}

// Schemas of all records that operations return, and of the records inside them, by exported name.
function recordSchemas({ operations }: Tables, exported: Readonly<Record<string, unknown>>): Map<string, Schema> {
  const names = schemaNames(exported);
  const found = new Map<string, Schema>();
  const visit = (schema: Schema): void => {
    const traits = traitsOf(schema);
    if (traits.kind === "variants") for (const option of traits.options) visit(option);
    if (traits.kind !== "object") return;
    const name = names.get(schema);
    if (name === undefined)
      throw new Error(`a record has a schema that is not exported: ${Object.keys(traits.fields)}`);
    if (found.has(name)) return;
    found.set(name, schema);
    for (const field of Object.values(traits.fields)) visit(valueIn(field));
  };
  for (const { response } of operations) if (response) visit(response);
  return found;
}

// Removes the wrappers for null, optional and list from a value's schema.
function valueIn(schema: Schema): Schema {
  const inner = unwrap(schema);
  const traits = traitsOf(inner);
  return traits.kind === "array" ? valueIn(traits.item) : inner;
}

function classBySchema(field: string, schema: Schema): FieldClass | null {
  const { kind } = traitsOf(schema);
  if (kind === "boolean" || kind === "enumeration") return "plain";
  if (kind === "number") return /^id$|_ids?$/.test(field) ? "identifier" : null;
  return kind === "text" && ["decimal", "date-time"].includes(formatOf(schema) ?? "") ? "plain" : null;
}
