import { NotFoundError } from "../core/errors.js";
import type { Page, Pages } from "../core/lists/pages.js";
import { type Operation, placeholders } from "../core/operation.js";
import type { ListOptions } from "../core/options.js";
import { fieldsOf, type Schema, traitsOf } from "../core/schema/traits.js";
import { allOperations } from "../operations.js";
import { resourceOf } from "../resources/references.js";
import { isPresent, itemOf } from "../work/fields/path.js";
import { leftOutOf } from "../work/fields/tester.js";
import {
  classIn,
  fieldAt,
  fieldNames,
  fieldSchema,
  type KnownResource,
  recordIn,
  recordOf,
  unknownName,
} from "./catalog.js";
import type { AnswerData, Place, Told, Tools } from "./context.js";
import { checkAsked, type Having, havingOf, leftOutIn, type ShownField, shownField } from "./gate.js";
import { type Given, wholeIn } from "./input.js";
import { ToolProblem } from "./problem.js";
import { FRAME, fitRows, tokensOf } from "./tokens.js";

const DEFAULT_LIMIT = 20;
const DEFAULT_FIELDS = 8;

interface Found {
  readonly record: unknown;
  readonly after: string | null;
  readonly index: number;
}

interface Rows {
  readonly found: readonly Found[];
  readonly total: number | null;
  readonly next: string | null;
  /** Why the rest was not read; null if nothing remains or `next` leads to the rest. */
  readonly unread: string | null;
}

interface Column {
  readonly name: string;
  readonly join: string | null;
  readonly of: (record: Given) => unknown;
}

export async function read(tools: Tools, asked: Given, signal: AbortSignal, told: Told): Promise<AnswerData> {
  const { cursor } = asked as { readonly cursor?: string };
  const place = cursor === undefined ? { given: asked, after: null, skip: 0 } : tools.places.at(cursor);
  const { given } = place;
  const limit = (given.limit as number | undefined) ?? DEFAULT_LIMIT;
  if (given.from === undefined) throw new ToolProblem('the argument "from" is missing; pass the name of a resource');
  const request = askedOf(tools, told, given);
  const { operation } = request;
  const columns = columnsOf(tools, request, given.fields as readonly string[] | undefined);
  told.names = [...Object.keys(request.query), ...columns.map(({ name }) => name)];
  const as_of = new Date(tools.session.clock.now()).toISOString();
  const condition = await havingOf(tools, given.having, signal, (path) => findShown(tools, request, path, "having"));
  const { holds, zone } = condition;
  const found = operation.paged
    ? await pagesOf(tools, request, limit, place, holds, signal)
    : await recordsOf(tools, request, holds, signal);
  const records = found.found.slice(0, limit).map(({ record }) => record);
  const rows = records.map((record) => columns.map(({ of }) => of(record as Given)));
  const names = columns.map(({ name }) => name);
  const facts = condition.leftOut();
  const isAsked = given.fields !== undefined && rows.length > 0;
  const absent = isAsked ? names.filter((_, at) => !rows.some((row) => isPresent(row[at]))) : [];
  const joined = columns.map(({ join }) => join);
  const most = leftOutIn(leftOutOf(facts, records, absent, joined), tools.session.clockNotes);
  const budget = tools.maxTokens - FRAME - tokensOf(JSON.stringify([names, most]));
  const shown = rows.map((row) => row.map((value) => value ?? null));
  const fitted = fitRows(shown, budget);
  told.rows = fitted.rows.length;
  const left = operation.paged ? found.found[fitted.rows.length] : undefined;
  const next = left
    ? { given, after: left.after, skip: left.index }
    : found.next === null
      ? null
      : { given, after: found.next, skip: 0 };
  return {
    source: operation.id,
    as_of,
    ...(zone !== null && { zone }),
    fields: names.slice(0, fitted.width || names.length),
    rows: fitted.rows,
    ...(found.total !== null && { total: found.total }),
    ...(holds && { complete: next === null && found.unread === null }),
    ...(found.unread !== null && { unread: found.unread }),
    ...(next && { cursor: tools.places.keep(next) }),
    ...leftOutIn(leftOutOf(facts, records.slice(0, fitted.rows.length), absent, joined), [
      ...tools.session.clockNotes,
      ...(fitted.shortened ? ["Long texts are shortened; ask for fewer fields or rows."] : []),
      ...(given.fields === undefined && names.length === DEFAULT_FIELDS ? [OTHER_FIELDS] : []),
    ]),
    ...(fitted.leftOut > 0 && !operation.paged && { rows_left_out: fitted.leftOut }),
    requests_left: tools.session.left,
  };
}

const OTHER_FIELDS = "There may be more fields: call describe to list them, and pass fields to choose.";

type Joins = Readonly<Record<string, { readonly schema: Schema; readonly get: Operation }>>;

interface Asked {
  readonly operation: Operation;
  readonly schema: Schema;
  readonly params: Given;
  readonly query: Given;
  readonly joins: Joins;
}

type Owners = Pick<Asked, "schema" | "joins">;

export function askedOf(tools: Tools, told: Told, given: Given): Asked {
  const {
    from,
    id,
    where,
    with: names,
  } = given as {
    readonly from: string;
    readonly id?: string | number;
    readonly where?: Given;
    readonly with?: readonly string[];
  };
  const { resource, operation } = tools.catalog.reading(from, id !== undefined);
  told.resource = resource.name;
  const { params, query } = splitWhere(operation, where, id);
  const schema = recordOf(operation);
  checkAsked(tools, operation, schema, params, query);
  return { operation, schema, params, query, joins: joinsOf(tools, resource, operation, schema, names) };
}

function splitWhere(operation: Operation, where: Given = {}, id?: string | number): Pick<Asked, "params" | "query"> {
  const places = placeholders(operation);
  const filters = fieldsOf(operation.query);
  const params: Record<string, unknown> = {};
  const query: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(where)) {
    if (places.includes(name)) params[name] = wholeIn(value);
    else if (Object.hasOwn(filters, name)) query[name] = value;
    else {
      const known = [...places, ...Object.keys(filters)];
      throw new ToolProblem(
        `${operation.id} has no filter ${unknownName(name, known, ";")} it has ${known.join(", ") || "none"}`,
      );
    }
  }
  const last = places.at(-1);
  if (id !== undefined && last !== undefined) params[last] ??= wholeIn(id);
  const missing = places.filter((name) => params[name] === undefined);
  if (missing.length > 0) throw new ToolProblem(`${operation.id} needs ${missing.join(", ")} in where`);
  return { params, query };
}

export function listOf(
  tools: Tools,
  { operation, params, query, joins }: Asked,
  per_page: number,
  options: ListOptions,
): Pages<unknown> {
  const paging = operation.paged === "none" ? query : { ...query, per_page };
  const list = tools.session.list(operation, params, paging, { prefetch: 0, ...options });
  const names = Object.fromEntries(Object.keys(joins).map((name) => [name, true]));
  return Object.keys(joins).length > 0 ? list.with(names as Readonly<Record<never, true>>) : list;
}

// Without conditions, reads one page; with conditions, reads pages until enough records match.
async function pagesOf(
  tools: Tools,
  asked: Asked,
  limit: number,
  place: Place,
  holds: Having["holds"],
  signal: AbortSignal,
): Promise<Rows> {
  const found: Found[] = [];
  let { after, skip } = place;
  for (let looked = 0; ; ) {
    const options = { signal, ...(after !== null && { resume: after }) };
    let page: Page<unknown>;
    try {
      page = await listOf(tools, asked, holds ? 100 : limit, options).first();
    } catch (error) {
      if (!holds || looked === 0 || tools.session.left > 0) throw error;
      const unread = `the session reached its limit of requests after ${looked} records`;
      return { found, total: null, next: null, unread };
    }
    looked += page.records.length;
    for (const [index, record] of page.records.entries())
      if (index >= skip && (holds?.(record) ?? true)) found.push({ record, after, index });
    const next = page.hasNext ? page.checkpoint : null;
    if (!holds || found.length >= limit || next === null)
      return { found, total: holds ? null : page.total, next, unread: null };
    [after, skip] = [next, 0];
  }
}

export async function recordsOf(
  tools: Tools,
  { operation, params, query, joins }: Asked,
  holds: Having["holds"],
  signal: AbortSignal,
): Promise<Rows> {
  const answer = await tools.session.record(operation, params, query, signal);
  const records = (Array.isArray(answer) ? answer : [answer]) as Record<string, unknown>[];
  if (records.length > 1 && Object.keys(joins).length > 0)
    throw new ToolProblem(`${operation.id} does not accept \`with\``);
  for (const record of records) {
    for (const [name, { get }] of Object.entries(joins)) {
      const id = record[`${name}_id`];
      const place = placeholders(get)[0] ?? "id";
      const reading = typeof id === "number" ? tools.session.record(get, { [place]: id }, {}, signal) : null;
      // As in lists, a record is returned even if the record that it refers to does not exist.
      const found = await reading?.catch((error) => {
        if (!(error instanceof NotFoundError)) throw error;
      });
      record[name] = found ?? null;
    }
  }
  const found = records
    .filter((record) => holds?.(record) ?? true)
    .map((record, index) => ({ record, after: null, index }));
  return { found, total: null, next: null, unread: null };
}

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
          `${operation.id} cannot be read with ${unknownName(name, possible, ";")} possible: ${possible.join(", ") || "none"}`,
        );
      }
      const { operation: get } = tools.catalog.reading(known.name, true);
      const list = allOperations.find(({ id }) => id === `${known.name}.list`);
      return [name, { schema: recordOf(get ?? list), get }];
    }),
  );
}

function columnsOf(tools: Tools, asked: Asked, fields: readonly string[] | undefined): Column[] {
  const names = fields ?? [
    ...defaultFields(tools, asked.schema),
    ...Object.entries(asked.joins).flatMap(([name, { schema: other }]) =>
      defaultFields(tools, other)
        .slice(0, 4)
        .map((field) => `${name}.${field}`),
    ),
  ];
  return names.map((name) => {
    const { owner, path, join } = ownerOf(asked, name);
    const { names } = fieldAt(owner, path);
    return { name, join, of: (record) => tools.sight.at(owner, join === null ? record : record[join], names) };
  });
}

/** Finds a shown field of a record, or of a record joined to it. @throws ToolProblem if it is hidden or unknown. */
export function findShown(tools: Tools, asked: Owners, name: string, argument: string): ShownField {
  const { owner, path, join } = ownerOf(asked, name);
  const at = (record: unknown) => (join === null ? record : (record as Given)[join]);
  return {
    owner,
    field: { ...shownField(tools, owner, path, argument), join },
    of: (record, names) => tools.sight.at(owner, at(record), names),
  };
}

function ownerOf({ schema, joins }: Owners, name: string) {
  const [first = ""] = name.split(".");
  const isOwn = first === name || fieldSchema(schema, first) !== undefined;
  if (!isOwn && !joins[first] && fieldSchema(schema, `${first}_id`))
    throw new ToolProblem(`"${name.slice(0, 60)}" is a field of another record; add with: ["${first}"]`);
  const join = isOwn ? undefined : joins[first];
  return join
    ? { owner: join.schema, path: name.slice(first.length + 1), join: first }
    : { owner: schema, path: name, join: null };
}

/**
 * The fields to show by default: the first that are not hidden and contain neither a record nor a dictionary; never
 * `created_at` or `updated_at`.
 */
export function defaultFields({ sight }: Pick<Tools, "sight">, schema: Schema): string[] {
  const names = fieldNames(schema).filter((name) => {
    const inner = fieldSchema(schema, name);
    const kept = inner && itemOf(inner);
    if (!kept || recordIn(schema, name) || traitsOf(kept).kind === "record") return false;
    return sight.shows(classIn(schema, name)) && !/^(created|updated)_at$/.test(name);
  });
  return names.slice(0, DEFAULT_FIELDS);
}
