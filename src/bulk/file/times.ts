import { instantsAt } from "../../work/days.js";

const PARTS: Readonly<Record<string, string>> = {
  yyyy: "(?<year>\\d{4})",
  yy: "(?<year>\\d{2})",
  MMMM: "(?<month>\\p{L}+)",
  MMM: "(?<month>\\p{L}+)\\.?",
  MM: "(?<month>\\d{2})",
  M: "(?<month>\\d{1,2})",
  dd: "(?<day>\\d{2})",
  d: "(?<day>\\d{1,2})",
  HH: "(?<hour>\\d{2})",
  H: "(?<hour>\\d{1,2})",
  hh: "(?<hour>\\d{2})",
  h: "(?<hour>\\d{1,2})",
  mm: "(?<minute>\\d{2})",
  ss: "(?<second>\\d{2})",
  a: "(?<half>[AaPp])\\.?[Mm]\\.?",
};
const LETTERS = /yyyy|yy|M{1,4}|dd?|HH?|hh?|mm|ss|a|T|'[^']*'|[a-zA-Z]+|[^a-zA-Z]/g;
const isLiteral = (part: string) => part === "T" || part.startsWith("'");

/** True if a text is a format for days or, with hours and minutes, for times. Each part must occur exactly once. */
export function isFormat(format: unknown, what: "day" | "time"): boolean {
  if (typeof format !== "string") return false;
  const letters = (format.match(LETTERS) ?? []).filter((part) => /[a-zA-Z]/.test(part) && !isLiteral(part));
  const names = letters.map((part) => /<(\w+)>/.exec(PARTS[part] ?? "")?.[1] ?? "unknown");
  const found = names.sort().join();
  if (what === "day") return found === "day,month,year";
  const isHalf = letters.some((part) => part.startsWith("h"));
  return found.replace("half,", "") === found
    ? !isHalf && /^day,hour,minute,month,(second,)?year$/.test(found)
    : isHalf && /^day,half,hour,minute,month,(second,)?year$/.test(found);
}

/** The languages in which the names of countries and months are known, in addition to the machine's language. */
export const LANGUAGES = ["en", "nl", "de", "fr", "es", "it", "pt", "pl", "sv", "da"];

const MONTHS = new Map<string, number>();

/** The number of a month by its name or an abbreviation of at least three letters; null for other words. */
export function monthIn(name: string): number | null {
  if (MONTHS.size === 0) {
    for (const language of [undefined, ...LANGUAGES]) {
      for (const month of ["long", "short"] as const) {
        const { format } = new Intl.DateTimeFormat(language, { month, timeZone: "UTC" });
        for (let at = 11; at >= 0; at--) MONTHS.set(wordOf(format(Date.UTC(2026, at, 1))), at + 1);
      }
    }
  }
  const word = wordOf(name);
  const begins = [...MONTHS].filter(([known]) => word.length >= 3 && known.startsWith(word)).map(([, month]) => month);
  return MONTHS.get(word) ?? (new Set(begins).size === 1 ? (begins[0] ?? null) : null);
}

const wordOf = (text: string) => text.normalize("NFC").toLowerCase().replace(/\.$/, "");

/** Converts a day in a given format to yyyy-MM-dd; ignores a time of 0:00 after it. Null if the text does not match. */
export function dayIn(text: string, format: string): string | null {
  return partsOf(text.replace(MIDNIGHT, ""), format)?.slice(0, 10) ?? null;
}

const MIDNIGHT = /[ T]0?0:00(:00(\.0+)?)?Z?$/;

/** Converts a local time in a given format and time zone to UTC. */
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

type Parts = Readonly<
  Record<"year" | "month" | "day", string> & Partial<Record<"hour" | "minute" | "second" | "half", string>>
>;

const PATTERNS = new Map<string, RegExp>();

function patternOf(format: string): RegExp {
  const known = PATTERNS.get(format);
  if (known) return known;
  const literal = (part: string) => part.replace(/^'|'$/g, "").replace(/[\^$.*+?()[\]{}|/\\]/g, "\\$&");
  const pattern = new RegExp(`^${format.replace(LETTERS, (part) => PARTS[part] ?? literal(part))}$`, "u");
  PATTERNS.set(format, pattern);
  return pattern;
}

// Converts a text in a given format to yyyy-MM-ddTHH:mm:ss; null if the text does not match or the time does not exist,
// such as 30-02-2026.
function partsOf(text: string, format: string): string | null {
  const found = patternOf(format).exec(text)?.groups as Parts | undefined;
  if (!found) return null;
  const { year, month, day, hour = "", minute = "00", second = "00", half } = found;
  // As in spreadsheets, two-digit years mean 1930 to 2029.
  const whole = year.length === 2 ? `${Number(year) < 30 ? 20 : 19}${year}` : year;
  const two = (part: string | number) => String(part).padStart(2, "0");
  const named = /\d/.test(month) ? month : (monthIn(month) ?? "");
  if (half !== undefined && !/^(0?[1-9]|1[0-2])$/.test(hour)) return null;
  const hours = half === undefined ? hour : (Number(hour) % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  const written = `${whole}-${two(named)}-${two(day)}T${two(hours)}:${minute}:${second}`;
  const time = Date.parse(`${written}Z`);
  return Number.isNaN(time) || !new Date(time).toISOString().startsWith(written) ? null : written;
}

/** Finds columns whose cells prove that the format has day and month in the wrong order. */
export class DayOrders {
  readonly #counts = new Map<string, { fit: number; readonly other: string; against: number }>();

  note(path: string, text: string, format: string): void {
    const other = swappedFormat(format);
    if (other === null) return;
    const [isRead, isOther] = [format, other].map((one) => (partsOf(text, one) ?? dayIn(text, one)) !== null);
    if (isRead === isOther) return;
    const counts = this.#counts.get(path) ?? { fit: 0, other, against: 0 };
    this.#counts.set(path, counts);
    counts[isRead ? "fit" : "against"]++;
  }

  /** A column where some cells fit only the other order, and none fit only the given one; null if there is none. */
  get wrong(): { readonly path: string; readonly other: string; readonly against: number } | null {
    for (const [path, { fit, other, against }] of this.#counts) if (fit === 0) return { path, other, against };
    return null;
  }
}

// The format with day and month in the other order; null if they are not next to each other.
function swappedFormat(format: string): string | null {
  const swapped = format.replace(/(M+)([^a-zA-Z]*)(d+)|(d+)([^a-zA-Z]*)(M+)/, "$3$6$2$5$1$4");
  return swapped === format || format.includes("MMM") ? null : swapped;
}
