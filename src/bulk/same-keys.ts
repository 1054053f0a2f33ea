import { hashOf } from "../core/fingerprint.js";
import { FirstRows, spellKey } from "./keys.js";
import type { PlanSettings } from "./node-plan-settings.js";
import type { PlanWriter } from "./node-plan-writer.js";
import { type ProblemText, problemText, rowValue } from "./problem-text.js";
import { type Decision, type ReadRow, refusal } from "./row.js";

/** A hash of a row's key and other values, by which repeated rows are recognized. */
export function rowHash(key: string, { values }: Pick<ReadRow, "values">, keys: readonly string[]): number {
  return hashOf(JSON.stringify([key, Object.entries(values).filter(([path]) => !keys.includes(path))]));
}

/** Decides what happens to rows whose keys are equal or nearly equal. */
export class SameKeys {
  readonly first = new FirstRows();
  readonly #settings: PlanSettings;
  readonly #writer: PlanWriter;
  /** The first row for each combination of key and values, by hash; filled only if `duplicates` is `first`. */
  readonly #same = new Map<number, number>();

  constructor(settings: PlanSettings, writer: PlanWriter) {
    this.#settings = settings;
    this.#writer = writer;
  }

  /** Refuses all rows that share a key, unless the option `duplicates` prefers the first. */
  async decide(key: string, read: ReadRow, row: number, decision: Decision): Promise<Decision> {
    const isFirst = this.#settings.options.duplicates === "first";
    const before = this.first.note(key, row, decision.do);
    const values = rowHash(key, read, this.#settings.keys);
    const same = this.#same.get(values);
    if (isFirst && same === undefined) this.#same.set(values, row);
    if (!before) return decision;
    const { kind, isEqual } = before;
    if (!isEqual) {
      const areTwo = decision.do === "create" || kind === "create";
      // Accepts nearly equal keys if each row matches its own record, or if `allowAlike` is true.
      if (this.#settings.allowAlike || !areTwo) return decision;
      const spelt = rowValue(spellKey(key));
      if (kind === "create" && !isFirst)
        await this.#refuse(before.row, kind, problemText`row ${rowValue(row)} has nearly the same key: ${spelt}`);
      if (decision.do !== "create") return decision;
      return refusal(problemText`row ${rowValue(before.row)} has nearly the same key as this one: ${spelt}`);
    }
    const isSame = same === before.row;
    if (isSame && kind !== "refuse" && decision.do !== "refuse") {
      return { do: "leave", why: [{ message: `row ${before.row} has the same values` }] };
    }
    if (!isFirst && kind !== "refuse")
      await this.#refuse(before.row, kind, problemText`row ${rowValue(row)} has the same key`);
    const other = !isFirst ? "" : isSame && kind === "refuse" ? " and was refused" : " and other values";
    return refusal(problemText`row ${rowValue(before.row)} has the same key${other}`);
  }

  async #refuse(row: number, kind: Decision["do"], why: ProblemText): Promise<void> {
    this.first.refuse(row);
    await this.#writer.refuse(row, kind, [why]);
  }
}
