import * as z from "zod/mini";
import { onTheWire, rule } from "../core/schema/model.js";

/** A point in time as the service writes it: `yyyy-MM-ddTHH:mm:ss.SSSZ`. */
export function dateTime(): z.ZodMiniType<string, string> {
  return onTheWire(z.string(), { type: "string", format: "date-time" });
}

/** The fields with the times of a record's last change and its creation. */
export const timestamps = () => ({
  /** When the record was last changed. */
  updated_at: dateTime(),
  /** When the record was created. */
  created_at: dateTime(),
});

/** A calendar day as the service writes it: `yyyy-MM-dd`. */
export function date(): z.ZodMiniType<string, string> {
  return onTheWire(z.string(), { type: "string", format: "date" });
}

/**
 * A day or a point in time that the service's documents describe only as text. The names of these fields reveal the
 * type: days are called `date` or `…_date`, points in time `…_at` or `…_date_time`.
 */
export { string as dayText, string as timeText } from "zod/mini";

/** A point in time that is not a `Date`, such as a `Temporal.Instant` or `Temporal.ZonedDateTime`. */
export interface InstantLike {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly epochMilliseconds: number;
}

const DATE_TIME = "must be a valid Date, a Temporal.Instant or a valid time with a zone, such as 2030-07-01T08:00:00Z";
/** A calendar day that is not a `Date`: a `Temporal.PlainDate`. */
export interface DayLike {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  /** Excludes a `Temporal.ZonedDateTime`, whose day depends on its zone. */
  readonly hour?: undefined;
}

const DATE = "must be a valid Date, a Temporal.PlainDate or an existing day in the form yyyy-MM-dd";

/**
 * A point in time as sent: a `Date`, an {@link InstantLike}, text in UTC or with an offset (RFC 3339, up to nine
 * decimals), or an object whose `toString` writes such text. Written in UTC, as `yyyy-MM-ddTHH:mm:ss.SSSZ`; fractions
 * of a millisecond are cut off.
 */
export function dateTimeInput(): z.ZodMiniType<string, string | Date | InstantLike> {
  return input<string | Date | InstantLike>(
    "date-time",
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/,
    DATE_TIME,
    (value) => {
      if (typeof value === "string") return writeInstant(value);
      const time = value instanceof Date ? value.getTime() : (value as Partial<InstantLike>).epochMilliseconds;
      if (typeof time === "number") return new Date(time).toISOString();
      return value instanceof Date || Array.isArray(value) ? null : writeInstant(String(value));
    },
  );
}

/**
 * A calendar day as sent: text of the form `yyyy-MM-dd`, a {@link DayLike}, or a `Date`, whose UTC day is sent, so that
 * the same value gives the same day on every machine.
 */
export function dateInput(): z.ZodMiniType<string, string | Date | DayLike> {
  return input<string | Date | DayLike>("date", /^\d{4}-\d{2}-\d{2}$/, DATE, writeDay);
}

/**
 * Like {@link dateInput}, but for a field whose format the service description does not show: a time with a time zone
 * also passes, unchanged.
 */
export function looseDateInput(): z.ZodMiniType<string, string | Date | DayLike> {
  const form = /^\d{4}-\d{2}-\d{2}(T.*)?$/;
  return input<string | Date | DayLike>("date", form, `${DATE}, or a valid time with a zone`, (value) =>
    typeof value === "string" && writeInstant(value) !== null ? value : writeDay(value),
  );
}

// Refuses a Temporal object with a time or a non-ISO calendar, because its text contains more than the day.
function writeDay(value: string | object): string | null {
  if (value instanceof Date) return value.toISOString().slice(0, 10);
  const text = Array.isArray(value) ? "" : String(value);
  return new Date(text).toISOString().startsWith(text) ? text : null;
}

const INSTANT = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

// Null if the text is not a point in time: 2030-02-30 has the right form, but does not exist.
function writeInstant(text: string): string | null {
  const day = INSTANT.exec(text)?.[1];
  return day !== undefined && new Date(day).toISOString().startsWith(day) ? new Date(text).toISOString() : null;
}

// Refuses values that cannot be written, including years after 9999, which do not fit the service's format.
function input<Input>(
  format: "date" | "date-time",
  form: RegExp,
  message: string,
  write: (value: Input | object) => string | null,
): z.ZodMiniType<string, Input> {
  const writeValue = (value: unknown): string | null => {
    if (typeof value !== "string" && (typeof value !== "object" || value === null)) return null;
    try {
      return write(value as Input | object);
    } catch {
      // The value is an invalid Date or an object that cannot be converted to text.
      return null;
    }
  };
  const schema = z.pipe(
    z.unknown().check(
      // Empty for a missing value, so that the usual message is shown.
      rule(
        (value) => form.test(writeValue(value) ?? ""),
        (value) => (value === undefined || value === null ? "" : message),
      ),
    ),
    z.transform((value) => writeValue(value) as string),
  );
  return onTheWire(schema, { type: "string", format, pattern: form.source }) as unknown as z.ZodMiniType<string, Input>;
}
