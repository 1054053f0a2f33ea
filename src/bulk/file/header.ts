import { type CsvRecord, csvRecords, withoutEnd } from "./rows.js";

/** The columns that a report adds to those of the file. Who corrects it and plans it again need not take them out. */
export const REPORT_COLUMNS: readonly string[] = ["_row", "_outcome", "_id", "_reason"];

/** Where the header of a file is, and what is between its cells. */
export interface Layout {
  readonly delimiter: string;
  /** The record that is the header, from 1. */
  readonly header: number;
}

const DELIMITERS = [",", ";", "\t"];
// Titles, notes and blank lines come first; nobody writes twenty of them.
const FIRST_RECORDS = 20;

/** The name of a column: letters composed, one blank for any white space, and none around it. */
export function columnName(cell: string): string {
  return cell.normalize("NFC").replace(/\s+/g, " ").trim();
}

/**
 * Finds the header: of the first records the one that has most of the wanted columns, else the first that is not empty; divided
 * by what gives it most cells, or by what a line `sep=;` names.
 */
export async function layoutOf(begin: string, wanted: readonly string[]): Promise<Layout> {
  const separator = /^sep=(.)\r?$/im.exec(begin.split("\n", 1)[0] ?? "")?.[1];
  let best = { layout: { delimiter: separator ?? ",", header: 1 }, score: [-1] as readonly number[] };
  for (const delimiter of separator === undefined ? DELIMITERS : [separator]) {
    let header = 0;
    for await (const { cells, problem } of csvRecords([begin], delimiter)) {
      if (++header > FIRST_RECORDS) break;
      const names = withoutEnd(cells).map(columnName);
      if (names.length === 0 || (header === 1 && separator !== undefined)) continue;
      const score = [wanted.filter((name) => names.includes(name)).length, -header, problem ? 0 : 1, names.length];
      if (isMore(score, best.score)) best = { layout: { delimiter, header }, score };
    }
  }
  return best.layout;
}

function isMore(one: readonly number[], other: readonly number[]): boolean {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at >= 0 && (one[at] ?? 0) > (other[at] ?? 0);
}

/** What is wrong with the names of columns; null if nothing is. */
export function whyNoHeader({ problem, line }: CsvRecord, names: readonly string[]): string | null {
  if (problem !== null) return `cannot be read: line ${line}, the header, ${problem}`;
  const twice = names.find((name, at) => !REPORT_COLUMNS.includes(name) && names.indexOf(name) !== at);
  return twice === undefined ? null : `has two columns named ${JSON.stringify(twice)}`;
}
