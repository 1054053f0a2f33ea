import { instantsAt } from "../../work/days.js";

const PARTS: Readonly<Record<string, string>> = {
  yyyy: "(?<year>\\d{4})",
  yy: "(?<year>\\d{2})",
  MM: "(?<month>\\d{2})",
  M: "(?<month>\\d{1,2})",
  dd: "(?<day>\\d{2})",
  d: "(?<day>\\d{1,2})",
  HH: "(?<hour>\\d{2})",
  H: "(?<hour>\\d{1,2})",
  mm: "(?<minute>\\d{2})",
  ss: "(?<second>\\d{2})",
};
const LETTERS = /yyyy|yy|MM?|dd?|HH?|mm|ss|[a-zA-Z]+|[^a-zA-Z]/g;

/** True if a text is a format for days or, with hours and minutes, for times. Each part must occur exactly once. */
export function isFormat(format: unknown, what: "day" | "time"): boolean {
  if (typeof format !== "string") return false;
  const letters = (format.match(LETTERS) ?? []).filter((part) => /[a-zA-Z]/.test(part));
  const names = letters.map((part) => /<(\w+)>/.exec(PARTS[part] ?? "")?.[1] ?? "unknown");
  const wanted = what === "day" ? "day,month,year" : /^day,hour,minute,month,(second,)?year$/;
  const found = names.sort().join();
  return typeof wanted === "string" ? found === wanted : wanted.test(found);
}

/**
 * Converts a day in a given format to yyyy-MM-dd; null if it does not match. Drops the midnight that some spreadsheets
 * add.
 */
export function dayIn(text: string, format: string): string | null {
  return partsOf(text.replace(/[ T]0?0:00(:00(\.0+)?)?Z?$/, ""), format)?.slice(0, 10) ?? null;
}

/**
 * Converts a local time in a given format and time zone to UTC.
 * @returns the time, or the problem with it.
 */
export function timeIn(
  text: string,
  format: string,
  zone: string,
): { readonly value: string } | { readonly problem: string } {
  const written = partsOf(text, format);
  if (written === null) return { problem: `is not a time written as ${format}` };
  const [first, second] = instantsAt(written, zone);
  if (first === undefined) return { problem: `does not exist in ${zone}: the clocks go forward at that time` };
  if (second !== undefined)
    return { problem: `occurs twice in ${zone}, where the clocks go back at that time: write it with its UTC offset` };
  return { value: new Date(first).toISOString() };
}

type Parts = Readonly<Record<"year" | "month" | "day", string> & Partial<Record<"hour" | "minute" | "second", string>>>;

// Converts a text in a given format to yyyy-MM-ddTHH:mm:ss; null if the text does not match or the time does not exist,
// such as 30-02-2026.
function partsOf(text: string, format: string): string | null {
  const pattern = format.replace(LETTERS, (part) => PARTS[part] ?? `\\${part}`);
  const found = new RegExp(`^${pattern}$`).exec(text)?.groups as Parts | undefined;
  if (!found) return null;
  const { year, month, day, hour = "", minute = "00", second = "00" } = found;
  // Spreadsheets interpret two-digit years in the same way.
  const whole = year.length === 2 ? `${Number(year) < 30 ? 20 : 19}${year}` : year;
  const two = (part: string) => part.padStart(2, "0");
  const written = `${whole}-${two(month)}-${two(day)}T${two(hour)}:${minute}:${second}`;
  const time = Date.parse(`${written}Z`);
  return Number.isNaN(time) || !new Date(time).toISOString().startsWith(written) ? null : written;
}
