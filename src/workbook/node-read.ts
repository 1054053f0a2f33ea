import { HAS_PASSWORD, LIMITS, NO_RESULT, refuse } from "./limits.js";
import { readOds } from "./node-ods.js";
import { type Attributes, type Handler, Package } from "./node-package.js";
import { builtInFormat, isoCell, meaningOf, numberCell } from "./numbers.js";
import { chosenSheet, type SheetFound, type SheetRow, SheetRows } from "./sheet.js";
import { type SheetCell, TypedCell } from "./typed-cell.js";

/**
 * Reads the rows of one sheet of an .xlsx or .ods file.
 * @param sheet name of the sheet; undefined for the only one that is not hidden.
 * @throws WorkbookError if the file cannot be read, or has several sheets of which none is named.
 */
export async function* sheetRows(
  path: string | URL,
  sheet: string | undefined,
): AsyncGenerator<SheetRow, SheetFound, undefined> {
  const parts = await Package.open(path);
  try {
    const main = (await parts.relations("")).get("officeDocument");
    if (main !== undefined) return yield* readXlsx(parts, main, sheet);
    if (parts.has("content.xml")) return yield* readOds(parts, sheet);
    return refuse(parts.has("EncryptedPackage") ? HAS_PASSWORD : "is a ZIP file without a workbook");
  } finally {
    parts.close();
  }
}

async function* readXlsx(
  parts: Package,
  main: string,
  wanted: string | undefined,
): AsyncGenerator<SheetRow, SheetFound, undefined> {
  if (main.endsWith(".bin")) refuse("is an .xlsb file; save it as .xlsx");
  const relations = await parts.relations(main);
  const sheets: { readonly name: string; readonly isHidden: boolean; readonly part: string }[] = [];
  let is1904 = false;
  await parts.read(main, {
    open: {
      workbookPr: ({ date1904 }) => {
        is1904 = isTrue(date1904);
      },
      sheet: ({ name = "", state = "visible", ...ids }) => {
        const id = Object.entries(ids).find(([key]) => key.endsWith(":id"))?.[1] ?? "";
        const part = relations.get(`worksheet ${id}`);
        if (part !== undefined) sheets.push({ name, isHidden: state !== "visible", part });
      },
    },
  });
  const { name, part } = chosenSheet(sheets, wanted);
  const formats = await readFormats(parts, relations.get("styles"));
  const shared = await readShared(parts, relations.get("sharedStrings"));
  const rows = new SheetRows();
  const handler = sheetHandler(rows, { formats, shared, is1904, isByGnumeric: await isByGnumeric(parts) });
  return yield* rows.read(name, parts.pieces(part, handler, LIMITS.sheet));
}

// A cell without a style has its column's style if Gnumeric wrote the file, and no style otherwise.
async function isByGnumeric(parts: Package): Promise<boolean> {
  const about = (await parts.relations("")).get("extended-properties") ?? "";
  let program = "";
  const Application = (text: string) => {
    program = text;
  };
  if (parts.has(about)) await parts.read(about, { close: { Application } });
  return /^gnumeric/i.test(program);
}

// The number formats, indexed by the style numbers of cells.
async function readFormats(parts: Package, part = ""): Promise<readonly string[]> {
  const own = new Map<string, string>();
  const ids: string[] = [];
  let isCells = false;
  const open: Handler["open"] = {
    numFmt: ({ numFmtId = "", formatCode = "" }) => {
      if (!own.has(numFmtId)) own.set(numFmtId, formatCode.slice(0, 255));
    },
    cellXfs: () => {
      isCells = true;
    },
    cellStyles: () => {
      isCells = false;
    },
    xf: ({ numFmtId = "0" }) => {
      if (isCells) ids.push(numFmtId);
    },
  };
  if (parts.has(part)) await parts.read(part, { open });
  return ids.map((id) => own.get(id) ?? builtInFormat(Number(id)));
}

async function readShared(parts: Package, part = ""): Promise<readonly string[]> {
  const texts: string[] = [];
  const run = new Runs();
  const si = () => {
    if (texts.push(unescapeText(run.take())) > LIMITS.shared) refuse(`has more than ${LIMITS.shared} texts`);
  };
  const handler = { open: run.open, close: { ...run.close, si } };
  if (parts.has(part)) await parts.read(part, handler, LIMITS.sharedBytes);
  return texts;
}

/** Joins the formatted parts (runs) of a text, except those that show its pronunciation. */
class Runs {
  #text = "";
  #before = "";
  readonly open = {
    rPh: () => {
      this.#before = this.#text;
    },
  };
  readonly close = {
    t: (text: string) => {
      this.#text += text;
    },
    rPh: () => {
      this.#text = this.#before;
    },
  };

  take(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }
}

function unescapeText(text: string): string {
  if (!text.includes("_x")) return text;
  return text.replace(/_x([\dA-Fa-f]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}

interface Book {
  readonly formats: readonly string[];
  readonly shared: readonly string[];
  readonly is1904: boolean;
  readonly isByGnumeric: boolean;
}

function sheetHandler(rows: SheetRows, { formats, shared, is1904, isByGnumeric }: Book): Handler {
  const meanings = formats.map(meaningOf);
  const columns: Attributes[] = [];
  const run = new Runs();
  let row = 0;
  let isHidden = false;
  let cells: SheetCell[] = [];
  let column = -1;
  let cell: Attributes = {};
  let value = "";
  let isFormula = false;

  const styleOf = ({ s }: Attributes) => {
    if (s !== undefined || !isByGnumeric) return Number(s ?? 0);
    return Number(columns.find(({ min, max }) => Number(min) <= column + 1 && column < Number(max))?.style ?? 0);
  };
  const cellOf = (attributes: Attributes): SheetCell => {
    const text = run.take();
    if (attributes.t === "inlineStr") return unescapeText(text);
    // For type `str`, an empty value is the formula's result.
    if (value === "") return isFormula && attributes.t !== "str" ? new TypedCell("fault", NO_RESULT) : undefined;
    switch (attributes.t) {
      case "s":
        return shared[Number(value)] ?? new TypedCell("fault", "refers to a text that the file does not have");
      case "str":
        return unescapeText(value);
      case "b":
        return new TypedCell("flag", isTrue(value) ? "yes" : "no");
      case "e":
        return new TypedCell("error", value);
      case "d":
        return isoCell(value);
    }
    const style = styleOf(attributes);
    return numberCell(value, formats[style] ?? "General", meanings[style] ?? "number", is1904);
  };

  return {
    open: {
      ...run.open,
      col: (attributes) => {
        const [from, to] = [Number(attributes.min), Math.min(Number(attributes.max), LIMITS.columns)];
        if (isTrue(attributes.hidden) && to >= from) rows.hiddenColumns += to - from + 1;
        if (columns.push(attributes) > LIMITS.columns) refuse("has too many columns");
      },
      row: ({ r, hidden }) => {
        const next = r === undefined ? row + 1 : Number(r);
        if (!(next > row)) refuse(`is damaged: row ${r} follows row ${row}`);
        row = next;
        isHidden = isTrue(hidden);
        cells = [];
        column = -1;
      },
      c: (attributes) => {
        const { r } = attributes;
        const next = r === undefined ? column + 1 : columnIn(r);
        if (next <= column) refuse(`is damaged: the cell ${r} occurs twice or in the wrong order`);
        if (next >= LIMITS.columns)
          refuse(r === undefined ? "has too many columns" : `is damaged: the cell ${r} is outside the sheet`);
        column = next;
        cell = attributes;
        value = "";
        isFormula = false;
      },
      f: () => {
        isFormula = true;
      },
      mergeCell: ({ ref = "" }) => rows.addMerged(ref),
    },
    close: {
      ...run.close,
      v: (text) => {
        value = text;
      },
      c: () => {
        const found = cellOf(cell);
        if (found !== undefined && found !== "") cells[column] = found;
      },
      row: () => rows.add(row, cells, isHidden),
    },
  };
}

function isTrue(text: string | undefined): boolean {
  return text === "1" || text === "true";
}

function columnIn(reference: string): number {
  const [letters = ""] = /^[A-Z]*/i.exec(reference) ?? [];
  return [...letters.toUpperCase()].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}
