import { fieldsOf, type Schema, traitsOf } from "../../src/core/schema/traits.ts";
import { formatSources, HEADER } from "./doors.ts";
import type { Tables } from "./from-source.ts";
import type { GeneratedFiles } from "./generated.ts";
import { sentences } from "./json-schemas.ts";
import { schemaNames } from "./names.ts";
import type { SourceIndex } from "./source-index.ts";
import { wireText } from "./wire-texts.ts";

const PATH = "src/generated/input-descriptions.ts";

/** Writes `src/generated/input-descriptions.ts`: descriptions of operations and their input fields, from docstrings. */
export function inputDescriptions(
  tables: Tables,
  exported: Readonly<Record<string, unknown>>,
  sources: SourceIndex,
): GeneratedFiles {
  const names = schemaNames(exported);
  const used = new Map<string, Schema>();
  const visit = (schema: Schema | undefined): void => {
    if (!schema) return;
    const traits = traitsOf(schema);
    if (traits.kind === "object") {
      const name = names.get(schema);
      if (name === undefined || used.has(name)) return;
      used.set(name, schema);
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
  const bySchema = [...used]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) => [name, fieldTexts(name, schema, sources)] as const);
  const usual = usualTexts(bySchema.map(([, texts]) => texts));
  const differing = bySchema
    .map(([name, texts]) => [name, texts.filter(([field, text]) => text !== usual[field])] as const)
    .filter(([, texts]) => texts.length > 0);
  const text = [
    HEADER,
    "\n/** The usual description of an input field, by its name. */\n",
    `export const usualDescriptions: Readonly<Record<string, string>> = ${JSON.stringify(usual)};\n`,
    "\n/** Fields with a different description, by the exported name of the schema. */\n",
    "export const fieldDescriptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {\n",
    ...differing.map(([name, texts]) => `  ${name}: ${JSON.stringify(Object.fromEntries(texts))},\n`),
    "};\n\n/** The description of each operation. */\n",
    `export const operationDescriptions: Readonly<Record<string, string>> = ${JSON.stringify(operationTexts(tables, sources))};\n`,
  ].join("");
  return formatSources([[PATH, text]]);
}

type FieldText = readonly [field: string, text: string];

// For each field, the text that most schemas give it; if several are equally frequent, the first.
function usualTexts(schemas: readonly (readonly FieldText[])[]): Readonly<Record<string, string>> {
  const byField = Map.groupBy(schemas.flat(), ([field]) => field);
  return Object.fromEntries(
    [...byField]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([field, texts]) => {
        const byText = [...Map.groupBy(texts, ([, text]) => text)].sort(([, a], [, b]) => b.length - a.length);
        return [field, byText[0]?.[0] ?? ""];
      }),
  );
}

// A field without a docstring gets an empty text, so that the usual text does not apply to it.
function fieldTexts(name: string, schema: Schema, sources: SourceIndex): FieldText[] {
  const docs = sources.schema(name)?.fields;
  return Object.keys(fieldsOf(schema)).map((field) => {
    const { text, deprecated } = docs?.get(field) ?? {};
    return [field, wireText(sentences(text, deprecated).replaceAll("\n\n", " "))];
  });
}

function operationTexts({ operations }: Tables, sources: SourceIndex): Record<string, string> {
  const texts = operations.map(({ id, apis: [api = "main"] }) => {
    const [first = ""] = sources.method(api, id)?.text.split(/(?<=\.)\s/) ?? [];
    return [id, wireText(first)] as const;
  });
  // If the Main and Admin APIs differ, the Main API's text takes precedence.
  return Object.fromEntries(texts.reverse());
}
