import type { CellFormats, PlanOptions, ReadCsvOptions } from "../../../src/bulk/node.js";

/** A person as the school stores them, or should store them. */
export interface Person {
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
}

const person = (email: string, first_name: string, last_name: string): Person => ({ email, first_name, last_name });

/** The correct values of all people in the files. The first three are already in the school. */
export const PEOPLE: readonly Person[] = [
  person("zoe@example.org", "Zo\u00eb", "M\u00fcller"),
  person("hart@example.org", "Jan", "'t Hart"),
  person("null@example.org", "Null", "True"),
  person("angelo@example.org", "D'Angelo", "O\u2019Neill"),
  person("na@example.org", "'s False", "N/A Holding"),
  person("ngo@example.org", "\u0110\u1ea1t", "Ng\u00f4"),
];
export const IN_SCHOOL = 3;
// Only these people, because Windows-1252 lacks the Vietnamese letters of the others.
const WESTERN = PEOPLE.slice(0, 5);

/** A file as some program writes it, and the expected result. */
export interface OddFile {
  readonly name: string;
  readonly bytes: string | Uint8Array;
  /** Options for reading the file. */
  readonly reading?: ReadCsvOptions;
  readonly formats?: CellFormats;
  readonly options?: Partial<PlanOptions<unknown>>;
  /** Columns by field. Default: E-mail, First, Last. */
  readonly columns?: PlanOptions<unknown>["columns"];
  /**
   * "right" if every person must be read correctly; otherwise the message with which the file or a row must be refused.
   */
  readonly comes: "right" | RegExp;
}

const HEAD = ["E-mail", "First", "Last"];
const cellsOf = (all: readonly Person[]) =>
  all.map(({ email, first_name, last_name }) => [email, first_name, last_name]);

interface Form {
  readonly separator?: string;
  readonly line?: string;
  readonly all?: readonly Person[];
  readonly head?: readonly string[];
  /** Changes the cells of the person at position `at`. */
  readonly row?: (cells: readonly string[], at: number) => readonly string[];
}

function csv({ separator = ";", line = "\r\n", all = PEOPLE, head = HEAD, row = (cells) => cells }: Form = {}): string {
  const written = [head, ...cellsOf(all).map(row)].map((cells) =>
    cells
      .map((cell) => (/["\r\n]/.test(cell) || cell.includes(separator) ? `"${cell.replaceAll('"', '""')}"` : cell))
      .join(separator),
  );
  return written.join(line) + line;
}

const MORE =
  "\u20ac\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u017d\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u017e\u0178";
const AT = [
  0x80, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x8b, 0x8c, 0x8e, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96,
  0x97, 0x98, 0x99, 0x9a, 0x9b, 0x9c, 0x9e, 0x9f,
];
const windows = (text: string) =>
  Uint8Array.from([...text].map((sign) => AT[MORE.indexOf(sign)] ?? sign.charCodeAt(0)));
const wide = (text: string, mark: boolean) => Buffer.from(`${mark ? "\uFEFF" : ""}${text}`, "utf16le");
const bigEndian = (text: string) => Buffer.from(wide(text, true)).swap16();
const decodedTwice = (text: string) => new TextDecoder("latin1").decode(Buffer.from(text, "utf8"));
/** The CSV with one cell of the first row replaced. */
const csvWithCell = (cell: string, column = 1) =>
  csv({ row: (cells, at) => (at === 0 ? cells.with(column, cell) : cells) });

const read = (name: string, bytes: string | Uint8Array, more: Partial<OddFile> = {}): OddFile => ({
  name,
  bytes,
  comes: "right",
  ...more,
});
const refusedFile = (
  name: string,
  bytes: string | Uint8Array,
  comes: RegExp,
  more: Partial<OddFile> = {},
): OddFile => ({
  name,
  bytes,
  ...more,
  comes,
});

const WHERE = { options: { where: "Status=active" } };
const STATUS = csv({ head: [...HEAD, "Status"], row: (cells) => [...cells, "active"] });

/** The same people in files saved by Excel, LibreOffice, Numbers, school systems and mail programs. */
export const FORTY: readonly OddFile[] = [
  read("Excel, CSV UTF-8", `\uFEFF${csv()}`),
  read("Excel, American CSV UTF-8", `\uFEFF${csv({ separator: "," })}`),
  read("Excel, CSV of Windows, by its encoding", windows(csv({ all: WESTERN })), {
    reading: { encoding: "windows-1252" },
  }),
  refusedFile(
    "Excel, CSV of Windows",
    windows(csv({ all: WESTERN })),
    /is not UTF-8 text: .*line 2 has \u00eb, \u00fc, \u2019 in windows-1252/,
  ),
  read("Excel, Unicode text", wide(csv({ separator: "\t" }), true)),
  read("Excel, Unicode text without a mark", wide(csv({ separator: "\t" }), false)),
  read("a Mac's big-endian Unicode text", bigEndian(csv())),
  read("Excel with sep=", `sep=;\r\n${csv()}`),
  read("Excel with sep= that is not in the header's favour", `sep=|\r\n${csv({ separator: "|" })}`),
  read("Excel with a title and a blank line", `Students 2026-2027;;\r\n;;\r\n${csv()}`),
  read("a school system with a title of several cells", `Export;27-11-2026;by Jo\r\n${csv()}`),
  read("Excel with wrapped names of columns", csv({ head: ["E-mail", "First\nname", "Last"] }), {
    columns: { email: "E-mail", first_name: "First name", last_name: "Last" } as never,
  }),
  read("Excel with a separator more in every row", csv({ head: [...HEAD, ""], row: (cells) => [...cells, ""] })),
  refusedFile(
    "a row with a separator more, shifted",
    csv({ row: (cells, at) => (at === 3 ? [cells[0] ?? "", "", cells[1] ?? "", ""] : cells) }),
    /more cells than the header/,
  ),
  refusedFile(
    "a row that lost a cell",
    csv({ row: (cells, at) => (at === 3 ? cells.slice(1) : cells) }),
    /fewer cells/,
  ),
  read("LibreOffice, all texts in quotes", csv().replace(/[^;\r\n]+/g, '"$&"')),
  read("LibreOffice, tabs", csv({ separator: "\t", line: "\n" })),
  read("an old Mac's line ends", csv({ line: "\r" })),
  read("Numbers", csv({ separator: ",", line: "\n" })),
  read("names decomposed by a Mac", csv().normalize("NFD")),
  read("names of columns decomposed by a Mac", csv({ head: ["E-mail", "Pre\u0301nom", "Last"] }), {
    columns: { email: "E-mail", first_name: "Pr\u00e9nom", last_name: "Last" } as never,
  }),
  refusedFile(
    "an invisible sign in a column's name",
    csv({ head: ["E-mail", "First", "Last\u200b"] }),
    /Last<U\+200B>/,
  ),
  read("a hard blank in a column's name", csv({ head: ["E-mail", "First\u00a0name", "Last"] }), {
    columns: { email: "E-mail", first_name: "First name", last_name: "Last" } as never,
  }),
  read(
    "formulas protected by another program",
    csv({ row: (cells) => cells.map((cell) => (/^[=+@-]/.test(cell) ? `'${cell}` : cell)) }),
  ),
  read("a school system's column of states", `${STATUS}gone@example.org;Gone;Student;deleted\r\n`, WHERE),
  read("two states of which one counts", `${STATUS}left@example.org;Left;Student;"not active"\r\n`, WHERE),
  refusedFile("a condition on a column that is not there", csv(), /where.*Status/, WHERE),
  read(
    "a school system's Last, First",
    csv({ head: ["E-mail", "Name"], row: ([email = "", first, last]) => [email, `${last}, ${first}`] }),
    {
      columns: {
        email: "E-mail",
        first_name: { from: "Name", read: (cell: string) => cell.split(", ")[1] },
        last_name: { from: "Name", read: (cell: string) => cell.split(", ")[0] },
      } as never,
    },
  ),
  read(
    "the words for yes and no of a country",
    csv({ head: [...HEAD, "Nieuwsbrief"], row: (cells, at) => [...cells, at < 3 ? "nee" : "Nee"] }),
    {
      formats: { yes: "ja", no: "nee" },
      columns: { email: "E-mail", first_name: "First", last_name: "Last", wants_newsletter: "Nieuwsbrief" } as never,
    },
  ),
  refusedFile(
    "the words for yes and no, not told",
    csv({ head: [...HEAD, "Nieuwsbrief"], row: (cells) => [...cells, "nee"] }),
    /neither true nor false/,
    {
      columns: { email: "E-mail", first_name: "First", last_name: "Last", wants_newsletter: "Nieuwsbrief" } as never,
    },
  ),
  refusedFile("an error of a spreadsheet", csvWithCell("#N/A"), /spreadsheet error, #N\/A.*allow spreadsheet_error/),
  refusedFile("a Dutch error of a spreadsheet", csvWithCell("#VERW!"), /spreadsheet error/),
  refusedFile("a German error of a spreadsheet", csvWithCell("#NV"), /spreadsheet error/),
  refusedFile("an error of LibreOffice", csvWithCell("Err:502"), /spreadsheet error/),
  refusedFile("a column that is too narrow", csvWithCell("########"), /too narrow/),
  refusedFile("a number that lost its digits", csvWithCell("6,12E+08"), /exponent form/),
  refusedFile("a letter that was lost", csvWithCell("Zo\uFFFD"), /U\+FFFD/),
  refusedFile("a mail program's text, decoded twice", csvWithCell(decodedTwice("Zo\u00eb")), /decoded twice/),
  refusedFile("a mail program's wrapped name", csvWithCell("Zo\u00eb\nM\u00fcller"), /line break/),
  refusedFile("a stray quote", csvWithCell("Zo\u00eb").replace("Jan", 'Jan "the'), /quote/),
  refusedFile("a login page", "<!DOCTYPE html><html><title>Log in</title></html>", /web page, such as a login page/),
  refusedFile("a message as JSON", '{"error":"unauthorized"}', /is JSON, not CSV/),
  refusedFile("a workbook", Buffer.from("504b03041400060008000000", "hex"), /workbook/),
  refusedFile("other columns without rows", "name;class\r\n", /names the column "E-mail".* the file has name, class/),
  refusedFile("nothing", "", /is empty/),
];
