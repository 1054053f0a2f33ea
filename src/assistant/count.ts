import type { Schema } from "../core/schema/traits.js";
import { daysIn, instantOf } from "../work/days.js";
import { compareDecimals, type Decimal, decimalOf, decimalText, plus, ZERO } from "../work/decimals.js";
import { isNone, isUnread } from "../work/fields/path.js";
import { countUnread, type LeftOut } from "../work/fields/tester.js";
import { writeText } from "../work/fields/text.js";
import { fieldSchema } from "./catalog.js";
import type { AnswerData, Told, Tools } from "./context.js";
import { havingOf, leftOutIn, type ShownField } from "./gate.js";
import type { Given } from "./input.js";
import { ToolProblem } from "./problem.js";
import { askedOf, findShown, listOf, recordsOf } from "./read.js";
import { FRAME, fitRows, tokensOf } from "./tokens.js";

interface Group {
  count: number;
  /** Sums by currency; "" for records without a currency. */
  readonly sums: Map<string, Decimal>;
  readonly distinct: Set<string>;
}

export async function count(tools: Tools, given: Given, signal: AbortSignal, told: Told): Promise<AnswerData> {
  const { by, sum, distinct } = given as { readonly by?: string; readonly sum?: string; readonly distinct?: string };
  const request = askedOf(tools, told, given);
  const { operation, schema, params, query } = request;
  const find = (argument: string) => (path: string) => findShown(tools, request, path, argument);
  if (by !== undefined) groupBy(find("by"), by, "UTC");
  const amount = sum === undefined ? null : amountAt(find("sum"), sum, schema);
  const values = distinct === undefined ? null : valuesAt(find("distinct"), distinct);
  const condition = await havingOf(tools, given.having, signal, find("having"));
  const { holds } = condition;
  const zone = by?.includes(":") ? await tools.session.zone(signal) : condition.zone;
  const key = by === undefined ? null : groupBy(find("by"), by, zone ?? "UTC");
  told.names = [...Object.keys(query), ...[key, amount, values].flatMap((part) => part?.name ?? [])];
  const frame = {
    source: operation.id,
    as_of: new Date(tools.session.clock.now()).toISOString(),
    ...(zone !== null && { zone }),
  };
  const tally = new Tally(key, amount, values);
  let read = 0;
  const add = (records: readonly unknown[]) => {
    read += records.length;
    for (const record of records) if (holds?.(record) ?? true) tally.add(record);
  };
  const answer = (unread: string | null) =>
    tally.answer(
      tools,
      { ...frame, complete: unread === null, ...(unread !== null && { unread }), read },
      told,
      condition.leftOut(),
    );
  if (!operation.paged) {
    const { found } = await recordsOf(tools, request, null, signal);
    add(found.map(({ record }) => record));
    return answer(null);
  }
  if (!key && !amount && !values && !holds) {
    const total = await tools.session.list(operation, params, query, { signal }).count();
    if (total !== null) return { ...frame, complete: true, read, count: total, requests_left: tools.session.left };
  }
  for await (const page of listOf(tools, request, 100, { signal }).byPage()) {
    add(page.records);
    if (page.hasNext && tools.session.left <= 0)
      return answer(`the session reached its limit of requests after ${read} records`);
  }
  return answer(null);
}

interface Amount {
  readonly currency: string;
  readonly decimal: Decimal;
}

interface Part<T> {
  readonly name: string;
  readonly join: string | null;
  readonly of: (record: unknown) => T;
}

interface AmountPart extends Part<Amount | null | "not a number"> {
  readonly hasNoCurrency: boolean;
}

class Tally {
  readonly #groups = new Map<string, Group>();
  readonly #key: Part<string> | null;
  readonly #amount: AmountPart | null;
  readonly #values: Part<readonly string[]> | null;
  #notNumbers = 0;
  #noNumbers = 0;
  readonly #unread: Record<string, number> = {};
  // Identifiers already counted: a list that changes while it is read may show a record twice.
  readonly #seen = new Set<unknown>();

  constructor(key: Part<string> | null, amount: AmountPart | null, values: Part<readonly string[]> | null) {
    this.#key = key;
    this.#amount = amount;
    this.#values = values;
  }

  add(record: unknown): void {
    const id = (record as { readonly id?: unknown } | null)?.id ?? null;
    if (id !== null && this.#seen.has(id)) return;
    this.#seen.add(id);
    const name = this.#key?.of(record) ?? "";
    const group = this.#groups.get(name) ?? { count: 0, sums: new Map(), distinct: new Set() };
    group.count++;
    for (const value of this.#values?.of(record) ?? []) group.distinct.add(value);
    countUnread(this.#unread, record, [this.#key?.join ?? null, this.#values?.join ?? null]);
    const amount = this.#amount?.of(record) ?? null;
    if (amount === "not a number") this.#notNumbers++;
    else if (amount) addTo(group.sums, amount.currency, amount.decimal);
    else this.#noNumbers++;
    this.#groups.set(name, group);
  }

  answer(tools: Tools, frame: AnswerData, told: Told, more: LeftOut): AnswerData {
    const groups = [...this.#groups.values()];
    const count = groups.reduce((sum, group) => sum + group.count, 0);
    const notes = [
      ...tools.session.clockNotes,
      ...(this.#amount?.hasNoCurrency ? ["These records have no currency field, so the sum may mix currencies."] : []),
      ...(this.#amount && this.#noNumbers > 0
        ? [
            `${this.#noNumbers} of the ${count} counted records have no ${this.#amount.name} and add nothing to the sum.`,
          ]
        : []),
    ];
    const notNumbers = this.#notNumbers + (more.not_numbers ?? 0);
    const unread = { ...more.unread_records };
    for (const [name, count] of Object.entries(this.#unread)) unread[name] = (unread[name] ?? 0) + count;
    const facts = {
      ...more,
      ...(notNumbers > 0 && { not_numbers: notNumbers }),
      ...(Object.keys(unread).length > 0 && { unread_records: unread }),
    };
    const left = {
      ...leftOutIn(facts, notes),
      requests_left: tools.session.left,
    };
    const all = new Map<string, Decimal>();
    for (const { sums } of groups) for (const [currency, sum] of sums) addTo(all, currency, sum);
    // Amounts in different currencies are not added up: each currency has its own sum.
    const currencies = [...all.keys()].sort();
    const sumOf = (sums: ReadonlyMap<string, Decimal>) =>
      sums.size === 0
        ? null
        : currencies.length > 1
          ? Object.fromEntries([...sums].map(([currency, sum]) => [currency || "(none)", decimalText(sum)]))
          : decimalText(sums.get(currencies[0] ?? "") ?? ZERO);
    const name = `sum_${this.#amount?.name}`;
    const sum = this.#amount && {
      [name]: sumOf(all),
      ...(currencies.length === 1 && currencies[0] && { currency: currencies[0] }),
    };
    const values = `distinct_${this.#values?.name}`;
    const distinct = this.#values && { [values]: new Set(groups.flatMap((group) => [...group.distinct])).size };
    const result = { count, ...distinct, ...sum };
    if (!this.#key) return { ...frame, ...result, ...left };
    // Largest sum first, so that a full answer leaves out the smallest.
    const largest = ({ sums }: Group) => [...sums.values()].reduce((a, b) => (compareDecimals(a, b) < 0 ? b : a), ZERO);
    const sorted = [...this.#groups].sort(
      ([a, one], [b, other]) =>
        compareDecimals(largest(other), largest(one)) || other.count - one.count || (a < b ? -1 : 1),
    );
    const rows = sorted.map(([value, group]) => [
      value,
      group.count,
      ...(this.#values ? [group.distinct.size] : []),
      ...(this.#amount ? [sumOf(group.sums)] : []),
    ]);
    const fitted = fitRows(rows, tools.maxTokens - FRAME - tokensOf(JSON.stringify(left)));
    told.rows = fitted.rows.length;
    return {
      ...frame,
      fields: [this.#key.name, "count", ...(this.#values ? [values] : []), ...(this.#amount ? [name] : [])],
      rows: fitted.rows,
      groups: rows.length,
      ...result,
      ...(fitted.leftOut > 0 && { groups_left_out: fitted.leftOut }),
      ...left,
    };
  }
}

function addTo(sums: Map<string, Decimal>, currency: string, amount: Decimal): void {
  sums.set(currency, plus(sums.get(currency) ?? ZERO, amount));
}

const PERIODS: Readonly<Record<string, number>> = { year: 4, month: 7, day: 10 };

type Find = (path: string) => ShownField;

function groupBy(find: Find, by: string, zone: string): Part<string> {
  if (by.includes(","))
    throw new ToolProblem("`by` takes only one field; count once for each value of the other field, with `having`");
  const [text = "", period] = by.split(":");
  const length = period === undefined ? Number.POSITIVE_INFINITY : PERIODS[period];
  if (length === undefined) throw new ToolProblem('after ":" write year, month or day');
  const { field, of } = find(text);
  const dayOf = daysIn(zone);
  return {
    name: by,
    join: field.join,
    of: (record) => {
      if (isUnread(record, field.join)) return "(unread)";
      const value = of(record, field.names);
      if (isNone(value)) return "(none)";
      const instant = period === undefined ? null : instantOf(value);
      return (instant === null ? writeText(value) : dayOf(instant)).slice(0, length);
    },
  };
}

function valuesAt(find: Find, path: string): Part<readonly string[]> {
  const { field, of } = find(path);
  const textsOf = (value: unknown): readonly string[] =>
    Array.isArray(value) ? value.flatMap(textsOf) : isNone(value) ? [] : [writeText(value)];
  return { name: path, join: field.join, of: (record) => textsOf(of(record, field.names)) };
}

const MONEY = /(^|_)(amount|cost|price|total|value)(_|$)/;

function amountAt(find: Find, path: string, schema: Schema): AmountPart {
  const { field, owner, of } = find(path);
  const { names, kind, list } = field;
  const text = path.slice(0, 60);
  // Several records may refer to the same joined record, whose amount would then be added several times.
  if (owner !== schema)
    throw new ToolProblem(`sum: ${text} is in a joined record; call count on the list of those records`);
  if (list > 0) throw new ToolProblem(`sum: ${text} holds a list in each record; read the records instead`);
  if (!/^(integer|number|decimal|unknown)$/.test(kind)) throw new ToolProblem(`sum: ${text} does not hold numbers`);
  const isMoney = kind === "decimal" && MONEY.test(names.at(-1) ?? "");
  const hasCurrency = isMoney && fieldSchema(owner, "currency") !== undefined;
  return {
    name: path,
    join: null,
    hasNoCurrency: isMoney && !hasCurrency,
    of: (record) => {
      const value = of(record, names);
      const decimal = decimalOf(value);
      const currency = hasCurrency ? String(of(record, ["currency"]) ?? "") : "";
      return decimal ? { currency, decimal } : isNone(value) ? null : "not a number";
    },
  };
}
