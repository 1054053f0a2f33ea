import { expect, test } from "vitest";
import { assistantTools } from "../../src/assistant/index.js";
import { tokensOf } from "../../src/assistant/tokens.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { options } from "../support/clients.js";

const sandbox = createSandbox({ size: process.env.TEST_ALL ? "medium" : "small", rateLimit: false });
const client = new MainClient({ ...options(), ...sandbox, fetch: sandbox.fetch, clock: sandbox.clock });
const day = (days: number) => new Date(sandbox.clock.now() + days * 86_400_000).toISOString().slice(0, 10);
const all = {
  invoices: await client.invoices.list().toArray(),
  leads: await client.leads.list().toArray(),
  users: await client.users.list().toArray(),
  enrollments: await client.enrollments.list().toArray(),
  planned: await client.plannedCourses.list().toArray(),
  attendances: await client.attendances
    .list()
    .toArray()
    .catch(() => []),
};
const person = all.users[Math.floor(all.users.length / 2)] as (typeof all.users)[number];
const cents = (text: string) => BigInt(text.replace(".", ""));
const dayIn = (text: string) => new Date(text).toLocaleDateString("sv-SE", { timeZone: "Europe/Amsterdam" });

type Call = readonly ["read" | "count", object];

// What an administrator asks, the calls that the descriptions lead to, and how many records the last one is about, found without the tools.
const QUESTIONS: readonly (readonly [question: string, calls: readonly Call[], records: number])[] = [
  [
    "Who has not paid?",
    [["count", { from: "invoices", by: "account_name", having: "total_open>0", sum: "total_open" }]],
    all.invoices.filter((one) => cents(one.total_open) > 0n).length,
  ],
  [
    "Whose open invoice has expired?",
    [["count", { from: "invoices", where: { status: "open" }, having: `expiration_date<today` }]],
    all.invoices.filter(
      (one) =>
        one.status === "open" && (one.expiration_date ?? "9") < dayIn(new Date(sandbox.clock.now()).toISOString()),
    ).length,
  ],
  [
    "Which leads are new since last week?",
    [["count", { from: "leads", having: "created_at>=today-7" }]],
    all.leads.filter((one) => dayIn(one.created_at) >= day(-7)).length,
  ],
  [
    "Which leads have we won?",
    [["count", { from: "leads", having: "status=won" }]],
    all.leads.filter((one) => one.status === "won").length,
  ],
  [
    "Who is this person?",
    [["count", { from: "users", having: `first_name="${person.first_name}" and last_name="${person.last_name}"` }]],
    all.users.filter((one) => one.first_name === person.first_name && one.last_name === person.last_name).length,
  ],
  [
    "What does this person take part in?",
    [
      ["read", { from: "users", having: `last_name="${person.last_name}"`, fields: ["id"] }],
      ["count", { from: "enrollments", where: { student_id: person.id } }],
    ],
    all.enrollments.filter((one) => one.student_id === person.id).length,
  ],
  [
    "Which courses have fewer than five?",
    [["count", { from: "plannedCourses", having: "current_participants<5" }]],
    all.planned.filter((one) => one.current_participants < 5).length,
  ],
  [
    "Which courses next month have free places?",
    [
      [
        "count",
        {
          from: "plannedCourses",
          where: { start_date_from: day(1), start_date_until: day(60) },
          having: "available_places=true",
        },
      ],
    ],
    all.planned.filter(
      (one) => (one.start_date ?? "") >= day(1) && (one.start_date ?? "") <= day(60) && one.available_places,
    ).length,
  ],
  [
    "Who cancelled this year?",
    [
      [
        "count",
        { from: "enrollments", where: { status: "canceled" }, having: `updated_at>=${day(0).slice(0, 4)}-01-01` },
      ],
    ],
    all.enrollments.filter((one) => one.status === "canceled" && dayIn(one.updated_at) >= `${day(0).slice(0, 4)}-01-01`)
      .length,
  ],
  [
    "What is our income by month?",
    [["count", { from: "invoices", by: "created_at:month", sum: "total_incl" }]],
    all.invoices.length,
  ],
  [
    "What is open in each currency?",
    [["count", { from: "invoices", by: "currency", sum: "total_open" }]],
    all.invoices.length,
  ],
  [
    "Who failed?",
    [["count", { from: "enrollments", having: "graduation_state=failed" }]],
    all.enrollments.filter((one) => one.graduation_state === "failed").length,
  ],
  [
    "Who teaches?",
    [["count", { from: "users", where: { role: "teacher" } }]],
    all.users.filter((one) => one.roles.includes("teacher")).length,
  ],
  [
    "Whom can we not write to?",
    [["count", { from: "users", having: 'email=""' }]],
    all.users.filter((one) => !one.email).length,
  ],
  [
    "Who is absent often?",
    [["count", { from: "attendances", by: "enrollment_id", having: "state=absent" }]],
    all.attendances.filter((one) => one.state === "absent").length,
  ],
];

test.each(QUESTIONS)("%s", async (_, calls, records) => {
  const tools = assistantTools(client, { show: ["names", "contact"] });
  expect(calls.length).toBeLessThanOrEqual(3);
  let answer: unknown;
  for (const [name, input] of calls) {
    answer = await tools.find((tool) => tool.name === name)?.execute(input);
    expect(answer).not.toHaveProperty("error");
    expect(tokensOf(JSON.stringify(answer))).toBeLessThanOrEqual(3_000);
  }
  const { count, complete } = answer as { count: number; complete: boolean };
  if (complete) expect(count).toBe(records);
  else expect(count).toBeLessThan(records);
});
