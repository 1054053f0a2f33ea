import { inputError } from "../core/call/request.js";
import { callObserver } from "../core/events.js";
import { isPlainObject } from "../core/json.js";
import { nearestName } from "../core/nearest-name.js";
import { checkNames, didYouMean, type Names } from "../core/option-checks.js";
import type { Resource } from "../core/resource.js";
import { fieldsOf, traitsOf, unwrapped } from "../core/validation/traits.js";
import { type Files, machineFiles } from "../export/node-files.js";
import { FirstRows } from "./duplicates.js";
import { fieldAt, namesOf, pathsOf, type Values, valueAt } from "./fields.js";
import { type Finder, finderOf } from "./find.js";
import { askFor, type Known, type Reading as ListReading, parentOf, readKnown } from "./known.js";
import type { Header } from "./lines.js";
import { CsvRows, type GivenRow } from "./node-csv.js";
import { isPlace, type OpenJournal, openJournal } from "./node-journal.js";
import { PlanWriter } from "./node-plan-writer.js";
import { anyField, canClear, type Decision, decide, type Reading, type ReadRow, readRow } from "./row.js";
import { Service } from "./service.js";
import { placeholders, recordSchema, stateOf, type Target, targetOf, whyNoCreate, whyNoUpdate } from "./target.js";
import type { PlanOptions, PlanSummary } from "./types.js";

const NAMES: Names<PlanOptions<unknown>> = {
  to: 1,
  key: 1,
  columns: 1,
  find: 1,
  clear: 1,
  params: 1,
  do: 1,
  create: 1,
  update: 1,
  signal: 1,
  onProgress: 1,
};

const texts = (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === "string");
const namedTexts = (value: unknown) => isPlainObject(value) && texts(Object.values(value));
const CHOICE = [(value: unknown) => typeof value === "boolean", "must be true or false"] as const;
const RULES: Partial<
  Readonly<Record<keyof typeof NAMES, readonly [holds: (value: unknown) => boolean, rule: string]>>
> = {
  columns: [namedTexts, "must be an object with the name of a column for each field"],
  find: [namedTexts, "must be an object with the name of a field for each field"],
  clear: [texts, "must be a list of fields"],
  params: [isPlainObject, "must be an object"],
  do: [(value) => typeof value === "string", "must be the name of an action"],
  create: CHOICE,
  update: CHOICE,
  signal: [(value) => typeof (value as AbortSignal | null)?.throwIfAborted === "function", "must be an AbortSignal"],
  onProgress: [(value) => typeof value === "function", "must be a function"],
};

// Up to this many rows, reading each key may cost less than reading the list.
const FEW_ROWS = 200;
const KINDS = ["create", "update", "delete", "leave", "refuse"] as const;
const REFUSED = KINDS.indexOf("refuse");

/**
 * Compares rows with the service and writes what is to be done into a file. Sends only GETs.
 * @throws InputError when an option, a column or the CSV file is wrong; the client's errors. Then an earlier plan stays.
 * @example
 * const summary = await plan(client.users, [{ email: "jo@example.com", first_name: "Jo", last_name: "Fox" }], {
 *   to: "planned-users.plan",
 *   key: "email",
 * });
 * console.log(summary.create, summary.requests, summary.minutes);
 */
export async function plan<R extends Resource>(
  resource: R,
  rows: Iterable<object> | AsyncIterable<object>,
  options: PlanOptions<R>,
): Promise<PlanSummary> {
  return planWith(machineFiles, resource, rows, options as PlanOptions<unknown>);
}

/** As `plan`, on a disk of the caller. */
export async function planWith(
  files: Files,
  resource: Resource,
  rows: Iterable<object> | AsyncIterable<object>,
  options: PlanOptions<unknown>,
): Promise<PlanSummary> {
  const settings = settingsOf(resource, rows, options);
  const { target } = settings;
  const { clock } = target.transport.settings;
  const journal = await openJournal(settings.to, true, clock, files);
  try {
    return await new Planner(settings, journal, options).run(rows);
  } finally {
    await journal.close();
  }
}

/** Makes one plan. */
class Planner {
  readonly #reading: Omit<Reading, "finders">;
  readonly #writer: PlanWriter;
  readonly #options: PlanOptions<unknown>;
  readonly #service: Service;
  readonly #first = new FirstRows();
  readonly #lists = new Map<string, ListReading>();
  #done = 0;

  constructor(reading: Omit<Reading, "finders">, journal: OpenJournal, options: PlanOptions<unknown>) {
    this.#reading = reading;
    this.#writer = new PlanWriter(journal);
    this.#options = options;
    this.#service = new Service(reading.target, null, options.signal, journal);
  }

  async run(rows: Iterable<object> | AsyncIterable<object>): Promise<PlanSummary> {
    const given = this.#given(rows);
    const few: GivenRow[] = [];
    let next = await given.next();
    for (; !next.done && few.length < FEW_ROWS; next = await given.next()) few.push(next.value);
    const finders = new Map<string, Finder>();
    for (const [field, by] of Object.entries(this.#options.find ?? {})) {
      finders.set(field, await finderOf(this.#service, field, String(by)));
    }
    const reading: Reading = { ...this.#reading, finders };
    const count = next.done ? few.length : null;
    const { target } = reading;
    // The list is read first, so that the header says where new records will be.
    const isOne = !target.rows.list || placeholders(target.rows.list).every((name) => name in target.params);
    const list = isOne ? await this.#list(target.params, count) : null;
    await this.#writer.begin(this.#header(rows, list));
    for (const row of few.splice(0)) await this.#plan(reading, row, count);
    for (; !next.done; next = await given.next()) await this.#plan(reading, next.value, count);
    return this.#writer.end(target, list, target.transport.settings.rateLimit, this.#service.requests);
  }

  async #plan(reading: Reading, given: GivenRow, count: number | null): Promise<void> {
    const { problem } = given;
    const row =
      problem === null
        ? readRow(reading, given.cells)
        : { key: null, values: {}, cells: {}, problems: [{ message: problem }] };
    const known = row.key === null ? undefined : await this.#known(row, count);
    const decision = this.#options.do ? this.#acted(row, known) : decide(reading, row, known);
    const before = row.key === null ? null : this.#first.note(row.key, given.row, KINDS.indexOf(decision.do), REFUSED);
    const twice = before && { do: "refuse" as const, why: [{ message: `row ${before.row} has the same key` }] };
    const kind = KINDS[before?.kind ?? REFUSED];
    // Neither of the two is taken for the right one.
    if (before && kind && kind !== "refuse") {
      await this.#writer.refuse(before.row, kind, [{ message: `row ${given.row} has the same key` }]);
    }
    await this.#writer.add({ row: given.row, ...(twice ?? decision), in: given.in });
    this.#done++;
    const { requests } = this.#service;
    const { onProgress } = this.#options;
    callObserver(onProgress, { rows: this.#done, total: null, requests, waitingUntil: null, endsAt: null });
  }

  async #known(row: ReadRow, count: number | null): Promise<Known | undefined> {
    const { target, keys } = this.#reading;
    const parent = parentOf(target, row.values);
    const { records, filter } = await this.#list(parent, count);
    if (filter === null) return records.get(row.key ?? "");
    if (filter !== "id") {
      return (await askFor(this.#service, parent, keys, row.values[filter])).get(row.key ?? "");
    }
    const id = Number(row.values.id);
    const record = await this.#service.read(id);
    return record ? { ids: [id], record } : undefined;
  }

  async #list(parent: Values, count: number | null): Promise<ListReading> {
    const name = JSON.stringify(parent);
    const known = this.#lists.get(name);
    if (known) return known;
    const read = await readKnown(this.#service, parent, this.#reading.keys, keptFields(this.#reading), count);
    this.#lists.set(name, read);
    return read;
  }

  // A record that already has the state is left.
  #acted({ problems, values }: ReadRow, known: Known | undefined): Decision {
    const state = stateOf(this.#reading.target.rows);
    if (problems.length > 0) return { do: "refuse", why: problems };
    if (!known || !state) return { do: "refuse", why: [{ message: "no record has this identifier" }] };
    const id = Number(values.id);
    const now = known.record[state.field] ?? null;
    if (now === state.value) return { do: "leave", id };
    return { do: "update", id, send: { [state.field]: state.value }, before: { [state.field]: now } };
  }

  #header(rows: unknown, list: ListReading | null): Header {
    const { target, keys } = this.#reading;
    const { transport, name, api, params } = target;
    return {
      bulk: 1,
      resource: name,
      api,
      address: transport.baseUrl,
      ...(Object.keys(params).length > 0 && { params }),
      key: keys,
      ...(this.#options.do !== undefined && { action: this.#options.do as string }),
      made: new Date(transport.settings.clock.now()).toISOString(),
      ...(rows instanceof CsvRows && { input: rows.format }),
      ...(list?.records.ascending && { highest: list.records.highest }),
      ...(list?.tail && { tail: list.tail }),
      ...(list?.filter && { filter: list.filter }),
    };
  }

  async *#given(rows: Iterable<object> | AsyncIterable<object>): AsyncGenerator<GivenRow, void, undefined> {
    const { columns, target } = this.#reading;
    const { signal } = this.#options;
    if (rows instanceof CsvRows) {
      let isFirst = true;
      for await (const given of rows.rows()) {
        signal?.throwIfAborted();
        const { row, cells } = given;
        const read = columns ? picked(cells, columns) : flat(target, cells, row);
        if (isFirst) checkColumns(cells, this.#reading);
        isFirst = false;
        yield { ...given, cells: read };
      }
      return;
    }
    let row = 0;
    for await (const given of rows) {
      signal?.throwIfAborted();
      row++;
      if (!isPlainObject(given)) throw wrong("rows", `row ${row} is no object`);
      const cells = columns ? picked(given, columns) : flat(target, given, row);
      yield { row, cells, in: plain(given, row), problem: null };
    }
  }
}

function wrong(path: string, message: string): Error {
  return inputError("plan", [{ path, message }]);
}

function settingsOf(
  resource: Resource,
  rows: unknown,
  options: PlanOptions<unknown>,
): Omit<Reading, "finders"> & { readonly to: PlanOptions<unknown>["to"] } {
  if (!isPlainObject(options as unknown)) throw wrong("options", "must be a plain object");
  checkNames(options, NAMES, (path, message) => wrong(path, message));
  for (const [name, [holds, rule]] of Object.entries(RULES)) {
    const value = options[name as keyof typeof options];
    if (value !== undefined && !holds(value)) throw wrong(name, rule);
  }
  const {
    to,
    key,
    columns = null,
    clear = [],
    params = {},
    find = {},
  } = options as PlanOptions<unknown> & {
    readonly columns?: Readonly<Record<string, string>>;
  };
  if (!isPlace(to)) throw wrong("to", "must be the name of a file, or a journal");
  if (!isIterable(rows)) throw wrong("rows", "must be iterable: an array, or readCsv(…)");
  const target = targetOf(resource, params, options.do as string | undefined, "plan");
  const keys = ([key ?? []] as unknown[]).flat() as string[];
  if (keys.length === 0 || keys.some((path) => typeof path !== "string")) throw wrong("key", "must name a field");
  if (options.do !== undefined) {
    if (!stateOf(target.rows))
      throw wrong(
        "do",
        `names the action ${JSON.stringify(options.do)}, which ${target.name} do not have or whose state cannot be read`,
      );
    if (keys.join() !== "id") throw wrong("key", "must be id for an action");
  }
  const paths = [...keys, ...Object.keys(columns ?? {}), ...Object.keys(find), ...(clear as readonly string[])];
  for (const path of paths) checkPath(target, path, "");
  for (const path of clear as readonly string[]) {
    const field = anyField(target, path);
    if (keys.includes(path)) throw wrong("clear", `names the key ${path}`);
    if (field && !canClear(field)) throw wrong("clear", `names ${path}, which the service does not take as empty`);
  }
  const amount = keys.find((path) => anyField(target, path)?.decimal);
  if (amount !== undefined) throw wrong("key", `names ${amount}, an amount, which tells no records apart`);
  const whyNot = keys.includes("id") ? "rows with identifiers only correct records" : whyNoCreate(target.rows, keys);
  const noUpdate = whyNoUpdate(target.rows);
  if (options.do === undefined && whyNot !== null && noUpdate !== null) {
    throw wrong("", `${target.name} can be neither created (${whyNot}) nor changed (${noUpdate})`);
  }
  return {
    to,
    target,
    keys,
    columns: columns && { ...Object.fromEntries(keys.map((path) => [path, path])), ...columns },
    clear: new Set(clear as readonly string[]),
    whyNoCreate: options.create === false ? "the option create is false" : whyNot,
    whyNoUpdate: options.update === false ? "the option update is false" : noUpdate,
  };
}

function isIterable(rows: unknown): boolean {
  const given = rows as Partial<Iterable<unknown> & AsyncIterable<unknown>> | null | undefined;
  const method = given?.[Symbol.asyncIterator] ?? given?.[Symbol.iterator];
  return typeof rows === "object" && typeof method === "function";
}

function checkPath(target: Target, path: string, where: string): void {
  if (path === "id" || anyField(target, path)) return;
  const known = [...pathsOf(target.rows.create?.body), ...pathsOf(target.rows.update?.body)];
  const nearest = where === "" ? null : nearestName(path, known);
  const name = nearest?.includes(".") ? JSON.stringify(nearest) : nearest;
  const mapping = `{ ${name}: ${JSON.stringify(path)} }`;
  const advice =
    nearest && ` To read that field from this column, pass columns: ${mapping}, with every other column to read`;
  const message = `${where}${JSON.stringify(path)} is no field of ${target.name}${didYouMean(path, known)}${advice ?? ""}`;
  throw wrong("columns", message);
}

// Every row of a CSV file has the same columns, so its first row tells which are missing.
function checkColumns(given: Values, { columns, keys }: Pick<Reading, "columns" | "keys">): void {
  const wanted = columns ?? Object.fromEntries(keys.map((path) => [path, path]));
  for (const [path, column] of Object.entries(wanted)) {
    if (Object.hasOwn(given, column)) continue;
    const names = Object.keys(given).join(", ");
    const message = `names the column ${JSON.stringify(column)}, which the file does not have; it has ${names}`;
    throw wrong(columns ? `columns.${path}` : "key", message);
  }
}

// The cells that are wanted.
function picked(given: Values, columns: Readonly<Record<string, string>>): Values {
  const cells = Object.entries(columns).map(([path, column]) => [
    path,
    Object.hasOwn(given, column) ? given[column] : valueAt(given, column.split(".")),
  ]);
  return Object.fromEntries(cells) as Values;
}

// Columns named as fields; nested values of objects field by field.
function flat(target: Target, given: Values, row: number): Values {
  const bodies = [target.rows.create?.body, target.rows.update?.body].map(fieldsOf);
  const cells = Object.entries(given).flatMap(([name, value]): [string, unknown][] => {
    const outer = bodies.find((fields) => Object.hasOwn(fields, name))?.[name];
    const kind = outer && traitsOf(unwrapped(outer)).kind;
    if (!(kind === "object" || kind === "record") || !isPlainObject(value)) return [[name, value]];
    return Object.entries(value).map(([below, part]) => [`${name}.${below}`, part]);
  });
  for (const [path] of cells) checkPath(target, path, `row ${row}: the column `);
  return Object.fromEntries(cells);
}

// What JSON has no form for, as drivers of databases give it.
function plain(given: Values, row: number): Values {
  try {
    const written = JSON.stringify(given, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
    return JSON.parse(written) as Values;
  } catch {
    // Its message would name fields of the row.
    throw wrong("rows", `row ${row} cannot be kept as JSON, for example because it contains itself`);
  }
}

// Only these fields of the records are kept in memory while the rows are compared.
function keptFields({ target, keys }: Pick<Reading, "target" | "keys">): string[] {
  const { create, update } = target.rows;
  const schema = recordSchema(target.rows);
  const written = [create?.body, update?.body].flatMap((body) =>
    Object.keys(fieldsOf(body)).map((name) => fieldAt(body, schema, name)?.read?.[0]),
  );
  const all = [...written, ...keys.map((path) => namesOf(path)[0]), stateOf(target.rows)?.field];
  return [...new Set(all.filter((name) => name !== undefined))];
}
