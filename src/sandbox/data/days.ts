import { daysIn } from "../../work/days.js";

/** @internal */
export const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
// 1 January 1970 was a Thursday, four days before a Monday.
const FIRST_MONDAY_MS = 4 * DAY_MS;

/** The Monday of the week that contains a time, in a time zone, in milliseconds since the epoch. @internal */
export function mondayOf(time: number, zone: string): number {
  const day = Date.parse(daysIn(zone)(time));
  return Math.floor((day - FIRST_MONDAY_MS) / WEEK_MS) * WEEK_MS + FIRST_MONDAY_MS;
}

/** Converts days, counted from the Monday of the sandbox's week, to dates; earlier days are negative. */
export interface Days {
  /** A date and time in the service's format. The default hour is 9. */
  moment(days: number, hour?: number, minute?: number): string;
  day(days: number): string;
}

/** @internal */
export function daysFrom(monday: () => number): Days {
  const moment = (days: number, hour = 9, minute = 0) =>
    new Date(monday() + Math.floor(days) * DAY_MS + hour * 3_600_000 + minute * 60_000).toISOString();
  return { moment, day: (days) => moment(days, 0).slice(0, 10) };
}

/** @internal */
export function shiftTime(time: string, ms: number): string {
  return new Date(Date.parse(time) + ms).toISOString();
}
