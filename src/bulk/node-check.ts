import type { Resource } from "../core/resource.js";
import { givenRows } from "./file/node-given-rows.js";
import { DayOrders } from "./file/times.js";
import { FirstRows } from "./keys.js";
import { checkOrder, settingsOf, type Words } from "./node-plan-settings.js";
import type { Problem } from "./problems.js";
import { decide, type Reading, type ReadRow, readRow } from "./row.js";
import { rowHash } from "./same-keys.js";
import type { PlanOptions, RowProblem } from "./types.js";

export interface Checked {
  readonly all: number;
  readonly refused: readonly { readonly row: number; readonly why: readonly RowProblem[] }[];
}

/**
 * Reads the rows of a file as a plan does, without the service: no reference is looked up, no record compared.
 * @throws InputError if an option, a column or the file is invalid.
 */
export async function checkRows(
  resource: Resource,
  rows: AsyncIterable<object>,
  options: PlanOptions<unknown>,
  words: Words,
): Promise<Checked> {
  const settings = settingsOf(resource, rows, options, words);
  const orders = new DayOrders();
  const finders = new Map(settings.find.map((path) => [path, () => ({ value: 1 })]));
  const { timeZone = "UTC" } = settings.formats;
  const reading: Reading = {
    ...settings,
    formats: { ...settings.formats, timeZone },
    finders,
    kinds: new Map(),
    orders,
  };
  const first = new FirstRows();
  const refused: { readonly row: number; readonly why: readonly RowProblem[] }[] = [];
  const seen = new Map<number, number | null>();
  const isFirst = options.duplicates === "first";
  let all = 0;
  for await (const { row, cells, problem } of givenRows(rows, settings, async () => timeZone, options.signal)) {
    all++;
    const read = problem === null ? readRow(reading, cells) : null;
    const why: RowProblem[] = read ? [...problemsOf(reading, read)] : [{ message: problem ?? "" }];
    const before = read?.key == null ? null : first.note(read.key, row, "leave");
    const hash = read?.key == null ? null : rowHash(read.key, read, settings.keys);
    if (before?.isEqual && !(isFirst && seen.get(before.row) === hash))
      why.push({ message: `row ${before.row} has the same key` });
    seen.set(row, hash);
    if (why.length > 0) refused.push({ row, why });
  }
  checkOrder(settings, orders);
  return { all, refused };
}

// Without the service, it is unknown which rows create a record, so fields that only a create needs may be missing.
function problemsOf(reading: Reading, row: ReadRow): readonly Problem[] {
  if (row.problems.length > 0 || reading.whyNoCreate !== null) return row.problems;
  const { why = [] } = decide(reading, row, undefined);
  return why.filter(({ field = "" }) => Object.hasOwn(row.values, field));
}
