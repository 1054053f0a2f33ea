import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "education-admin-sdk/bulk";
import { accountUpdateSchema, pickInput } from "education-admin-sdk/schemas";
import { sumOf } from "./counting.ts";
import { all, answered, type Solution, type Task, written } from "./task.ts";

const of = (name: string, question: string, solve: Solution, grade: Task["grade"]): Task => ({
  name,
  question,
  by: "program",
  options: {},
  solve,
  grade,
});

interface Person {
  readonly id: number;
  readonly email: string;
}

const ROWS = [
  { email: "cy@new.example", first_name: "Cy", last_name: "Eck" },
  { email: "sietse-placeholder-4@example.com", first_name: "Sietse", last_name: "Placeholder" },
];

/** Tasks whose solutions are programs: every method they call stands in the skill. */
export const PROGRAMS: readonly Task[] = [
  of(
    "program: what is owed",
    "How much is open on all open invoices together, as decimal text?",
    async ({ client }) => {
      const amounts: string[] = [];
      for await (const invoice of client.invoices.list({ status: ["open"] })) amounts.push(invoice.total_open);
      return sumOf(amounts);
    },
    answered((records) => {
      const invoices = all<{ status: string; total_open: string }>(records, "invoices");
      return sumOf(invoices.filter(({ status }) => status === "open").map(({ total_open }) => total_open));
    }, 12),
  ),
  of(
    "program: newest orders",
    "The ids of the five newest orders?",
    async ({ client }) => {
      const orders = await client.orders.list({ sort: ["created_at:desc"] }).toArray({ max: 5 });
      return orders.map(({ id }) => id);
    },
    answered((records) => {
      const orders = all<{ id: number; created_at: string }>(records, "orders");
      return orders
        .sort((one, other) => (one.created_at < other.created_at ? 1 : -1))
        .slice(0, 5)
        .map(({ id }) => id);
    }, 2),
  ),
  of(
    "program: a class",
    "The e-mail addresses of the students of planned course 1 whose enrollments are completed, in alphabetical order?",
    async ({ client }) => {
      const emails: string[] = [];
      for await (const { student, status } of client.enrollments
        .list({ planned_course_id: 1 })
        .with({ student: true })) {
        if (status === "completed") emails.push(student?.email ?? "");
      }
      return emails.sort();
    },
    answered((records) => {
      const users = new Map(all<Person>(records, "users").map(({ id, email }) => [id, email]));
      return all<{ planned_course_id: number; student_id: number; status: string }>(records, "enrollments")
        .filter(({ planned_course_id, status }) => planned_course_id === 1 && status === "completed")
        .map(({ student_id }) => users.get(student_id) ?? "")
        .sort();
    }, 20),
  ),
  of(
    "program: some users",
    "The e-mail addresses of users 7, 999999 and 1, in this order, null where there is none?",
    async ({ client }) => {
      const users = await client.users.getMany([7, 999_999, 1]);
      return users.map((user) => user?.email ?? null);
    },
    answered((records) => {
      const users = new Map(all<Person>(records, "users").map(({ id, email }) => [id, email]));
      return [users.get(7), null, users.get(1)];
    }, 13),
  ),
  of(
    "program: a course by its code",
    "The id of the course C-0004?",
    async ({ client }) => (await client.courses.lookup("code").get("C-0004"))?.id,
    answered(
      (records) => all<{ id: number; code: string }>(records, "courses").find(({ code }) => code === "C-0004")?.id,
      3,
    ),
  ),
  of(
    "program: a telephone number",
    "Set the telephone number of account 4 to +31 20 765 4321; change nothing else.",
    async ({ client }) => {
      const account = await client.accounts.get(4);
      await client.accounts.update(4, { ...pickInput(accountUpdateSchema, account), phone: "+31 20 765 4321" });
    },
    written(() => [{ collection: "accounts", id: 4, fields: { phone: "+31 20 765 4321" } }], 2),
  ),
  of(
    "program: newcomers",
    "Add the users cy@new.example (Cy Eck) and sietse-placeholder-4@example.com (Sietse Placeholder), unless they are there.",
    async ({ client }) => {
      const folder = await mkdtemp(join(tmpdir(), "evals-"));
      await run(client.users, ROWS, {
        to: join(folder, "users.plan"),
        key: "email",
        confirm: ({ update }) => update === 0,
      });
      await rm(folder, { recursive: true });
    },
    written(() => [{ collection: "users", id: null, fields: { email: "cy@new.example", last_name: "Eck" } }], 11),
  ),
];
