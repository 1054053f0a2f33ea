import { HAS_PASSWORD, LIMITS, NO_RESULT, refuse } from "./limits.js";
import type { Attributes, Handler, Package } from "./node-package.js";
import { columnName, isoCell, numberCell } from "./numbers.js";
import { chosenSheet, type SheetFound, type SheetRow, SheetRows } from "./sheet.js";
import { type SheetCell, TypedCell } from "./typed-cell.js";

const MANIFEST = "META-INF/manifest.xml";
const CONTENT = "content.xml";

/** Reads the rows of one sheet of an .ods file, in which each cell states its type and value. */
export async function* readOds(
  parts: Package,
  wanted: string | undefined,
): AsyncGenerator<SheetRow, SheetFound, undefined> {
  if (parts.has(MANIFEST)) await parts.read(MANIFEST, { open: { "encryption-data": () => refuse(HAS_PASSWORD) } });
  const { at, name } = chosenSheet(await readSheets(parts), wanted);
  const rows = new SheetRows();
  return yield* rows.read(name, parts.pieces(CONTENT, sheetHandler(rows, at), LIMITS.sheet));
}

// Lists the sheets, without the tables inside cells.
async function readSheets(parts: Package) {
  const sheets: { readonly name: string; readonly isHidden: boolean; readonly at: number }[] = [];
  const hidden = new Set<string | undefined>();
  let style: string | undefined;
  let depth = 0;
  const open: Handler["open"] = {
    style: (attributes) => {
      style = attributes["style:name"];
    },
    "table-properties": (attributes) => {
      if (attributes["table:display"] === "false") hidden.add(style);
    },
    table: (attributes) => {
      const isHidden = hidden.has(attributes["table:style-name"]);
      if (++depth === 1) sheets.push({ name: attributes["table:name"] ?? "", isHidden, at: sheets.length });
    },
  };
  await parts.read(CONTENT, { open, close: { table: () => void depth-- } }, LIMITS.sheet);
  return sheets;
}

function sheetHandler(rows: SheetRows, wanted: number): Handler {
  const textFormats = new Set<string | undefined>();
  const formats = new Map<string | undefined, string | undefined>();
  const columns: { readonly to: number; readonly style: string | undefined }[] = [];
  let at = -1;
  let depth = 0;
  let row = 0;
  let rowAttributes: Attributes = {};
  let column = 0;
  let cells: SheetCell[] = [];
  let cell: Attributes = {};
  let text: string | null = null;
  let isText = false;

  // Ignores tables inside a cell, which are not part of the sheet.
  const inside =
    <T>(work: (given: T) => void) =>
    (given: T) => {
      if (at === wanted && depth === 1) work(given);
    };
  const add = (piece: string) => {
    if (!isText || depth !== 1) return;
    text = `${text ?? ""}${piece}`;
    if (text.length > LIMITS.text) refuse(`has a text of more than ${LIMITS.text} characters`);
  };
  const beginCell = inside((attributes: Attributes) => {
    cell = attributes;
    text = null;
  });
  const endCell = inside(() => {
    const times = countIn(cell["table:number-columns-repeated"]);
    const style = cell["table:style-name"] ?? columns.find(({ to }) => column < to)?.style;
    const value = cellOf(cell, text ?? "", textFormats.has(formats.get(style)));
    const [wide = 1, high = 1] = ["columns", "rows"].map((what) => countIn(cell[`table:number-${what}-spanned`]));
    const corner = `${columnName(column + wide - 1)}${row + high}`;
    if (wide !== 1 || high !== 1) rows.addMerged(`${columnName(column)}${row + 1}:${corner}`);
    if (value !== undefined && column + times > LIMITS.columns) refuse("has a row with too many cells");
    for (let copy = 0; value !== undefined && copy < times; copy++) cells[column + copy] = value;
    column += times;
  });

  const endRow = inside(() => {
    const times = countIn(rowAttributes["table:number-rows-repeated"]);
    if (cells.length > 0 && times > LIMITS.repeated) refuse(`repeats a row more than ${LIMITS.repeated} times`);
    for (let copy = 1; cells.length > 0 && copy <= times; copy++)
      rows.add(row + copy, cells, isHiddenIn(rowAttributes));
    row += times;
  });

  return {
    // Notes, shapes and readings have paragraphs too, which are not part of the cell's text. Outside a sheet nothing is
    // left out, so that the sheets are counted as in `readSheets`.
    skip: (name) => depth > 0 && /^(draw:|office:annotation$|text:ruby-text$)/.test(name),
    open: {
      table: () => {
        if (++depth === 1) at++;
      },
      "text-style": (attributes) => void textFormats.add(attributes["style:name"]),
      style: (attributes) => void formats.set(attributes["style:name"], attributes["style:data-style-name"]),
      "table-column": inside((attributes: Attributes) => {
        const times = countIn(attributes["table:number-columns-repeated"]);
        if (isHiddenIn(attributes)) rows.hiddenColumns += Math.min(times, LIMITS.columns);
        const to = (columns.at(-1)?.to ?? 0) + times;
        const style = attributes["table:default-cell-style-name"];
        if (columns.push({ to, style }) > LIMITS.columns) refuse("has too many columns");
      }),
      "table-row": inside((attributes: Attributes) => {
        rowAttributes = attributes;
        cells = [];
        column = 0;
      }),
      "table-cell": beginCell,
      "covered-table-cell": beginCell,
      p: inside(() => {
        text = text === null ? "" : `${text}\n`;
        isText = true;
      }),
      s: (attributes) => add(" ".repeat(Math.min(countIn(attributes["text:c"]), LIMITS.text))),
      tab: () => add("\t"),
      "line-break": () => add("\n"),
    },
    text: add,
    close: {
      table: () => void depth--,
      p: () => {
        if (depth === 1) isText = false;
      },
      "table-cell": endCell,
      "covered-table-cell": endCell,
      "table-row": endRow,
    },
  };
}

function cellOf(attributes: Attributes, text: string, isTextFormat: boolean): SheetCell {
  const isFormula = attributes["table:formula"] !== undefined;
  if (attributes["calcext:value-type"] === "error" || (isFormula && /^(#|Err:\d+$)/.test(text)))
    return new TypedCell("error", text);
  const type = attributes["office:value-type"];
  switch (type) {
    case undefined:
      return isFormula ? new TypedCell("fault", NO_RESULT) : undefined;
    case "string":
      return (attributes["office:string-value"] ?? text) || undefined;
    case "boolean":
      return new TypedCell("flag", attributes["office:boolean-value"] === "true" ? "yes" : "no");
    case "date":
      return isoCell(attributes["office:date-value"] ?? "");
    case "time":
      return isoCell((attributes["office:time-value"] ?? "").replace(/^PT(\d+)H(\d+)M(\d+).*$/, "$1:$2:$3"));
  }
  const raw = attributes["office:value"] ?? "";
  // Formats of only zeros are used for postal codes, so the text is the value.
  if (/^0\d+$/.test(text) && Number(text) === Number(raw)) return text;
  return numberCell(raw, isTextFormat ? "@" : "General", type === "percentage" ? "percentage" : "number", false);
}

function countIn(text: string | undefined): number {
  return Math.max(1, Math.floor(Number(text ?? 1)) || 1);
}

function isHiddenIn(attributes: Attributes): boolean {
  return /^(collapse|filter)$/.test(attributes["table:visibility"] ?? "");
}
