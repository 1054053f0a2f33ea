const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/;

/** True if a text is an existing day, written as `yyyy-MM-dd`. */
export function isDay(text: string): boolean {
  return DAY.test(text) && dayOfUtc(Date.parse(text)) === text;
}

/** Milliseconds since the epoch of a `Date`, or of text with a time and a UTC offset; null for anything else. */
export function instantOf(value: unknown): number | null {
  const text = value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString() : value;
  const day = typeof text === "string" ? INSTANT.exec(text)?.[1] : undefined;
  return day !== undefined && isDay(day) ? Date.parse(text as string) : null;
}

export function daysAfter(day: string, days: number): string {
  return dayOfUtc(Date.parse(day) + days * DAY_MS);
}

export function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS;
}

// Kept, because making a format takes about twenty times as long as using it.
const FORMATS = /* @__PURE__ */ new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = FORMATS.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  FORMATS.set(zone, format);
  return format;
}

/**
 * Makes a function that returns the local time in a time zone, as `yyyy-MM-ddTHH:mm:ss`.
 * @throws RangeError if the time zone does not exist.
 */
export function clockIn(zone: string): (instant: number) => string {
  const format = formatOf(zone);
  return (instant) => {
    const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]));
    const { year = "", month, day, hour, minute, second } = parts;
    return `${year.padStart(4, "0")}-${month}-${day}T${hour}:${minute}:${second}`;
  };
}

/**
 * The instants at which the clocks of a time zone show a local time, in order: usually one, but none or two if the
 * clocks change at that time. @param local as `yyyy-MM-ddTHH:mm`, with or without seconds.
 */
export function instantsAt(local: string, zone: string): readonly number[] {
  return candidatesFor(local, zone)
    .filter(({ isExact }) => isExact)
    .map(({ instant }) => instant);
}

/** The first instant at a local time. A time that the clocks skip is moved forward by the skipped amount. */
export function instantAt(local: string, zone: string): number {
  const all = candidatesFor(local, zone);
  return (all.find(({ isExact }) => isExact) ?? all.at(-1))?.instant ?? Number.NaN;
}

function candidatesFor(local: string, zone: string) {
  const clock = clockIn(zone);
  const localTime = (instant: number) => Date.parse(`${clock(instant)}Z`);
  const wanted = Date.parse(`${local}Z`);
  // At the wanted time, the zone has the same offset as one day earlier or one day later.
  const offsets = [wanted - DAY_MS, wanted + DAY_MS].map((near) => localTime(near) - near);
  const instants = [...new Set(offsets.map((offset) => wanted - offset))].sort((a, b) => a - b);
  return instants.map((instant) => ({ instant, isExact: localTime(instant) === wanted }));
}

/**
 * Makes a function that returns the day, `yyyy-MM-dd`, on which an instant falls in a time zone.
 * @throws RangeError if the time zone does not exist.
 */
export function daysIn(zone: string): (instant: number) => string {
  const clock = clockIn(zone);
  return (instant) => clock(instant).replace(/T.*/, "");
}

function dayOfUtc(instant: number): string {
  return Number.isNaN(instant) ? "" : new Date(instant).toISOString().slice(0, 10);
}
