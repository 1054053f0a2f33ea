// Most models use one token for a word of up to six letters, for three digits, and for two punctuation marks. For rows
// and prose, the estimate exceeds the count of current tokenizers; random letters, as in base64, take up to twice the
// estimate.
const PARTS = / ?[A-Za-z]{1,6}|\d{1,3}|[!-/:-@[-`{-~]{1,2}|[^\x21-\x7e]/gu;

export function tokensOf(text: string): number {
  let count = 0;
  for (const [part] of text.matchAll(PARTS)) count += part.charCodeAt(0) < 0x80 ? 1 : 2;
  return count;
}

export function truncateToTokens(text: string, tokens: number): string {
  let count = 0;
  for (const { 0: part, index } of text.matchAll(PARTS)) {
    count += part.charCodeAt(0) < 0x80 ? 1 : 2;
    if (count > tokens) return text.slice(0, index);
  }
  return text;
}

/** Tokens reserved for the parts of an answer other than its rows. */
export const FRAME = 120;
const CELL_CAPS = [120, 40, 12];

export interface Fitted {
  readonly rows: readonly (readonly unknown[])[];
  readonly leftOut: number;
  readonly shortened: boolean;
  /** Number of fields kept in each row; smaller than the given number only if a single row is too long. */
  readonly width: number;
}

/** Keeps as many rows as fit. Shortens long texts first, so that at least one row always fits. */
export function fitRows(rows: readonly (readonly unknown[])[], tokens: number): Fitted {
  let shortened = false;
  const short =
    (cap: number) =>
    (cell: unknown): unknown => {
      const text = typeof cell === "string" ? cell : (JSON.stringify(cell) ?? "");
      const kept = truncateToTokens(text, cap);
      if (kept.length === text.length) return cell;
      shortened = true;
      return `${kept}…[+${text.length - kept.length} characters]`;
    };
  for (const cap of CELL_CAPS) {
    const shorter = rows.map((row) => row.map(short(cap)));
    const fitted = fitting(shorter, tokens, (row) => JSON.stringify(row));
    if (fitted.length > 0 || rows.length === 0) {
      return { rows: fitted, leftOut: rows.length - fitted.length, shortened, width: rows[0]?.length ?? 0 };
    }
  }
  const first = (rows[0] ?? []).map(short(CELL_CAPS.at(-1) ?? 0));
  let width = first.length;
  while (width > 1 && tokensOf(JSON.stringify(first.slice(0, width))) > tokens) width--;
  return { rows: [first.slice(0, width)], leftOut: rows.length - 1, shortened, width };
}

/** The first items that fit. @param textOf returns the text of an item, whose tokens are counted. */
export function fitting<T>(items: readonly T[], tokens: number, textOf: (item: T) => string): T[] {
  const kept: T[] = [];
  let left = tokens;
  for (const item of items) {
    left -= tokensOf(textOf(item)) + 1;
    if (left < 0) break;
    kept.push(item);
  }
  return kept;
}
