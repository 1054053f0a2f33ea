import { InputError } from "../core/errors.js";
import { clockIn, daysAfter, instantOf, isDay } from "../work/days.js";
import { isZone } from "../work/zone.js";
import { timeIn } from "./file/times.js";

/** The amount by which `later` moves a day or a time: whole numbers, negative to move it back, default 0. */
export interface LaterBy {
  readonly days?: number | undefined;
  readonly weeks?: number | undefined;
  readonly months?: number | undefined;
}

/**
 * Moves a day or a time by days, weeks or months on the clock of a time zone: the local hour stays the same across
 * changes to and from summer time.
 * @param at a day such as `2030-03-04`, a time with a UTC offset, or a `Date`.
 * @param zone the school's `time_zone`; only times need it.
 * @returns a day for a day, a time in UTC for a time.
 * @throws InputError if an argument is invalid, if the day does not exist (one month after 31 January), or if the local
 * hour does not exist or occurs twice on that day, because the clocks change.
 * @example
 * console.log(later("2030-03-25T18:00:00.000Z", { weeks: 1 }, "Europe/Amsterdam")); // 2030-04-01T17:00:00.000Z
 */
export function later(at: string | Date, by: LaterBy, zone: string): string {
  const { days = 0, weeks = 0, months = 0 } = by;
  if (![days, weeks, months].every(Number.isSafeInteger))
    throw refusal("takes whole numbers of days, weeks and months");
  const move = (day: string) => daysAfter(monthsAfter(day, months), days + 7 * weeks);
  if (typeof at === "string" && isDay(at)) return move(at);
  const instant = instantOf(at);
  if (instant === null) throw refusal("takes a day such as 2030-03-04, a time with a UTC offset, or a Date");
  if (!isZone(zone)) throw refusal("needs a time zone, such as Europe/Amsterdam");
  const [day = "", hour = ""] = clockIn(zone)(instant).split("T");
  const local = `${move(day)} ${hour}`;
  const moved = timeIn(local, "yyyy-MM-dd HH:mm:ss", zone);
  if ("problem" in moved) throw refusal(`cannot move a time to ${local}, which ${moved.problem}`);
  const rest = ((instant % 1_000) + 1_000) % 1_000;
  return new Date(Date.parse(moved.value) + rest).toISOString();
}

function monthsAfter(day: string, months: number): string {
  const [year = 0, month = 0] = day.split("-").map(Number);
  const first = new Date(Date.UTC(year, month - 1 + months, 1)).toISOString();
  const moved = `${first.slice(0, 8)}${day.slice(8)}`;
  if (isDay(moved)) return moved;
  throw refusal(`cannot move ${day} by ${months} months: ${moved} does not exist`);
}

function refusal(message: string): InputError {
  return new InputError(`later ${message}.`, [{ path: "", message }]);
}
