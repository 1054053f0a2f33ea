import { type Schema, traitsOf } from "../core/schema/traits.js";
import { type Decimal, decimalOf, plus, written, ZERO } from "../work/decimals.js";
import { fieldSchema, pathOf, recordOf } from "./catalog.js";
import { isRecord, itemOf } from "./classes.js";
import type { AnswerData, Told, Tools } from "./context.js";
import type { Given } from "./input.js";
import { ToolProblem } from "./problem.js";
import { classIn, splitWhere } from "./read.js";
import { fitRows } from "./tokens.js";

interface Group {
  count: number;
  sum: Decimal;
}

const FRAME = 120;

/** The tool that counts and adds up. */
export async function count(tools: Tools, given: Given, signal: AbortSignal, told: Told): Promise<AnswerData> {
  const { from, by, sum, where } = given as {
    readonly from: string;
    readonly by?: string;
    readonly sum?: string;
    readonly where?: Given;
  };
  const { resource, operation } = tools.catalog.reading(from, false);
  told.resource = resource.name;
  const { params, query } = splitWhere(operation, where);
  const schema = recordOf(operation);
  const key = by === undefined ? null : groupBy(tools, schema, by);
  const amount = sum === undefined ? null : amountAt(tools, schema, sum);
  told.names = [...Object.keys(query), ...(key ? [key.name] : []), ...(amount ? [amount.name] : [])];
  const source = operation.id;
  if (!operation.paged) {
    const answer = await tools.session.record(operation, params, query, signal);
    const tally = new Tally(key, amount);
    for (const record of Array.isArray(answer) ? answer : [answer]) tally.add(record);
    return tally.answer(tools, source, null, told);
  }
  if (!key && !amount) {
    const total = await tools.session.list(operation, params, query, { signal }).count();
    if (total !== null) return { source, count: total, complete: true, requests_left: tools.session.left };
  }
  const tally = new Tally(key, amount);
  const paging = operation.paged === "none" ? query : { ...query, per_page: 100 };
  let unread: string | null = null;
  const pages = tools.session.list(operation, params, paging, { signal, prefetch: 0 }).byPage();
  for await (const page of pages) {
    for (const record of page.records) tally.add(record);
    if (page.hasNext && tools.session.left <= 0) {
      unread = `the requests of this session are used up after ${tally.records} records`;
      break;
    }
  }
  return tally.answer(tools, source, unread, told);
}

/** What a value of a record is taken as. */
interface Part<T> {
  readonly name: string;
  readonly of: (record: unknown) => T;
}

class Tally {
  readonly #groups = new Map<string, Group>();
  readonly #key: Part<string> | null;
  readonly #amount: Part<Decimal | null> | null;
  // Records move between pages while others write.
  readonly #seen = new Set<unknown>();
  records = 0;

  constructor(key: Part<string> | null, amount: Part<Decimal | null> | null) {
    this.#key = key;
    this.#amount = amount;
  }

  add(record: unknown): void {
    const id = (record as { readonly id?: unknown } | null)?.id ?? null;
    if (id !== null && this.#seen.has(id)) return;
    this.#seen.add(id);
    this.records++;
    const name = this.#key?.of(record) ?? "";
    const group = this.#groups.get(name) ?? { count: 0, sum: ZERO };
    group.count++;
    const amount = this.#amount?.of(record) ?? null;
    if (amount) group.sum = plus(group.sum, amount);
    this.#groups.set(name, group);
  }

  answer(tools: Tools, source: string, unread: string | null, told: Told): AnswerData {
    const frame = { source, complete: unread === null, ...(unread !== null && { unread }) };
    const left = { requests_left: tools.session.left };
    const all = [...this.#groups.values()];
    const total = all.reduce((sum, group) => plus(sum, group.sum), ZERO);
    const sum = this.#amount && { [`sum_${this.#amount.name}`]: written(total) };
    if (!this.#key) return { ...frame, count: this.records, ...sum, ...left };
    const sorted = [...this.#groups].sort(([a, one], [b, other]) => other.count - one.count || (a < b ? -1 : 1));
    const rows = sorted.map(([name, group]) => [name, group.count, ...(this.#amount ? [written(group.sum)] : [])]);
    const fitted = fitRows(rows, tools.maxTokens - FRAME);
    told.rows = fitted.rows.length;
    return {
      ...frame,
      fields: [this.#key.name, "count", ...(this.#amount ? [`sum_${this.#amount.name}`] : [])],
      rows: fitted.rows,
      count: this.records,
      ...sum,
      ...(fitted.leftOut > 0 && { groups_left_out: fitted.leftOut }),
      ...left,
    };
  }
}

const PERIODS: Readonly<Record<string, number>> = { year: 4, month: 7, day: 10 };

function groupBy(tools: Tools, schema: Schema, by: string): Part<string> {
  const [text = "", period] = by.split(":");
  const length = period === undefined ? Number.POSITIVE_INFINITY : PERIODS[period];
  if (length === undefined) throw new ToolProblem('after ":" write year, month or day');
  const path = visible(tools, schema, text, "by");
  return {
    name: by,
    of: (record) => {
      const value = tools.sight.at(schema, record, path);
      if (value === null) return "(none)";
      return (typeof value === "string" ? value : JSON.stringify(value)).slice(0, length);
    },
  };
}

function amountAt(tools: Tools, schema: Schema, text: string): Part<Decimal | null> {
  const path = visible(tools, schema, text, "sum");
  return { name: text, of: (record) => decimalOf(tools.sight.at(schema, record, path)) };
}

// Groups and sums of what is hidden would tell it.
function visible(tools: Tools, schema: Schema, text: string, argument: string): readonly string[] {
  const path = pathOf(schema, text);
  let at = schema;
  for (const name of path) {
    const inner = fieldSchema(at, name);
    const own = inner && itemOf(inner);
    if (own && isRecord(own)) {
      at = own;
      continue;
    }
    const found = classIn(at, name);
    if (!tools.sight.shows(found))
      throw new ToolProblem(`${argument}: ${text.slice(0, 60)} is hidden (${found ?? "unknown"})`);
    if (argument === "sum" && inner && !["text", "number", "record"].includes(traitsOf(itemOf(inner)).kind)) {
      throw new ToolProblem(`sum: ${text.slice(0, 60)} is no amount`);
    }
    return path;
  }
  throw new ToolProblem(`${argument}: name a field of ${text.slice(0, 60)}`);
}
