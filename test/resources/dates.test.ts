import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { drawCases } from "../support/amount.js";
import { issuesOf, wire } from "./support/wire.js";

const run = promisify(execFile);
const meeting = { name: null, end_date_time: "2030-06-30T10:00:00.000Z" };
const TEXT_OF_MOMENT =
  "must be a valid Date, a Temporal.Instant or a valid time with a zone, such as 2030-07-01T08:00:00Z";
const TEXT_OF_DAY = "must be a valid Date, a Temporal.PlainDate or an existing day in the form yyyy-MM-dd";

describe("date-times in a request", () => {
  test.each([
    ["a Date", new Date(Date.UTC(2030, 5, 30, 8, 5, 7, 40)), "2030-06-30T08:05:07.040Z"],
    ["a Date before the year 1000", new Date("0999-01-02T03:04:05.006Z"), "0999-01-02T03:04:05.006Z"],
    ["a Date of a leap day", new Date(Date.UTC(2028, 1, 29, 23, 59, 59, 999)), "2028-02-29T23:59:59.999Z"],
    ["text in the exact form", "2030-06-30T08:05:07.040Z", "2030-06-30T08:05:07.040Z"],
    ["text with an offset", "2030-06-30T00:05:07.040+02:00", "2030-06-29T22:05:07.040Z"],
    ["text with a negative offset and no decimals", "2030-06-30T22:05:07-03:30", "2030-07-01T01:35:07.000Z"],
  ])("%s is sent in the exact format", async (_, given, sent) => {
    const { main, body, query } = wire();
    await main.meetings.createForPlannedCourse(1, { ...meeting, start_date_time: given });
    expect(JSON.parse(body() ?? "").start_date_time).toBe(sent);
    await main.meetings.list({ start: given });
    expect(query()).toBe(`start=${encodeURIComponent(sent)}`);
  });

  test.each([
    ["of an hour that does not exist, with an offset", "2030-06-30T24:00:00.000+02:00"],
    ["of a day that does not exist, with an offset", "2030-02-30T08:05:07.040+02:00"],
    ["with an offset that does not exist", "2030-06-30T08:05:07.040+25:00"],
    ["without a zone", "2030-06-30T08:05:07.040"],
    ["with a space for the T", "2030-06-30 08:05:07.040Z"],
    ["of a day that does not exist", "2030-02-30T08:05:07.040Z"],
    ["of an hour that does not exist", "2030-06-30T24:00:00.000Z"],
    ["of a leap day in a common year", "2030-02-29T00:00:00.000Z"],
    ["with white space around", " 2030-06-30T08:05:07.040Z"],
    ["that is a day only", "2030-06-30"],
    ["that is empty", ""],
  ])("text %s is refused", async (_, given) => {
    const { main, calls } = wire();
    const issues = await issuesOf(main.meetings.createForPlannedCourse(1, { ...meeting, start_date_time: given }));
    expect(issues).toEqual([{ path: "start_date_time", message: TEXT_OF_MOMENT }]);
    expect(await issuesOf(main.meetings.list({ start: given }))).toEqual([{ path: "start", message: TEXT_OF_MOMENT }]);
    expect(calls).toEqual([]);
  });

  test.each([
    ["a number of milliseconds", Date.UTC(2030, 5, 30)],
    ["an invalid Date", new Date(Number.NaN)],
    ["a Date past the year 9999", new Date(Date.UTC(10000, 0, 1))],
    ["an object with a toISOString", { toISOString: (): string => "2030-06-30T08:05:07.040Z" }],
  ])("%s is refused", async (_, given) => {
    const { main, calls } = wire();
    const issues = await issuesOf(main.meetings.update(1, { start_date_time: given as unknown as Date }));
    expect(issues).toEqual([{ path: "start_date_time", message: TEXT_OF_MOMENT }]);
    expect(calls).toEqual([]);
  });
});

describe("dates in a request", () => {
  test.each([
    ["text in the exact form", "2030-06-30", "2030-06-30"],
    ["a Date at the start of a UTC day", new Date(Date.UTC(2030, 5, 30)), "2030-06-30"],
    ["a Date in the last millisecond of a UTC day", new Date(Date.UTC(2030, 5, 30, 23, 59, 59, 999)), "2030-06-30"],
    // Imitates the class, which Node 26 has.
    ["a Temporal.PlainDate", { year: 2030, month: 6, day: 30, toString: (): string => "2030-06-30" }, "2030-06-30"],
  ])("%s is sent as that day", async (_, given, sent) => {
    const { main, body, query } = wire();
    await main.enrollments.update(1, { end_date: given });
    expect(body()).toBe(`{"end_date":"${sent}"}`);
    await main.organization.courseEnrollments.list({ end_date_until: given });
    expect(query()).toBe(`end_date_until=${sent}`);
  });

  test.each([
    ["a date-time", "2030-06-30T00:00:00.000Z"],
    ["a day that does not exist", "2030-02-30"],
    ["a day without leading zeros", "2030-6-3"],
    ["a day in another order", "30-06-2030"],
    ["nothing", ""],
    ["a number", 20300630 as unknown as string],
    ["an invalid Date", new Date(Number.NaN)],
    ["an array", ["2030-06-30"] as unknown as string],
    ["a day of another calendar", { year: 5790, month: 9, day: 29, toString: (): string => "2030-06-30[u-ca=hebrew]" }],
  ])("%s is refused", async (_, given) => {
    const { main, calls } = wire();
    expect(await issuesOf(main.enrollments.update(1, { end_date: given }))).toEqual([
      { path: "end_date", message: TEXT_OF_DAY },
    ]);
    expect(calls).toEqual([]);
  });

  test("null removes the end date", async () => {
    const { main, body } = wire();
    await main.enrollments.update(1, { end_date: null });
    expect(body()).toBe('{"end_date":null}');
  });
});

// Each zone has its own process, because a process reads its time zone only once. The moments include Amsterdam's clock
// changes.
describe.each(drawCases(["Pacific/Midway", "Pacific/Kiritimati", "Europe/Amsterdam"], 1))(
  "in the time zone %s",
  (zone) => {
    test("the same Dates are sent as the same moments and days as elsewhere", async () => {
      const moments = [
        Date.UTC(2030, 0, 1),
        Date.UTC(2030, 2, 31, 0, 59, 59, 999),
        Date.UTC(2030, 2, 31, 1),
        Date.UTC(2030, 9, 27, 0, 30),
        Date.UTC(2030, 9, 27, 1, 30),
        Date.UTC(2030, 11, 31, 23, 59, 59, 999),
      ];
      const { sent, offset } = await sendIn(zone, moments);
      expect(offset, "the zone is in force").not.toBe(0);
      expect(sent).toEqual(
        moments.map((moment) => [new Date(moment).toISOString(), new Date(moment).toISOString().slice(0, 10)]),
      );
    });
  },
);

async function sendIn(zone: string, moments: number[]): Promise<{ sent: string[][]; offset: number }> {
  const program = fileURLToPath(new URL("support/send-dates.ts", import.meta.url));
  const { stdout } = await run(process.execPath, [program, JSON.stringify(moments)], {
    env: { ...process.env, TZ: zone },
  });
  return JSON.parse(stdout) as { sent: string[][]; offset: number };
}
