import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type CsvRecord, csvRecords } from "../../src/bulk/file/rows.js";
import { amount } from "../support/amount.js";

async function ours(parts: readonly string[], delimiter: string): Promise<CsvRecord[]> {
  const records: CsvRecord[] = [];
  for await (const record of csvRecords(parts, delimiter)) records.push(record);
  return records;
}

const RUNS = amount(500, 2_000);
const cell = fc.record({
  text: fc.string({ unit: fc.constantFrom("a", "é", "€", " ", '"', ",", ";", "\n", "\r", "\r\n"), maxLength: 6 }),
  quoted: fc.boolean(),
});
const file = fc.record({
  width: fc.integer({ min: 1, max: 4 }),
  cells: fc.array(cell, { maxLength: 24 }),
  delimiter: fc.constantFrom(",", ";"),
  lineBreak: fc.constantFrom("\n", "\r\n", "\r"),
  last: fc.boolean(),
  parts: fc.array(fc.integer({ min: 1, max: 7 }), { maxLength: 40 }),
  stray: fc.nat(),
});

function splitText(text: string, sizes: readonly number[]): string[] {
  const ends = sizes.map((_, at) => sizes.slice(0, at + 1).reduce((sum, size) => sum + size, 0));
  return [0, ...ends].map((from, at) => text.slice(from, ends[at])).filter(Boolean);
}

test("valid files are split as by csv-parse, with line numbers, wherever the chunks end, even with a stray quote", async () => {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(file, async ({ width, cells, delimiter, lineBreak, last, parts, stray }) => {
      const lines = [Array.from({ length: width }, (_, at) => `column ${at}`).join(delimiter)];
      for (let at = 0; at + width <= cells.length; at += width) {
        const row = cells
          .slice(at, at + width)
          .map(({ text, quoted }) => (quoted || /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text));
        lines.push(row.join(delimiter));
      }
      const text = lines.join(lineBreak) + (last ? lineBreak : "");
      const found = await ours(splitText(text, parts), delimiter);
      expect(found.map(({ cells }) => cells)).toEqual(parse(text, { delimiter, record_delimiter: lineBreak }));
      let line = 1;
      for (const [place, record] of found.entries()) {
        expect(record).toMatchObject({ line, raw: lines[place], problem: null });
        line += (lines[place] ?? "").split(/\r\n|\r|\n/).length;
      }
      compared += found.length;
      const at = stray % text.length;
      const torn = `${text.slice(0, at)}"${text.slice(at)}`;
      expect(await ours(splitText(torn, parts), delimiter)).toEqual(await ours([torn], delimiter));
    }),
    { numRuns: RUNS, seed: 20261123 },
  );
  expect(compared).toBeGreaterThan(2.5 * RUNS);
});

test("a quoted cell may have up to 262,143 characters; the quote of a longer one counts as not closed", async () => {
  for (const [length, problem] of [
    [262_143, null],
    [262_144, "has a quote that is not closed"],
  ] as const) {
    let taken = 0;
    function* parts() {
      for (const part of ["a,b\n", `1,"${"\n".padEnd(length, "L")}"\n`, ...Array<string>(9).fill("2,3\n")]) {
        taken++;
        yield part;
      }
    }
    const records = csvRecords(parts(), ",");
    await records.next();
    expect((await records.next()).value).toMatchObject({ line: 2, problem });
    expect(taken).toBeLessThan(5);
  }
});
