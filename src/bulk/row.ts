import * as z from "zod/mini";
import type { InputIssue } from "../core/error-details.js";
import { fieldsOf, isOptional, traitsOf, unwrap } from "../core/schema/traits.js";
import { fieldOf, valueAt } from "../work/fields/path.js";
import { TypedCell } from "../workbook/typed-cell.js";
import { bodyOf, current, type Field, fieldAt, isArray, namesOf, nest, same, timeOf, type Values } from "./fields.js";
import {
  type CellKind,
  type CellValue,
  cellKind,
  cellMeant,
  formatsOf,
  isEmpty,
  otherReadings,
  readCell,
  signOf,
  timeFormat,
} from "./file/cells.js";
import { doubtOf, rewriteOf, typeDoubtOf, withoutFormula } from "./file/damage.js";
import { isCellOf } from "./file/spreadsheet.js";
import type { DayOrders } from "./file/times.js";
import { type Finder, findReferences } from "./find.js";
import { alikeForm, keyOf } from "./keys.js";
import type { Known } from "./known.js";
import type { PlannedRow } from "./lines.js";
import { type ProblemText, problemText, rowValue } from "./problem-text.js";
import type { Problem } from "./problems.js";
import { anyField, checkBody, kindField, madeAs, paramsOf, recordSchema, type stateOf, type Target } from "./target.js";
import type { CellFormats } from "./types.js";

export interface Reading {
  readonly target: Target;
  readonly keys: readonly string[];
  readonly columns: Readonly<Record<string, string>> | null;
  /** The caller's functions for parsing cells, by path. */
  readonly readers: ReadonlyMap<string, (cell: string) => unknown>;
  readonly formats: CellFormats;
  clears(path: string): boolean;
  readonly finders: ReadonlyMap<string, Finder>;
  /** Kinds of custom fields by path, if known. */
  readonly kinds: ReadonlyMap<string, CellKind>;
  /** Why rows that match no record are refused; null if they create records. */
  readonly whyNoCreate: string | null;
  /** Why existing records stay as they are; null if they may be changed. */
  readonly whyNoUpdate: string | null;
  /** True if the caller switched updates off with the option `update`. */
  readonly updateIsOff: boolean;
  readonly orders?: DayOrders;
  /** The suspicious kinds of cells that the option `allow` accepts. */
  readonly allowed: ReadonlySet<string>;
}

export interface ReadRow {
  readonly key: string | null;
  readonly values: Values;
  readonly cells: Values;
  /** The cells as written in the file, by path, for recognizing values that an export wrote. */
  readonly given: Values;
  readonly problems: Problem[];
}

export type Decision = Omit<PlannedRow, "row">;

/** True if the service is known to have stored `value`, sent to this record, as `stored`. */
type IsStored = (id: number, path: string, value: unknown, stored: unknown) => boolean;

export function refusal(...why: readonly Problem[]): Decision {
  return { do: "refuse", why };
}

export function readRow(reading: Reading, given: Values): ReadRow {
  const { keys, finders, formats, target } = reading;
  const fieldIn = (path: string) => anyField(target, path) ?? kindField(target, path);
  const meant = Object.entries(given).map(([path, cell]) => [path, cellMeant(cell, formats, fieldIn(path))] as const);
  const cells: Record<string, unknown> = Object.fromEntries(meant);
  const asGiven: Record<string, unknown> = {};
  // Keys are compared without surrounding blanks, so they are sent without them too.
  for (const path of keys) if (typeof cells[path] === "string") cells[path] = cells[path].trim();
  const values: Record<string, unknown> = {};
  const problems: Problem[] = [];
  for (const path of Object.keys(cells)) {
    const field = fieldIn(path);
    const reader = isEmpty(cells[path]) ? undefined : reading.readers.get(path);
    if (path in given && (typeof cells[path] === "string" || cells[path] instanceof TypedCell)) {
      if (!reading.readers.has(path)) asGiven[path] = cells[path];
      cells[path] = withoutFormula(cells[path]);
    }
    try {
      if (reader) cells[path] = reader(textOf(cells[path]));
    } catch (error) {
      problems.push(
        problem(
          reading,
          path,
          problemText`cannot be read: ${rowValue(error instanceof Error ? error.message : error)}`,
        ),
      );
      continue;
    }
    const cell = cells[path];
    if (isEmpty(cell)) {
      if (reading.clears(path) && field) values[path] = isArray(field) ? [] : null;
      continue;
    }
    const doubt = doubtOfCell(reading, path, field, cell);
    if (doubt) {
      problems.push(problem(reading, path, doubt));
      // Still looks up a doubtful key: a record with exactly this text shows that it is right.
      if (cell instanceof TypedCell && keys.includes(path)) values[path] = cell.text;
      continue;
    }
    const format = field && timeFormat(field.schema, formats, kindOf(reading, field));
    if (typeof format === "string" && typeof cell === "string") reading.orders?.note(path, cell.trim(), format);
    const finder = finders.get(path);
    const read =
      finder && field
        ? findReferences(finder, field, cell, formats)
        : field
          ? readCell(cell, field.schema, formats, kindOf(reading, field, cell))
          : readId(String(cell));
    const fault = "problem" in read ? read.problem : whyNoFilter(reading, path, read.value);
    if (fault !== null) problems.push(problem(reading, path, fault));
    else if ("value" in read) values[path] = read.value;
  }
  const key = keyOf(
    keys,
    keys.map((path) => values[path]),
  );
  if (key === null && problems.length === 0) {
    const empty = keys.find((path) => keyOf([path], [values[path]]) === null) ?? "";
    problems.push(problem(reading, empty, "is empty, so the row has no key"));
  }
  return { key, values, cells, given: asGiven, problems };
}

function kindOf({ kinds, formats }: Reading, field: Field, cell?: unknown): CellKind | null {
  return kinds.get(field.path) ?? cellKind(formatsOf(cell, formats), field);
}

function doubtOfCell(reading: Reading, path: string, field: Field | null, cell: unknown): ProblemText | null {
  const { allowed, finders, formats } = reading;
  if (cell instanceof TypedCell) {
    const own = field && kindOf(reading, field);
    // A looked-up cell is only compared with a field of other records, never written, so lost zeros do no harm.
    const isNumber = finders.has(path) || !field || field.decimal || own === "amount";
    const { kind } = fieldOf(path, path.split("."), field?.schema);
    return typeDoubtOf(cell, isNumber ? "number" : /^texts?$/.test(own ?? "") ? "text" : kind, allowed);
  }
  const sign = field && signOf(field, kindOf(reading, field), formats);
  return typeof cell === "string" ? doubtOf(cell.trim(), path, sign, allowed) : null;
}

// The key may become a list filter. A value that the filter rejects would end the planning of all rows.
function whyNoFilter({ target, keys }: Reading, path: string, value: unknown): string | null {
  const filter = keys.length === 1 && keys[0] === path ? fieldsOf(target.rows.list?.query)[path] : undefined;
  return (filter && z.safeParse(filter, value).error?.issues[0]?.message) ?? null;
}

/**
 * Decides what to do with a row. @param known the records that have its key.
 * @param isStored true if the record's value is known to be the form in which the service stored the row's value.
 */
export function decide(
  reading: Reading,
  row: ReadRow,
  known: Known | undefined,
  isStored: IsStored = () => false,
): Decision {
  const why = problemsLeft(reading, row, known);
  if (why.length > 0) return refusal(...why);
  if (!known) return decideCreate(reading, row);
  const [id] = known.ids;
  if (known.ids.length > 1 || id === undefined) {
    const message = problemText`is the key of ${rowValue(known.ids.length)} records: ${rowValue(known.ids.join(", "))}`;
    return refusal(problem(reading, reading.keys[0] ?? "", message));
  }
  return decideUpdate(reading, row, id, known.record, isStored);
}

// A cell that equals an export of the record's value changes nothing, even if it could also mean something else.
function isKept({ target, formats }: Reading, { given }: ReadRow, path: string, record: Values): boolean {
  const [cell, field] = [given[path], anyField(target, path)];
  if (!(typeof cell === "string" || cell instanceof TypedCell) || !field?.read) return false;
  return isCellOf(cell, current(record, field), formats.timeZone);
}

// The problem with a cell in which another program probably rewrote the record's text; null for other cells.
function whyRewritten({ target, allowed }: Reading, { given }: ReadRow, path: string, record: Values): string | null {
  const [cell, field] = [given[path], anyField(target, path)];
  const now = field?.read ? current(record, field) : null;
  if (!(typeof cell === "string" || cell instanceof TypedCell) || typeof now !== "string" || field?.decimal)
    return null;
  return rewriteOf(String(cell), now, allowed);
}

/** Decides whether an action must run on a record; null if no field shows whether it has run already. */
export function decideState(state: ReturnType<typeof stateOf>, record: Values, id: number): Decision | null {
  if (!state) return null;
  const { field, value } = state;
  const now = record[field] ?? null;
  if (now === value) return { do: "leave", id };
  const created = timeOf(record.created_at);
  return { do: "update", id, created, send: { [field]: value }, before: { [field]: now } };
}

function problemsLeft(reading: Reading, row: ReadRow, known: Known | undefined): readonly Problem[] {
  if (known?.ids.length !== 1) return row.problems;
  const { record } = known;
  return row.problems.filter(
    ({ field }) =>
      field === undefined || !(isKept(reading, row, field, record) || whyRewritten(reading, row, field, record)),
  );
}

function decideCreate(reading: Reading, row: ReadRow): Decision {
  const { target, whyNoCreate } = reading;
  const { create } = target.rows;
  if (whyNoCreate !== null || !create) {
    return refusal({ message: `no record has this key, and none will be created: ${whyNoCreate}` });
  }
  const body: Record<string, unknown> = {};
  const made = madeAs(target);
  for (const [path, value] of Object.entries(row.values)) {
    if (value === null || made[path] === value) continue;
    const field = fieldAt(create.body, undefined, path);
    if (!field) {
      const only = made[path] === undefined ? "" : `: new records have ${made[path]}`;
      return refusal(problem(reading, path, `cannot be set when a record is created${only}`));
    }
    // An update may take a different type from a create, such as text for a cost, so the cell is read again.
    const cell = row.cells[path];
    const kind = kindOf(reading, anyField(target, path) ?? field, cell);
    const read = reading.finders.has(path) ? { value } : readCell(cell, field.schema, reading.formats, kind);
    body[path] = "value" in read ? read.value : value;
  }
  // Adds fields that the service requires even if they are null.
  for (const [name, schema] of Object.entries(fieldsOf(create.body))) {
    if (name in nest(body) || isOptional(schema)) continue;
    if (traitsOf(schema).kind === "nullable") body[name] = null;
    if (traitsOf(schema).kind === "record") body[name] = {};
  }
  const result = acceptBody(reading, row, body, (flat) => checkBody(target, create, target.params, nest(flat)));
  return "why" in result ? refusal(...result.why) : { do: "create", key: row.key ?? "", send: result.body };
}

// True if the values differ at most in form. A greater difference means that the service refused or cut the value, so
// it is sent again.
function isStoredForm(value: unknown, now: unknown): boolean {
  return typeof value === "string" && typeof now === "string" && alikeForm(value) === alikeForm(now);
}

function decideUpdate(reading: Reading, row: ReadRow, id: number, record: Values, isStored: IsStored): Decision {
  const { target, keys, whyNoUpdate } = reading;
  const { update, create } = target.rows;
  const schema = recordSchema(target.rows);
  // A record of another kind may have the same key, such as a name. A row that would create one kind must not change a
  // record of another.
  const other = keys.includes("id")
    ? undefined
    : Object.entries(madeAs(target)).find(([path, kind]) => !keys.includes(path) && record[path] !== kind);
  if (other) {
    const [path] = other;
    return refusal(
      problemText`record ${rowValue(id)} has the ${path} ${String(record[path])}, but new records have ${other[1]}: add ${path} to the key`,
    );
  }
  const wanted: Record<string, unknown> = {};
  const before: Record<string, unknown> = {};
  // A doubtful cell that is only another form of the record's text is reported, but not sent.
  const left: Problem[] = row.problems.flatMap(({ field }) => {
    const rewritten =
      field === undefined || isKept(reading, row, field, record) ? null : whyRewritten(reading, row, field, record);
    return field === undefined || rewritten === null ? [] : problem(reading, field, rewritten);
  });
  const why: Problem[] = [];
  for (const [path, value] of Object.entries(row.values)) {
    if (keys.includes(path)) continue;
    const field = whyNoUpdate === null ? fieldAt(update?.body, schema, path) : null;
    const shown = field ?? fieldAt(create?.body, schema, path);
    if (shown?.read && same(shown, value, current(record, shown))) continue;
    if (isKept(reading, row, path, record)) continue;
    const rewritten = whyRewritten(reading, row, path, record);
    if (rewritten !== null) {
      left.push(problem(reading, path, rewritten));
      continue;
    }
    const now = field?.read ? current(record, field) : null;
    if (isStoredForm(value, now) && isStored(id, path, value, now)) {
      left.push(problem(reading, path, "is stored by the service in another form, so it is not sent again"));
    } else if (field?.read) {
      wanted[path] = value;
      before[path] = now;
    } else if (whyNoUpdate !== null) {
      if (!shown?.read) continue;
      if (reading.updateIsOff) left.push(problem(reading, path, `differs, but stays as it is: ${whyNoUpdate}`));
      else why.push(problem(reading, path, problemText`differs from record ${rowValue(id)}: ${whyNoUpdate}`));
    } else if (field) why.push(problem(reading, path, NOT_READ_BACK));
    else why.push(problem(reading, path, "cannot be changed once a record exists"));
  }
  if (why.length > 0) return refusal(...why);
  const key = row.key ?? undefined;
  if (!update || Object.keys(wanted).length === 0) {
    return { do: "leave", key, id, why: left.length > 0 ? left : undefined };
  }
  const params = paramsOf(target, update, id);
  const check = (flat: Values) => checkBody(target, update, params, bodyOf(update.body, flat, record, schema));
  const result = acceptBody(reading, row, wanted, check);
  if ("why" in result) return refusal(...result.why);
  const sent = Object.keys(wanted).map((path) => [path, valueAt(result.body, namesOf(path))] as const);
  const parts = wholeObjects(target, Object.fromEntries(sent), before, record);
  return { do: "update", key, id, created: timeOf(record.created_at), ...parts };
}

const NOT_READ_BACK = "cannot be read back, so a plan could neither show nor undo it";

// If a record has no address, for example, the row sends a whole address, and an undo removes it again.
function wholeObjects(target: Target, send: Values, before: Values, record: Values): Pick<Decision, "send" | "before"> {
  const schema = recordSchema(target.rows);
  const sends: Record<string, unknown> = {};
  const befores: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(send)) {
    const [top, below] = namesOf(path);
    const outer = below === undefined ? null : fieldAt(target.rows.update?.body, schema, top);
    const isObject = outer?.read && traitsOf(unwrap(outer.schema)).kind === "object";
    if (isObject && below !== undefined && current(record, outer) === null) {
      sends[top] = { ...(sends[top] as Values | undefined), [below]: value };
      befores[top] = null;
    } else {
      sends[path] = value;
      befores[path] = before[path];
    }
  }
  return { send: sends, before: befores };
}

// The type of a custom field may be unknown: its cell is then read in other ways until the client's check accepts it.
function acceptBody(
  reading: Reading,
  { cells }: ReadRow,
  flat: Values,
  check: (flat: Values) => ReturnType<typeof checkBody>,
): { readonly body: Values } | { readonly why: readonly Problem[] } {
  const result = check(flat);
  if ("body" in result) return result;
  const others = { ...flat };
  for (const { path } of result.issues) {
    const cell = cells[path];
    const isFree = /^(custom|properties)\./.test(path) && (typeof cell === "string" || cell instanceof TypedCell);
    const better = (isFree ? otherReadings(cell, reading.formats) : []).find((value) => {
      const again = check({ ...others, [path]: value });
      return "body" in again || !again.issues.some((issue) => issue.path === path);
    });
    if (better !== undefined) others[path] = better;
  }
  const again = check(others);
  return "body" in again ? again : { why: again.issues.map((issue) => problemOfIssue(reading, cells, issue)) };
}

function problemOfIssue(reading: Reading, cells: Values, { path, message }: InputIssue): Problem {
  if (path === "") return { message };
  // The warning that numbers can lose cents would be misleading for a cell that was given as text.
  const isAmountAsText =
    /^(string|object)$/.test(typeof cells[path]) && anyField(reading.target, path)?.decimal === true;
  return problem(reading, path.replace(/\[\d+\].*$/, ""), isAmountAsText ? NO_AMOUNT : message);
}

const NO_AMOUNT = "must use a decimal point and no other separators, as in 1200.50";

export function problem({ columns }: Pick<Reading, "columns">, field: string, why: string | ProblemText): Problem {
  return { column: columns?.[field] ?? field, field, ...(typeof why === "string" ? { message: why } : why) };
}

export function canClear(field: Field): boolean {
  return isArray(field) || z.safeParse(field.schema, null).success;
}

function textOf(cell: unknown): string {
  if (typeof cell === "string" || cell instanceof TypedCell) return String(cell).trim();
  return typeof cell === "object" ? JSON.stringify(cell) : String(cell);
}

function readId(cell: string): CellValue {
  // Number() also accepts 1e1 and 0x7.
  const id = /^\s*\d+\s*$/.test(cell) ? Number(cell) : Number.NaN;
  return Number.isSafeInteger(id) && id > 0 ? { value: id } : { problem: "is not an identifier" };
}
