/** A row of CSV. */
export interface CsvRecord {
  readonly cells: readonly string[];
  /** Its text, without its line break. */
  readonly raw: string;
  /** Its number: empty lines count, and a row of several lines counts once. */
  readonly row: number;
  /** The line that it begins in. */
  readonly line: number;
}

/**
 * Reads CSV as RFC 4180 has it, with any line breaks and without empty lines.
 * @param refusal makes the error for a text that is no CSV; it is told no value.
 */
export async function* csvRecords(
  chunks: AsyncIterable<string>,
  delimiter: string,
  refusal: (message: string) => Error,
): AsyncGenerator<CsvRecord, void, undefined> {
  const source = chunks[Symbol.asyncIterator]();
  const special = new RegExp(`["\\r\\n${delimiter}]`, "g");
  // What was read and not given yet: the row begins at `begin` and is read up to `at`.
  let text = "";
  let begin = 0;
  let at = 0;
  const more = async () => {
    while (at >= text.length) {
      const { done, value } = await source.next();
      if (done) return false;
      text = text.slice(begin) + value;
      at -= begin;
      begin = 0;
    }
    return true;
  };
  const next = async () => (at < text.length || (await more()) ? (text[at] ?? "") : "");

  const quotedCell = async () => {
    // A quote after a quote stands for itself.
    for (let cell = ""; ; cell += '"') {
      at++;
      for (let end = -1; end < 0; ) {
        end = text.indexOf('"', at);
        cell += text.slice(at, end < 0 ? undefined : end);
        at = end < 0 ? text.length : end + 1;
        if (end < 0 && !(await more())) throw refusal("ends within a quoted cell");
      }
      if ((await next()) !== '"') return cell;
    }
  };
  const plainCell = async () => {
    let cell = "";
    do {
      special.lastIndex = at;
      const end = special.exec(text)?.index ?? text.length;
      cell += text.slice(at, end);
      at = end;
    } while (at === text.length && (await more()));
    return cell;
  };

  try {
    let line = 1;
    for (let row = 1; (await next()) !== ""; row++) {
      const cells: string[] = [];
      const first = line;
      let after: string;
      do {
        if (cells.length > 0) at++;
        const cell = (await next()) === '"' ? await quotedCell() : await plainCell();
        line += cell.match(/\r\n?|\n/g)?.length ?? 0;
        cells.push(cell);
        after = await next();
      } while (after === delimiter);
      if (!/^[\r\n]?$/.test(after)) {
        throw refusal(`is no CSV: line ${line} has a quote inside a cell that does not begin with one`);
      }
      const raw = text.slice(begin, at);
      if (after !== "") at++;
      if (after === "\r" && (await next()) === "\n") at++;
      line++;
      begin = at;
      if (raw !== "") yield { cells, raw, row, line: first };
    }
  } finally {
    await source.return?.();
  }
}
