import { type Operation, placeholders } from "../core/operation.js";
import { didYouMean } from "../core/option-checks.js";
import { fieldsOf, type Schema, traitsOf } from "../core/schema/traits.js";
import { allOperations } from "../operations.js";
import { resourceOf } from "../resources/references.js";
import { fieldNames, fieldSchema, type KnownResource, pathOf, recordOf } from "./catalog.js";
import { classOf, isRecord, itemOf } from "./classes.js";
import type { AnswerData, Told, Tools } from "./context.js";
import type { Given } from "./input.js";
import { ToolProblem } from "./problem.js";
import { fitRows, tokensOf } from "./tokens.js";

// What an answer has beside its rows.
const FRAME = 120;
const DEFAULT_LIMIT = 20;
const DEFAULT_FIELDS = 8;

interface Rows {
  readonly records: readonly unknown[];
  readonly total: number | null;
  /** The checkpoint after these; null at the end. */
  readonly next: string | null;
}

/** What a column of an answer shows. */
interface Column {
  readonly name: string;
  readonly of: (record: Readonly<Record<string, unknown>>) => unknown;
}

/** The tool that reads records. */
export async function read(tools: Tools, asked: Given, signal: AbortSignal, told: Told): Promise<AnswerData> {
  const { cursor } = asked as { readonly cursor?: string };
  const place = cursor === undefined ? { given: asked, after: null, skip: 0 } : tools.places.at(cursor);
  const { given } = place;
  const {
    from,
    id,
    limit = DEFAULT_LIMIT,
  } = given as { readonly from?: string; readonly id?: string | number; readonly limit?: number };
  if (from === undefined) throw new ToolProblem("the argument from is missing: the name of a resource");
  const { resource, operation } = tools.catalog.reading(from, id !== undefined);
  told.resource = resource.name;
  const { params, query } = splitWhere(operation, given.where as Given | undefined, id);
  const schema = recordOf(operation);
  const joins = joinsOf(tools, resource, operation, schema, given.with as readonly string[] | undefined);
  const columns = columnsOf(tools, schema, joins, given.fields as readonly string[] | undefined);
  told.names = [...Object.keys(query), ...columns.map(({ name }) => name)];
  const found = operation.paged
    ? await pageOf(tools, operation, params, query, limit, place.after, Object.keys(joins), signal)
    : await recordsOf(tools, operation, params, query, joins, signal);
  const records = found.records.slice(place.skip);
  const rows = records.map((record) => columns.map(({ of }) => of(record as Given)));
  const names = columns.map(({ name }) => name);
  const fitted = fitRows(rows, tools.maxTokens - FRAME - tokensOf(JSON.stringify(names)));
  told.rows = fitted.rows.length;
  const isMore = fitted.leftOut > 0 && operation.paged;
  const next = isMore
    ? { given, after: place.after, skip: place.skip + fitted.rows.length }
    : found.next === null
      ? null
      : { given, after: found.next, skip: 0 };
  return {
    source: operation.id,
    fields: names.slice(0, fitted.width || names.length),
    rows: fitted.rows,
    ...(found.total !== null && { total: found.total }),
    ...(next && { cursor: tools.places.keep(next) }),
    ...(fitted.shortened && { note: "long texts are shortened; ask for fewer fields or rows" }),
    ...(fitted.leftOut > 0 && !operation.paged && { left_out: fitted.leftOut }),
    requests_left: tools.session.left,
  };
}

/** Divides `where` into path parameters and filters. @throws ToolProblem naming the filters that there are. */
export function splitWhere(
  operation: Operation,
  where: Given = {},
  id?: string | number,
): { readonly params: Given; readonly query: Given } {
  const places = placeholders(operation);
  const filters = fieldsOf(operation.query);
  const params: Record<string, unknown> = {};
  const query: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(where)) {
    if (places.includes(name)) params[name] = numeric(value);
    else if (Object.hasOwn(filters, name)) query[name] = value;
    else {
      const known = [...places, ...Object.keys(filters)];
      throw new ToolProblem(
        `${operation.id} has no filter "${name.slice(0, 60)}"${didYouMean(name.slice(0, 60), known) || ";"} it has ${known.join(", ") || "none"}`,
      );
    }
  }
  const last = places.at(-1);
  if (id !== undefined && last !== undefined) params[last] ??= numeric(id);
  const missing = places.filter((name) => params[name] === undefined);
  if (missing.length > 0) throw new ToolProblem(`${operation.id} needs ${missing.join(", ")} in where`);
  return { params, query };
}

function numeric(value: unknown): unknown {
  return typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
}

async function pageOf(
  tools: Tools,
  operation: Operation,
  params: Given,
  query: Given,
  limit: number,
  after: string | null,
  joins: readonly string[],
  signal: AbortSignal,
): Promise<Rows> {
  const paging = operation.paged === "none" ? query : { ...query, per_page: limit };
  const options = { signal, prefetch: 0, ...(after !== null && { resume: after }) };
  const list = tools.session.list(operation, params, paging, options);
  const names = Object.fromEntries(joins.map((name) => [name, true])) as Readonly<Record<never, true>>;
  const page = await (joins.length > 0 ? list.with(names) : list).first();
  return { records: page.records, total: page.total, next: page.hasNext ? page.checkpoint : null };
}

async function recordsOf(
  tools: Tools,
  operation: Operation,
  params: Given,
  query: Given,
  joins: Joins,
  signal: AbortSignal,
): Promise<Rows> {
  const answer = await tools.session.record(operation, params, query, signal);
  const records = (Array.isArray(answer) ? answer : [answer]) as Record<string, unknown>[];
  if (records.length > 1 && Object.keys(joins).length > 0) throw new ToolProblem(`${operation.id} takes no with`);
  for (const record of records) {
    for (const [name, { get }] of Object.entries(joins)) {
      const id = record[`${name}_id`];
      const place = placeholders(get)[0] ?? "id";
      record[name] = typeof id === "number" ? await tools.session.record(get, { [place]: id }, {}, signal) : null;
    }
  }
  return { records, total: null, next: null };
}

/** The records that are read along: their schema, and the operation that reads one. */
type Joins = Readonly<Record<string, { readonly schema: Schema; readonly get: Operation }>>;

function joinsOf(
  tools: Tools,
  resource: KnownResource,
  operation: Operation,
  schema: Schema,
  names: readonly string[] = [],
): Joins {
  const possible = fieldNames(schema)
    .filter((name) => name.endsWith("_id") && resourceOf(name.slice(0, -3), resource.name) !== null)
    .map((name) => name.slice(0, -3));
  return Object.fromEntries(
    names.map((name) => {
      const other = possible.includes(name) ? resourceOf(name, resource.name) : null;
      const known = other === null ? null : tools.catalog.find(other);
      if (!known) {
        throw new ToolProblem(
          `${operation.id} cannot be read with "${name.slice(0, 60)}"${didYouMean(name.slice(0, 60), possible) || ";"} possible: ${possible.join(", ") || "none"}`,
        );
      }
      const { operation: get } = tools.catalog.reading(known.name, true);
      const list = allOperations.find(({ id }) => id === `${known.name}.list`);
      return [name, { schema: recordOf(get ?? list), get }];
    }),
  );
}

function columnsOf(tools: Tools, schema: Schema, joins: Joins, fields: readonly string[] | undefined): Column[] {
  const names = fields ?? [
    ...defaultFields(tools, schema),
    ...Object.entries(joins).flatMap(([name, { schema: other }]) =>
      defaultFields(tools, other)
        .slice(0, 4)
        .map((field) => `${name}.${field}`),
    ),
  ];
  return names.map((name) => {
    const at = name.indexOf(".");
    const join = at > 0 && !fieldSchema(schema, name.slice(0, at)) ? joins[name.slice(0, at)] : undefined;
    if (join) {
      const path = pathOf(join.schema, name.slice(at + 1));
      return { name, of: (record) => tools.sight.at(join.schema, record[name.slice(0, at)], path) };
    }
    const path = pathOf(schema, name);
    return { name, of: (record) => tools.sight.at(schema, record, path) };
  });
}

/** The fields that are shown where none are asked for: what is no list, no other record and not hidden. */
export function defaultFields({ sight }: Pick<Tools, "sight">, schema: Schema): string[] {
  const own = fieldNames(schema).filter((name) => {
    const inner = fieldSchema(schema, name);
    const kept = inner && itemOf(inner);
    if (!kept || isRecord(kept) || traitsOf(kept).kind === "record") return false;
    return sight.shows(classIn(schema, name)) && !/^(created|updated)_at$/.test(name);
  });
  return own.slice(0, DEFAULT_FIELDS);
}

/** The class of a field, also of a record with several forms. */
export function classIn(schema: Schema, field: string): ReturnType<typeof classOf> {
  const traits = traitsOf(schema);
  if (traits.kind !== "variants") return classOf(schema, field);
  return traits.options.map((one) => classOf(one, field)).find((found) => found !== null) ?? null;
}
