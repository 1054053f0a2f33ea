import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { createSandbox, type SandboxOptions, type Store } from "../../src/sandbox/index.js";
import { takeTwin } from "../../src/twin/index.js";
import { drawCases } from "../support/amount.js";

interface Question {
  readonly id: string;
  readonly question: string;
  readonly records: readonly Exclude<keyof Store, "organization">[];
  /** The body of a function that finds the records that answer; `how` in the file describes it. */
  readonly condition: string;
  readonly least: Readonly<Record<"small" | "medium", number>>;
  readonly on: "every day" | "Monday to Friday";
}

const { questions } = JSON.parse(readFileSync(new URL("office-questions.json", import.meta.url), "utf8")) as {
  questions: Question[];
};

const ANSWERS = questions.map((question) => ({
  ...question,
  answer: new Function(`{ ${question.records.join(", ")} }`, "at", question.condition) as (
    school: object,
    at: ReturnType<typeof dayAt>,
  ) => unknown[],
}));

// A week, ends of months and of a year, 29 February and 1 January.
const WEEK = ["2026-11-23", "2026-11-24", "2026-11-25", "2026-11-26", "2026-11-27", "2026-11-28", "2026-11-29"];
const DAYS = [...WEEK, "2026-11-30", "2026-12-31", "2027-01-01", "2027-01-31", "2027-03-31", "2028-02-29"];

function dayAt(now: string, timeZone: string) {
  const local = new Intl.DateTimeFormat("en-CA", { timeZone });
  const dayOf = (text: string | null) => (text && text.length > 10 ? local.format(new Date(text)) : text || null);
  const today = dayOf(now) as string;
  const noon = Date.parse(`${today}T12:00:00Z`);
  const day = (days: number) => new Date(noon + days * 86_400_000).toISOString().slice(0, 10);
  const weekday = (new Date(noon).getUTCDay() + 6) % 7;
  return {
    now,
    today,
    month: today.slice(0, 7),
    weekday,
    monday: day(-weekday),
    sunday: day(6 - weekday),
    day,
    dayOf,
    within: (text: string | null, from: number, to: number) => {
      const on = dayOf(text);
      return on !== null && on >= day(from) && on <= day(to);
    },
    cents: (text: string | null) => Math.round(Number(text ?? 0) * 100),
  };
}

// The questions with fewer answers than a school of this size has.
function unanswered(options: SandboxOptions, least: "small" | "medium"): string[] {
  const { store } = createSandbox(options);
  const at = dayAt(String(options.now), store.educators.at(0)?.time_zone ?? "UTC");
  const names = new Set(questions.flatMap(({ records }) => records));
  const school = Object.fromEntries([...names].map((name) => [name, [...store[name]]]));
  return ANSWERS.flatMap(({ id, answer, least: wanted, on }) => {
    const count = answer(school, at).length;
    const isOff = on !== "every day" && at.weekday > 4;
    return count >= wanted[least] || isOff ? [] : [`${id}: ${count} of ${wanted[least]}`];
  });
}

const twinOf = (size: SandboxOptions["size"]) =>
  takeTwin(new MainClient(createSandbox({ size, now: `${DAYS[0]}T09:00:00.000Z`, rateLimit: false })));
const TWINS = { small: await twinOf("small"), "120": await twinOf(120), medium: await twinOf("medium") };

describe("an office's questions about today have answers", () => {
  test.each(drawCases(DAYS, 3))("on %s", (day) => {
    const now = `${day}T09:00:00.000Z`;
    for (const size of ["small", "medium"] as const) expect(unanswered({ size, now }, size), size).toEqual([]);
    // A twin has at most 200 people.
    for (const [of, twin] of Object.entries(TWINS)) {
      expect(unanswered({ twin, now }, "small"), `the twin of ${of}`).toEqual([]);
    }
  });

  test.each(drawCases([26, 29, 45, 60, 200], 2))("with %i people, until the week of the school ends", (size) => {
    for (const time of ["2026-11-23T09:00", "2026-11-28T09:00", "2026-11-29T23:01"]) {
      expect(unanswered({ size, now: `${time}:00.000Z` }, "small"), time).toEqual([]);
    }
  });

  test.each(drawCases([2, 3, 4], 1))("with seed %i", (seed) => {
    const now = "2026-11-26T20:00:00.000Z";
    expect(unanswered({ size: "small", seed, now }, "small")).toEqual([]);
    expect(unanswered({ twin: TWINS.small, seed, now }, "small")).toEqual([]);
  });
});
