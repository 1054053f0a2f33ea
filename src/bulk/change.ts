import { inputError } from "../core/call/request.js";
import { fieldsOf } from "../core/schema/traits.js";
import type { Condition, Tree } from "../work/fields/condition.js";
import { parsePath } from "../work/fields/path.js";
import { testerOf } from "../work/fields/tester.js";
import { BulkError } from "./errors.js";
import type { Values } from "./fields.js";
import { conditionIn } from "./find.js";
import type { Header } from "./lines.js";
import type { BulkRecord, Service } from "./service.js";
import type { StepSettings } from "./step.js";
import { recordSchema, type Target } from "./target.js";

/** A change computed from the values of each record; see `change`. */
export class Change<T> {
  /** Returns the new values of a record. */
  readonly to: (record: T, zone: string) => object | null | undefined;

  constructor(to: Change<T>["to"]) {
    this.to = to;
  }
}

/**
 * Computes the rows of `plan` or `run` from the records. The function is called once for each record that meets
 * `where`, while the plan is made; an interrupted run continues that plan, so a relative change is made only once. A
 * second change with the same file name is refused unless the option `again` is true.
 * @param to returns the new values of a record, by field; null or nothing leaves the record unchanged. If it throws,
 * the record is refused with that message. Its second argument is the school's time zone, for `later`; reading the
 * zone takes one request.
 * @example
 * await run(
 *   client.meetings,
 *   change((meeting, zone) => ({
 *     start_date_time: later(meeting.start_date_time, { days: 14 }, zone),
 *     end_date_time: later(meeting.end_date_time, { days: 14 }, zone),
 *   })),
 *   { to: "two-weeks-later.plan", where: "planned_course_id=7" },
 * );
 */
export function change<T extends object>(to: (record: T, zone: string) => object | null | undefined): Change<T> {
  if (typeof to !== "function") throw inputError("change", [{ path: "", message: "takes a function" }]);
  return new Change(to);
}

export function recordCondition(text: string, target: Target, fail: (message: string) => Error): Condition {
  return conditionIn(text, (path) => parsePath(path, recordSchema(target.rows)), fail);
}

/** Tests whether a record that the plan selected by a condition still meets it; undefined without a condition. */
export function stillWanted(
  { where, missing, zone = "UTC", made }: Header,
  target: Target,
): StepSettings["stillWanted"] {
  const condition = where ?? missing?.where;
  if (condition === undefined) return undefined;
  const tester = testerOf(conditionFrom(condition, target), { now: Date.parse(made), zone });
  return (row, record) => (where === undefined && !row.missing) || tester.holds(record);
}

/** Identifiers of records that meet a change's condition now, but are not in its plan. */
export async function joinedSince(header: Header, service: Service, planned: ReadonlySet<number>): Promise<number[]> {
  const isWanted = stillWanted(header, service.target);
  if (!isWanted || header.where === undefined) return [];
  const joined = new Set<number>();
  for await (const record of recordsOf(conditionFrom(header.where, service.target), service))
    if (!planned.has(record.id) && isWanted(UNPLANNED, record)) joined.add(record.id);
  return [...joined];
}

const UNPLANNED = { row: 0, do: "leave" } as const;

function conditionFrom(where: string, target: Target): Condition {
  return recordCondition(where, target, (message) => new BulkError("not_a_plan", `the plan's where ${message}`));
}

/** Lists the records that may meet a condition, using the list's own filters where possible. */
export async function* recordsOf(
  where: Condition | null,
  service: Service,
): AsyncGenerator<BulkRecord, void, undefined> {
  const { list } = service.target.rows;
  const pages = service.listed(where ? filtersIn(where.tree, fieldsOf(list?.query)) : {});
  for await (const { records } of pages) yield* records;
}

// Filters only by references to other records. If the service ignores such a filter, callers get more records to test.
function filtersIn(tree: Tree, known: Readonly<Record<string, unknown>>): Values {
  if ("all" in tree) return Object.assign({}, ...tree.all.map((part) => filtersIn(part, known)));
  if (!("field" in tree) || tree.comparison !== "=" || tree.values.length !== 1) return {};
  const { path, kind } = tree.field;
  return kind === "identifier" && path !== "id" && path in known ? { [path]: tree.values[0] } : {};
}
