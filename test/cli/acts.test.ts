import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { runCli } from "../../src/cli/main.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { listen } from "../../src/sandbox/node.js";

let sandbox: ReturnType<typeof createSandbox>;
let env: Record<string, string>;
let marks: readonly string[];
beforeEach(async () => {
  sandbox = createSandbox({ size: "small" });
  const { url, close } = await listen(sandbox);
  env = { EDUCATION_ADMIN_BASE_URL: url, EDUCATION_ADMIN_API_KEY: sandbox.apiKey };
  const folder = mkdtempSync(join(tmpdir(), "cli-acts-"));
  marks = ["--marks", folder];
  onTestFinished(async () => {
    rmSync(folder, { recursive: true });
    await close();
  });
});

const writes = () => sandbox.requests.filter(({ method }) => method !== "GET").length;

async function run(words: readonly string[], stop?: AbortSignal) {
  const before = writes();
  let [stdout, stderr] = ["", ""];
  const status = await runCli(words, {
    env,
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
    stop,
  });
  return { status, stdout, stderr, sent: writes() - before };
}

const AGAIN = "Nothing was sent: everything had already been done\n";

/** Starts a command without a yes, with it, and once more. @returns what the second and third start printed. */
async function startThrice(words: readonly string[], step: string, sent: number): Promise<unknown[]> {
  const asked = await run(words);
  expect(asked).toMatchObject({ status: 2, stdout: "", sent: 0 });
  expect(asked.stderr).toContain(`At ${env.EDUCATION_ADMIN_BASE_URL}`);
  expect(asked.stderr).toContain(step);
  expect(asked.stderr).toContain("There is no terminal to ask on. Nothing was sent. Add --yes");
  const done = await run([...words, "--yes"]);
  expect(done).toMatchObject({ status: 0, stderr: `${words[0]}: done\n`, sent });
  const again = await run([...words, "--yes"]);
  expect(again).toMatchObject({ status: 0, stderr: AGAIN, sent: 0 });
  expect(await run(words)).toEqual(again);
  return [JSON.parse(done.stdout), JSON.parse(again.stdout)];
}

/** Starts commands that are refused. @param cases lines, each with the text that it prints. */
async function expectRefusals(cases: Readonly<Record<string, string>>): Promise<void> {
  for (const [line, text] of Object.entries(cases)) {
    const { status, stdout, stderr, sent } = await run([...line.split(" "), "--yes"]);
    expect([line, status, stdout, sent]).toEqual([line, 2, "", 0]);
    expect(stderr).toContain(text);
  }
}

/** A course with places, and two users who are not in it. */
function course() {
  const { catalogVariants, users } = sandbox.store;
  const variant = catalogVariants.find(
    ({ variantable_type, available_places }) => variantable_type === "PlannedCourse" && Number(available_places) > 3,
  );
  const [first, second] = [users.insert({}), users.insert({})];
  return { id: String(variant?.variantable_id), first, second };
}

test("enroll orders places for those without one, once", async () => {
  const { id, first, second } = course();
  const words = ["enroll", id, String(first.id), String(second.email), ...marks];
  const people = [first.id, second.id];
  const [done, again] = await startThrice(words, "for their own accounts: 2\n", 2);
  expect(done).toMatchObject(people.map((student) => ({ student, outcome: "enrolled" })));
  expect(again).toMatchObject(people.map((student) => ({ student, outcome: "was enrolled" })));
  await expectRefusals({
    [`enroll ${id}`]: "Give the person: ",
    [`enroll ${id} nobody@example.com`]: "No user has the e-mail address nobody@example.com",
    [`enroll ${id} ${sandbox.store.users.insert({}).id} 0`]: "names 0: an identifier is a positive whole number",
    [`enroll ${id} 999999`]: "names 999999, who does not exist in the service",
    "enroll 999999 1": "no catalog variant offers it",
    [`enroll ${id} 1 --api admin`]: "Unknown option '--api'",
  });
});

test("reschedule moves a course with its meetings, once", async () => {
  const { id } = course();
  const starts = () => [
    sandbox.store.plannedCourses.get(Number(id))?.start_date,
    ...sandbox.store.meetings.filter((one) => one.planned_course_id === Number(id)).map((one) => one.start_date_time),
  ];
  const days = () => starts().map((start) => Date.parse(String(start).slice(0, 10)) / 86_400_000);
  const before = days();
  const words = ["reschedule", id, "--weeks", "2", "--allow-conflicts", ...marks];
  const [done, again] = await startThrice(words, `- move planned course ${id} from `, before.length);
  expect([done, again]).toMatchObject([
    { before: false, complete: true },
    { before: true, complete: true },
  ]);
  expect(days()).toEqual(before.map((day) => day + 14));
  await expectRefusals({
    [`reschedule ${id}`]: "Give --to, or one of --days, --weeks and --months",
    [`reschedule ${id} --to 2030-03-04 --days 1`]: "Give --to, or one of --days, --weeks and --months",
    [`reschedule ${id} --to 4-3-2030`]: "to must be a day, such as 2030-03-04",
    [`reschedule ${id} --weeks 1.5`]: "--weeks must be a whole number",
    [`reschedule ${id} --days -3`]: "for one that begins with a dash, write --days=-3",
    [`reschedule ${id} --days 0`]: "must not add up to zero",
  });
});

test("credit and pay write once, also if a payment by hand has the amount that settles the credit", async () => {
  const { invoices, payments } = sandbox.store;
  const { id, number, total_incl, invoice_items } = invoices.insert({
    status: "open",
    items: [{ units: 2, unit_price: "50.00" }],
  });
  const half = (Number(total_incl) / 2).toFixed(2);
  const pay = ["pay", String(id), half, "2030-06-30", "--reference", "t1", ...marks];
  const [paid, again] = await startThrice(
    pay,
    `- record a payment of ${half} EUR dated 2030-06-30 for invoice ${number}`,
    1,
  );
  expect([paid, again]).toMatchObject([
    { before: false, payment: { amount: half } },
    { before: true, payment: { amount: half } },
  ]);
  expect(payments.filter(({ invoice_id }) => invoice_id === id)).toHaveLength(1);
  await expectRefusals({
    [`pay ${id} ${half} 2030-06-30`]: "Required option '--reference <text>' not specified",
    [`pay ${id} 12.50 2030-06-30 --reference t1 ${marks.join(" ")}`]: `t1 was already used for a payment of ${half} on 2030-06-30`,
    [`pay ${id} 12,50 2030-06-30 --reference t2`]: "amount must be a decimal other than zero",
    [`pay ${id} 12.50 30-06-2030 --reference t2`]: "date must be a day",
    [`credit ${id} --item foo`]: "--item must be an item and units, such as 7=2",
    [`credit ${id} --item 999999=1`]: "names 999999, which is not an item of invoice",
    [`credit ${id} --item ${invoice_items[0]?.id}=3`]: "of which 2 are left to credit",
    [`credit ${id} --amount 10,00`]: "amount must be a decimal above zero",
  });
  // Without a reference in the folder, the payment is one that somebody else recorded.
  rmSync(join(String(marks[1]), `invoice-${id}.payments`));
  const credit = ["credit", String(id), ...marks];
  const credits = await startThrice(credit, `- credit 2 × 50.00 EUR of`, 4);
  expect(credits).toMatchObject([
    { before: false, settled: half },
    { before: true, settled: half },
  ]);
  expect(invoices.get(id)).toMatchObject({ status: "paid", total_open: "0.00" });
});

test("attendance marks the named and the others, and goes on where it was interrupted", async () => {
  const { meetings, enrollments, attendances } = sandbox.store;
  const inCourse = (id: number | null) =>
    enrollments.filter((one) => one.planned_course_id === id && one.status !== "canceled");
  const meeting = meetings.find(({ planned_course_id }) => inCourse(planned_course_id).length > 1);
  const [first, second] = inCourse(meeting?.planned_course_id ?? null);
  for (const one of attendances.filter(({ meeting_id }) => meeting_id === meeting?.id)) attendances.delete(one.id);
  const words = ["attendance", String(meeting?.id), "--late", String(first?.student_id), "--others", "attended"];
  const total = inCourse(meeting?.planned_course_id ?? null).length;

  const stop = new AbortController();
  sandbox.faults.next({ operation: "attendances.set", delayMs: 600_000 });
  const hanging = run([...words, "--yes"], stop.signal);
  await expect.poll(() => sandbox.calls("attendances.set").length).toBe(1);
  stop.abort();
  expect(await hanging).toMatchObject({
    status: 1,
    stdout: "",
    stderr: "Interrupted: the same command continues from here\n",
  });
  const [done, again] = await startThrice(words, ": none -> late", total);
  expect(done).toMatchObject([{ student: first?.student_id, state: "late", before: null, isChanged: true }, {}]);
  expect(again).toMatchObject([{ before: "late", isChanged: false }, { student: second?.student_id }]);
  const id = meeting?.id;
  await expectRefusals({
    [`attendance ${id}`]: "names nobody",
    [`attendance ${id} --others here`]: "--others must be one of absent, absent_with_leave",
    [`attendance ${id} --late nobody@example.com`]: "names nobody@example.com, who is not in planned course",
    [`attendance ${id} --late ${first?.student_id} --absent ${first?.student_id}`]: "who is named twice",
  });
});
