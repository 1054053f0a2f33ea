import type { Header, PlannedRow } from "./lines.js";
import type { OpenJournal } from "./node-journal.js";
import { Digest } from "./node-state.js";
import { PAGE, wayToRead } from "./service.js";
import type { Target } from "./target.js";
import type { PlanSummary, RowProblem } from "./types.js";

const LINES_AT_ONCE = 500;

/** Writes the lines of a plan and counts its rows. */
export class PlanWriter {
  readonly #journal: OpenJournal;
  readonly #digest = new Digest();
  readonly counts: Record<PlannedRow["do"], number> = { create: 0, update: 0, delete: 0, leave: 0, refuse: 0 };
  #lines: string[] = [];

  constructor(journal: OpenJournal) {
    this.#journal = journal;
  }

  begin(header: Header): Promise<void> {
    return this.#line(header);
  }

  async add(row: PlannedRow): Promise<void> {
    this.counts[row.do]++;
    await this.#line(row);
  }

  /** Refuses a row that was added before. */
  async refuse(row: number, as: PlannedRow["do"], why: readonly RowProblem[]): Promise<void> {
    this.counts[as]--;
    this.counts.refuse++;
    await this.#line({ row, refuse: why });
  }

  async end(cost: Pick<PlanSummary, "requests" | "minutes" | "read">): Promise<PlanSummary> {
    await this.#write();
    const { delete: gone, ...counts } = this.counts;
    const summary = { ...counts, ...(gone > 0 && { delete: gone }), ...cost, digest: this.#digest.text };
    await this.#journal.append(JSON.stringify({ end: summary }));
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
  list: { readonly tail: string | null; readonly filter: string | null; readonly pages: number } | null,
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
