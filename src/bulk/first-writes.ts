import { type History, isAnswered, isOver } from "./history.js";
import type { Fact, PlannedRow } from "./lines.js";
import type { RunParts } from "./run-parts.js";
import { GONE_SINCE } from "./step-reasons.js";

type Kind = PlannedRow["do"];

// If a field changes in more records than this, an automation is the cause, not a colleague.
const MOST_BY_OTHERS = 2;

/** Tracks the first create, update and delete, each sent alone: further writes wait until its effect has been read. */
export class FirstWrites {
  readonly #sideEffects: ReadonlySet<string>;
  readonly #proven = new Set<Kind>();
  #gone = 0;
  /** By path, the number of rows whose write changed the field without sending it. */
  readonly #moved = new Map<string, number>();
  /** By path and row, the values of unsent fields that changed after a write, perhaps because of someone else. */
  readonly #perhaps = new Map<string, Map<number, readonly [unknown, unknown]>>();

  /** @param sides for rows that earlier runs wrote, the fields that changed without being sent. */
  constructor(sideEffects: ReadonlySet<string>, sides: RunParts["sides"]) {
    this.#sideEffects = sideEffects;
    for (const [row, side] of sides) this.moved(row, side);
  }

  /** True if an automation is known to change a field after each update, and the caller has not accepted that. */
  get isAutomated(): boolean {
    return [...this.#perhaps].some(([path, { size }]) => size >= MOST_BY_OTHERS + 1 && !this.#sideEffects.has(path));
  }

  isProven(kind: Kind): boolean {
    return this.#proven.has(kind);
  }

  proves(kind: Kind): void {
    this.#proven.add(kind);
  }

  /** True if a row's write is the first of its kind and was answered with success, but is not confirmed yet. */
  isAwaited(history: History): boolean {
    const isUnnamed = history.answered && history.made === null && history.done === null;
    return !this.#proven.has(history.row.do) && (isAnswered(history) || isUnnamed);
  }

  awaitedRows(live: readonly History[]): readonly History[] {
    const awaited = live.filter((history) => this.isAwaited(history));
    const kinds = new Set(awaited.map(({ row }) => row.do));
    return live.some(({ row, attempts }) => attempts.length === 0 && kinds.has(row.do)) ? awaited : [];
  }

  /**
   * Notes fields that changed after the write of a row, although the row did not send them. @returns the changes that
   * were seen in too many rows to be someone else's.
   */
  moved(row: number, moved: NonNullable<Fact["side"]>): readonly (readonly [row: number, side: typeof moved])[] {
    return Object.entries(moved).flatMap(([path, values]) => {
      const rows = this.#perhaps.get(path) ?? new Map<number, typeof values>();
      this.#perhaps.set(path, rows);
      if (rows.has(row)) return [];
      rows.set(row, values);
      const over = rows.size - MOST_BY_OTHERS;
      const news = over > 1 ? [[row, values] as const] : over === 1 ? [...rows] : [];
      return news.map(([one, was]) => [one, { [path]: was }] as const);
    });
  }

  /** Records a journal line about a row. @returns the reason to stop the run; null to continue. */
  note(fact: Fact, before: History, after: History): string | null {
    const { do: kind, id } = after.row;
    const isFirst = this.isAwaited(before) && isOver(after);
    if (isFirst && after.made && fact.done === "unknown") return WRONG_RECORD;
    // A colleague may have deleted the record of one first write, but hardly of two.
    if (isFirst && fact.why?.some(({ message }) => message === GONE_SINCE) && ++this.#gone >= MOST_BY_OTHERS)
      return GONE;
    const isUnseen = kind !== "create" && after.confirmed === false;
    if (isFirst && !isUnseen && this.#unacceptedFields(after.done).length === 0) this.#proven.add(kind);
    const known = before.done?.side ?? {};
    const paths = this.#unacceptedFields(fact).filter((path) => !Object.hasOwn(known, path));
    for (const path of paths) this.#moved.set(path, (this.#moved.get(path) ?? 0) + 1);
    // After the first write of a kind, a colleague may have caused one change, so the run stops only when a second row
    // changes the same field without sending it.
    const moved = paths.filter((path) => isFirst || !this.#proven.has(kind) || (this.#moved.get(path) ?? 0) > 1);
    if (moved.length === 0) return null;
    return `the write of row ${fact.row} also changed fields of record ${id} that were not sent: ${moved.join(", ")}. rowsOf shows the old and new values; undo restores the old ones. If the change is intended, pass sideEffects: ${JSON.stringify(moved)}`;
  }

  #unacceptedFields(fact: Pick<Fact, "side"> | null): readonly string[] {
    return Object.keys(fact?.side ?? {}).filter((path) => !this.#sideEffects.has(path));
  }
}

const GONE =
  "the records of the first writes have disappeared: the service moves or deletes records that it should change";
const WRONG_RECORD =
  "the service answered the first create with a different record from the one sent: check the records named in its row's outcome";
