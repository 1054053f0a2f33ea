import { stat } from "node:fs/promises";
import type { Resource } from "../core/resource.js";
import { beginOf } from "../work/place/node-files.js";
import { signOf, timeOption } from "./file/cells.js";
import { withoutFormula } from "./file/damage.js";
import { columnName, layoutOf, MOST_COLUMNS } from "./file/header.js";
import { fieldNamed } from "./file/header-words.js";
import { CsvRows, type ReadCsvOptions } from "./file/node-csv.js";
import { SheetFileRows } from "./file/node-sheet.js";
import { type GivenOptions, type Proposal, proposeOptions } from "./file/proposal.js";
import { csvRecords, withoutEnd } from "./file/rows.js";
import { decodeStart, likelyEncoding, whyNoCsv } from "./file/text.js";
import type { Words } from "./node-plan-settings.js";
import { fieldNames } from "./plan-columns.js";
import { type ProblemText, problemText, rowValue } from "./problem-text.js";
import { anyField, targetOf } from "./target.js";
import type { PlanOptions } from "./types.js";

export type FileProposal = Proposal & ReadCsvOptions & { readonly duplicates?: "first" };

const BEGIN_BYTES = 4_000_000;
const BEGIN_SIGNS = 65_536;
const MOST_TEXTS = 2_000;
const USUAL = [",", ";", "\t", "|"];
const UNUSUAL = [":", "^", "~", "#"];

export type ReadingOptions = Pick<
  PlanOptions<unknown>,
  "key" | "columns" | "formats" | "find" | "set" | "params" | "duplicates"
>;

/** Proposes options for a file, judging by its header and cells; null if it cannot be read at all. Sends nothing. */
export async function proposalFor(
  resource: Resource,
  rows: object,
  options: ReadingOptions,
): Promise<FileProposal | null> {
  const { key = [], columns, formats = {}, find = {}, set = {}, params = {}, duplicates } = options;
  const target = targetOf(resource, params, undefined, "plan");
  const names = Object.entries(columns ?? {}) as [string, string | { readonly from: string }][];
  const given: GivenOptions = {
    target,
    keys: [key].flat() as string[],
    columns: columns
      ? Object.fromEntries(names.map(([path, column]) => [path, typeof column === "string" ? column : column.from]))
      : null,
    formats,
    find: Object.keys(find),
    paths: fieldNames(target).filter((path) => !Object.hasOwn(set, path)),
  };
  const isKnown = (name: string) =>
    given.columns
      ? Object.values(given.columns).includes(name)
      : fieldNamed(name, [...given.keys, ...given.paths]) !== null;
  const table =
    rows instanceof CsvRows
      ? await csvTable(rows, isKnown)
      : rows instanceof SheetFileRows
        ? sheetTable(rows, isKnown)
        : null;
  if (!table) return null;
  const { records, ...reading } = table;
  const columnsOf = new Map<string, Set<string>>();
  const keysSeen = new Set<string>();
  let isTwice = false;
  for await (const { head, cells } of records) {
    if (columnsOf.size === 0) for (const name of head) columnsOf.set(name, new Set());
    for (const [index, name] of head.entries()) {
      const cell = cells[index] ?? "";
      const seen = columnsOf.get(name);
      // Cells of a workbook that are not text have a type, and need no format.
      if (typeof cell === "string" && cell !== "" && seen && seen.size < MOST_TEXTS) seen.add(cell);
    }
    const names = given.keys.map((path) => given.columns?.[path] ?? head.find((name) => fieldNamed(name, [path])));
    const key = JSON.stringify(names.map((name) => String(cells[head.indexOf(name ?? "")] ?? "").toLowerCase()));
    if (given.keys.length > 0 && /[^[\]",\s]/.test(key)) isTwice ||= keysSeen.has(key);
    keysSeen.add(key);
  }
  if (columnsOf.size === 0) return null;
  const proposal = proposeOptions(new Map([...columnsOf].map(([name, seen]) => [name, [...seen]])), given);
  return { ...proposal, ...reading, ...(isTwice && duplicates === undefined && { duplicates: "first" as const }) };
}

/** A record with its header; the header itself has no cells. */
interface TableRecord {
  readonly head: readonly string[];
  readonly cells: readonly unknown[];
}

/** The records of a table, beginning with its header, and the options for reading it. */
type Table = ReadCsvOptions & { readonly records: AsyncIterable<TableRecord> };

async function csvTable(rows: CsvRows, isKnown: (name: string) => boolean): Promise<Table | null> {
  // A pipe can be read only once, so nothing is proposed for it.
  if (!(await stat(rows.path).catch(() => null))?.isFile()) return null;
  const bytes = await beginOf(rows.path, BEGIN_BYTES);
  if (whyNoCsv(bytes) !== null) return null;
  const encoding = rows.options.encoding ?? likelyEncoding(bytes);
  const text = encoding && decodeStart(bytes, encoding)?.replace(/^\uFEFF/, "");
  if (!encoding || !text) return null;
  const [first = ""] = /^[^\r\n]*/.exec(text) ?? [];
  // The reader refuses a file with so many columns, and comparing their names would take long.
  if (USUAL.some((sign) => first.split(sign).length > MOST_COLUMNS)) return null;
  const { header: given, delimiter: sign } = rows.options;
  const layout = await layoutOf(text.slice(0, BEGIN_SIGNS), given ? null : isKnown, sign, UNUSUAL);
  const { delimiter, names } = layout;
  // A header hardly ever contains e-mail addresses or numbers.
  const isData = !given && layout.found === 0 && names.some((name) => /@|^\d+$/.test(name));
  const header = given || isData ? 1 : layout.header;
  return {
    records: csvTableRecords(text, { header, delimiter, isData }, given),
    ...(rows.options.encoding === undefined && !/^utf/.test(encoding) && { encoding }),
    ...(sign === undefined && UNUSUAL.includes(delimiter) && { delimiter }),
    ...(isData && { header: numbered(names) }),
  };
}

const numbered = (cells: readonly string[]) => cells.map((_, index) => `column-${index + 1}`);

async function* csvTableRecords(
  text: string,
  { header, delimiter, isData }: { readonly header: number; readonly delimiter: string; readonly isData: boolean },
  given: readonly string[] = [],
): AsyncGenerator<TableRecord> {
  let head = given;
  let width = 0;
  let at = 0;
  for await (const { cells, problem } of csvRecords([text], delimiter)) {
    at++;
    if (at < header || problem !== null) continue;
    if (head.length === 0) {
      width = cells.length;
      head = isData ? numbered(cells) : withoutEnd(cells).map(columnName);
      if (head.length > MOST_COLUMNS) return;
      yield { head, cells: [] };
      if (!isData) continue;
    }
    if (cells.length < head.length || cells.length > Math.max(width, head.length)) continue;
    yield { head, cells: cells.map((cell) => withoutFormula(cell.trim()).trim()) };
  }
}

function sheetTable({ path, options }: SheetFileRows, isKnown: (name: string) => boolean): Table {
  async function* records(): AsyncGenerator<TableRecord> {
    const sheet = new SheetFileRows(path, { ...options, onSheet: undefined });
    let head: readonly string[] = [];
    const check = (names: readonly string[]) => {
      head = names;
    };
    let isFirst = true;
    for await (const { cells } of sheet.rows({ isWanted: isKnown, check })) {
      if (isFirst) yield { head, cells: [] };
      isFirst = false;
      yield { head, cells: head.map((name) => cells[name]) };
    }
    if (isFirst) yield { head, cells: [] };
  }
  return { records: records() };
}

const USUAL_KEYS = ["email", "student_number", "employee_number", "id", "code", "name"];

/**
 * The likely key of a file: the first usual key field that has a column; null if there is none. For a file that cannot
 * be read, any key will do, because the reader refuses the file.
 */
export async function keyFor(resource: Resource, rows: object): Promise<readonly string[] | null> {
  const proposal = await proposalFor(resource, rows, { key: "id" as never });
  const key = proposal ? USUAL_KEYS.find((path) => proposal.paths.includes(path)) : "id";
  return key === undefined ? null : [key];
}

/** Names the proposed option with which a refused cell could be parsed; null if there is none. */
export function cureFor(
  { formats, find }: Proposal,
  { target, path, cell }: { readonly target: GivenOptions["target"]; readonly path: string; readonly cell: unknown },
  words: Words,
): ProblemText | null {
  const field = anyField(target, path);
  if (!field || typeof cell !== "string") return null;
  const text = cell.trim();
  const option = (name: string, value: string | ProblemText) => problemText`pass ${words.option(name)} ${value}`;
  if (find[path] !== undefined) return option("find", `${path}=${find[path]}`);
  if (formats.empty?.includes(text)) return option("formats.empty", rowValue(text));
  const word = formats.words?.[text];
  if (word !== undefined) return option("formats.words", rowValue(`${text}=${word}`));
  const which = timeOption(field);
  const format = which && formats[which];
  if (format !== undefined) return option(`formats.${which}`, format);
  const { yes, no, decimal } = formats;
  if (yes !== undefined && [yes, no].includes(text.toLowerCase())) return option("formats.yes", `${yes},${no}`);
  return decimal !== undefined && signOf(field, null, {}) !== null ? option("formats.decimal", decimal) : null;
}
