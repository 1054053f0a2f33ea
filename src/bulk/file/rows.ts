/** A record of a CSV file. */
export interface CsvRecord {
  readonly cells: readonly string[];
  /** Its text, without the line break. */
  readonly raw: string;
  /** The line it begins in, from 1. */
  readonly line: number;
  /** Why the ends of its cells are unknown; then the record is one line, split at its delimiters. */
  readonly problem: string | null;
}

// A quoted cell that is longer was never closed; nothing shows it earlier.
const LONGEST_RECORD = 1 << 18;
const NOT_CLOSED = "has a quote that is not closed";
const INSIDE = "has a quote inside a cell that does not begin with one";

/** What is at a position of the text; `stray` is where it proved not to be a record. */
type Found = { readonly cells: string[]; readonly end: number } | { readonly stray: number } | "more";

/**
 * Divides the text of a CSV file (RFC 4180) into records. A stray quote spoils its line only: the next record begins in the line
 * after it. Empty lines are records of one empty cell.
 * @param texts parts of the text, without a byte order mark.
 */
export async function* csvRecords(
  texts: AsyncIterable<string> | Iterable<string>,
  delimiter: string,
): AsyncGenerator<CsvRecord, void, undefined> {
  const parts = Symbol.asyncIterator in texts ? texts[Symbol.asyncIterator]() : texts[Symbol.iterator]();
  let text = "";
  let at = 0;
  let line = 1;
  let isLast = false;
  /** Cells of the first record, the header. */
  let width: number | null = null;
  const more = async () => {
    const next = await parts.next();
    text = text.slice(at) + (next.done ? "" : next.value);
    at = 0;
    isLast = next.done === true;
  };
  for (;;) {
    const found: Found = at === text.length && !isLast ? "more" : recordAt(text, at, delimiter, isLast);
    if (found === "more" && !isLast && text.length - at <= LONGEST_RECORD) {
      await more();
      continue;
    }
    if (at === text.length) return;
    const record = found === "more" ? { stray: text.length } : found;
    const whole =
      "cells" in record && !isTorn(record.cells, text.slice(at, record.end), delimiter, width) ? record : null;
    const end = whole?.end ?? lineEnd(text, at);
    if (!whole && end + 1 >= text.length && !isLast) {
      await more();
      continue;
    }
    const raw = text.slice(at, end);
    const problem = whole ? null : "stray" in record && record.stray < end ? INSIDE : NOT_CLOSED;
    const cells: readonly string[] = whole?.cells ?? raw.split(delimiter);
    width ??= withoutEnd(cells).length;
    yield { cells, raw, line, problem };
    line += 1 + (raw.match(/\r\n|\n|\r/g)?.length ?? 0);
    at = end + (text.startsWith("\r\n", end) ? 2 : 1);
    if (at > text.length) return;
  }
}

/** Cells without the empty ones at the end, which trailing delimiters make. */
export function withoutEnd(cells: readonly string[]): readonly string[] {
  return cells.slice(0, cells.findLastIndex((cell) => cell.trim() !== "") + 1);
}

// Two stray quotes in different lines look like a cell of several lines: a record that is no row, whose first line alone is one.
function isTorn(cells: readonly string[], raw: string, delimiter: string, width: number | null): boolean {
  if (width === null || !/[\r\n]/.test(raw)) return false;
  if (cells.length >= width && withoutEnd(cells).length <= width) return false;
  return withoutEnd(raw.slice(0, lineEnd(raw, 0)).split(delimiter)).length === width;
}

function recordAt(text: string, from: number, delimiter: string, isLast: boolean): Found {
  const cells: string[] = [];
  for (let at = from; ; at++) {
    let end: number;
    if (text[at] === '"') {
      end = closing(text, at + 1);
      if (end < 0 || (end === text.length && !isLast)) return isLast ? { stray: text.length } : "more";
      cells.push(text.slice(at + 1, end - 1).replaceAll('""', '"'));
    } else {
      end = plainEnd(text, at, delimiter);
      if (text[end] === '"') return { stray: end };
      if (end === text.length && !isLast) return "more";
      cells.push(text.slice(at, end));
    }
    const next = text[end];
    if (next === delimiter) {
      at = end;
      continue;
    }
    // A line feed may still follow the carriage return.
    if (next === "\r" && end + 1 === text.length && !isLast) return "more";
    return next === undefined || next === "\n" || next === "\r" ? { cells, end } : { stray: end };
  }
}

// The position after the quote that closes a cell; -1 if none does.
function closing(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at + 1;
  }
  return -1;
}

function plainEnd(text: string, from: number, delimiter: string): number {
  let at = from;
  for (; at < text.length; at++) {
    const sign = text[at];
    if (sign === delimiter || sign === '"' || sign === "\n" || sign === "\r") break;
  }
  return at;
}

function lineEnd(text: string, from: number): number {
  const sign = /[\r\n]/g;
  sign.lastIndex = from;
  return sign.exec(text)?.index ?? text.length;
}
