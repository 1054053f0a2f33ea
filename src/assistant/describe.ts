import { NotFoundError, PermissionDeniedError } from "../core/errors.js";
import { type Operation, placeholders, scopesIn } from "../core/operation.js";
import { fieldsOf, formatOf, type Schema, traitsOf, unwrap } from "../core/schema/traits.js";
import { inputSchemaOf } from "../input-schemas.js";
import { CUSTOM_KINDS } from "../models/custom-kinds.js";
import { resourceOf } from "../resources/references.js";
import { daysIn } from "../work/days.js";
import { fieldOf, itemOf } from "../work/fields/path.js";
import { classIn, fieldNames, fieldSchema, type KnownResource, recordIn } from "./catalog.js";
import type { Told, Tools } from "./context.js";
import type { Given } from "./input.js";
import { fitting, tokensOf, truncateToTokens } from "./tokens.js";

export async function describe(tools: Tools, given: Given, signal: AbortSignal, told: Told): Promise<string> {
  const { resource: name, about } = given as { readonly resource?: string; readonly about?: string };
  if (name === undefined) {
    // If the school's time zone cannot be read, the description uses UTC.
    const zone = await tools.session.zone(signal).catch(() => "UTC");
    return fitLines(tools, map(tools, zone));
  }
  const resource = tools.catalog.resource(name.replace(/\.(list|get)\w*$/, ""));
  told.resource = resource.name;
  if (about === "operations") return fitLines(tools, operations(tools, resource));
  if (about === "filters") return fitLines(tools, filters(resource));
  const all = [...fields(tools, resource), ...(await ownFields(tools, resource, signal))];
  return fitLines(
    tools,
    about === "fields" ? all : [resource.name, ...operations(tools, resource), ...filters(resource), ...all],
  );
}

function map({ catalog, access, session }: Tools, zone: string): string[] {
  const direct = catalog.names.filter((name) => !name.startsWith("organization."));
  const below = catalog.names.filter((name) => name.startsWith("organization."));
  return [
    `Resources of the ${catalog.api} API: ${direct.join(", ")}`,
    ...(below.length > 0 ? [`Organization API: ${below.join(", ")}`] : []),
    `Today is ${daysIn(zone)(session.clock.now())} in ${zone}. Call describe with a resource for its operations, filters and fields. These tools ${access === "plan" ? "read, and make plans that a person applies" : "only read"}.`,
  ];
}

function operations({ catalog }: Tools, { operations: rows }: KnownResource): string[] {
  return [
    "operations:",
    ...[...rows].map(([name, row]) => {
      const scopes = scopesIn(row, row.apis.includes(catalog.api) ? catalog.api : "organization");
      const names = scopes?.join(row.anyScope ? " or " : ", ");
      const needs = names === undefined ? "" : ` (${names || "any key"})`;
      const places = placeholders(row);
      return `- ${name}${places.length > 0 ? ` by ${places.join(", ")}` : ""}${row.method === "GET" ? "" : " [writes]"}${needs}`;
    }),
  ];
}

function filters({ operations: rows }: KnownResource): string[] {
  const lists = [...rows.values()].filter(({ method, query }) => method === "GET" && query);
  return lists.flatMap((row) => [
    `filters of ${row.id}:`,
    ...Object.entries(fieldsOf(row.query)).map(([name, schema]) => `- ${name}: ${typeOf(schema)}${meaning(row, name)}`),
  ]);
}

// The documented meaning of a filter; empty if its name says it all.
function meaning(row: Operation, name: string): string {
  const { query } = inputSchemaOf(row).properties as { readonly query?: { readonly properties?: Given } };
  const { description } = (query?.properties?.[name] ?? {}) as { readonly description?: string };
  return description === undefined ? "" : `; ${description.replace(/\.$/, "")}`;
}

function fields(tools: Tools, resource: KnownResource): string[] {
  const row = recordRow(resource);
  return row?.response ? ["fields:", ...fieldLines(tools, itemOf(row.response), resource.name, "")] : [];
}

function fieldLines(tools: Tools, schema: Schema, resource: string, before: string): string[] {
  return fieldNames(schema).flatMap((name) => {
    const inner = fieldSchema(schema, name);
    if (!inner) return [];
    const item = recordIn(schema, name);
    const isList = traitsOf(unwrap(inner)).kind === "array";
    if (item) {
      const below = before === "" ? fieldLines(tools, item, resource, `${name}.`) : [];
      return [`- ${before}${name}: ${isList ? "records" : "record"}`, ...below];
    }
    const found = classIn(schema, name);
    const hidden = tools.sight.shows(found) ? "" : ` [${found ?? "unknown"}, hidden]`;
    const other = before === "" && name.endsWith("_id") ? resourceOf(name.slice(0, -3), resource) : null;
    const joined = other === null ? "" : `, with: ${name.slice(0, -3)} (${other})`;
    const { kind, isSure } = fieldOf(name, [name], inner);
    const note = (name === "status" && before === "" && STATUS_NOTES[resource]) || "";
    return [`- ${before}${name}: ${isSure ? typeOf(inner) : `${kind} as text`}${joined}${note}${hidden}`];
  });
}

const NO_DAY_OF_CANCELING = "; no field shows when it was canceled: updated_at may be from a later change";
const STATUS_NOTES: Readonly<Record<string, string>> = {
  invoices:
    '; without a filter on status, sums may include concepts and deleted invoices; where: {"status":["open","expired"]} leaves them out',
  enrollments: NO_DAY_OF_CANCELING,
  orders: NO_DAY_OF_CANCELING,
};

function recordRow({ operations: rows }: KnownResource): Operation | null {
  const reads = [...rows.values()].filter(({ method, response }) => method === "GET" && response);
  return rows.get("get") ?? rows.get("list") ?? reads[0] ?? [...rows.values()].find(({ response }) => response) ?? null;
}

// Cached per kind, because reading the school's own fields takes up to three requests.
async function ownFields(tools: Tools, { name }: KnownResource, signal: AbortSignal): Promise<readonly string[]> {
  const kind = (CUSTOM_KINDS as Readonly<Record<string, string>>)[name];
  const isAbout = kind !== undefined || name === "customRecords" || name === "customObjects";
  if (!isAbout || tools.catalog.api === "organization") return [];
  const known = tools.own.get(kind ?? "objects");
  if (known) return known;
  const lines = await unlessRefused(kind === undefined ? objects(tools, signal) : questions(tools, kind, signal));
  if (!signal.aborted) tools.own.set(kind ?? "objects", lines);
  return lines;
}

async function questions(tools: Tools, kind: string, signal: AbortSignal): Promise<string[]> {
  const found = await listAll(tools, "signupQuestions", signal);
  const lines = found
    .filter(({ for_type, slug }) => `${String(for_type)}s` === kind && typeof slug === "string")
    .map(({ slug, field_type, title }) => `- custom.${line(slug)}: ${line(field_type)}, ${line(title)}`);
  return lines.length > 0 ? ["fields of this school:", ...new Set(lines)] : [];
}

async function objects(tools: Tools, signal: AbortSignal): Promise<string[]> {
  const found = await listAll(tools, "customObjects", signal);
  const lines = found.map(({ slug, fields: own }) => {
    const names = Array.isArray(own) ? own.map((field) => line((field as Given | null)?.slug)) : [];
    return `- object_slug ${line(slug)}${names.length > 0 ? `: properties.${names.join(", properties.")}` : ""}`;
  });
  return lines.length > 0 ? ["custom objects of this school:", ...lines] : [];
}

function listAll({ session }: Tools, name: string, signal: AbortSignal): Promise<Given[]> {
  const resource = session.resource(name) as { list(query: object, options: object): { toArray(): Promise<Given[]> } };
  return resource.list({}, { signal, prefetch: 0, maxPages: 3 }).toArray();
}

// If the school's fields or objects cannot be read, a note replaces them, and the rest is still described.
async function unlessRefused(reading: Promise<string[]>): Promise<string[]> {
  try {
    return await reading;
  } catch (error) {
    const isRefused = error instanceof PermissionDeniedError || error instanceof NotFoundError;
    const why = isRefused ? "the key is not allowed to read them" : "they could not be read";
    return [`fields of this school: unknown, because ${why}`];
  }
}

function typeOf(schema: Schema): string {
  const inner = unwrap(schema);
  const traits = traitsOf(inner);
  switch (traits.kind) {
    case "array":
      return `list of ${typeOf(traits.item)}`;
    case "converted":
      return FORMS[formatOf(inner) ?? ""] ?? typeOf(traits.input);
    case "enumeration":
      if (traits.values.length > 30) return "code";
      // Ends in `|…` rather than `…`, so that a single known value reads as one of several.
      return `${traits.values.join("|")}${traits.complete ? "" : "|…"}`;
    case "union":
      return [...new Set(traits.options.map(typeOf))].join(" or ");
    case "text":
    case "number":
      return FORMS[formatOf(inner) ?? ""] ?? formatOf(inner) ?? traits.kind;
    case "record":
      return "values by slug";
    case "anything":
    case "other":
      return "value";
    default:
      return traits.kind;
  }
}

const FORMS: Readonly<Record<string, string>> = {
  date: "date yyyy-MM-dd",
  "date-time": "time with zone (2026-07-01T08:00:00Z)",
};

function line(value: unknown): string {
  return (typeof value === "string" ? value : "").replace(/\s+/g, " ").slice(0, 80);
}

function fitLines({ maxTokens }: Tools, lines: readonly string[]): string {
  const text = lines.join("\n");
  if (tokensOf(text) <= maxTokens) return text;
  const kept = fitting(lines, maxTokens - 40, (each) => each);
  if (kept.length === 0) kept.push(truncateToTokens(lines[0] ?? "", maxTokens - 40));
  return `${kept.join("\n")}\n… ${lines.length - kept.length} more lines; pass about: operations, filters or fields`;
}
