import { type Answer, all, answered, type Records, type Solution, type Task } from "./task.ts";

interface Money {
  readonly status: string;
  readonly currency: string;
  readonly account_id: number;
  readonly total_open: string;
  readonly total_incl: string;
}

const of = (
  name: string,
  question: string,
  expected: (records: Records) => unknown,
  most: number,
  solve: Solution,
): Task => ({
  name,
  question,
  by: "tools",
  options: {},
  solve,
  grade: answered(expected, most),
});

/** Adds up decimal text without rounding. */
export function sumOf(amounts: readonly string[]): string {
  const cents = amounts
    .reduce((sum, amount) => sum + BigInt(amount.replace(".", "")), 0n)
    .toString()
    .padStart(3, "0");
  return `${cents.slice(0, -2)}.${cents.slice(-2)}`;
}

const cell = (answer: Answer, first: string, column = 1) =>
  answer.rows.find(([name]) => name === first)?.[column] ?? null;

// Amounts of several currencies have a sum each.
const eurosOf = (sums: unknown) => (sums as { readonly EUR?: string } | undefined)?.EUR ?? null;

/** Tasks that count and add up. */
export const COUNTING: readonly Task[] = [
  of(
    "teachers",
    "How many users are teachers? Answer with a number.",
    (records) => all<{ roles: string[] }>(records, "users").filter(({ roles }) => roles.includes("teacher")).length,
    1,
    async ({ count }) => (await count({ from: "users", where: { role: "teacher" } })).count,
  ),
  of(
    "what is owed",
    "How many euros are still open on all open invoices together? Answer with decimal text.",
    (records) =>
      sumOf(
        all<Money>(records, "invoices")
          .filter(({ status, currency }) => status === "open" && currency === "EUR")
          .map(({ total_open }) => total_open),
      ),
    4,
    async ({ count }) =>
      eurosOf((await count({ from: "invoices", where: { status: "open" }, sum: "total_open" })).sum_total_open),
  ),
  of(
    "turnover by status",
    "What is total_incl of all invoices in euros, for each status? Answer with a list of [status, decimal text], statuses in alphabetical order.",
    (records) => {
      const euros = all<Money>(records, "invoices").filter(({ currency }) => currency === "EUR");
      const found = Map.groupBy(euros, ({ status }) => status);
      return [...found]
        .map(([status, invoices]) => [status, sumOf(invoices.map(({ total_incl }) => total_incl))])
        .sort(([a = ""], [b = ""]) => (a < b ? -1 : 1));
    },
    11,
    async ({ count }) => {
      const { rows } = await count({ from: "invoices", by: "status", sum: "total_incl" });
      return rows.map(([status, , sum]) => [status, eurosOf(sum)]).sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
    },
  ),
  of(
    "leads of a month",
    "How many leads came in June 2025? Answer with a number.",
    (records) =>
      all<{ created_at: string }>(records, "leads").filter(({ created_at }) => created_at.startsWith("2025-06")).length,
    5,
    async ({ count }) => cell(await count({ from: "leads", by: "created_at:month" }), "2025-06"),
  ),
  of(
    "orders to judge",
    "How many orders wait for a decision (requested)? Answer with a number.",
    (records) => all<{ status: string }>(records, "orders").filter(({ status }) => status === "requested").length,
    11,
    async ({ count }) => cell(await count({ from: "orders", by: "status" }), "requested"),
  ),
  of(
    "completed enrollments",
    "How many enrollments are completed? Answer with a number.",
    (records) => all<{ status: string }>(records, "enrollments").filter(({ status }) => status === "completed").length,
    2,
    async ({ count }) => (await count({ from: "enrollments", where: { status: "completed" } })).count,
  ),
  of(
    "an account's turnover",
    "What is total_incl of all invoices of account 31? Answer with decimal text.",
    (records) =>
      sumOf(
        all<Money>(records, "invoices")
          .filter(({ account_id }) => account_id === 31)
          .map(({ total_incl }) => total_incl),
      ),
    2,
    async ({ count }) =>
      (await count({ from: "invoices", where: { account_id: 31 }, sum: "total_incl" })).sum_total_incl,
  ),
  of(
    "dates of a course",
    "How many planned courses has course 3? Answer with a number.",
    (records) =>
      all<{ course_id: number }>(records, "plannedCourses").filter(({ course_id }) => course_id === 3).length,
    2,
    async ({ count }) => (await count({ from: "plannedCourses", where: { course_id: 3 } })).count,
  ),
  of(
    "who came",
    "How many came to meeting 1 (attended)? Answer with a number.",
    (records) =>
      all<{ meeting_id: number; state: string }>(records, "attendances").filter(
        ({ meeting_id, state }) => meeting_id === 1 && state === "attended",
      ).length,
    2,
    async ({ count }) => cell(await count({ from: "attendances", where: { meeting_id: 1 }, by: "state" }), "attended"),
  ),
  of(
    "languages",
    "Which locale have most users? Answer with its code.",
    (records) => {
      const found = Map.groupBy(all<{ locale: string }>(records, "users"), ({ locale }) => locale);
      return [...found].sort(([, one], [, other]) => other.length - one.length)[0]?.[0];
    },
    11,
    async ({ count }) => (await count({ from: "users", by: "locale" })).rows[0]?.[0],
  ),
];
