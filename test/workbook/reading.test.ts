import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { meaningOf } from "../../src/workbook/numbers.js";
import { book, type Parts, PLAIN, readAll, renamed, text, textsOf, usual, writeBook } from "./support/books.js";

const folder = mkdtempSync(join(tmpdir(), "workbook-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const name = (end = "xlsx") => join(folder, `${++files}.${end}`);
const row = (cells: string, attributes = "") => `<row r="1"${attributes}>${cells}</row>`;
const number = (value: string, style = 0) => `<c r="A1" s="${style}"><v>${value}</v></c>`;

/** The first cell of a sheet with this row. */
async function cellOf(cells: string, more: Partial<Parameters<typeof book>[0]> = {}): Promise<string | undefined> {
  const { rows } = await readAll(writeBook(name(), { sheets: [{ rows: row(cells) }], ...more }));
  return rows[0]?.[1];
}

// Every shape of a cell that programs write, with its value.
test.each<[what: string, cells: string, value: string | undefined, more?: Partial<Parameters<typeof book>[0]>]>([
  ["an inline text", text("A1", " a  b "), " a  b "],
  ["a text of runs", '<c r="A1" t="inlineStr"><is><r><t>a</t></r><r><t>b</t></r></is></c>', "ab"],
  ["escaped signs", text("A1", "_x0041__x005F_x0042_&#x1F600;"), "A_x0042_😀"],
  ["CDATA", '<c r="A1" t="str"><v><![CDATA[<a>]]></v></c>', "<a>"],
  [
    "a shared text without its pronunciation",
    '<c r="A1" t="s"><v>1</v></c>',
    "課長",
    { shared: "<si><t>x</t></si><si><t>課</t><t>長</t><rPh sb='0' eb='1'><t>カチョウ</t></rPh></si>" },
  ],
  [
    "a shared text that is not there",
    '<c r="A1" t="s"><v>7</v></c>',
    "fault:refers to a text that the file does not have",
    { shared: "<si><t>x</t></si>" },
  ],
  ["a shared text without its number", '<c r="A1" t="s"><v></v></c>', undefined, { shared: "<si><t>x</t></si>" }],
  ["the text result of a formula", '<c r="A1" t="str"><f>B1</f><v>yes</v></c>', "yes"],
  ["the empty result of a formula", '<c r="A1" t="str"><f>B1</f><v></v></c>', undefined],
  [
    "a formula without its result",
    '<c r="A1"><f>B1+1</f></c>',
    "fault:is a formula without its result, because no spreadsheet program saved the file: open it in one and save it",
  ],
  ["the number of a formula", '<c r="A1"><f>B1+1</f><v>3</v></c>', "number:3"],
  ["an error", '<c r="A1" t="e"><v>#N/A</v></c>', "error:#N/A"],
  ["a flag", '<c r="A1" t="b"><v>1</v></c>', "flag:yes"],
  ["an ISO day", '<c r="A1" t="d"><v>2026-10-18T00:00:00Z</v></c>', "day:2026-10-18"],
  ["an ISO time", '<c r="A1" t="d"><v>2026-10-18T09:30:00.000</v></c>', "moment:2026-10-18T09:30:00"],
  ["a number", number("12.50"), "number:12.5"],
  ["a number in exponent form", number("6.12E8"), "number:612000000"],
  ["a small number", number("1.5E-7"), "number:0.00000015"],
  ["more digits than a spreadsheet keeps", number("1.1000000000000001"), "number:1.1"],
  ["a long identifier", number("31612345678901200"), "number:31612345678901200"],
  ["no number, although JavaScript reads it", number("0x10"), "fault:is a number that cannot be read"],
  ["a number too large", number("1E999"), "fault:is a number that cannot be read"],
  ["a number formatted as text", number("612345678", 1), "612345678", { formats: ["@"] }],
  ["a postal code of zeros", number("1067", 1), "01067", { formats: ["00000"] }],
  ["a percentage", number("0.21", 1), "percentage:0.21", { formats: ["0%"] }],
  ["a day", number("46313", 1), "day:2026-10-18", { formats: ["dd/mm/yyyy"] }],
  [
    "a day in the system of 1904",
    number("44851", 1),
    "day:2026-10-18",
    { formats: ["dd/mm/yyyy"], pr: 'date1904="true"' },
  ],
  [
    "a time that is stored a little too low",
    number("46313.395833333328", 1),
    "moment:2026-10-18T09:30:00",
    { formats: ["d-m-yy h:mm"] },
  ],
  ["a time of day", number("0.39583333333333331", 1), "clock:09:30:00", { formats: ["h:mm"] }],
  ["a length of time", number("1.0625", 1), "clock:25:30:00", { formats: ["[h]:mm"] }],
  [
    "a day before March 1900",
    number("60", 1),
    "fault:is a day before 1 March 1900, which spreadsheets count differently: format the cell as text and write yyyy-MM-dd",
    { formats: ["d/m/yyyy"] },
  ],
  ["the first sure day", number("61", 1), "day:1900-03-01", { formats: ["d/m/yyyy"] }],
  [
    "a negative day",
    number("-5", 1),
    "fault:is a day before 1 March 1900, which spreadsheets count differently: format the cell as text and write yyyy-MM-dd",
    { formats: ["d/m/yyyy"] },
  ],
  [
    "a day whose style is the column's, by Gnumeric",
    '<c r="A1"><v>46313</v></c>',
    "day:2026-10-18",
    {
      formats: ["yyyy-mm-dd"],
      program: "gnumeric",
      sheets: [{ before: '<cols><col min="1" max="3" style="1"/></cols>', rows: row('<c r="A1"><v>46313</v></c>') }],
    },
  ],
  [
    "a number without a style, by another program",
    '<c r="A1"><v>46313</v></c>',
    "number:46313",
    {
      formats: ["yyyy-mm-dd"],
      sheets: [{ before: '<cols><col min="1" max="3" style="1"/></cols>', rows: row('<c r="A1"><v>46313</v></c>') }],
    },
  ],
])("%s is read as its value", async (_, cells, value, more) => {
  expect(await cellOf(cells, more)).toBe(value);
});

test("formats of days and times are known by their letters, and not by letters in quotes or brackets", () => {
  const days = [
    "dd/mm/yyyy",
    "[$-809]d mmmm yyyy",
    "TT.MM.JJJJ",
    "jjjj-mm-dd",
    "mmm",
    "m/d/yy h:mm",
    "yyyy\\-mm\\-dd",
    "[$-411]ge.m.d",
  ];
  const numbers = [
    "General",
    "0.00",
    "[Red]0.00",
    '0" d"',
    "0.00E+00",
    '"WAHR";"WAHR";"FALSCH"',
    "#,##0.00_);[Red](#,##0.00)",
    "\\d0",
    "Standard",
    "@",
    "[$€-407]#,##0.00",
  ];
  expect(days.map(meaningOf)).toEqual(days.map(() => "day"));
  expect(numbers.map(meaningOf)).toEqual(numbers.map(() => "number"));
  expect(["h:mm", "hh:mm:ss AM/PM", "mm:ss"].map(meaningOf)).toEqual(["clock", "clock", "clock"]);
  expect(["[h]:mm", "[mm]:ss", "0%", "0.00%"].map(meaningOf)).toEqual(["length", "length", "percentage", "percentage"]);
});

test("rows and cells without a place follow the ones before them; empty rows and styled empty cells are left out", async () => {
  const rows = `<row><c><v>1</v></c><c r="C1"><v>2</v></c><c><v>3</v></c></row><row r="4"><c r="A4" s="0"/></row><row r="5">${text("B5", "  ")}</row><row r="1048576"><c r="XFD1048576"><v>9</v></c></row>`;
  const { rows: read } = await readAll(writeBook(name(), { sheets: [{ rows }] }));
  expect(read[0]).toEqual(["1", "number:1", "", "number:2", "number:3"]);
  expect(read[1]?.[0]).toBe("1048576");
  expect([read.length, read[1]?.length]).toEqual([2, 16_385]);
});

test("hidden rows and columns are read and counted, and merged cells are named", async () => {
  const sheets = [
    {
      before: '<cols><col min="2" max="3" hidden="1"/></cols>',
      rows: '<row r="1"><c r="A1"><v>1</v></c></row><row r="2" hidden="1"><c r="B2"><v>2</v></c></row><row r="3" hidden="true"/>',
      after: '<mergeCells><mergeCell ref="A1:A2"/><mergeCell ref="B4:C4"/></mergeCells>',
    },
  ];
  const { rows, found } = await readAll(writeBook(name(), { sheets }));
  expect(rows).toEqual([
    ["1", "number:1"],
    ["2", "", "number:2"],
  ]);
  expect(found).toEqual({ sheet: "Sheet1", rows: 2, hiddenRows: 1, hiddenColumns: 2, merged: ["A1:A2", "B4:C4"] });
});

test("the only sheet that is not hidden is read, or the one that is named", async () => {
  const sheets = [
    { name: "a", state: "hidden", rows: PLAIN },
    { name: "b", rows: PLAIN },
  ] as const;
  const path = writeBook(name(), { sheets: [...sheets, { name: "c", state: "veryHidden", rows: PLAIN }] });
  expect([(await readAll(path)).found.sheet, (await readAll(path, "c")).found.sheet]).toEqual(["b", "c"]);
  await expect(readAll(path, "d")).rejects.toThrow('has no sheet "d"; it has "a", "b", "c"');
  const two = writeBook(name(), { sheets: [...sheets, { name: "c", rows: PLAIN }] });
  await expect(readAll(two)).rejects.toThrow('has 2 sheets, "b", "c": name one of them in the option sheet');
  const none = writeBook(name(), { sheets: sheets.slice(0, 1) });
  await expect(readAll(none)).rejects.toThrow("has only hidden sheets");
});

test.each<[string, Parts]>([
  [
    "parts by other names",
    renamed({ "xl/worksheets/sheet1.xml": "xl/Tab/ONE.XML" }, (xml) =>
      xml.replace("worksheets/sheet1.xml", "tab/one.xml"),
    ),
  ],
  [
    "absolute targets",
    renamed({}, (xml) =>
      xml.replace('"xl/workbook.xml"', '"/xl/workbook.xml"').replace('"worksheets/', '"/xl/worksheets/'),
    ),
  ],
  [
    "backslashes in names",
    renamed({ "xl/workbook.xml": "xl\\workbook.xml" }, (xml) =>
      xml.replace('"worksheets/sheet1', '"worksheets\\sheet1'),
    ),
  ],
  [
    "prefixes before elements",
    renamed({}, (xml) =>
      xml.includes("<sheetData>") ? xml.replace(/<(\/?)(?=[a-z])/g, "<$1x:").replace("xmlns=", "xmlns:x=") : xml,
    ),
  ],
  [
    "strict namespaces",
    renamed({}, (xml) =>
      xml.replaceAll(
        "http://schemas.openxmlformats.org/officeDocument/2006",
        "http://purl.oclc.org/ooxml/officeDocument",
      ),
    ),
  ],
  [
    "a sheet in UTF-16",
    {
      ...usual,
      "xl/worksheets/sheet1.xml": Buffer.from(
        `\ufeff${usual["xl/worksheets/sheet1.xml"]?.replace("UTF-8", "UTF-16")}`,
        "utf16le",
      ),
    },
  ],
])("a workbook with %s is read", async (_, parts) => {
  expect((await readAll(writeBook(name(), parts))).rows).toEqual([["1", "number:1"]]);
});

test("a folder is refused, and a file that does not exist is the error of the file system", async () => {
  const path = name("dir");
  mkdirSync(path);
  await expect(readAll(path)).rejects.toThrow("is a folder");
  await expect(readAll(name())).rejects.toMatchObject({ code: "ENOENT" });
});

const ODS = (rows: string, more = "", end = "") =>
  `<office:document-content xmlns:office="o" xmlns:table="t" xmlns:text="x" xmlns:calcext="c" xmlns:style="s" xmlns:number="n"><office:automatic-styles><style:style style:name="ta2"><style:table-properties table:display="false"/></style:style><number:text-style style:name="N1"/><style:style style:name="ce1" style:family="table-cell" style:data-style-name="N1"/></office:automatic-styles><office:body><table:table table:name="One">${more}${rows}</table:table>${end}</office:body></office:document-content>`;
const odsCell = (type: string, value: string, shown: string, more = "") =>
  `<table:table-cell office:value-type="${type}" ${value} ${more}><text:p>${shown}</text:p></table:table-cell>`;

test("an .ods file is read with its types, repeated and covered cells, without notes", async () => {
  const row1 = `<table:table-row>${odsCell("string", "", "a<text:s text:c='2'/>b<text:tab/>c</text:p><text:p>d")}${odsCell("float", 'office:value="12.50"', "12,50")}${odsCell("date", 'office:date-value="1850-01-31"', "31-01-50")}${odsCell("date", 'office:date-value="2026-10-18T09:30:00"', "x")}${odsCell("time", 'office:time-value="PT09H30M00S"', "9:30")}${odsCell("boolean", 'office:boolean-value="true"', "WAHR")}${odsCell("percentage", 'office:value="0.21"', "21%")}${odsCell("float", 'office:value="1067"', "01067")}${odsCell("float", 'office:value="612"', "612", 'table:style-name="ce1"')}</table:table-row>`;
  const row2 = `<table:table-row table:number-rows-repeated="2" table:visibility="collapse"><table:table-cell table:number-columns-repeated="2"/><table:table-cell office:value-type="string" table:number-columns-repeated="2" table:number-columns-spanned="2"><office:annotation><text:p>note</text:p></office:annotation><text:p>y</text:p></table:table-cell><table:covered-table-cell/><table:table-cell table:formula="of:=1/0" calcext:value-type="error"><text:p>#DIV/0!</text:p></table:table-cell><table:table-cell table:formula="of:=A1"/></table:table-row>`;
  const empty =
    '<table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>';
  const hidden = '<table:table table:name="Two" table:style-name="ta2"/>';
  const content = ODS(
    row1 + row2 + empty,
    '<table:table-column table:number-columns-repeated="3" table:visibility="collapse"/>',
    hidden,
  );
  const { rows, found } = await readAll(writeBook(name("ods"), { "content.xml": content }));
  const [first, ...others] = rows;
  expect(first).toEqual([
    "1",
    "a  b\tc\nd",
    "number:12.5",
    "day:1850-01-31",
    "moment:2026-10-18T09:30:00",
    "clock:09:30:00",
    "flag:yes",
    "percentage:0.21",
    "01067",
    "612",
  ]);
  const fault = expect.stringMatching(/^fault:is a formula without its result/);
  expect(others).toEqual(["2", "3"].map((at) => [at, "", "", "y", "y", "", "error:#DIV/0!", fault]));
  expect(found).toMatchObject({ sheet: "One", rows: 3, hiddenRows: 2, hiddenColumns: 3, merged: ["C2:D2"] });
});

test("the text of an .ods cell has its links and line breaks, but not shapes, notes and readings", async () => {
  const shape =
    "<draw:custom-shape><text:p>ask <text:span>Jo</text:span></text:p><draw:enhanced-geometry/></draw:custom-shape>";
  const box = "<draw:g><draw:frame><draw:text-box><text:p>box</text:p></draw:text-box></draw:frame></draw:g>";
  const ruby = "<text:ruby><text:ruby-base>課</text:ruby-base><text:ruby-text>か</text:ruby-text></text:ruby>";
  const texts = [
    `For beginners</text:p>${shape}${box}<text:p>and others`,
    `a${box}b <text:a>site</text:a><text:line-break/><text:span>c</text:span>`,
    `${ruby}長`,
  ];
  const cells = texts.map((text) => odsCell("string", "", text)).join("");
  // A shape may also be written before the paragraphs.
  const before = `<table:table-cell office:value-type="float" office:value="1067">${shape}<text:p>01067</text:p></table:table-cell>`;
  const content = ODS(
    `<table:table-row>${cells}${before}<table:table-cell>${shape}</table:table-cell></table:table-row>`,
  );
  const { rows } = await readAll(writeBook(name("ods"), { "content.xml": content }));
  expect(rows).toEqual([["1", "For beginners\nand others", "ab site\nc", "課長", "01067"]]);
});

test.each([
  [
    "a row repeated a million times",
    ODS(`<table:table-row table:number-rows-repeated="1000000">${odsCell("string", "", "x")}</table:table-row>`),
    "repeats a row more than 100000 times",
  ],
  [
    "a cell repeated beyond the sheet",
    ODS(`<table:table-row>${odsCell("string", "", "x", 'table:number-columns-repeated="16385"')}</table:table-row>`),
    "has a row with too many cells",
  ],
  ["two sheets", ODS("", "", '<table:table table:name="Two"/>'), 'has 2 sheets, "One", "Two"'],
  ["a text document", "<office:document-content/>", "is a document without sheets"],
])("an .ods file with %s is refused", async (_, content, why) => {
  await expect(readAll(writeBook(name("ods"), { "content.xml": content }))).rejects.toThrow(why);
});

test("an .ods file with a password is refused", async () => {
  const manifest =
    "<manifest:manifest><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>";
  const parts = { "META-INF/manifest.xml": manifest, "content.xml": ODS("") };
  await expect(readAll(writeBook(name("ods"), parts))).rejects.toThrow("has a password");
});

const wideRow = (repeated = "") =>
  `<table:table-row ${repeated}>${odsCell("string", "", "x", 'table:number-columns-repeated="16384"')}</table:table-row>`;
test.each<[what: string, end: string, parts: () => Parts]>([
  ["cells that repeat", "ods", () => ({ "content.xml": ODS(wideRow().repeat(4000)) })],
  ["rows that repeat", "ods", () => ({ "content.xml": ODS(wideRow('table:number-rows-repeated="4000"')) })],
  ["gaps", "xlsx", () => book({ sheets: [{ rows: '<row><c r="XFD1"><v>1</v></c></row>'.repeat(4000) }] })],
])(
  "a sheet of few bytes that has too many cells by its %s is refused before its header is read",
  async (_, end, parts) => {
    await expect(textsOf(writeBook(name(end), parts()))).rejects.toThrow(
      "has more than 50000000 cells, counted to the last value of each row",
    );
  },
);
