import { ConfigurationError } from "../core/errors.js";
import { isPlainObject } from "../core/json.js";
import { didYouMean } from "../core/option-checks.js";
import { KINDS, type SchoolDefinitions, type SchoolField } from "./definitions.js";

const GROUPS: readonly string[] = [...KINDS, "objects", "associations"];
const PARTS: Readonly<Record<keyof SchoolField, (value: unknown) => boolean>> = {
  type: isText,
  title: isText,
  options: (value) => Array.isArray(value) && value.every(isText),
  required: isFlag,
  observed: isFlag,
};

/**
 * Checks a school's definitions: a misspelled name would silently disable checks of records.
 * @throws ConfigurationError that names the first part that is wrong.
 */
export function checkDefinitions(definitions: unknown): asserts definitions is SchoolDefinitions {
  if (!isPlainObject(definitions)) {
    throw new ConfigurationError("defineSchool accepts fields by record kind and slug, as a plain object or JSON");
  }
  for (const [name, group] of Object.entries(definitions)) {
    if (!GROUPS.includes(name)) fail(name, `is not a kind of record with custom fields${didYouMean(name, GROUPS)}`);
    if (group === undefined) continue;
    if (name === "associations") checkAssociations(group);
    else if (name === "objects")
      for (const [slug, fields] of entriesOf(name, group)) checkFields(`${name}.${slug}`, fields);
    else checkFields(name, group);
  }
}

function checkFields(path: string, fields: unknown): void {
  for (const [slug, field] of entriesOf(path, fields)) {
    const at = `${path}.${slug}`;
    if (typeof field === "string") continue;
    if (!isPlainObject(field) || !isText(field.type)) fail(at, "must be a field type, or an object with a type");
    for (const [part, value] of entriesOf(at, field)) {
      const isRight = Object.hasOwn(PARTS, part) ? PARTS[part as keyof SchoolField] : null;
      if (!isRight) fail(`${at}.${part}`, `is unknown${didYouMean(part, Object.keys(PARTS))}`);
      if (value !== undefined && !isRight(value)) {
        fail(`${at}.${part}`, part === "options" ? "must be an array of strings" : "has the wrong type");
      }
    }
  }
}

function checkAssociations(associations: unknown): void {
  for (const [kind, slugs] of entriesOf("associations", associations)) {
    const path = `associations.${kind}`;
    if (!(KINDS as readonly string[]).includes(kind))
      fail(path, `is not a kind of record with custom fields${didYouMean(kind, KINDS)}`);
    for (const [slug, object] of entriesOf(path, slugs)) {
      if (!isText(object)) fail(`${path}.${slug}`, "must be the slug of a custom object");
    }
  }
}

function entriesOf(path: string, value: unknown): [string, unknown][] {
  if (value === undefined) return [];
  if (!isPlainObject(value)) fail(path, "must be a plain object");
  return Object.entries(value as object);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isFlag(value: unknown): boolean {
  return typeof value === "boolean";
}

function fail(path: string, problem: string): never {
  throw new ConfigurationError(`defineSchool: ${path} ${problem}`);
}
