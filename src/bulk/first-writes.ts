import { type History, isAnswered, isOver } from "./history.js";
import type { Fact, PlannedRow } from "./lines.js";

type Kind = PlannedRow["do"];

/** Tracks the first write of each kind. It is sent alone; the others wait until its effect has been read. */
export class FirstWrites {
  readonly #sideEffects: ReadonlySet<string>;
  readonly #proven = new Set<Kind>();
  /** By path, the number of rows whose write changed the field without sending it. */
  readonly #moved = new Map<string, number>();

  constructor(sideEffects: ReadonlySet<string>) {
    this.#sideEffects = sideEffects;
  }

  isProven(kind: Kind): boolean {
    return this.#proven.has(kind);
  }

  proves(kind: Kind): void {
    this.#proven.add(kind);
  }

  /** True if a row is the first of its kind and was answered with success, but its effect is not confirmed yet. */
  isAwaited(history: History): boolean {
    return !this.#proven.has(history.row.do) && isAnswered(history);
  }

  awaitedRows(live: readonly History[]): readonly History[] {
    const awaited = live.filter((history) => this.isAwaited(history));
    const kinds = new Set(awaited.map(({ row }) => row.do));
    return live.some(({ row, attempts }) => attempts.length === 0 && kinds.has(row.do)) ? awaited : [];
  }

  /** Records a journal line about a row. @returns the reason to stop the run; null to continue. */
  note(fact: Fact, before: History, after: History): string | null {
    const { do: kind, id } = after.row;
    const isFirst = this.isAwaited(before) && isOver(after);
    if (isFirst && after.made && fact.done === "unknown") return WRONG_RECORD;
    const isUnseen = kind !== "create" && after.confirmed === false;
    if (isFirst && !isUnseen && this.#unacceptedFields(after.done).length === 0) this.#proven.add(kind);
    const known = before.done?.side ?? {};
    const paths = this.#unacceptedFields(fact).filter((path) => !Object.hasOwn(known, path));
    for (const path of paths) this.#moved.set(path, (this.#moved.get(path) ?? 0) + 1);
    // After the first write of a kind, a colleague may have caused one change, so the run stops only when a second row
    // changes the same field without sending it.
    const moved = paths.filter((path) => isFirst || !this.#proven.has(kind) || (this.#moved.get(path) ?? 0) > 1);
    if (moved.length === 0) return null;
    return `the write of row ${fact.row} also changed fields of record ${id} that were not sent: ${moved.join(", ")}. rowsOf shows the old and new values, undo restores them. If the change is intended, pass sideEffects: ${JSON.stringify(moved)}`;
  }

  #unacceptedFields(fact: Pick<Fact, "side"> | null): readonly string[] {
    return Object.keys(fact?.side ?? {}).filter((path) => !this.#sideEffects.has(path));
  }
}

const WRONG_RECORD =
  "the service answered the first create with a different record from the one sent: check the records that its row names";
