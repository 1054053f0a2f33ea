import type { Reading as ListReading } from "./known.js";
import type { Header, PlannedRow } from "./lines.js";
import type { OpenJournal } from "./node-journal.js";
import { Digest } from "./node-state.js";
import { type Budget, DEFAULT_SHARE, durationOf, shareOf } from "./pace.js";
import { PAGE, wayToRead } from "./service.js";
import type { Target } from "./target.js";
import type { PlanSummary, RowProblem } from "./types.js";

const LINES_AT_ONCE = 500;

/** What reading a list took, and how it is read again. */
type ListCost = Pick<ListReading, "tail" | "filter" | "pages">;

/** Writes the lines of a plan and counts its rows. */
export class PlanWriter {
  readonly #journal: OpenJournal;
  readonly #digest = new Digest();
  readonly #counts: Record<PlannedRow["do"], number> = { create: 0, update: 0, delete: 0, leave: 0, refuse: 0 };
  #lines: string[] = [];

  constructor(journal: OpenJournal) {
    this.#journal = journal;
  }

  begin(header: Header): Promise<void> {
    return this.#line(header);
  }

  async add(row: PlannedRow): Promise<void> {
    this.#counts[row.do]++;
    await this.#line(row);
  }

  /** Refuses a row that was added before. */
  async refuse(row: number, as: PlannedRow["do"], why: readonly RowProblem[]): Promise<void> {
    this.#counts[as]--;
    this.#counts.refuse++;
    await this.#line({ row, refuse: why });
  }

  /**
   * @param list how the list was read; null where it was not.
   * @param read requests that planning took.
   * @param input names the rows and options.
   */
  async end(
    target: Pick<Target, "rows">,
    list: ListCost | null,
    limit: Budget | null,
    read: number,
    input?: string,
  ): Promise<PlanSummary> {
    await this.#write();
    const requests = told(target, this.#counts, list);
    const minutes = durationOf(requests, shareOf(limit, DEFAULT_SHARE)) / 60_000;
    const { delete: gone, ...counts } = this.#counts;
    const deleted = gone > 0 && { delete: gone };
    const summary = { ...counts, ...deleted, requests, minutes, read, digest: this.#digest.text };
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

/** Requests that a plan takes when nothing fails. @param list how the list was read; null where it was not. */
export function told(
  target: Pick<Target, "rows">,
  counts: Readonly<Record<"create" | "update" | "delete", number>>,
  list: ListCost | null,
): number {
  const known = counts.update + counts.delete;
  const way = wayToRead(target);
  const pages = list?.pages ?? 1;
  const reads = way === "one" ? known : way === "filter" ? Math.ceil(known / PAGE) : known > 0 ? pages : 0;
  // Creates are looked for before the first is sent, by key or in the list from its last page but one; the first also after it.
  const after = counts.create === 0 ? 0 : list?.filter ? 1 : list?.tail ? 2 : Math.max(1, pages);
  const before = list?.filter ? counts.create : after;
  return before + counts.create + after + known + reads;
}
