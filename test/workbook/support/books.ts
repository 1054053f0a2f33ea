import { readFileSync, writeFileSync } from "node:fs";
import { crc32, deflateRawSync, inflateRawSync } from "node:zlib";
import { readSheet } from "../../../src/bulk/node.js";
import { sheetRows } from "../../../src/workbook/node-read.js";
import type { SheetFound } from "../../../src/workbook/sheet.js";

const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const XML = '<?xml version="1.0" encoding="UTF-8"?>\n';

export type Parts = Readonly<Record<string, string | Uint8Array>>;

interface Lies {
  /** Sizes that the directory names instead of the true ones, by part. */
  readonly sizes?: Readonly<Record<string, number>>;
  /** Parts whose checksum is wrong. */
  readonly wrong?: readonly string[];
  /** Parts that are marked as encrypted. */
  readonly encrypted?: readonly string[];
}

/** Makes a ZIP archive by hand, so that it can also be a wrong one. */
export function zip(parts: Parts | readonly (readonly [string, string | Uint8Array])[], lies: Lies = {}): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  const all = Array.isArray(parts) ? (parts as readonly (readonly [string, string])[]) : Object.entries(parts);
  for (const [name, content] of all) {
    const [title, bytes] = [Buffer.from(name), Buffer.from(content as string)];
    const packed = deflateRawSync(bytes);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(lies.encrypted?.includes(name) ? 1 : 0x800, 2);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE((crc32(bytes) + (lies.wrong?.includes(name) ? 1 : 0)) >>> 0, 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(lies.sizes?.[name] ?? bytes.length, 18);
    fields.writeUInt16LE(title.length, 22);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(20, 4);
    fields.copy(entry, 6);
    entry.writeUInt32LE(at, 42);
    files.push(Buffer.from("PK\x03\x04", "latin1"), fields, title, packed);
    directory.push(entry, title);
    at += 30 + title.length + packed.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(all.length, 8);
  end.writeUInt16LE(all.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...files, list, end]);
}

interface Sheet {
  readonly name?: string;
  readonly state?: "hidden" | "veryHidden";
  /** Content of `sheetData`. */
  readonly rows: string;
  readonly before?: string;
  readonly after?: string;
}

interface Book {
  readonly sheets: readonly Sheet[];
  /** Content of the shared texts. */
  readonly shared?: string;
  /** Formats of the cell styles from 1 on; style 0 is General. */
  readonly formats?: readonly string[];
  /** Attributes of `workbookPr`. */
  readonly pr?: string;
  readonly program?: string;
}

/** The parts of an .xlsx file as other programs write them. */
export function book({
  sheets,
  shared,
  formats = [],
  pr = "",
  program = "Microsoft Excel",
}: Book): Record<string, string> {
  const of = (id: string, type: string, to: string) =>
    `<Relationship Id="${id}" Type="${DOCUMENT}/${type}" Target="${to}"/>`;
  const relations = (...all: readonly string[]) =>
    `${XML}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${all.join("")}</Relationships>`;
  const own = formats.map(
    (format, at) => `<numFmt numFmtId="${170 + at}" formatCode="${format.replaceAll('"', "&quot;")}"/>`,
  );
  const styles = formats.map((_, at) => `<xf numFmtId="${170 + at}"/>`).join("");
  return {
    "[Content_Types].xml": `${XML}<Types/>`,
    "_rels/.rels": relations(
      of("rId1", "officeDocument", "xl/workbook.xml"),
      of("rId2", "extended-properties", "docProps/app.xml"),
    ),
    "docProps/app.xml": `${XML}<Properties><Application>${program}</Application></Properties>`,
    "xl/workbook.xml": `${XML}<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"><workbookPr ${pr}/><sheets>${sheets
      .map(
        ({ name, state }, at) =>
          `<sheet name="${name ?? `Sheet${at + 1}`}" sheetId="${at + 1}"${state ? ` state="${state}"` : ""} r:id="rId${at + 1}"/>`,
      )
      .join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relations(
      ...sheets.map((_, at) => of(`rId${at + 1}`, "worksheet", `worksheets/sheet${at + 1}.xml`)),
      of("rId90", "styles", "styles.xml"),
      ...(shared === undefined ? [] : [of("rId91", "sharedStrings", "sharedStrings.xml")]),
    ),
    "xl/styles.xml": `${XML}<styleSheet xmlns="${MAIN}"><numFmts>${own.join("")}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${styles}</cellXfs><cellStyles><cellStyle name="Normal" xfId="0"/></cellStyles></styleSheet>`,
    ...(shared === undefined ? {} : { "xl/sharedStrings.xml": `${XML}<sst xmlns="${MAIN}">${shared}</sst>` }),
    ...Object.fromEntries(
      sheets.map(({ rows, before = "", after = "" }, at) => [
        `xl/worksheets/sheet${at + 1}.xml`,
        `${XML}<worksheet xmlns="${MAIN}">${before}<sheetData>${rows}</sheetData>${after}</worksheet>`,
      ]),
    ),
  };
}

/** A row with one number. */
export const PLAIN = '<row r="1"><c r="A1"><v>1</v></c></row>';

/** The parts of a workbook with {@link PLAIN}. */
export const usual = book({ sheets: [{ rows: PLAIN }] });
/** The same with other names of parts, and other texts in them. */
export const renamed = (
  changes: Readonly<Record<string, string | undefined>>,
  replace: (xml: string) => string = (xml) => xml,
) => Object.fromEntries(Object.entries(usual).map(([part, xml]) => [changes[part] ?? part, replace(xml)]));

/** The XML of an inline text. */
export const text = (place: string, value: string) =>
  `<c r="${place}" t="inlineStr"><is><t xml:space="preserve">${value}</t></is></c>`;

/** Reads a workbook to its end. Cells that are not text are shown as `type:text`. */
export async function readAll(path: string, sheet?: string): Promise<{ rows: string[][]; found: SheetFound }> {
  const all = sheetRows(path, sheet);
  const rows: string[][] = [];
  let next = await all.next();
  for (; !next.done; next = await all.next()) {
    const { row, cells } = next.value;
    const shown = Array.from(cells, (cell) => (typeof cell === "object" ? `${cell.type}:${cell.text}` : (cell ?? "")));
    rows.push([String(row), ...shown]);
  }
  return { rows, found: next.value };
}

/** The rows of a workbook as the reader for programs gives them. */
export async function textsOf(path: string): Promise<Readonly<Record<string, string>>[]> {
  return await textsIn(readSheet(path));
}

export async function textsIn(rows: AsyncIterable<Readonly<Record<string, string>>>) {
  const all: Readonly<Record<string, string>>[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

/** The text of a part of a file that this library wrote. */
export function partOf(path: string, name: string): string {
  const bytes = readFileSync(path);
  const list = bytes.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  for (let at = bytes.readUInt32LE(list + 16); bytes.readUInt32LE(at) === 0x02014b50; ) {
    const [size, length, extra, note] = [20, 28, 30, 32].map((field) =>
      field === 20 ? bytes.readUInt32LE(at + field) : bytes.readUInt16LE(at + field),
    ) as [number, number, number, number];
    const start = bytes.readUInt32LE(at + 42);
    if (bytes.toString("utf8", at + 46, at + 46 + length) === name) {
      const data = start + 30 + bytes.readUInt16LE(start + 26) + bytes.readUInt16LE(start + 28);
      return inflateRawSync(bytes.subarray(data, data + size)).toString();
    }
    at += 46 + length + extra + note;
  }
  throw new Error(`${path} has no part ${name}`);
}

export function writeBook(path: string, given: Book | Parts): string {
  writeFileSync(path, zip("sheets" in given ? book(given as Book) : (given as Parts)));
  return path;
}
