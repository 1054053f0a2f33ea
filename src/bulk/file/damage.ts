import { Country } from "../../models/regions.js";
import type { FieldKind } from "../../work/fields/path.js";
import { DIGITS } from "../../workbook/numbers.js";
import type { CellType, TypedCell } from "../../workbook/typed-cell.js";
import { type ProblemText, problemText, rowValue } from "../problem-text.js";
import { unescaped } from "./escapes.js";
import { isSavedForm } from "./spreadsheet.js";
import { LANGUAGES } from "./times.js";
import { toWindows1252 } from "./windows-1252.js";

/** Reasons to doubt the content of a cell. The `allow` option accepts such cells unchanged. */
export const DOUBTS = [
  "spreadsheet_error",
  "too_narrow",
  "lost_letter",
  "decoded_twice",
  "exponent",
  "line_break",
  "country",
  "no_value",
  "text_formula",
  "thousands",
  "wrong_encoding",
  "lost_zeros",
  "escaped",
  "day_order",
] as const;
/** A reason to doubt the content of a cell, as named in `allow`. */
export type CellDoubt = (typeof DOUBTS)[number];

// In every language, a spreadsheet error ends with ! or ?, except for the translations of "not available" and the
// errors of LibreOffice and Google Sheets.
const ERRORS =
  /^(#[¡¿]?[\p{Lu}\d_/]{2,}[!?]|#(N\/A|N\/B|N\/D|NV|I\/T|YOK|SAKNAS|HIÁNYZIK|Н\/Д|NENÍ_K_DISPOZICI|GETTING_DATA)!?|Err:\d{3})$/u;
const ONE_LINE = /(^|[._])(e?mail|phone\w*|\w*name|addressee|address|city|country|postal_code|number|code)$/;
const COUNTRY = /(^|[._])country$/;

/**
 * Explains why a text is probably not the intended value of a field; otherwise null.
 * @param sign the decimal separator of an amount; null if the field holds no amount.
 */
export function doubtOf(
  text: string,
  path: string,
  sign: "." | "," | null,
  allowed: ReadonlySet<string>,
): ProblemText | null {
  const found = CHECKS.find(([doubt, holds]) => !allowed.has(doubt) && holds(text, path, sign));
  if (!found) return null;
  const [doubt, , says] = found;
  return problemText`${says(text)}; to accept such cells, allow ${doubt}`;
}

/** Explains why a cell that is not text is probably not the intended value of a field; otherwise null. */
export function typeDoubtOf(
  { type, text }: TypedCell,
  kind: FieldKind,
  allowed: ReadonlySet<string>,
): ProblemText | null {
  const isText = kind === "text" || kind === "enumeration";
  const [doubt, why]: [CellDoubt, string | ProblemText] | [null, null] =
    type === "error"
      ? ["spreadsheet_error", problemText`is a spreadsheet error, ${rowValue(text)}`]
      : type === "number" && isText && text.replace(/\D/g, "").length > DIGITS
        ? ["exponent", `is a number of more than ${DIGITS} digits, whose last digits a spreadsheet drops`]
        : isText && type !== "fault"
          ? ["lost_zeros", `is a ${TYPES[type]}, but the field holds text: format the column as text and type it again`]
          : [null, null];
  if (doubt === null || allowed.has(doubt)) return null;
  return problemText`${why}; to accept such cells, allow ${doubt}`;
}

const TYPES: Readonly<Record<Exclude<CellType, "fault" | "error">, string>> = {
  number: "number, which has lost any leading zeros or plus sign",
  percentage: "percentage",
  day: "day",
  moment: "day with a time",
  clock: "time",
  flag: "yes or no",
};

/** Explains why a cell is probably the record's text, rewritten by another program; null for other cells. */
export function rewriteOf(cell: string, text: string, allowed: ReadonlySet<string>): string | null {
  const doubt: CellDoubt | null = isSavedForm(cell, text)
    ? "lost_zeros"
    : unescaped(cell)?.trim() === text.trim()
      ? "escaped"
      : null;
  if (doubt === null || allowed.has(doubt)) return null;
  const why = doubt === "escaped" ? "with escapes such as &amp;" : "as a spreadsheet writes it";
  return `is the record's value ${why}, so the record keeps its value; to send such cells, allow ${doubt}`;
}

/** Unwraps a text from a formula that only protects it from a spreadsheet, such as `="0612"`. */
export function withoutFormula<T>(cell: T): T | string {
  const [, text] = (typeof cell === "string" && /^="((?:[^"]|"")*)"$/.exec(cell.trim())) || [];
  return text === undefined ? cell : text.replaceAll('""', '"');
}

const CHECKS: readonly (readonly [
  CellDoubt,
  (text: string, path: string, sign: "." | "," | null) => boolean,
  (text: string) => string | ProblemText,
])[] = [
  ["spreadsheet_error", (text) => ERRORS.test(text), (text) => problemText`is a spreadsheet error, ${rowValue(text)}`],
  [
    "too_narrow",
    (text) => /^#{3,}$/.test(text),
    () => "is ####, which a spreadsheet shows when a column is too narrow",
  ],
  [
    "lost_letter",
    (text) => text.includes("\uFFFD"),
    () => "contains U+FFFD, which replaced a character that another program could not read",
  ],
  ["decoded_twice", (text) => readAgain(text) !== null, () => "has letters that were decoded twice, such as Ã« for ë"],
  [
    "exponent",
    (text) => /^[+-]?\d([.,]\d+)?E[+-]\d{2,3}$/i.test(text),
    () => "is a number in exponent form, whose last digits a spreadsheet drops",
  ],
  ["line_break", (text, path) => ONE_LINE.test(path) && /[\r\n\u2028\u2029]/.test(text), () => "has a line break"],
  [
    "country",
    (text, path) => COUNTRY.test(path) && !Country.values.some((code) => code === text.toUpperCase()),
    (text) =>
      problemText`is not a two-letter country code, such as ${{ message: codeNamed("region", text) ?? "NL", reason: "NL" }}: map it to its code in the \`words\` format`,
  ],
  [
    "no_value",
    (text) => NO_VALUE.test(text),
    (text) => `is ${text}, which some programs write in place of a missing value: add it to the \`empty\` format`,
  ],
  ["text_formula", (text) => text.startsWith("="), () => "is a formula, not its result"],
  [
    "thousands",
    (text, _, sign) => /^[+-]?[1-9]\d{0,2}([.,])\d{3}$/.exec(text)?.[1] === sign,
    () => "has three digits after its only separator, which may separate thousands: set the `decimal` format",
  ],
  [
    "wrong_encoding",
    (text, path) => ONE_LINE.test(path) && MISREAD.test(text),
    () => "has odd characters in a word, as if the file was read in the wrong encoding",
  ],
];

export const NO_VALUE = /^(NULL|null|\(null\)|<null>|\\N|undefined|NaN|nan|\[object \w+\]|0000-00-00([ T]00:00:00)?)$/;
const MISREAD = /\p{L}[§¬¦¨¯¸¶¤†‡‰¢£¥©®¿¡÷×ƒ]|\p{Ll}[ŽŸŠÄÅÀÉ](\p{L}|$|\s)|[ŽŸŠ]\p{Ll}?[†‡‰ƒ]/u;

/** The code of a country or a language by its name in one of the known languages. */
export function codeNamed(type: "region" | "language", text: string): string | undefined {
  const codes: readonly string[] = type === "region" ? Country.values : LANGUAGES;
  for (const language of LANGUAGES) {
    const names = new Intl.DisplayNames(language, { type });
    const code = codes.find((one) => names.of(one)?.toLowerCase() === text.toLowerCase());
    if (code !== undefined) return code;
  }
  return undefined;
}

/** Repairs UTF-8 text that was decoded as Windows-1252; null if the text does not look like that. */
function readAgain(text: string): string | null {
  if (!/[Â-ô][\u0080-\u00bf\u0152-\u2122]/.test(text)) return null;
  const bytes = toWindows1252(text);
  if (bytes === null) return null;
  try {
    const again = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    // Excludes phonetic symbols: the bytes of É and a non-breaking space, read as UTF-8, are one.
    return /^[\s -\u017f\u0370-\u04ff\u1e00-\u1eff\u2010-\u2122]*$/.test(again) ? again : null;
  } catch {
    return null;
  }
}
