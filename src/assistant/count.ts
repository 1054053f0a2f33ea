import { formatOf, type Schema, traitsOf } from "../core/schema/traits.js";
import { daysIn, instantOf } from "../work/days.js";
import { type Decimal, decimalOf, decimalText, plus, ZERO } from "../work/decimals.js";
import { fieldSchema } from "./catalog.js";
import { itemOf } from "./classes.js";
import type { AnswerData, Told, Tools } from "./context.js";
import { havingOf, shownField } from "./gate.js";
import type { Given } from "./input.js";
import { ToolProblem } from "./problem.js";
import { askedOf } from "./read.js";
import { fitRows } from "./tokens.js";
import { zoneOf } from "./zone.js";

interface Group {
  count: number;
  /** Sums by currency; "" for records without a currency. */
  readonly sums: Map<string, Decimal>;
}

const FRAME = 120;

export async function count(tools: Tools, given: Given, signal: AbortSignal, told: Told): Promise<AnswerData> {
  const { from, by, sum, where, having } = given as {
    readonly from: string;
    readonly by?: string;
    readonly sum?: string;
    readonly where?: Given;
    readonly having?: string;
  };
  const { operation, schema, params, query } = askedOf(tools, told, from, where);
  const needsZone = (by?.includes(":") ?? false) || /today|\d{4}-/.test(having ?? "");
  if (by !== undefined) groupBy(tools, schema, by, "UTC");
  const zone = needsZone ? await zoneOf(tools, signal) : "UTC";
  const key = by === undefined ? null : groupBy(tools, schema, by, zone);
  const amount = sum === undefined ? null : amountAt(tools, schema, sum);
  const holds = havingOf(tools, having, zone, (name) => {
    const { path, schema: leaf } = shownField(tools, schema, name, "having");
    return { schema: leaf, of: (record) => tools.sight.at(schema, record, path) };
  });
  told.names = [...Object.keys(query), ...(key ? [key.name] : []), ...(amount ? [amount.name] : [])];
  const frame = { source: operation.id, ...(needsZone && { zone }) };
  const tally = new Tally(key, amount);
  const add = (records: readonly unknown[]) => {
    for (const record of records) if (holds?.(record) ?? true) tally.add(record);
  };
  if (!operation.paged) {
    const answer = await tools.session.record(operation, params, query, signal);
    add(Array.isArray(answer) ? answer : [answer]);
    return tally.answer(tools, frame, null, told);
  }
  if (!key && !amount && !holds) {
    const total = await tools.session.list(operation, params, query, { signal }).count();
    if (total !== null) return { ...frame, count: total, complete: true, requests_left: tools.session.left };
  }
  const paging = operation.paged === "none" ? query : { ...query, per_page: 100 };
  let unread: string | null = null;
  let read = 0;
  const pages = tools.session.list(operation, params, paging, { signal, prefetch: 0 }).byPage();
  for await (const page of pages) {
    read += page.records.length;
    add(page.records);
    if (page.hasNext && tools.session.left <= 0) {
      unread = `the session reached its limit of requests after ${read} records`;
      break;
    }
  }
  return tally.answer(tools, frame, unread, told);
}

interface Amount {
  readonly currency: string;
  readonly decimal: Decimal;
}

interface Part<T> {
  readonly name: string;
  readonly of: (record: unknown) => T;
}

interface AmountPart extends Part<Amount | null> {
  readonly hasNoCurrency: boolean;
}

class Tally {
  readonly #groups = new Map<string, Group>();
  readonly #key: Part<string> | null;
  readonly #amount: AmountPart | null;
  // A record may appear on two pages if the list changes in the meantime.
  readonly #seen = new Set<unknown>();
  records = 0;

  constructor(key: Part<string> | null, amount: AmountPart | null) {
    this.#key = key;
    this.#amount = amount;
  }

  add(record: unknown): void {
    const id = (record as { readonly id?: unknown } | null)?.id ?? null;
    if (id !== null && this.#seen.has(id)) return;
    this.#seen.add(id);
    this.records++;
    const name = this.#key?.of(record) ?? "";
    const group = this.#groups.get(name) ?? { count: 0, sums: new Map() };
    group.count++;
    const amount = this.#amount?.of(record) ?? null;
    if (amount) group.sums.set(amount.currency, plus(group.sums.get(amount.currency) ?? ZERO, amount.decimal));
    this.#groups.set(name, group);
  }

  answer(tools: Tools, given: AnswerData, unread: string | null, told: Told): AnswerData {
    const frame = { ...given, complete: unread === null, ...(unread !== null && { unread }) };
    const left = { requests_left: tools.session.left };
    const all = new Map<string, Decimal>();
    for (const { sums } of this.#groups.values())
      for (const [currency, sum] of sums) all.set(currency, plus(all.get(currency) ?? ZERO, sum));
    // Amounts in different currencies are not added up: each currency has its own sum.
    const currencies = [...all.keys()].sort();
    const sumOf = (sums: ReadonlyMap<string, Decimal>) =>
      currencies.length > 1
        ? Object.fromEntries([...sums].map(([currency, sum]) => [currency || "(none)", decimalText(sum)]))
        : decimalText(sums.get(currencies[0] ?? "") ?? ZERO);
    const name = `sum_${this.#amount?.name}`;
    const sum = this.#amount && {
      [name]: sumOf(all),
      ...(this.#amount.hasNoCurrency && { note: "these records name no currency, so the sum may mix several" }),
      ...(currencies.length === 1 && currencies[0] && { currency: currencies[0] }),
    };
    if (!this.#key) return { ...frame, count: this.records, ...sum, ...left };
    const sorted = [...this.#groups].sort(([a, one], [b, other]) => other.count - one.count || (a < b ? -1 : 1));
    const rows = sorted.map(([value, group]) => [value, group.count, ...(this.#amount ? [sumOf(group.sums)] : [])]);
    const fitted = fitRows(rows, tools.maxTokens - FRAME);
    told.rows = fitted.rows.length;
    return {
      ...frame,
      fields: [this.#key.name, "count", ...(this.#amount ? [name] : [])],
      rows: fitted.rows,
      count: this.records,
      ...sum,
      ...(fitted.leftOut > 0 && { groups_left_out: fitted.leftOut }),
      ...left,
    };
  }
}

const PERIODS: Readonly<Record<string, number>> = { year: 4, month: 7, day: 10 };

function groupBy(tools: Tools, schema: Schema, by: string, zone: string): Part<string> {
  const [text = "", period] = by.split(":");
  const length = period === undefined ? Number.POSITIVE_INFINITY : PERIODS[period];
  if (length === undefined) throw new ToolProblem('after ":" write year, month or day');
  const { path } = shownField(tools, schema, text, "by");
  const dayOf = daysIn(zone);
  return {
    name: by,
    of: (record) => {
      const value = tools.sight.at(schema, record, path);
      if (value === null) return "(none)";
      const instant = period === undefined ? null : instantOf(value);
      const told = typeof value === "string" ? value : JSON.stringify(value);
      return (instant === null ? told : dayOf(instant)).slice(0, length);
    },
  };
}

function amountAt(tools: Tools, schema: Schema, text: string): AmountPart {
  const { path, schema: leaf } = shownField(tools, schema, text, "sum");
  if (!["text", "number", "record"].includes(traitsOf(itemOf(leaf)).kind))
    throw new ToolProblem(`sum: ${text.slice(0, 60)} is not an amount`);
  const hasCurrency = fieldSchema(schema, "currency") !== undefined;
  return {
    name: text,
    hasNoCurrency: !hasCurrency && formatOf(itemOf(leaf)) === "decimal",
    of: (record) => {
      const decimal = decimalOf(tools.sight.at(schema, record, path));
      const currency = hasCurrency ? String(tools.sight.at(schema, record, ["currency"]) ?? "") : "";
      return decimal && { currency, decimal };
    },
  };
}
