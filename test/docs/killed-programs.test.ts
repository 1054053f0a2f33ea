import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { rowsOf } from "../../src/bulk/node.ts";
import { createSandbox, type Fault, type Sandbox } from "../../src/sandbox/index.ts";
import { listen } from "../../src/sandbox/node.ts";
import { drawCases } from "../support/amount.ts";
import { type RunningProgram, start } from "../support/program.ts";
import { makeFolder } from "../support/type-check.ts";
import { documents, fencesOf, programsOf } from "./support/code-blocks.ts";
import { writeSheetOf } from "./support/sheet-of.ts";
import { writeTask } from "./support/tasks.ts";

// Tests every program in the guides that writes many records: kills it during a write, then starts it twice.

const DEATHS: readonly (readonly [string, Fault])[] = [
  ["before the service has carried the write out", {}],
  ["after the service has carried the write out", { applied: true }],
  ["and the service carries the write out later", { appliedAfterMs: 3_500 }],
];

/** Two schools and an empty folder. */
interface Setting {
  readonly school: Sandbox;
  readonly other: Sandbox;
  readonly cwd: string;
  begin(args?: readonly string[], TZ?: string): RunningProgram;
  /** Runs the program until it ends. @returns its output. */
  succeeds(args?: readonly string[], TZ?: string): Promise<string>;
}

/** A program and the state that it leaves behind. */
interface Job {
  readonly name: string;
  /** Returns the path of the program's file. */
  file(): string;
  /** The writes during which the program is killed: the operation, and which of its requests. */
  readonly kills: readonly (readonly [operation: Fault["operation"] & string, request: number])[];
  /** Prepares the schools and the folder. @returns the arguments of the program. */
  prepare?(setting: Setting): readonly string[] | Promise<readonly string[]>;
  /** How the program dies at its first write; by default one of DEATHS, which the commit draws. */
  readonly deaths?: typeof DEATHS;
  /** Runs between the kill and the next start. */
  meanwhile?(setting: Setting, args: readonly string[]): Promise<unknown>;
  /** The final state of the schools. */
  left(setting: Setting): unknown;
  readonly expected: unknown;
}

// Inside the project, so that imports find its dependencies; Git ignores the folder.
const folder = makeFolder();
afterAll(() => rmSync(folder, { recursive: true }));

const JOBS: readonly Job[] = [
  {
    name: "users from a file",
    file: () => programWith('to: "sample-students.plan"'),
    kills: [
      ["users.create", 1],
      ["users.create", 2],
    ],
    left: ({ school }) => emails(school),
    expected: { "jo@example.com": 1, "ada@example.com": 1 },
  },
  {
    name: "the import page",
    file: () => programWith("// import-students.ts\n"),
    kills: [["users.create", 2]],
    async prepare({ cwd, succeeds }) {
      await writeSheetOf(
        join(cwd, "students.xlsx"),
        "E-mail,First name,Last name\njo@example.com,Jo,Fox\nada@example.com,Ada,Fox\n",
      );
      return [/import-students\.ts (\w+)/.exec(await succeeds())?.[1] ?? ""];
    },
    left: ({ school }) => emails(school),
    expected: { "jo@example.com": 1, "ada@example.com": 1 },
  },
  {
    name: "the command",
    file: () => "dist/cli/cli.js",
    kills: [["users.create", 2]],
    prepare({ cwd }) {
      writeFileSync(
        join(cwd, "students.csv"),
        "E-mail;Name;Surname;status\njo@example.com;Jo;Fox;active\nada@example.com;Ada;Fox;active\njo@example.com;Jo;Fox;active\n",
      );
      return [...commandWith("bulk run"), "--yes"];
    },
    left: ({ school }) => emails(school),
    expected: { "jo@example.com": 1, "ada@example.com": 1 },
  },
  {
    name: "from school to school",
    file: () => programWith('to: "courses.plan"'),
    kills: [
      ["courses.create", 1],
      ["courses.create", 2],
      ["courses.update", 1],
    ],
    prepare({ school, other }) {
      const [first, second, third] = [...school.store.courses].map(({ code }) => code);
      for (const { id, code } of [...other.store.courses]) {
        if (code === first || code === second) other.store.courses.delete(id);
        if (code === third) other.store.courses.update(id, { name: "An old name" });
      }
      return [];
    },
    left: ({ school, other }) => {
      const names = ({ store }: Sandbox) => [...store.courses].map(({ code, name }) => `${code} ${name}`).sort();
      return { isAlike: names(school).join("\n") === names(other).join("\n"), courses: other.store.courses.count };
    },
    expected: { isAlike: true, courses: 8 },
  },
  {
    name: "back to last Tuesday",
    file: () => programWith('to: "tuesday.plan"'),
    kills: [
      ["courses.update", 1],
      ["courses.update", 2],
    ],
    async prepare({ school, succeeds }) {
      await succeeds();
      const tuesday = new Date();
      for (const id of [1, 2, 3]) school.store.courses.update(id, { name: `Renamed ${id} by mistake` });
      return [tuesday.toISOString()];
    },
    left: ({ school, other }) =>
      [1, 2, 3].map((id) => school.store.courses.get(id)?.name === other.store.courses.get(id)?.name),
    expected: [true, true, true],
  },
  {
    name: "a payment",
    file: () => programWith("// pay.ts"),
    kills: [["payments.createForInvoice", 1]],
    prepare: () => ["1", "12.50", "2030-06-30"],
    left: ({ school, other }) => {
      const paid = [...school.store.payments].filter(({ date }) => date === "2030-06-30");
      return [paid.map(({ amount }) => Number(amount)), school.store.payments.count - other.store.payments.count];
    },
    expected: [[12.5], 1],
  },
  {
    name: "invoices",
    file: () => programWith('to: "invoices.plan"'),
    kills: [
      ["invoices.create", 1],
      ["invoices.create", 2],
      ["invoices.open", 1],
      ["invoices.open", 2],
    ],
    left: ({ school, other }) => [
      [...school.store.invoices]
        .filter(({ footnote }) => footnote?.startsWith("order "))
        .map(({ footnote, status }) => `${footnote} ${status}`)
        .sort(),
      school.store.invoices.count - other.store.invoices.count,
    ],
    expected: [["order 2041 open", "order 2042 open"], 2],
  },
  {
    name: "two students in a course",
    file: () => task("enroll", "enroll.ts"),
    kills: [["orders.create", 1]],
    prepare: ({ school }) => [String(courseWithPlaces(school)), "1", ...newcomers(school)],
    left: countPlaced,
    expected: [1, 2],
  },
  {
    name: "a student in a course, while another's command is repeated",
    file: () => task("enroll", "enroll.ts"),
    kills: [["orders.create", 1]],
    deaths: DEATHS.slice(2),
    async prepare({ school, succeeds }) {
      const [first = "", second = ""] = newcomers(school);
      const place = String(courseWithPlaces(school));
      await succeeds([place, "1", first]);
      return [place, "1", second];
    },
    // Repeats the command for the first newcomer.
    meanwhile: ({ succeeds }, [place = "", account = "", second]) =>
      succeeds([place, account, String(Number(second) - 1)]),
    left: (setting) => [
      ...countPlaced(setting),
      setting.school.requests.filter(({ operation }) => operation === "orders.create").length,
    ],
    expected: [2, 2, 2],
  },
  {
    name: "somebody in another course",
    file: () => task("enroll", "move.ts"),
    kills: [
      ["orders.create", 1],
      ["enrollments.cancel", 1],
    ],
    prepare({ school }) {
      const place = courseWithPlaces(school);
      const there = school.store.enrollments.filter(({ planned_course_id }) => planned_course_id === place);
      const [first] = school.store.enrollments.filter(
        ({ status, student_id }) => status === "confirmed" && !there.some((one) => one.student_id === student_id),
      );
      return [String(first?.id), String(place)];
    },
    left: ({ school, other }) => [
      school.store.enrollments.count - other.store.enrollments.count,
      countCanceled(school) - countCanceled(other),
    ],
    expected: [1, 1],
  },
  {
    name: "a course with its meetings",
    file: () => task("plan-a-course", "plan-course.ts"),
    kills: [
      ["plannedCourses.create", 1],
      ["meetings.create", 2],
      ["plannedCourses.update", 1],
    ],
    prepare: () => ["1", "1", "2030-03-04", "2030-03-11"],
    meanwhile: ({ succeeds }, args) => succeeds(args.slice(0, 3), "Asia/Tokyo"),
    left: ({ school, other }) => [
      school.store.plannedCourses
        .filter(({ start_date }) => start_date === "2030-03-04")
        .map(({ is_published, end_date }) => `${is_published} ${end_date}`),
      school.store.meetings.count - other.store.meetings.count,
      school.store.meetings.filter(({ start_date_time }) => start_date_time === "2030-03-04T17:00:00.000Z").length,
    ],
    expected: [["true 2030-03-11"], 2, 1],
  },
  {
    name: "a credit",
    file: () => task("invoices", "cancel-order.ts"),
    kills: [
      ["invoices.create", 1],
      ["invoices.open", 1],
      ["payments.createForInvoice", 1],
      ["payments.createForInvoice", 2],
    ],
    prepare({ school: { store } }) {
      for (const { id } of store.invoices.filter(({ order_id }) => order_id === 7)) store.invoices.delete(id);
      store.invoices.insert({
        status: "open",
        order_id: 7,
        number: "2041",
        items: [{ units: 2, unit_price: "10.00" }],
      });
      return ["7"];
    },
    left: ({ school, other }) => [
      school.store.invoices.filter(({ footnote }) => footnote === "Credit of 2041").map(({ status }) => status),
      school.store.payments.count - other.store.payments.count,
    ],
    expected: [["paid"], 2],
  },
];

const task = (page: string, name: string): string => {
  const path = join(folder, name);
  return existsSync(path) ? path : (writeTask(page, folder).get(name) as string);
};
const countCanceled = ({ store }: Sandbox) => store.enrollments.filter(({ status }) => status === "canceled").length;

/** The numbers of new orders and enrollments. */
function countPlaced({ school, other }: Setting): number[] {
  return [
    school.store.orders.count - other.store.orders.count,
    school.store.enrollments.count - other.store.enrollments.count,
  ];
}

/** A planned course with two places. */
function courseWithPlaces({ store }: Sandbox): number {
  const [found] = store.catalogVariants.filter(
    ({ variantable_type, available_places }) => variantable_type === "PlannedCourse" && Number(available_places) >= 2,
  );
  return found?.variantable_id as number;
}

/** Two users without an enrollment. */
function newcomers({ store }: Sandbox): string[] {
  return ["jo", "ada"].map((name) => String(store.users.insert({ email: `${name}@example.com` }).id));
}

// The commit draws how the program dies at its first write; the deaths at other writes are fixed.
const CASES = JOBS.flatMap((job) =>
  job.kills.flatMap(([operation, request], at) =>
    (at === 0 ? (job.deaths ?? drawCases(DEATHS, 1, 1)) : DEATHS.slice(at % 3, (at % 3) + 1)).map(([when, fault]) => ({
      job,
      operation,
      request,
      fault,
      title: `${job.name}: ${operation} ${request}, ${when}`,
    })),
  ),
);

describe.concurrent("a program that is killed in the middle, and started again", () => {
  test.for(CASES)("$title", async ({ job, operation, request, fault, title }, { expect, onTestFinished }) => {
    const setting = await settingOf(job.file(), onTestFinished);
    const { school, other, cwd } = setting;
    const args = (await job.prepare?.(setting)) ?? [];

    let [seen, isReached] = [0, false];
    const isReachedNow = () => {
      isReached ||= ++seen === request;
      return seen === request;
    };
    for (const { faults } of [school, other]) {
      faults.next({ ...fault, operation, when: isReachedNow, delayMs: Number.POSITIVE_INFINITY });
    }
    const killed = setting.begin(args);
    await Promise.race([expect.poll(() => isReached).toBe(true), killed.ended]);
    killed.process.kill("SIGKILL");
    const { code, output } = await killed.ended;
    expect(code, `${title}: ${output}`).toBe(null);

    await job.meanwhile?.(setting, args);
    await setting.succeeds(args);
    expect(job.left(setting)).toEqual(job.expected);
    await everyRowIsReported(cwd);

    const writes = () => [school, other].flatMap(({ requests }) => requests.filter(({ method }) => method !== "GET"));
    const before = writes().length;
    await setting.succeeds(args);
    expect(writes()).toHaveLength(before);
    expect(job.left(setting)).toEqual(job.expected);
    await everyRowIsReported(cwd);
  });
});

async function settingOf(file: string, onEnd: (work: () => void | Promise<void>) => void): Promise<Setting> {
  const [school, other] = [createSandbox({ size: "small" }), createSandbox({ size: "small" })];
  const servers = [await listen(school), await listen(other)] as const;
  onEnd(async () => void (await Promise.all(servers.map((server) => server.close()))));
  const cwd = mkdtempSync(join(tmpdir(), "killed-"));
  onEnd(() => rmSync(cwd, { recursive: true }));
  const env = {
    NODE_OPTIONS: `--import ${new URL("./support/fast-time.ts", import.meta.url)}`,
    TIME_FILE: join(cwd, "time"),
    EDUCATION_ADMIN_BASE_URL: servers[0].url,
    EDUCATION_ADMIN_API_KEY: school.apiKey,
    OTHER_BASE_URL: servers[1].url,
    OTHER_API_KEY: other.apiKey,
  };
  const begin = (args: readonly string[] = [], TZ = "UTC") => start(file, args, { cwd, env: { ...env, TZ } });
  const succeeds = async (args?: readonly string[], TZ?: string) => {
    const { code, output } = await begin(args, TZ).ended;
    if (code !== 0) throw new Error(`ended with ${code}: ${output}`);
    return output;
  };
  return { school, other, cwd, begin, succeeds };
}

/** The only program in the guides that contains this text, as a file. */
function programWith(text: string): string {
  const [found, ...others] = documents()
    .flatMap((file) => [...programsOf(file), ...fencesOf(file).filter(({ language }) => language === "ts task")])
    .filter(({ code }) => code.includes(text));
  if (!found || others.length > 0)
    throw new Error(`${others.length + (found ? 1 : 0)} programs of the guides have ${text}`);
  const path = join(folder, `${text.replace(/\W+/g, "-")}.ts`);
  // Written only once, because a program started by another test may be reading it.
  if (!existsSync(path)) writeFileSync(path, `${found.code}\n`);
  return path;
}

/** The only command in the guides that begins with this text, as words. */
function commandWith(text: string): string[] {
  const lines = documents()
    .flatMap((file) => fencesOf(file).filter(({ language }) => language === "sh"))
    .flatMap(({ code }) => code.replaceAll("\\\n", " ").split("\n"));
  const [found = ""] = lines.filter((line) => line.startsWith(`npx education-admin-sdk ${text} users students.csv`));
  return found.split(/\s+/).slice(2);
}

async function everyRowIsReported(cwd: string): Promise<void> {
  const plans = readdirSync(cwd).filter((name) => /\.plan(\.\d{4}-\d\d-\d\d\.[0-9a-f]{8})?$/.test(name));
  for (const name of plans) {
    for await (const row of rowsOf(join(cwd, name))) {
      expect([name, row]).toEqual([
        name,
        expect.objectContaining({ outcome: expect.stringMatching(/^(created|updated|unchanged)$/) }),
      ]);
    }
  }
}

function emails({ store }: Sandbox): Record<string, number> {
  return counts(
    [...store.users].map(({ email }) => email ?? "").filter((email) => /^(jo|ada)@example\.com$/.test(email)),
  );
}

function counts(texts: readonly string[]): Record<string, number> {
  const result: Record<string, number> = {};
  for (const text of texts) result[text] = (result[text] ?? 0) + 1;
  return result;
}
