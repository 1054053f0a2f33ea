import type { CustomKind } from "../../models/custom-kinds.js";
import { fieldsIn, type SchoolDefinitions, type SchoolField, type SchoolFields } from "../../school/definitions.js";

/** The interface of each kind of record, in the order of the file. */
const INTERFACES: Readonly<Record<CustomKind, string>> = {
  accounts: "AccountFields",
  catalog_products: "CatalogProductFields",
  catalog_variants: "CatalogVariantFields",
  orders: "OrderFields",
  teachers: "TeacherFields",
  users: "UserFields",
};

const HEADER = "// The school's own fields, written by `npx education-admin-sdk types`.";

// Formatters and linters put comments of their own first.
const LEADING_COMMENTS = /^\uFEFF?(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/;

/** Whether a text begins as the file that `schoolFile` writes, other comments before it included. */
export function isSchoolFile(text: string): boolean {
  return LEADING_COMMENTS.exec(text)?.[0].includes(HEADER) ?? false;
}

/** Writes the file of a school's own fields: the same definitions give the same text, whatever their order. */
export function schoolFile(definitions: SchoolDefinitions): string {
  const { associations, objects } = definitions;
  const kinds = (Object.keys(INTERFACES) as CustomKind[]).filter((kind) => definitions[kind]);
  const members = kinds.map((kind) => `  ${kind}: ${INTERFACES[kind]};\n`);
  if (objects) members.push(`  objects: {\n${sorted(objects).map(objectType).join("")}  };\n`);
  if (associations) members.push(`  associations: {\n${sorted(associations).map(associationType).join("")}  };\n`);
  const values = kinds.map((kind) => `  ${kind}: {\n${fieldValues(definitions[kind], "    ")}  },\n`);
  if (objects) values.push(`  objects: {\n${sorted(objects).map(objectValue).join("")}  },\n`);
  if (associations) values.push(`  associations: {\n${sorted(associations).map(associationValue).join("")}  },\n`);
  return `${HEADER} Do not edit: run it again.
import { type DefinedSchool, defineSchool } from "education-admin-sdk/school";

${kinds.map((kind) => `export interface ${INTERFACES[kind]} {\n${fieldTypes(definitions[kind], "  ")}}\n\n`).join("")}export interface School {
${members.join("")}}

export const school: DefinedSchool<School> = defineSchool({
${values.join("")}});
`;
}

/** What a field holds, as TypeScript writes it. */
export function valueType({ type, options }: SchoolField): string {
  const chosen = options?.map((option) => JSON.stringify(option)).join(" | ") ?? "string";
  switch (type) {
    case "boolean":
      return "boolean";
    case "decimal":
      return "number | string";
    case "select":
      return chosen;
    case "multiselect":
      return `readonly ${options && options.length > 1 ? `(${chosen})` : chosen}[]`;
    case "datepicker":
    case "phone":
    case "ssn":
    case "string":
    case "text":
    case "vat_number":
      return "string";
    default:
      return "string | number | boolean | readonly string[]";
  }
}

function fieldTypes(fields: SchoolFields | undefined, indent: string): string {
  return sortedFields(fields)
    .map(([slug, field]) => {
      const title = field.title === undefined ? "" : `${indent}/** ${comment(field.title)} */\n`;
      return `${title}${indent}${typeKey(slug)}: ${valueType(field)};\n`;
    })
    .join("");
}

function fieldValues(fields: SchoolFields | undefined, indent: string): string {
  return sortedFields(fields)
    .map(([slug, field]) => `${indent}${valueKey(slug)}: ${fieldValue(field)},\n`)
    .join("");
}

function fieldValue({ type, title, options, required, observed }: SchoolField): string {
  const more = [
    title === undefined ? null : `title: ${JSON.stringify(title)}`,
    options === undefined ? null : `options: [${options.map((option) => JSON.stringify(option)).join(", ")}]`,
    required ? "required: true" : null,
    observed ? "observed: true" : null,
  ].filter((part) => part !== null);
  const written = JSON.stringify(type);
  return more.length === 0 ? written : `{ ${[`type: ${written}`, ...more].join(", ")} }`;
}

function objectType([slug, fields]: readonly [string, SchoolFields]): string {
  return `    ${typeKey(slug)}: {\n${fieldTypes(fields, "      ")}    };\n`;
}

function objectValue([slug, fields]: readonly [string, SchoolFields]): string {
  return `    ${valueKey(slug)}: {\n${fieldValues(fields, "      ")}    },\n`;
}

function associationType([kind, slugs]: readonly [string, Readonly<Record<string, string>>]): string {
  return `    ${kind}: { ${pairs(slugs, typeKey).join("; ")} };\n`;
}

function associationValue([kind, slugs]: readonly [string, Readonly<Record<string, string>>]): string {
  return `    ${kind}: { ${pairs(slugs, valueKey).join(", ")} },\n`;
}

function pairs(slugs: Readonly<Record<string, string>>, key: (slug: string) => string): string[] {
  return sorted(slugs).map(([slug, object]) => `${key(slug)}: ${JSON.stringify(object)}`);
}

function sortedFields(fields: SchoolFields | undefined): [string, SchoolField][] {
  return [...fieldsIn(fields)]
    .map(([slug, field]): [string, SchoolField] => [
      slug,
      field.options ? { ...field, options: [...field.options].sort() } : field,
    ])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

function sorted<T>(record: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}

function typeKey(slug: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(slug) ? slug : JSON.stringify(slug);
}

// Anything else that is written so would set the prototype.
function valueKey(slug: string): string {
  return slug === "__proto__" ? '["__proto__"]' : typeKey(slug);
}

// A title must not end the comment.
function comment(title: string): string {
  return title.replace(/\s+/g, " ").replaceAll("*/", "*\\/").trim();
}
