import { showInvisible } from "../keys.js";
import { type CsvRecord, csvRecords, withoutEnd } from "./rows.js";

/**
 * The columns that a report adds to the file's own. Planning ignores them, so that a corrected report can be planned as
 * it is.
 */
export const REPORT_COLUMNS: readonly string[] = ["_row", "_outcome", "_id", "_reason"];

/** Tests whether a column is wanted, so that the header can be recognized. Null if none are wanted. */
export type IsWanted = ((name: string) => boolean) | null;

export interface Layout {
  readonly delimiter: string;
  /** The header's position among the records, from 1. */
  readonly header: number;
  readonly names: readonly string[];
  /** Number of wanted columns among these names. */
  readonly found: number;
}

const DELIMITERS = [",", ";", "\t", "|"];
// Titles, notes and blank lines may precede the header, but hardly ever twenty of them.
export const FIRST_RECORDS = 20;
export const MOST_COLUMNS = 16_384;
const NAMES_SHOWN = 20;

/** Lists column names for a message; if there are many, the first few and the number of the others. */
export function showNames(names: readonly string[]): string {
  const more = names.length - NAMES_SHOWN;
  return `${names.slice(0, NAMES_SHOWN).map(showInvisible).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Normalizes a column name: composes accents, collapses white space and trims both ends. */
export function columnName(cell: string): string {
  return cell.normalize("NFC").replace(/\s+/g, " ").trim();
}

/**
 * Finds the header: among the first records, the one with the most wanted columns. If none has any, the one with the
 * most cells; if no columns are wanted, the first that is not empty. The delimiter is the one that yields the best
 * header, unless a line `sep=;` or the caller names one.
 * @param rare further delimiters, which count only if they yield at least two wanted columns.
 */
export async function layoutOf(
  begin: string,
  isWanted: IsWanted,
  given?: string,
  rare: readonly string[] = [],
): Promise<Layout> {
  const line = /^sep=(.)\r?$/im.exec(begin.split("\n", 1)[0] ?? "")?.[1];
  const separator = line ?? given;
  let best: Layout = { delimiter: separator ?? ",", header: 1, names: [], found: 0 };
  let most: readonly number[] = [-1];
  for (const delimiter of separator === undefined ? [...DELIMITERS, ...rare] : [separator]) {
    let header = 0;
    for await (const { cells, problem } of csvRecords([begin], delimiter)) {
      if (++header > FIRST_RECORDS) break;
      const names = withoutEnd(cells).map(columnName);
      if (names.length === 0 || (header === 1 && line !== undefined)) continue;
      const score = [...headerScore(names, isWanted, header), problem ? 0 : 1, names.length];
      const [found = 0] = score;
      if ((rare.includes(delimiter) && separator === undefined && found < 2) || !isMore(score, most)) continue;
      most = score;
      best = { delimiter, header, names, found };
    }
  }
  return best;
}

/** How likely a row is to be the header; compare scores with {@link isMore}. @param at number of the row. */
export function headerScore(names: readonly string[], isWanted: IsWanted, at: number): readonly number[] {
  const found = isWanted ? new Set(names.filter(isWanted)).size : 0;
  return [found, found === 0 && isWanted ? names.length : 0, -at];
}

export function isMore(one: readonly number[], other: readonly number[]): boolean {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at >= 0 && (one[at] ?? 0) > (other[at] ?? 0);
}

/** @param record the line of the header in a CSV file; null for a sheet. */
export function whyNoHeader(record: CsvRecord | null, names: readonly string[]): string | null {
  if (record && record.problem !== null) return `cannot be read: line ${record.line}, the header, ${record.problem}`;
  if (names.length > MOST_COLUMNS)
    return `has ${names.length} columns, but a spreadsheet has at most ${MOST_COLUMNS}; check the delimiter`;
  // Unnamed columns of a sheet do not count as duplicates.
  const isNamed = (name: string) => !REPORT_COLUMNS.includes(name) && (record !== null || name !== "");
  const twice = names.find((name, at) => isNamed(name) && names.indexOf(name) !== at);
  return twice === undefined ? null : `has two columns named ${JSON.stringify(twice)}`;
}
