import { fingerprint } from "../core/fingerprint.js";
import { alikeForm } from "./keys.js";
import type { PlannedRow } from "./lines.js";

const KINDS = ["create", "update", "delete", "leave", "refuse"] as const;

/** An earlier row. */
export interface EarlierRow {
  readonly row: number;
  readonly kind: PlannedRow["do"];
  /** Whether its key is the same; else it is alike. */
  readonly isEqual: boolean;
}

/** Finds the earlier row that has the key of another, or one that is alike. Rows and keys are kept as numbers, so that a million rows fit. */
export class FirstRows {
  /** The first row of the keys that are alike, by a hash of 52 bits. */
  readonly #rows = new Map<number, number>();
  /** Rows whose keys are alike to those of earlier rows, and not the same. */
  readonly #others = new Map<number, number[]>();
  /** By row, a hash of its key in 28 bits, and its kind. */
  readonly #known: number[] = [];

  /** Notes a row and its kind, unless an earlier one has its key. @returns that row, else the first with a key that is alike. */
  note(key: string, row: number, kind: PlannedRow["do"]): EarlierRow | null {
    const alike = hashOf(alikeForm(key), 13);
    const equal = hashOf(key, 7);
    const first = this.#rows.get(alike);
    const others = this.#others.get(alike) ?? [];
    const rows = first === undefined ? [] : [first, ...others];
    const same = rows.find((one) => Math.floor((this.#known[one] ?? 0) / 8) === equal);
    if (same === undefined) {
      if (first === undefined) this.#rows.set(alike, row);
      else this.#others.set(alike, [...others, row]);
      this.#known[row] = equal * 8 + KINDS.indexOf(kind);
    }
    const found = same ?? first;
    if (found === undefined) return null;
    return { row: found, kind: KINDS[(this.#known[found] ?? 0) % 8] ?? "refuse", isEqual: found === same };
  }

  /** Notes that a row is refused after all. */
  refuse(row: number): void {
    const known = this.#known[row];
    if (known !== undefined) this.#known[row] = known - (known % 8) + KINDS.indexOf("refuse");
  }
}

/** A number that tells texts apart. @param digits how many hexadecimal ones it has, at most 13. */
export function hashOf(text: string, digits: number): number {
  return Number.parseInt(fingerprint(text).slice(-digits), 16);
}
