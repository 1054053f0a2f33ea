import type { Append, LogPart } from "../../../src/stores/window-log.js";

/** A database that orders entries and stamps them with `Date.now()`, as Redis and Postgres do with their clocks. */
export class OrderedLogs {
  readonly kept = new Map<string, { base: number; state: string | null; entries: string[] }>();
  readonly appended: Append[] = [];
  cuts = 0;
  readonly #start = Date.now() * 1_000;

  readonly append = async (window: string, append: Append): Promise<LogPart> => {
    this.appended.push(append);
    const { entry, known, snapshot } = append;
    const row = this.kept.get(window) ?? { base: this.#start, state: null, entries: [] };
    this.kept.set(window, row);
    if (snapshot && snapshot.version > row.base && snapshot.version <= row.base + row.entries.length) {
      row.entries.splice(0, snapshot.version - row.base);
      Object.assign(row, { base: snapshot.version, state: snapshot.state });
      this.cuts++;
    }
    if (entry !== null) row.entries.push(`${Date.now()} ${entry}`);
    const first = Math.max(row.base, known - 1);
    const state = row.base > known ? row.state : null;
    return { base: row.base, state, first, entries: row.entries.slice(first - row.base) };
  };
}
