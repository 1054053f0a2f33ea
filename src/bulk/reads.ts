import type { Read } from "./step.js";

// Number of recent reads from which the usual duration is computed.
const MEASURED = 31;

/** The last read of each row's record, and how long reads take. */
export class Reads extends Map<number, Read> {
  readonly #took: number[] = [];

  /** Keeps a read made before a write, and its duration. */
  setAndMeasure(row: number, read: Read): void {
    this.set(row, read);
    this.#took.push(read.ended - read.began);
    if (this.#took.length > MEASURED) this.#took.shift();
  }

  /** Median duration of recent reads in milliseconds; null until there are three. */
  get usualMs(): number | null {
    const sorted = [...this.#took].sort((one, other) => one - other);
    return sorted.length < 3 ? null : (sorted[Math.floor(sorted.length / 2)] ?? null);
  }
}
