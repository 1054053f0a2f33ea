import { clockIn, instantOf } from "../../work/days.js";
import { flagIn, writeText } from "../../work/fields/text.js";
import { DIGITS, momentCell } from "../../workbook/numbers.js";
import { TypedCell } from "../../workbook/typed-cell.js";
import { isPhone } from "../kin.js";
import { monthIn } from "./times.js";

/**
 * Reverses the changes that a spreadsheet makes to a number: dropped leading zeros and plus sign, grouped digits,
 * decimals or an exponent. Returns other texts unchanged.
 */
export function numberForm(text: string): string {
  const isGrouped = /^[+-]?\d{1,3}([.,'])\d{3}(\1\d{3})*([.,]\d+)?$/.test(text);
  const bare = isGrouped ? text.replace(/[.,'](?=\d{3}(\D|$))/g, "") : text;
  const [, sign = "", whole = "", part = "", power = "0"] =
    /^([+-]?)(\d+)(?:[.,](\d+))?(?:e\+?(\d{1,2}))?$/i.exec(bare) ?? [];
  if (whole === "") return isPhone(text) ? trimZeros(text.replace(/\D/g, "")) : text;
  const shift = Number(power);
  const digits = `${whole}${part.slice(0, shift).padEnd(shift, "0")}`;
  const rest = part.slice(shift).replace(/0+$/, "");
  return `${sign === "-" ? "-" : ""}${trimZeros(digits)}${rest && `.${rest}`}`;
}

function trimZeros(digits: string): string {
  return digits.replace(/^0+(?=\d)/, "");
}

const IS_NUMBER = /^[+-]?[\d.,']+(e\+?\d{1,2})?$/i;

/**
 * True if a cell is the exported form of a value, even after a spreadsheet has saved it without loss. Ignores blanks
 * around the cell.
 * @param zone the time zone of local times in a workbook.
 */
export function isCellOf(cell: string | TypedCell, value: unknown, zone: string | undefined): boolean {
  const text = comparable(withoutEscapes(String(cell)));
  if ([writeText(value), writeText(value, ",")].some((written) => comparable(written) === text)) return true;
  if (typeof value === "boolean") return flagIn(text) === value;
  if (typeof value === "number") return Number(value.toPrecision(DIGITS)) === Number(text || Number.NaN);
  const instant = cell instanceof TypedCell && zone !== undefined ? instantOf(value) : null;
  return instant !== null && zone !== undefined && momentCell(clockIn(zone)(instant)).text === text;
}

// In .ods files, Gnumeric keeps the escapes that .xlsx files use for control characters and for text that looks like an
// escape.
function withoutEscapes(text: string): string {
  return text.replace(/_x(00[01][\dA-F]|005F)_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}

// Readers drop the blanks around a cell, spreadsheets change line breaks, and some systems decompose accented letters.
function comparable(text: string): string {
  return text.replace(/\r\n?/g, "\n").trim().normalize("NFC");
}

/** True if a spreadsheet that opened and saved a text may have written this cell for it: 612345678 for 0612345678. */
export function isSavedForm(cell: string, text: string): boolean {
  const [saved, stored] = [cell.trim(), text.trim()];
  if (saved === stored) return true;
  if (IS_NUMBER.test(saved) && IS_NUMBER.test(stored)) {
    const [one, other] = [numberForm(saved), numberForm(stored)];
    return one === other || (isCut(one) && Number(one).toPrecision(DIGITS) === Number(other).toPrecision(DIGITS));
  }
  const [time, was] = [saved, stored].map((part) => timeForm(part));
  if (time !== null || was !== null) return time === was;
  return isSavedDay(saved, stored);
}

// A spreadsheet replaces the digits after the 15th with zeros.
function isCut(digits: string): boolean {
  return digits.length > DIGITS && /^0+$/.test(digits.slice(DIGITS));
}

function timeForm(text: string): string | null {
  const [, hour, minute, second = "0", half = ""] =
    /^(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([ap])?\.?m?\.?$/i.exec(text) ?? [];
  if (hour === undefined) return null;
  const hours = half === "" ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  return `${hours}:${Number(minute)}:${Number(second)}`;
}

// A spreadsheet rearranges a date, and adds the year to 2/3, or the first of the month to 1/2026.
function isSavedDay(cell: string, text: string): boolean {
  if (!/^\d{1,4}([-/. ]\d{1,4}){1,2}$/.test(text)) return false;
  const saved = cell.replace(/[ T]0?0:00(:00)?$/, "");
  const hasMonth = /\p{L}/u.test(saved);
  const parts = saved.match(/\d+|\p{L}+/gu) ?? [];
  if (parts.length < (hasMonth ? 2 : 3) || !/^[\p{L}\d]+([-/. ]{1,2}[\p{L}\d]+\.?){1,2}$/u.test(saved)) return false;
  const left = parts.map(dayPart);
  for (const part of (text.match(/\d+/g) ?? []).map(dayPart)) {
    const at = left.indexOf(part);
    if (at < 0) return false;
    left.splice(at, 1);
  }
  return left.length <= 1 && !left.includes(null);
}

// The number of a day, of a month by its name, or of a year without its century; null for another word.
function dayPart(part: string): number | null {
  return /\d/.test(part) ? Number(part) % (part.length === 4 ? 100 : 10_000) : monthIn(part);
}
