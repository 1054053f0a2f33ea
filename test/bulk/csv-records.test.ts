import { parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";
import { type CsvRecord, csvRecords } from "../../src/bulk/csv-records.js";
import { chance } from "../support/chance.js";

const SEED = 20260112;

async function read(chunks: readonly string[], delimiter: string): Promise<CsvRecord[] | string> {
  async function* given() {
    yield* chunks;
  }
  const records: CsvRecord[] = [];
  try {
    for await (const record of csvRecords(given(), delimiter, (message) => new Error(message))) records.push(record);
    return records;
  } catch (error) {
    return (error as Error).message;
  }
}

/** What another parser reads; null where it refuses the text. */
function readByAnother(text: string, delimiter: string): string[][] | null {
  const options = { delimiter, record_delimiter: ["\r\n", "\n", "\r"], relax_column_count: true };
  try {
    return parse(text, { ...options, skip_empty_lines: true }) as string[][];
  } catch {
    return null;
  }
}

describe.each([",", ";"])("with %s", (delimiter) => {
  test("reads, or refuses, 5,000 random texts as another parser does, cut at random places", async () => {
    const random = chance(SEED);
    const pieces = ['"', '""', delimiter, "\n", "\r\n", "\r", "a", "é", " ", "\u{1f600}"];
    const pick = () => pieces[Math.floor(random() * pieces.length)] as string;
    const differing: unknown[] = [];
    let refused = 0;
    for (let turn = 0; turn < 5_000; turn++) {
      const letters = Array.from({ length: Math.floor(random() * 14) }, pick);
      // Most cells that people write are whole.
      const cells =
        random() < 0.5
          ? letters
          : letters.map((letter) => (random() < 0.4 ? `"${letter.replaceAll('"', '""')}"` : letter));
      const text = cells.join(random() < 0.3 ? delimiter : "");
      const chunks: string[] = [];
      for (let at = 0; at < text.length; ) {
        const end = at + Math.floor(random() * 5);
        chunks.push(text.slice(at, end));
        at = end;
      }
      const records = await read(chunks, delimiter);
      const expected = readByAnother(text, delimiter);
      if (expected === null) refused++;
      const found = typeof records === "string" ? null : records.map((record) => record.cells);
      if (JSON.stringify(found) !== JSON.stringify(expected)) differing.push({ text, records, expected });
    }
    expect(differing.slice(0, 3)).toEqual([]);
    expect(refused).toBeGreaterThan(500);
    expect(refused).toBeLessThan(4_500);
  });
});

test("tells the text of each row, its number and the line it begins in", async () => {
  const text = 'a,b\r\n\r\n"two\nlines","x"\r\rc,d\n"",\n\n\n""""';
  expect(await read([text], ",")).toEqual([
    { cells: ["a", "b"], raw: "a,b", row: 1, line: 1 },
    { cells: ["two\nlines", "x"], raw: '"two\nlines","x"', row: 3, line: 3 },
    { cells: ["c", "d"], raw: "c,d", row: 5, line: 6 },
    { cells: ["", ""], raw: '"",', row: 6, line: 7 },
    { cells: ['"'], raw: '""""', row: 9, line: 10 },
  ]);
});

test("names the line of a quote in the wrong place", async () => {
  expect(await read(['a,b\n"x\ny",z"\n'], ",")).toBe(
    "is no CSV: line 3 has a quote inside a cell that does not begin with one",
  );
  expect(await read(['a,b\n"x" ,y'], ",")).toContain("line 2 ");
  expect(await read(['a,b\n"x""'], ",")).toBe("ends within a quoted cell");
});

test("ends its source when the caller stops", async () => {
  let ended = false;
  async function* endless() {
    try {
      for (;;) yield "a,b\n";
    } finally {
      ended = true;
    }
  }
  for await (const { row } of csvRecords(endless(), ",", (message) => new Error(message))) if (row === 3) break;
  expect(ended).toBe(true);
});
