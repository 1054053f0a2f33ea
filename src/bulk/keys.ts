import { hashOf } from "../core/fingerprint.js";
import { instantOf } from "../work/days.js";
import { writeText } from "../work/fields/text.js";
import { isEmpty } from "./file/cells.js";
import { readEntities } from "./file/escapes.js";
import { numberForm } from "./file/spreadsheet.js";
import { partsOf, toAsciiDigit } from "./kin.js";
import type { PlannedRow } from "./lines.js";
import { type ProblemText, problemText, rowValue } from "./problem-text.js";

/** The text by which keys are compared; null if a part is empty. Case does not matter in e-mail addresses. */
export function keyOf(paths: readonly string[], values: readonly unknown[]): string | null {
  const parts = values.map((value, at) => {
    const text = isEmpty(value) ? "" : keyText(value).trim().normalize("NFC");
    return /(^|[._])email$/.test(paths[at] ?? "") ? text.toLowerCase() : text;
  });
  if (parts.includes("")) return null;
  return parts.length === 1 ? (parts[0] ?? "") : JSON.stringify(parts);
}

function keyText(value: unknown): string {
  const instant = instantOf(value);
  return instant === null ? writeText(value) : new Date(instant).toISOString();
}

/**
 * Converts keys that are nearly the same to a common form: ignores differences in character width, case, blanks,
 * punctuation, invisible characters and the script of digits, and reverses changes that spreadsheets and HTML make.
 */
export function alikeForm(key: string): string {
  const parts = partsOf(key);
  return parts.length === 1 ? formOf(key) : JSON.stringify(parts.map(formOf));
}

// Invisible characters that follow an emoji may belong to it, so they are allowed.
const INVISIBLE = /(?<!\p{Extended_Pictographic}\uFE0F?)[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]/gu;
const EXPONENT = /^[+-]?\d+([.,]\d+)?e[+-]\d+$/i;

function formOf(text: string): string {
  const plain = readEntities(text)
    .replace(/[\u2018-\u201B\u2032\u00B4\u0060\u02B9\u02BC]/g, "'")
    .replace(/[\u201C-\u201F\u2033\u00AB\u00BB]/g, '"')
    .replace(/[\p{Pd}\u2212]/gu, "-")
    .normalize("NFKC")
    .replace(/\p{Nd}/gu, toAsciiDigit)
    .replace(/[\s\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]/gu, "")
    // Converted back and forth, because some letters have two lowercase forms or only one case.
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .normalize("NFKC")
    .replace(/^['"]*(mailto:)?|['".,;:]+$/g, "");
  const form = numberForm(plain);
  if (/^-?[\d.]+$/.test(form) || plain.includes("@")) return form;
  // Punctuation between digits stays, because 1.1 and 11 are different numbers.
  return form.replace(/(?<!\d)['".,;:!?()\x5B\]_-]+|['".,;:!?()\x5B\]_-]+(?!\d)/g, "") || plain;
}

/** Explains why a key is unlikely to belong to a new record; null if it may belong to one. */
export function whyNoNewKey(key: string): ProblemText | null {
  for (const part of partsOf(key)) {
    const [sign] = part.match(INVISIBLE) ?? [];
    if (sign !== undefined)
      return problemText`${rowValue(spellKey(key))} contains the invisible character ${codeOf(sign)}`;
    if (EXPONENT.test(part))
      return problemText`${rowValue(spellKey(key))} is a number that a spreadsheet has shortened`;
  }
  return null;
}

export function spellKey(key: string): string {
  return partsOf(key).length === 1 ? JSON.stringify(showInvisible(key)) : showInvisible(key);
}

/** Replaces invisible characters with their code points: `<U+200B>`. */
export function showInvisible(text: string): string {
  return text.replace(/[^\P{C}\n]|[^\P{Z} ]|\p{Default_Ignorable_Code_Point}/gu, codeOf);
}

function codeOf(sign: string): string {
  return `<U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`;
}

/**
 * Finds earlier rows with the same or nearly the same key. Stores keys as hashes, so that a million rows fit into
 * memory.
 */
export class FirstRows {
  readonly #equal = new Map<number, number>();
  /** Rows by the common form of their key, except keys that equal their common form: `#equal` has those. */
  readonly #alike = new Map<number, number>();
  readonly #kinds: PlannedRow["do"][] = [];

  /**
   * Records a row and its kind, unless an earlier row has the same key. @returns that earlier row, or else the first
   * with nearly the same key.
   */
  note(key: string, row: number, kind: PlannedRow["do"]) {
    const equal = hashOf(key);
    const same = this.#equal.get(equal);
    const found = this.find(key) ?? undefined;
    if (same === undefined) {
      this.#equal.set(equal, row);
      const form = alikeForm(key);
      if (found === undefined && form !== key) this.#alike.set(hashOf(form), row);
      this.#kinds[row] = kind;
    }
    return found === undefined ? null : { row: found, kind: this.#kinds[found] ?? "refuse", isEqual: found === same };
  }

  /** The first row with this key or nearly the same key; null if there is none. */
  find(key: string): number | null {
    const alike = hashOf(alikeForm(key));
    return this.#equal.get(hashOf(key)) ?? this.#alike.get(alike) ?? this.#equal.get(alike) ?? null;
  }

  refuse(row: number): void {
    this.#kinds[row] = "refuse";
  }
}
