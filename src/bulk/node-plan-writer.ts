import { type Budget, shareOf } from "../work/pace.js";
import type { Values } from "./fields.js";
import type { Reading as ListReading } from "./known.js";
import { type Header, type ListLine, type PlannedRow, rangesOf } from "./lines.js";
import type { OpenJournal } from "./node-journal.js";
import { Digest } from "./node-state.js";
import { type Problem, Reasons } from "./problems.js";
import { glancesFrom, PAGE, readingOf, readsFor } from "./service.js";
import type { Target } from "./target.js";
import type { PlanSummary } from "./types.js";

/** The share of the request budget that `apply` uses by default, and on which a plan's estimated time is based. */
export const DEFAULT_SHARE = 0.5;

const LINES_AT_ONCE = 500;

/** The cost of reading a list, and how to read it again. */
interface ListCost {
  readonly tail?: string | null | undefined;
  readonly filter?: string | null | undefined;
  readonly pages: number;
  readonly records?: number;
}

export class PlanWriter {
  readonly #journal: OpenJournal;
  readonly #digest = new Digest();
  readonly #counts: Record<PlannedRow["do"], number> = { create: 0, update: 0, delete: 0, leave: 0, refuse: 0 };
  readonly #reasons = new Reasons();
  #lines: string[] = [];
  #list: ListCost | null;

  /** @param list the cost of reading the list, taken from another plan. */
  constructor(journal: OpenJournal, list: ListCost | null = null) {
    this.#journal = journal;
    this.#list = list;
  }

  get counts(): Readonly<Record<PlannedRow["do"], number>> {
    return this.#counts;
  }

  begin(header: Header): Promise<void> {
    return this.#line(header);
  }

  async add(row: PlannedRow): Promise<void> {
    this.#counts[row.do]++;
    if (row.do === "refuse") this.#reasons.add(row.why ?? []);
    await this.#line(row.why ? { ...row, why: row.why.map(withoutReason) } : row);
  }

  /** Refuses a row that was already added. */
  async refuse(row: number, as: PlannedRow["do"], why: readonly Problem[]): Promise<void> {
    this.#counts[as]--;
    this.#counts.refuse++;
    this.#reasons.add(why);
    await this.#line({ row, refuse: why.map(withoutReason) });
  }

  async list(list: Values, { records, tail, filter, pages }: ListReading): Promise<void> {
    this.#list ??= { tail, filter, pages, records: records.ids.size };
    const known = { tail: tail ?? undefined, filter: filter ?? undefined };
    await this.#line({ list, seen: rangesOf(records.ids), pages, ...known } satisfies ListLine);
  }

  /** @param read number of requests that planning took. */
  async end(
    target: Pick<Target, "rows">,
    limit: Budget | null,
    read: number,
    rows?: Pick<PlanSummary, "fields" | "unusedFormats" | "setBack" | "missing"> & { readonly input: string },
  ): Promise<PlanSummary> {
    await this.#write();
    const requests = countRequests(target, this.#counts, this.#list);
    const minutes = durationOf(requests, shareOf(limit, DEFAULT_SHARE)) / 60_000;
    const { delete: gone, ...counts } = this.#counts;
    const { input, fields, unusedFormats, setBack, missing } = rows ?? {};
    const told = {
      ...(gone > 0 && { delete: gone }),
      ...(missing && { missing }),
      ...(Object.keys(fields ?? {}).length > 0 && { fields }),
      reasons: this.#reasons.all,
      ...(unusedFormats?.length && { unusedFormats }),
      ...(setBack?.length && { setBack }),
    };
    const summary = { ...counts, ...told, requests, minutes, read, digest: this.#digest.text } as PlanSummary;
    await this.#journal.append(JSON.stringify({ end: { ...summary, input } }));
    await this.#journal.finish();
    return summary;
  }

  async #line(line: object): Promise<void> {
    const text = JSON.stringify(line);
    this.#digest.add(text);
    this.#lines.push(text);
    if (this.#lines.length >= LINES_AT_ONCE) await this.#write();
  }

  async #write(): Promise<void> {
    await this.#journal.append(...this.#lines.splice(0));
  }
}

function withoutReason({ reason: _, ...problem }: Problem): Problem {
  return problem;
}

/** Number of requests that a plan takes if nothing fails. @param list how the list was read; null if it was not. */
export function countRequests(
  target: Pick<Target, "rows">,
  { create, update, delete: gone }: Readonly<Record<"create" | "update" | "delete", number>>,
  list: ListCost | null,
): number {
  const changes = update + gone;
  const writes = create + changes;
  // The first created record is read before the other creates are sent.
  const first = create > 1 && target.rows.get ? 1 : 0;
  const reads =
    first + readsFor(readingOf(target, list?.pages), changes) + countChecks(target, changes, list, gone > 0);
  if (create === 0) return writes + reads;
  // The run looks for created records before and after the first create, and after the last one: by key, or in the
  // list, starting at its second-to-last page.
  if (list?.filter) return create + writes + create + reads + first;
  const { pages = 1, records = 0, tail = null } = list ?? {};
  const before = tail === null ? Math.max(1, pages) : 2;
  const after = before - Math.max(1, pages) + Math.max(1, Math.ceil((records + create) / PAGE));
  return before + first * before + writes + after + reads;
}

// The first record to change is read alone, before and after its write. All changed records are read again after their
// writes, some more than once. To prove that a record is deleted, the run reads another record of the list.
function countChecks(target: Pick<Target, "rows">, changes: number, list: ListCost | null, isGone: boolean): number {
  const way = readingOf(target, list?.pages);
  const others = isGone ? changes - 1 : changes;
  const pages = list === null || list.filter ? Number.POSITIVE_INFINITY : Math.max(1, list.pages);
  const proof = isGone && way.by === "one" && pages > 1 ? 2 : 0;
  if (changes < 2) return changes + proof;
  const whole = target.rows.get ? Math.min(pages, others + (others > 1 ? 1 : 0) + proof) : pages;
  const sizes = isGone || way.by === "list" ? [1] : [1, 3, 4];
  let [left, reads, glances] = [changes, 0, 0];
  for (const size of [...sizes, changes]) {
    reads += readsFor(way, Math.min(size, left));
    left -= Math.min(size, left);
  }
  for (let at = 4; at < changes && !isGone; at *= 2) if (at >= glancesFrom(way)) glances++;
  const each = way.by === "filter" ? 1 : way.by === "one" ? Math.min(pages, 4) : pages;
  const alone = reads - readsFor(way, changes);
  return alone + 1 + glances * each + proof + (way.by === "filter" ? Math.ceil(others / PAGE) : whole);
}

/** Milliseconds that a number of requests take. */
export function durationOf(requests: number, budget: Budget): number {
  return Math.max(0, Math.ceil(requests / budget.requests) - 1) * budget.windowMs;
}
