import * as z from "zod/mini";
import { onTheWire } from "../core/model.js";

/** A point in time as the service writes it: `yyyy-MM-ddTHH:mm:ss.SSSZ`. */
export function dateTime(): z.ZodMiniType<string, string> {
  return onTheWire(z.string(), { type: "string", format: "date-time" });
}

/** A calendar day as the service writes it: `yyyy-MM-dd`. */
export function date(): z.ZodMiniType<string, string> {
  return onTheWire(z.string(), { type: "string", format: "date" });
}

/** A point in time as sent: text of the form `yyyy-MM-ddTHH:mm:ss.SSSZ`, or a `Date`, written in that form. */
export function dateTimeInput(): z.ZodMiniType<string, string | Date> {
  return textOrDate(
    "date-time",
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/,
    "must be a Date or text of the form yyyy-MM-ddTHH:mm:ss.SSSZ",
    (value) => value.toISOString(),
  );
}

/**
 * A calendar day as sent: text of the form `yyyy-MM-dd`, or a `Date`, of which the UTC day is written, so that the
 * same value gives the same day on every machine.
 */
export function dateInput(): z.ZodMiniType<string, string | Date> {
  return textOrDate("date", /^\d{4}-\d{2}-\d{2}$/, "must be a Date or text of the form yyyy-MM-dd", (value) =>
    value.toISOString().slice(0, 10),
  );
}

function textOrDate(
  format: "date" | "date-time",
  form: RegExp,
  message: string,
  write: (value: Date) => string,
): z.ZodMiniType<string, string | Date> {
  // Written back and compared: 2026-02-30 has the form, but names no day.
  const isReal = (value: string) => {
    const time = Date.parse(value);
    return !Number.isNaN(time) && write(new Date(time)) === value;
  };
  const text = z.string().check(z.refine((value) => form.test(value) && isReal(value), message));
  const value = z.pipe(
    // Years past 9999 are written with a sign and six digits, which is not the service's form.
    z.date().check(z.refine((value) => form.test(write(value)), message)),
    z.transform(write),
  );
  const schema = onTheWire(z.union([text, value], message), { type: "string", format, pattern: form.source });
  return schema as unknown as z.ZodMiniType<string, string | Date>;
}
