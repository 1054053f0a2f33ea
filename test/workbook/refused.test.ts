import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { book, PLAIN, readAll, renamed, usual, zip } from "./support/books.js";

const folder = mkdtempSync(join(tmpdir(), "workbook-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const name = () => join(folder, `${++files}.xlsx`);

const NOTHING = Buffer.alloc(0);
const sheet = (rows: string, after = "") => zip(book({ sheets: [{ rows, after }] }));
const compound = (content: string) =>
  Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.from(content, "utf16le")]);
const part = "xl/worksheets/sheet1.xml";

// Hostile and broken files, and files of other kinds: each is refused in one sentence.
test.each<[what: string, bytes: () => Uint8Array, why: string]>([
  ["an empty file", () => NOTHING, "is empty"],
  ["an .xls file", () => compound("Workbook"), "is an .xls file, the format before 2007; save it as .xlsx"],
  [
    "a password",
    () => compound("EncryptedPackage"),
    "has a password; remove it in a spreadsheet program and save the file again",
  ],
  ["a part with a password", () => zip(usual, { encrypted: [part] }), "has a password"],
  ["CSV", () => Buffer.from("a,b\n1,2\n"), "is not a workbook; read a CSV file with readCsv"],
  [
    "a web page",
    () => Buffer.from("<html><table></table></html>"),
    "is a web page or XML; open it in a spreadsheet program",
  ],
  ["another ZIP file", () => zip({ "a.txt": "a" }), "is a ZIP file without a workbook"],
  [
    "a text document",
    () => zip({ ...usual, "xl/workbook.xml": "<document/>" }),
    "is a document without sheets; save the table as .xlsx",
  ],
  [
    "an .xlsb file",
    () =>
      zip(
        renamed({ "xl/workbook.xml": "xl/workbook.bin" }, (xml) =>
          xml.replace('"xl/workbook.xml"', '"xl/workbook.bin"'),
        ),
      ),
    "is an .xlsb file; save it as .xlsx",
  ],
  ["a file that is cut off", () => zip(usual).subarray(0, 900), "is damaged or cut off"],
  [
    "a sheet that is cut off",
    () => zip({ ...usual, [part]: usual[part]?.slice(0, -30) ?? "" }),
    "is damaged: xl/worksheets/sheet1.xml",
  ],
  [
    "a sheet that is not there",
    () => zip(renamed({ [part]: "other" })),
    "is damaged: it lacks xl/worksheets/sheet1.xml",
  ],
  ["a wrong checksum", () => zip(usual, { wrong: [part] }), "the checksum of xl/worksheets/sheet1.xml is wrong"],
  [
    "two parts of one name",
    () => zip([...Object.entries(usual), [part.toUpperCase(), "<a/>"]]),
    "two of its parts are named",
  ],
  ["a part that leaves the folder", () => zip({ ...usual, "../a": "" }), "is damaged or cut off"],
  [
    "too many parts",
    () => zip(Object.fromEntries(Array.from({ length: 2001 }, (_, at) => [`p${at}`, ""]))),
    "has more than 2000 parts",
  ],
  ["a directory that names 2 GB", () => zip(usual, { sizes: { [part]: 2 ** 31 } }), "unpacks to more than 1024 MB"],
  [
    "a part of 17 MB that is no sheet",
    () => zip({ ...usual, "xl/styles.xml": " ".repeat(17 << 20) }),
    "unpacks to more than 16 MB",
  ],
  [
    "a bomb whose directory names a small size",
    () => zip({ ...usual, [part]: `${usual[part]}${" ".repeat(64 << 20)}` }, { sizes: { [part]: 5000 } }),
    "is damaged or cut off",
  ],
  [
    "entities",
    () => zip({ ...usual, [part]: `<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>${usual[part]?.slice(39)}` }),
    "declares XML entities",
  ],
  ["elements nested without end", () => sheet("<a>".repeat(100_000)), "is nested too deeply"],
  [
    "a text without end",
    () => sheet(`<row r="1"><c r="A1" t="str"><v>${"a".repeat(3 << 20)}</v></c></row>`),
    "has a text of more than 1048576 characters",
  ],
  ["rows out of order", () => sheet('<row r="2"/><row r="1"/>'), "is damaged: row 1 follows row 2"],
  ["a row twice", () => sheet('<row r="2"/><row r="2"/>'), "is damaged: row 2 follows row 2"],
  [
    "a cell twice",
    () => sheet('<row r="1"><c r="B1"/><c r="B1"/></row>'),
    "the cell B1 occurs twice or in the wrong order",
  ],
  [
    "a cell outside the sheet",
    () => sheet('<row r="1"><c r="XFE1"><v>1</v></c></row>'),
    "the cell XFE1 is outside the sheet",
  ],
  [
    "a row outside the sheet",
    () => sheet('<row r="1048577"><c r="A1048577"><v>1</v></c></row>'),
    "has more than 1048576 rows",
  ],
  [
    "too many merged cells",
    () => sheet(PLAIN, `<mergeCells>${'<mergeCell ref="A1:A2"/>'.repeat(100_001)}</mergeCells>`),
    "has too many merged cells",
  ],
])("%s is refused", async (_, bytes, why) => {
  const path = name();
  writeFileSync(path, bytes());
  const error = await readAll(path).then(() => null, String);
  expect(error).toMatch(/^Error: /);
  expect(error).toContain(why);
});
