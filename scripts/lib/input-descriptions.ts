import { fieldsOf, type Schema, traitsOf } from "../../src/core/schema/traits.ts";
import { formatted, HEADER } from "./doors.ts";
import type { Tables } from "./from-source.ts";
import type { GeneratedFiles } from "./generated.ts";
import { sentences } from "./json-schemas.ts";
import { schemaNames } from "./names.ts";
import type { SourceIndex } from "./source-index.ts";
import { wireText } from "./wire-texts.ts";

const PATH = "src/generated/input-descriptions.ts";

/** Writes `src/generated/input-descriptions.ts`: what the docstrings say of operations and of the fields that they take. */
export function inputDescriptions(
  tables: Tables,
  exported: Readonly<Record<string, unknown>>,
  sources: SourceIndex,
): GeneratedFiles {
  const names = schemaNames(exported);
  const used = new Set<string>();
  const visit = (schema: Schema | undefined): void => {
    if (!schema) return;
    const traits = traitsOf(schema);
    if (traits.kind === "object") {
      const name = names.get(schema);
      if (name === undefined || used.has(name)) return;
      used.add(name);
      for (const field of Object.values(fieldsOf(schema))) visit(field);
    } else if (traits.kind === "optional" || traits.kind === "nullable") visit(traits.inner);
    else if (traits.kind === "array") visit(traits.item);
    else if (traits.kind === "record") visit(traits.value);
    else if (traits.kind === "union" || traits.kind === "variants") for (const option of traits.options) visit(option);
  };
  for (const { query, body } of tables.operations) {
    visit(query);
    visit(body);
  }
  const sorted = [...used].sort();
  const text = [
    HEADER,
    "\n/** What the fields mean of each schema that operations take, by the schema's exported name. */\n",
    "export const fieldDescriptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {\n",
    ...sorted.map((name) => `  ${name}: ${JSON.stringify(fieldTexts(name, sources))},\n`),
    "};\n\n/** What each operation does. */\n",
    `export const operationDescriptions: Readonly<Record<string, string>> = ${JSON.stringify(operationTexts(tables, sources))};\n`,
  ].join("");
  return formatted([[PATH, text]]);
}

function fieldTexts(name: string, sources: SourceIndex): Record<string, string> {
  const fields = [...(sources.schema(name)?.fields ?? [])];
  return Object.fromEntries(
    fields.map(([field, { text, deprecated }]) => [
      field,
      wireText(sentences(text, deprecated).replaceAll("\n\n", " ")),
    ]),
  );
}

function operationTexts({ operations }: Tables, sources: SourceIndex): Record<string, string> {
  const texts = operations.map(({ id, apis: [api = "main"] }) => {
    const [first = ""] = sources.method(api, id)?.text.split(/(?<=\.)\s/) ?? [];
    return [id, wireText(first)] as const;
  });
  // The Main API's words first, where Main and Admin differ.
  return Object.fromEntries(texts.reverse());
}
