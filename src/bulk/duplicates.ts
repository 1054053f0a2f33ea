import { fingerprint } from "../core/fingerprint.js";

const FIRST_SLOTS = 1 << 12;

/** Finds the first row with a key, in 13 bytes per key, so that a million rows fit. Keys are compared by a 64-bit hash. */
export class FirstRows {
  #slots = FIRST_SLOTS;
  #used = 0;
  #halves = new Uint32Array(2 * FIRST_SLOTS);
  #rows = new Uint32Array(FIRST_SLOTS);
  #kinds = new Uint8Array(FIRST_SLOTS);

  /**
   * Notes a row and its kind, unless an earlier one has the key.
   * @param ifTaken the kind that the earlier row gets; without it, the row keeps its own.
   * @returns the earlier row and its kind until now.
   */
  note(
    key: string,
    row: number,
    kind: number,
    ifTaken?: number,
  ): { readonly row: number; readonly kind: number } | null {
    const hash = fingerprint(key);
    const high = Number.parseInt(hash.slice(0, 8), 16);
    const low = Number.parseInt(hash.slice(8), 16);
    const at = this.#find(high, low);
    if (this.#rows[at] !== 0) {
      const found = { row: this.#rows[at] ?? 0, kind: this.#kinds[at] ?? 0 };
      if (ifTaken !== undefined) this.#kinds[at] = ifTaken;
      return found;
    }
    this.#set(at, high, low, row, kind);
    this.#used++;
    if (this.#used > 0.75 * this.#slots) this.#grow();
    return null;
  }

  #find(high: number, low: number): number {
    let at = (high ^ low) & (this.#slots - 1);
    while (this.#rows[at] !== 0 && (this.#halves[2 * at] !== high || this.#halves[2 * at + 1] !== low)) {
      at = (at + 1) & (this.#slots - 1);
    }
    return at;
  }

  #set(at: number, high: number, low: number, row: number, kind: number): void {
    this.#halves[2 * at] = high;
    this.#halves[2 * at + 1] = low;
    this.#rows[at] = row;
    this.#kinds[at] = kind;
  }

  #grow(): void {
    const [halves, rows, kinds] = [this.#halves, this.#rows, this.#kinds];
    this.#slots *= 2;
    this.#halves = new Uint32Array(2 * this.#slots);
    this.#rows = new Uint32Array(this.#slots);
    this.#kinds = new Uint8Array(this.#slots);
    for (const [at, row] of rows.entries()) {
      if (row === 0) continue;
      const [high = 0, low = 0] = [halves[2 * at], halves[2 * at + 1]];
      this.#set(this.#find(high, low), high, low, row, kinds[at] ?? 0);
    }
  }
}
