import { PassThrough } from "node:stream";
import type { ZipFile } from "yazl";
import { LIMITS, refuse } from "./limits.js";
import { columnName, serialOf } from "./numbers.js";
import { TypedCell } from "./typed-cell.js";

/** The format of a column; cells that do not fit it are written as text. */
export type ColumnStyle = "text" | "number" | "amount" | "day" | "moment";

export interface SheetColumn {
  readonly name: string;
  readonly style: ColumnStyle;
}

// The order of the cell formats in styles.xml; the format of the header follows them.
const STYLES: readonly ColumnStyle[] = ["number", "text", "amount", "day", "moment"];
const FORMATS = [0, 49, 4, 164, 165];
const HEADER_STYLE = STYLES.length;

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml";

function typeOf(part: string, type: string): string {
  return `<Override PartName="/xl/${part}.xml" ContentType="${TYPE}.${type}+xml"/>`;
}

function relation(id: number, type: string, target: string): string {
  return `<Relationship Id="rId${id}" Type="${DOCUMENT}/${type}" Target="${target}"/>`;
}

function relations(...all: readonly string[]): string {
  return `<Relationships xmlns="${PACKAGE}/relationships">${all.join("")}</Relationships>`;
}

function cellFormat(format: number, font: number): string {
  return `<xf numFmtId="${format}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>`;
}

const FONT = '<sz val="11"/><name val="Calibri"/>';

const PARTS: Readonly<Record<string, string>> = {
  "[Content_Types].xml": `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${typeOf("workbook", "sheet.main")}${typeOf("worksheets/sheet1", "worksheet")}${typeOf("styles", "styles")}</Types>`,
  "_rels/.rels": relations(relation(1, "officeDocument", "xl/workbook.xml")),
  "xl/_rels/workbook.xml.rels": relations(
    relation(1, "worksheet", "worksheets/sheet1.xml"),
    relation(2, "styles", "styles.xml"),
  ),
  "xl/workbook.xml": `<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"><sheets><sheet name="Records" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  "xl/styles.xml": `<styleSheet xmlns="${MAIN}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font>${FONT}</font><font><b/>${FONT}</font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${FORMATS.length + 1}">${FORMATS.map((format) => cellFormat(format, 0)).join("")}${cellFormat(49, 1)}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`,
};

// A fixed time, so that the same records give the same file.
const FILE_OPTIONS = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true };
const WIDEST = 60;

/** Writes a workbook with one sheet. Each call returns the bytes of the file that are complete by then. */
export class WorkbookWriter {
  readonly #columns: readonly SheetColumn[];
  readonly #sheet = new PassThrough();
  readonly #done: Promise<void>;
  #bytes: Uint8Array[] = [];
  #row = 0;

  private constructor(columns: readonly SheetColumn[], zip: ZipFile) {
    this.#columns = columns;
    const output = zip.outputStream as NodeJS.ReadableStream;
    this.#done = new Promise((resolve, reject) => {
      output.on("data", (bytes: Uint8Array) => this.#bytes.push(bytes));
      output.on("end", resolve).on("error", reject);
      zip.on("error", reject);
    });
    this.#done.catch(() => undefined);
    for (const [name, text] of Object.entries(PARTS)) zip.addBuffer(Buffer.from(XML + text), name, FILE_OPTIONS);
    zip.addReadStream(this.#sheet, "xl/worksheets/sheet1.xml", FILE_OPTIONS);
    zip.end();
  }

  static async of(columns: readonly SheetColumn[]): Promise<WorkbookWriter> {
    if (columns.length > LIMITS.columns)
      refuse(`has ${columns.length} columns; a workbook has at most ${LIMITS.columns}`);
    const { yazl } = await import("#workbook-libraries");
    return new WorkbookWriter(columns, new yazl.ZipFile());
  }

  /**
   * Writes rows. The columns are as wide as the values of the first call.
   * @returns the bytes of the file that are complete by now.
   * @throws WorkbookError if the sheet has too many rows, or a text is too long for a cell.
   */
  async add(rows: readonly (readonly unknown[])[]): Promise<Uint8Array> {
    const head = this.#row === 0 ? this.#head(rows) : "";
    return await this.#write(`${head}${rows.map((values) => this.#rowText(values)).join("")}`);
  }

  /** Writes the end of the file. @returns its last bytes. */
  async end(): Promise<Uint8Array> {
    const head = this.#row === 0 ? this.#head([]) : "";
    const cells = `A1:${columnName(Math.max(0, this.#columns.length - 1))}${this.#row}`;
    // Without these marks, spreadsheet programs offer to convert texts to numbers.
    const marks = `<ignoredErrors><ignoredError sqref="${cells}" numberStoredAsText="1"/></ignoredErrors>`;
    this.#sheet.end(`${head}</sheetData>${marks}</worksheet>`);
    await this.#done;
    return this.#take();
  }

  async #write(text: string): Promise<Uint8Array> {
    await Promise.race([this.#done, new Promise((resolve) => this.#sheet.write(text, resolve))]);
    return this.#take();
  }

  #take(): Uint8Array {
    const bytes = Buffer.concat(this.#bytes);
    this.#bytes = [];
    return bytes;
  }

  #head(rows: readonly (readonly unknown[])[]): string {
    const columns = this.#columns.map(({ name, style }, at) => {
      const texts = [name, ...rows.map((values) => textOf(values[at]))];
      const width = Math.min(WIDEST, Math.max(...texts.map(({ length }) => length)) + 2);
      // Styles the whole column, so that text stays text even in cells that people fill in below the last row.
      return `<col min="${at + 1}" max="${at + 1}" width="${width}" style="${STYLES.indexOf(style)}" customWidth="1"/>`;
    });
    const cells = this.#columns.map(({ name }, at) => textCell(name, this.#place(at), HEADER_STYLE));
    const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
    const cols = columns.length === 0 ? "" : `<cols>${columns.join("")}</cols>`;
    this.#row = 1;
    return `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews>${cols}<sheetData><row r="1">${cells.join("")}</row>`;
  }

  #rowText(values: readonly unknown[]): string {
    if (++this.#row > LIMITS.rows) refuse(`holds at most ${LIMITS.rows} rows, and there are more records; write CSV`);
    const cells = this.#columns.map(({ name, style }, at) => this.#cell(values[at], name, style, at));
    return `<row r="${this.#row}">${cells.join("")}</row>`;
  }

  #cell(value: unknown, name: string, style: ColumnStyle, at: number): string {
    const text = textOf(value);
    if (text === "") return "";
    const number = numberIn(value, style);
    if (number !== null)
      return `<c r="${this.#place(at)}" s="${STYLES.indexOf(number.style)}"><v>${number.value}</v></c>`;
    if (text.length > LONGEST)
      refuse(
        `holds at most ${LONGEST} characters in a cell, and ${name} in row ${this.#row} has ${text.length}; leave out that column or write CSV`,
      );
    return textCell(text, this.#place(at), STYLES.indexOf("text"));
  }

  // While the header is built, `#row` is still 0.
  #place(column: number): string {
    return `${columnName(column)}${this.#row || 1}`;
  }
}

const LONGEST = 32_767;

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (value instanceof TypedCell) return value.type === "fault" ? "" : value.text;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

// Longer numbers in texts stay text, because spreadsheets keep only 15 digits.
const NUMBER = /^-?(?!0\d)\d{1,15}(\.\d{1,15})?$/;

function numberIn(value: unknown, style: ColumnStyle): { readonly value: string; readonly style: ColumnStyle } | null {
  if (value instanceof TypedCell) {
    const { type, text } = value;
    if (type === "number") return numberIn(text, "number");
    return type === "day" || type === "moment" ? dayNumber(text, type) : null;
  }
  if (typeof value !== "string" && typeof value !== "number") return null;
  if (style === "day" || style === "moment") return typeof value === "string" ? dayNumber(value, style) : null;
  const text = typeof value === "number" || style !== "text" ? String(value) : "";
  if (typeof value === "number" && Number.isFinite(value) && !NUMBER.test(text))
    return { value: text, style: "number" };
  if (!NUMBER.test(text) || text.replace(/\D/g, "").length > 15) return null;
  const isAmount = style === "amount" && !/\.\d{3}/.test(text);
  return { value: text, style: isAmount ? "amount" : "number" };
}

function dayNumber(
  text: string,
  style: "day" | "moment",
): { readonly value: string; readonly style: ColumnStyle } | null {
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d)?$/.test(text)) return null;
  const serial = serialOf(text);
  return serial === null ? null : { value: String(serial), style };
}

function textCell(text: string, place: string, style: number): string {
  return `<c r="${place}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${escapeText(text)}</t></is></c>`;
}

function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(/_(?=x[\dA-Fa-f]{4}_)/g, "_x005F_")
    .replace(/(?![\t\n])[\p{Cc}\ufffe\uffff]/gu, (sign) => {
      const code = sign.charCodeAt(0).toString(16).toUpperCase();
      return `_x${code.padStart(4, "0")}_`;
    })
    .replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
