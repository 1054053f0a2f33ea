import { isPlainObject } from "../../core/json.js";
import type { CustomKind } from "../../models/custom-kinds.js";
import {
  fieldsIn,
  KINDS,
  type SchoolDefinitions,
  type SchoolField,
  type SchoolFields,
} from "../../school/definitions.js";

const INTERFACES: Readonly<Record<CustomKind, string>> = {
  accounts: "AccountFields",
  catalog_products: "CatalogProductFields",
  catalog_variants: "CatalogVariantFields",
  orders: "OrderFields",
  teachers: "TeacherFields",
  users: "UserFields",
};

const HEADER = "// The school's own fields, written by `npx education-admin-sdk types`.";

// Formatters and linters may require comments at the top of a file, so these may precede the header.
const LEADING_COMMENTS = /^\uFEFF?(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/;

/** True if a text begins with the header of `schoolFile`, after any other comments. */
export function isSchoolFile(text: string): boolean {
  return LEADING_COMMENTS.exec(text)?.[0].includes(HEADER) ?? false;
}

/** The text of a file that defines a school's own fields. The order of the definitions does not matter. */
export function schoolFile(definitions: SchoolDefinitions): string {
  const { associations, objects } = definitions;
  const kinds = KINDS.filter((kind) => definitions[kind]);
  const members = kinds.map((kind) => `  ${kind}: ${INTERFACES[kind]};\n`);
  if (objects) members.push(`  objects: {\n${sortedEntries(objects).map(objectType).join("")}  };\n`);
  if (associations)
    members.push(`  associations: {\n${sortedEntries(associations).map(associationType).join("")}  };\n`);
  // The definitions are written as text, because compilers would take longer to check an object than the rest of the
  // file.
  const values = kinds.map((kind): Entry => [kind, fieldsJson(definitions[kind])]);
  if (objects)
    values.push(["objects", json(sortedEntries(objects).map(([slug, fields]) => [slug, fieldsJson(fields)]))]);
  if (associations) values.push(["associations", json(sortedEntries(associations).map(associationJson))]);
  return `${HEADER} Do not edit: run it again.
import { type DefinedSchool, defineSchool } from "education-admin-sdk/school";

${kinds.map((kind) => `export interface ${INTERFACES[kind]} {\n${fieldTypes(definitions[kind], "  ")}}\n\n`).join("")}export interface School {
${members.join("")}}

export const school: DefinedSchool<School> = defineSchool(\`${escapeTemplate(json(values))}\`);
`;
}

/**
 * True if the types in a file match its definitions: a person may have edited only one of them. Ignores a formatter's
 * changes to quotes, commas and white space.
 */
export function hasTypesOf(text: string, definitions: SchoolDefinitions): boolean {
  return bare(text) === bare(schoolFile(definitions));
}

// Matches strings, which `bare` requotes, and parts that it removes: definitions, comments, some punctuation.
const PARTS = /`[\s\S]*`|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[\s;,|()]+/g;

function bare(text: string): string {
  return text.replace(PARTS, (part) => (/^["']/.test(part) ? `"${part.slice(1, -1).replace(/\\(["'])/g, "$1")}"` : ""));
}

const TEXT_TYPES = ["datepicker", "phone", "ssn", "string", "text", "vat_number"];

function valueType({ type, options }: SchoolField): string {
  const chosen = options?.map((option) => JSON.stringify(option)).join(" | ") ?? "string";
  if (type === "boolean") return "boolean";
  if (type === "decimal") return "number | string";
  if (type === "select") return chosen;
  if (type === "multiselect") return `readonly ${options && options.length > 1 ? `(${chosen})` : chosen}[]`;
  return TEXT_TYPES.includes(type) ? "string" : "string | number | boolean | readonly string[]";
}

function fieldTypes(fields: SchoolFields | undefined, indent: string): string {
  return sortedFields(fields)
    .map(([slug, field]) => {
      const title = field.title === undefined ? "" : `${indent}/** ${comment(field.title)} */\n`;
      return `${title}${indent}${typeKey(slug)}: ${valueType(field)};\n`;
    })
    .join("");
}

function fieldsJson(fields: SchoolFields | undefined): string {
  return json(sortedFields(fields).map(([slug, field]) => [slug, fieldJson(field)]));
}

function fieldJson({ type, title, options, required, observed }: SchoolField): string {
  const more = { title, options, required: required || undefined, observed: observed || undefined };
  return JSON.stringify(Object.values(more).every((part) => part === undefined) ? type : { type, ...more });
}

function objectType([slug, fields]: readonly [string, SchoolFields]): string {
  return `    ${typeKey(slug)}: {\n${fieldTypes(fields, "      ")}    };\n`;
}

function associationType([kind, slugs]: readonly [string, Readonly<Record<string, string>>]): string {
  return `    ${kind}: { ${sortedEntries(slugs)
    .map(([slug, object]) => `${typeKey(slug)}: ${JSON.stringify(object)}`)
    .join("; ")} };\n`;
}

function associationJson([kind, slugs]: readonly [string, Readonly<Record<string, string>>]): Entry {
  return [kind, json(sortedEntries(slugs).map(([slug, object]) => [slug, JSON.stringify(object)]))];
}

type Entry = [name: string, json: string];

// One member per line for readable diffs, without indentation, which would make up a tenth of the file.
function json(entries: readonly Entry[]): string {
  return `{\n${entries.map(([name, value]) => `${JSON.stringify(name)}: ${value}`).join(",\n")}\n}`;
}

// In a template literal, these characters would end the text or start an expression.
function escapeTemplate(text: string): string {
  return text.replace(/[\\`]|\$(?=\{)/g, "\\$&");
}

function sortedFields(fields: SchoolFields | undefined): [string, SchoolField][] {
  return [...fieldsIn(fields)]
    .map(([slug, field]): [string, SchoolField] => [
      slug,
      field.options ? { ...field, options: [...field.options].sort() } : field,
    ])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

function sortedEntries<T>(record: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}

function typeKey(slug: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(slug) ? slug : JSON.stringify(slug);
}

function comment(title: string): string {
  return title.replace(/\s+/g, " ").replaceAll("*/", "*\\/").trim();
}

const DEFINITIONS = /\bdefineSchool\s*\(\s*`(?<text>(?:[^`\\]|\\[\s\S])*)`/;

/**
 * Reads the definitions from the text of a school's file, without running it. A formatter may have changed the code
 * around them.
 * @returns null if the text has no definitions.
 */
export function definitionsIn(text: string): SchoolDefinitions | null {
  const written = DEFINITIONS.exec(text)?.groups?.text;
  if (written === undefined) return null;
  try {
    const value: unknown = JSON.parse(written.replace(/\\([\s\S])/g, "$1"));
    return isPlainObject(value) ? (value as SchoolDefinitions) : null;
  } catch {
    return null;
  }
}
