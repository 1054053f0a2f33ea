export interface CsvRecord {
  readonly cells: readonly string[];
  readonly raw: string;
  readonly line: number;
  /** Why the quotes are invalid; the record is then one line, split at every delimiter. */
  readonly problem: string | null;
}

// A longer quoted cell is treated as never closed; otherwise an unclosed quote would be noticed only at the end of the
// file.
const LONGEST_CELL = 1 << 18;
const NOT_CLOSED = "has a quote that is not closed";
const INSIDE = "has a quote inside a cell that does not begin with one";

/**
 * The record at a position in the text. `cells` is null if no valid record begins there. If `end` is the end of the
 * text, further text may change the result.
 */
type Found = { readonly cells: string[] | null; readonly end: number };

/**
 * Divides the text of a CSV file (RFC 4180) into records. A stray quote spoils only its own line: the next record
 * begins on the following line. An empty line is a record with one empty cell.
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
  /** Number of cells in the header, which is the first record. */
  let width = 0;
  while (!isLast || at < text.length) {
    const found = recordAt(text, at, delimiter);
    const cells = found.cells && !isTorn(found.cells, text.slice(at, found.end), delimiter, width) ? found.cells : null;
    const end = cells ? found.end : lineEnd(text, at);
    // The next part may close a quote, continue the line, or begin with the line feed of a line break.
    if (!isLast && Math.max(found.end, end) + 1 >= text.length) {
      text = text.slice(at);
      at = 0;
      // To save time, a very long record is parsed again only once the text has doubled.
      const { length } = text;
      const least = length > 2 * LONGEST_CELL ? 2 * length : length;
      while (!isLast && text.length <= least) {
        const next = await parts.next();
        isLast = next.done === true;
        text += next.done ? "" : next.value;
      }
      continue;
    }
    const raw = text.slice(at, end);
    const shown: readonly string[] = cells ?? raw.split(delimiter);
    if (line === 1) width = withoutEnd(shown).length;
    yield { cells: shown, raw, line, problem: cells ? null : found.end < end ? INSIDE : NOT_CLOSED };
    line += 1 + (raw.match(/\r\n|\n|\r/g)?.length ?? 0);
    at = end + (text.startsWith("\r\n", end) ? 2 : 1);
  }
}

export function withoutEnd(cells: readonly string[]): readonly string[] {
  return cells.slice(0, cells.findLastIndex((cell) => cell.trim() !== "") + 1);
}

// True if two stray quotes probably joined several lines into one cell: the record does not fit the header, but its
// first line does.
function isTorn(cells: readonly string[], raw: string, delimiter: string, width: number): boolean {
  const first = raw.slice(0, lineEnd(raw, 0));
  const isRow = cells.length >= width && withoutEnd(cells).length <= width;
  return first !== raw && !isRow && withoutEnd(first.split(delimiter)).length === width;
}

function recordAt(text: string, from: number, delimiter: string): Found {
  const cells: string[] = [];
  for (let at = from; ; at++) {
    let end: number;
    if (text[at] === '"') {
      const closed = closing(text, at + 1);
      if (closed === null) return { cells: null, end: Math.min(text.length, at + LONGEST_CELL) };
      end = closed;
      cells.push(text.slice(at + 1, end - 1).replaceAll('""', '"'));
    } else {
      end = plainEnd(text, at, delimiter);
      cells.push(text.slice(at, end));
    }
    if (text[end] !== delimiter) return { cells: "\r\n".includes(text[end] ?? "") ? cells : null, end };
    at = end;
  }
}

// The position after the closing quote of a cell; null if it is never closed.
function closing(text: string, from: number): number | null {
  for (let at = text.indexOf('"', from); at !== -1 && at - from < LONGEST_CELL; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at + 1;
  }
  return null;
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
