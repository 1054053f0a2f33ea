import { inputError } from "../core/call/request.js";
import { type CallMessage, tell } from "../core/call/trace.js";
import type { InputIssue } from "../core/error-details.js";
import { type DriftKind, eventOf, type Observers } from "../core/events.js";
import { isPlainObject } from "../core/json.js";
import { resourceNameOf } from "../core/operation.js";
import { didYouMean } from "../core/option-checks.js";
import { formatPath } from "../core/schema/issues.js";
import type { SchoolChecks, SchoolRequest, SentSchoolRequest } from "../core/school.js";
import { CUSTOM_KINDS, type CustomKind } from "../models/custom-kinds.js";
import { fieldsIn, isDay, type SchoolDefinitions, type SchoolField } from "./definitions.js";

// Real responses stay far below these limits, but a malicious service could send any number of records and slugs.
const MOST_RECORDS = 1_000;
const MOST_REPORTED = 10_000;
// Keeps a message readable; the school's file contains all options.
const MOST_OPTIONS = 50;

interface Problem {
  readonly kind: DriftKind;
  readonly message: string;
}

/** The known custom fields, and the property of a record or body that holds them. */
interface Group {
  readonly property: string;
  /** The kind of record or the custom object with these fields, as messages name it. */
  readonly of: string;
  readonly fields: ReadonlyMap<string, SchoolField>;
}

/** Checks values against a school's definitions, for one client. */
export class DefinitionChecks implements SchoolChecks {
  readonly #definitions: SchoolDefinitions;
  readonly #groups = new Map<string, Group | null>();
  readonly #reported = new Set<string>();

  constructor(definitions: SchoolDefinitions) {
    this.#definitions = definitions;
  }

  check({ operation: { id }, params, body }: SchoolRequest): void {
    const issues = this.#objectIssues(id, params);
    if (isPlainObject(body)) issues.push(...this.#fieldIssues(id, params, body), ...this.#linkIssues(id, body));
    if (issues.length > 0) throw inputError(id, issues);
  }

  observe({ operation, params, settings, trace }: SentSchoolRequest, data: unknown, observers: Observers): void {
    const group = settings.validation === "off" ? null : this.#groupOf(operation.id, params);
    if (!group) return;
    for (const record of (Array.isArray(data) ? data : [data]).slice(0, MOST_RECORDS)) {
      const values = isPlainObject(record) ? record[group.property] : null;
      for (const [slug, value] of Object.entries(isPlainObject(values) ? values : {})) {
        const definition = group.fields.get(slug);
        const kind = definition ? problemOf(value, definition)?.kind : "unknown_field";
        if (kind === undefined) continue;
        const field = formatPath([group.property, slug]);
        const key = `${operation.id} ${field} ${kind}`;
        if (this.#reported.has(key) || this.#reported.size >= MOST_REPORTED) continue;
        this.#reported.add(key);
        tell(observers, trace as CallMessage | undefined, "drift", { ...eventOf(operation), field, kind });
      }
    }
  }

  #objectIssues(operation: string, params: Readonly<Record<string, unknown>>): InputIssue[] {
    const { objects } = this.#definitions;
    const slug = params.object_slug;
    if (resourceNameOf(operation) !== "customRecords" || !objects || typeof slug !== "string") return [];
    if (Object.hasOwn(objects, slug)) return [];
    return [
      { path: "object_slug", message: `is not a custom object of the school${didYouMean(slug, Object.keys(objects))}` },
    ];
  }

  #fieldIssues(
    operation: string,
    params: Readonly<Record<string, unknown>>,
    body: Record<string, unknown>,
  ): InputIssue[] {
    const group = this.#groupOf(operation, params);
    const values = group ? body[group.property] : null;
    if (!group || !isPlainObject(values)) return [];
    const issues: InputIssue[] = [];
    for (const [slug, value] of Object.entries(values)) {
      const field = group.fields.get(slug);
      const message = field
        ? problemOf(value, field)?.message
        : `is not a custom field of ${group.of}${didYouMean(slug, [...group.fields.keys()])}`;
      if (message !== undefined) issues.push({ path: formatPath([group.property, slug]), message });
    }
    return issues;
  }

  #linkIssues(operation: string, body: Record<string, unknown>): InputIssue[] {
    const kind = kindOf(operation);
    const known = kind === null ? undefined : this.#definitions.associations?.[kind];
    const links = body.custom_associations;
    if (!known || !isPlainObject(links)) return [];
    return Object.keys(links)
      .filter((slug) => !Object.hasOwn(known, slug))
      .map((slug) => ({
        path: formatPath(["custom_associations", slug]),
        message: `is not a custom association of ${kindInWords(kind)}${didYouMean(slug, Object.keys(known))}`,
      }));
  }

  #groupOf(operation: string, params: Readonly<Record<string, unknown>>): Group | null {
    const kind = kindOf(operation);
    const object = resourceNameOf(operation) === "customRecords" ? String(params.object_slug) : null;
    if (kind === null && object === null) return null;
    const name = kind ?? `objects ${object}`;
    let group = this.#groups.get(name);
    if (group === undefined) {
      group = kind === null ? this.#objectGroup(object) : this.#recordGroup(kind);
      this.#groups.set(name, group);
    }
    return group;
  }

  // Null if this kind of record has no definitions, so that every field is accepted.
  #recordGroup(kind: CustomKind): Group | null {
    const fields = this.#definitions[kind];
    return fields ? { property: "custom", of: kindInWords(kind), fields: fieldsIn(fields) } : null;
  }

  #objectGroup(slug: string | null): Group | null {
    const { objects = {} } = this.#definitions;
    if (slug === null || !Object.hasOwn(objects, slug)) return null;
    return { property: "properties", of: `the custom object ${slug}`, fields: fieldsIn(objects[slug]) };
  }
}

/** The reason why a field refuses a value; null if the value is valid. Messages never contain the value. */
export function problemOf(value: unknown, { type, options }: SchoolField): Problem | null {
  if (value === null || value === undefined) return null;
  switch (type) {
    case "unknown":
      return null;
    case "boolean":
      return typeof value === "boolean" ? null : wrongType("must be true, false or null");
    case "decimal":
      return isDecimal(value) ? null : wrongType('must be a number, decimal text such as "450.00", or null');
    case "datepicker":
      return typeof value === "string" && isDay(value) ? null : wrongType("must be a date (yyyy-MM-dd) or null");
    case "select":
      if (typeof value !== "string") return wrongType(`must be ${oneOf(options)}, or null`);
      return !options || options.includes(value) ? null : unknownValue(`must be ${oneOf(options)}, or null`);
    case "multiselect": {
      const message = `must be an array; each item must be ${oneOf(options)}`;
      if (!Array.isArray(value) || !value.every((each) => typeof each === "string")) return wrongType(message);
      return !options || value.every((each) => options.includes(each)) ? null : unknownValue(message);
    }
    case "phone":
    case "ssn":
    case "string":
    case "text":
    case "vat_number":
      return typeof value === "string" ? null : wrongType("must be text or null");
    default:
      // A field type that is newer than this library accepts any value.
      return null;
  }
}

const wrongType = (message: string): Problem => ({ kind: "wrong_type", message });
const unknownValue = (message: string): Problem => ({ kind: "unknown_value", message });

function oneOf(options: readonly string[] | undefined): string {
  if (!options) return "text";
  const shown = options.slice(0, MOST_OPTIONS).map((option) => JSON.stringify(option));
  const rest = options.length - shown.length;
  return `one of ${shown.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

function isDecimal(value: unknown): boolean {
  return typeof value === "number" || (typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value));
}

function kindOf(operation: string): CustomKind | null {
  const resource = resourceNameOf(operation);
  return Object.hasOwn(CUSTOM_KINDS, resource) ? CUSTOM_KINDS[resource as keyof typeof CUSTOM_KINDS] : null;
}

function kindInWords(kind: CustomKind | null): string {
  return String(kind).replace("_", " ");
}
