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

/** A change of records that depends on their values; see `change`. */
export class Change<T> {
  /** Returns the values that a record is to have. */
  readonly to: (record: T, zone: string) => object | null | undefined;

  constructor(to: Change<T>["to"]) {
    this.to = to;
  }
}

/**
 * Makes the rows of `plan` or `run` from the records themselves. The function is called once for each record that meets
 * `where`, while the plan is made; a restart continues that plan, so a relative change is made once. If a change was
 * already carried out under the name `to`, it is refused unless `again` is true.
 * @param to returns the new values of a record, by field; null or nothing to leave it alone. An exception refuses the
 * record with its message. The second argument is the school's time zone, for `later`; reading it takes one request.
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

/** Parses a condition on the fields of records. */
export function recordCondition(text: string, target: Target, fail: (message: string) => Error): Condition {
  return conditionIn(text, (path) => parsePath(path, recordSchema(target.rows)), fail);
}

/**
 * Returns a test of whether the record of a change, or a record in no row, still meets the condition of its plan;
 * undefined for plans without a condition.
 */
export function stillWanted(
  { where, missing, zone = "UTC", made }: Header,
  target: Target,
): StepSettings["stillWanted"] {
  const condition = where ?? missing?.where;
  if (condition === undefined) return undefined;
  const tester = testerOf(conditionFrom(condition, target), { now: Date.parse(made), zone });
  return (row, record) => (where === undefined && !row.missing) || tester.holds(record);
}

/** The identifiers of records that meet the condition of a change's plan now, but are not in the plan. */
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

/** The records that a condition may select, narrowed by those of its tests for which the list has a filter. */
export async function* recordsOf(
  where: Condition | null,
  service: Service,
): AsyncGenerator<BulkRecord, void, undefined> {
  const { list } = service.target.rows;
  const pages = service.listed(where ? filtersIn(where.tree, fieldsOf(list?.query)) : {});
  for await (const { records } of pages) yield* records;
}

// Uses only filters by identifiers of other records: a service that ignores one shows more records, not fewer.
function filtersIn(tree: Tree, known: Readonly<Record<string, unknown>>): Values {
  if ("all" in tree) return Object.assign({}, ...tree.all.map((part) => filtersIn(part, known)));
  if (!("field" in tree) || tree.comparison !== "=" || tree.values.length !== 1) return {};
  const { path, kind } = tree.field;
  return kind === "identifier" && path !== "id" && path in known ? { [path]: tree.values[0] } : {};
}
