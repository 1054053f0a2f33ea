import { TypedCell } from "./typed-cell.js";

const DAY_MS = 86_400_000;
// Day 0 of both date systems of workbooks.
const EPOCH = { 1900: Date.UTC(1899, 11, 30), 1904: Date.UTC(1904, 0, 1) };
const LAST_DAY = Date.UTC(9999, 11, 31);
/** The serial number of 1 March 1900; spreadsheets count the days before it differently. */
const FIRST_SURE_DAY = 61;

/** The number of significant digits that spreadsheets keep. */
export const DIGITS = 15;

export type NumberMeaning = "number" | "percentage" | "day" | "clock" | "length";

/**
 * The built-in formats, which a workbook does not define, by number: only those for percentages, days, times and text.
 */
const BUILT_IN: Readonly<Record<number, string>> = {
  9: "0%",
  10: "0.00%",
  14: "d/m/yyyy",
  15: "d-mmm-yy",
  16: "d-mmm",
  17: "mmm-yy",
  18: "h:mm AM/PM",
  19: "h:mm:ss AM/PM",
  20: "h:mm",
  21: "h:mm:ss",
  22: "d/m/yyyy h:mm",
  45: "mm:ss",
  46: "[h]:mm:ss",
  47: "mm:ss.0",
  49: "@",
};

/** The built-in format with this number; in East Asian versions, 27 to 36 and 50 to 58 are formats of days. */
export function builtInFormat(id: number): string {
  const isDay = (id >= 27 && id <= 36) || (id >= 50 && id <= 58);
  return isDay ? "yyyy/m/d" : (BUILT_IN[id] ?? "General");
}

/**
 * Determines what a number in a cell of this format means. Ignores letters in quotes, after a backslash, and in
 * brackets other than `[h]`, `[m]` and `[s]`.
 */
export function meaningOf(format: string): NumberMeaning {
  const [first = ""] = format.split(";");
  const bare = first.replace(/"[^"]*"|\\.|[_*]./g, "");
  if (/\[[hms]+\]/i.test(bare)) return "length";
  const plain = bare.replace(/\[[^\]]*\]/g, "").replace(/General|Standa?ard/gi, "");
  const letters = plain.replace(/[Ee][+-]/g, "").replace(/AM\/PM|A\/P/gi, "");
  // German formats use j for the year and t for the day; m is a month unless hours or seconds are near.
  if (/[dyjt]|mmm|^m+$|g+e/i.test(letters)) return "day";
  if (/[hs]/i.test(letters)) return "clock";
  if (/m/i.test(letters) && !/[0#?]/.test(letters)) return "day";
  return plain.includes("%") ? "percentage" : "number";
}

export function numberCell(raw: string, format: string, meaning: NumberMeaning, is1904: boolean): string | TypedCell {
  const text = raw.trim();
  const number = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(number)) return new TypedCell("fault", "is a number that cannot be read");
  if (format === "@") return /e/i.test(text) ? plainNumber(text, number) : text;
  if (meaning === "number" || meaning === "percentage") {
    // Formats of only zeros are used for postal codes, so leading zeros belong to the value.
    const [, zeros] = /^(?:\[[^\]]*\])?(0{2,})$/.exec(format) ?? [];
    if (zeros && /^\d+$/.test(text)) return text.padStart(zeros.length, "0");
    return new TypedCell(meaning, plainNumber(text, number));
  }
  return timeCell(number, meaning, is1904);
}

function plainNumber(raw: string, number: number): string {
  if (/^-?\d+$/.test(raw)) return raw;
  const kept = Number(number.toPrecision(DIGITS));
  const [digits = "", power] = String(Math.abs(kept)).split("e");
  const sign = kept < 0 ? "-" : "";
  if (power === undefined) return `${sign}${digits}`;
  if (Number(power) > 0) return `${sign}${BigInt(Math.abs(kept))}`;
  return `${sign}0.${"0".repeat(-Number(power) - 1)}${digits.replace(".", "")}`;
}

function timeCell(number: number, meaning: "day" | "clock" | "length", is1904: boolean): TypedCell {
  // Rounds, because programs store 9:30 as a fraction that is slightly too small.
  const seconds = Math.round(number * 86_400);
  if (meaning === "length" || (meaning === "clock" && seconds >= 0 && seconds < 86_400)) {
    const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
    if (seconds < 0) return new TypedCell("fault", "is a negative time");
    return new TypedCell("clock", [hours, minutes, rest].map((part) => String(part).padStart(2, "0")).join(":"));
  }
  if (seconds < (is1904 ? 0 : FIRST_SURE_DAY * 86_400)) return new TypedCell("fault", BEFORE_1900);
  const at = EPOCH[is1904 ? 1904 : 1900] + seconds * 1000;
  if (at >= LAST_DAY + DAY_MS) return new TypedCell("fault", "is a day after the year 9999");
  const local = new Date(at).toISOString().slice(0, 19);
  return momentCell(local);
}

const BEFORE_1900 =
  "is a day before 1 March 1900, which spreadsheets count differently: format the cell as text and write yyyy-MM-dd";

/** A local time as a cell; midnight becomes a day. */
export function momentCell(local: string): TypedCell {
  const [day = "", time = "00:00:00"] = local.split("T");
  return time === "00:00:00" ? new TypedCell("day", day) : new TypedCell("moment", `${day}T${time}`);
}

/** The cell of a day, a local time or a time of day that a file writes in ISO 8601 format. */
export function isoCell(text: string): TypedCell {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)?(?:T?(\d\d:\d\d:\d\d)(?:\.\d+)?Z?)?$/.exec(text) ?? [];
  if (day !== undefined) return momentCell(time === undefined ? day : `${day}T${time}`);
  if (time !== undefined) return new TypedCell("clock", time);
  return new TypedCell("fault", "is a day or a time that cannot be read");
}

/** The letters of a column; columns are numbered from 0. */
export function columnName(column: number): string {
  const rest = column >= 26 ? columnName(Math.floor(column / 26) - 1) : "";
  return `${rest}${String.fromCharCode(65 + (column % 26))}`;
}

/** The serial number that a workbook stores for a local time; null for days that spreadsheets count differently. */
export function serialOf(local: string): number | null {
  const [day = "", time = "00:00:00"] = local.split("T");
  const serial = (Date.parse(`${day}T${time}Z`) - EPOCH[1900]) / DAY_MS;
  return serial >= FIRST_SURE_DAY ? serial : null;
}
