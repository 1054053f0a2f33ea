import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { startRedis } from "../stores/support/servers.ts";
import { start } from "../support/program.ts";
import { needs } from "../support/tools.ts";
import { makeFolder } from "../support/type-check.ts";
import { fencesOf } from "./support/code-blocks.ts";
import { type Place, place } from "./support/place.ts";
import { writeTask } from "./support/tasks.ts";

// Inside the project, so that imports find its dependencies; Git ignores the folder.
const folder = makeFolder();
afterAll(() => rmSync(folder, { recursive: true }));

describe("the program that credits a canceled order", () => {
  const file = writeTask("invoices", folder).get("cancel-order.ts") as string;

  async function cancelCourse() {
    const where = await place();
    const { store } = where.sandbox;
    for (const { id } of [...store.invoices]) store.invoices.delete(id);
    const invoice = store.invoices.insert({
      status: "open",
      order_id: 7,
      number: "2041",
      expiration_date: "2020-01-31",
      items: [{ units: 2, unit_price: "10.00" }],
    });
    const received = store.payments.count;
    const run = () => start(file, ["7"], where).ended;
    const credits = () =>
      store.invoices
        .filter(({ footnote }) => footnote === "Credit of 2041")
        .map(({ status, total_incl }) => `${status} ${Number(total_incl) < 0}`);
    const readOutcome = () => [store.invoices.get(invoice.id)?.status, store.payments.count - received];
    return { ...where, invoice, run, credits, settled: readOutcome };
  }

  test("credits the order once, however often it is started", async () => {
    const { run, credits, settled } = await cancelCourse();
    for (let times = 0; times < 2; times++) {
      expect((await run()).code).toBe(0);
      expect(credits()).toEqual(["paid true"]);
      expect(settled()).toEqual(["paid", 2]);
    }
  });

  test("leaves nothing in the list of overdue invoices, like a manual credit", async () => {
    const { invoice, run, sandbox, ...where } = await cancelCourse();
    const overdue = writeTask("overdue-invoices", folder).get("overdue.ts") as string;
    const isListed = async () => {
      const { code, output } = await start(overdue, [], where).ended;
      expect(code, output).toBe(0);
      return output.includes("2041");
    };
    expect(await isListed(), "invoice 2041 is listed").toBe(true);
    const { account_id } = invoice;
    const byHand = { status: "open", account_id, items: [{ units: -2, unit_price: "10.00" }] } as const;
    const { id } = sandbox.store.invoices.insert(byHand);
    expect(await isListed(), "invoice 2041 is listed").toBe(false);
    sandbox.store.invoices.delete(id);
    expect((await run()).code).toBe(0);
    expect(await isListed(), "invoice 2041 is listed").toBe(false);
  });

  test("sends nothing without an order number", async () => {
    const where = await place();
    await sendsNothing(file, where, "Usage: node cancel-order.ts");
  });

  test("opens its draft if an earlier run could not", async () => {
    const { sandbox, run, credits } = await cancelCourse();
    sandbox.faults.next({ operation: "invoices.open", status: 422, message: "Not today" });
    expect((await run()).code).toBe(1);
    expect(credits()).toEqual(["concept true"]);
    const { code, output } = await run();
    expect([code, output]).toEqual([0, expect.stringContaining("Credit of 2041 -")]);
    expect(credits()).toEqual(["paid true"]);
  });
});

test("the program that enrolls two people reports a full course, accepts private persons, and orders nothing for a waiting list", async () => {
  const file = writeTask("enroll", folder).get("enroll.ts") as string;
  const { sandbox, ...where } = await place();
  const { catalogVariants, enrollments, orders, users } = sandbox.store;
  const [variant] = catalogVariants.filter(
    ({ variantable_type, available_places }) => variantable_type === "PlannedCourse" && Number(available_places) > 0,
  );
  const places = Number(variant?.available_places);
  const all = Array.from({ length: places + 1 }, () => String(users.insert({}).id));
  const before = enrollments.count;
  const run = (students: readonly string[], account = "0") =>
    start(file, [String(variant?.variantable_id), account, ...students], where).ended;

  const { code, output } = await run(all, "1");
  expect([code, output]).toEqual([
    1,
    expect.stringMatching(/InputError: enroll: people need more places \(\d+\) than .* has left \(\d+\)\. Nothing/),
  ]);
  expect(enrollments.count).toBe(before);

  const waiting = users.insert({}).id;
  const catalog_variant_id = variant?.id ?? 0;
  orders.insert({ catalog_variant_id, status: "requested", order_items: [{ student_id: waiting }] });
  const ordered = orders.count;
  // The order that waits needs one of the places.
  expect((await run([String(waiting), ...all.slice(2)])).code).toBe(0);
  expect([enrollments.count - before, orders.count - ordered]).toEqual([places - 1, places - 1]);
});

describe("the program that pays an invoice", () => {
  const file = writeTask("payments", folder).get("pay.ts") as string;

  test("pays it once, even if the service returns the date as a point in time", async () => {
    const where = await place();
    const { payments } = where.sandbox.store;
    const run = async () => expect((await start(file, ["1", "12.50", "2030-06-30"], where).ended).code).toBe(0);
    await run();
    const paid = payments.filter(({ date }) => date === "2030-06-30");
    expect(paid).toHaveLength(1);
    const before = payments.count;
    payments.update(paid[0]?.id ?? 0, { date: "2030-06-30T00:00:00.000Z" });
    await run();
    expect(payments.count).toBe(before);
  });

  test("sends nothing without arguments", async () => {
    await sendsNothing(file, await place(), "Usage: node pay.ts");
  });
});

test("the program that opens invoices requests no payment of an amount already paid", async () => {
  const file = writeProgram("invoices", "invoices.plan");
  const where = await place();
  const { store, requests } = where.sandbox;
  const run = async () => expect((await start(file, [], where).ended).code).toBe(0);
  await run();
  const [first] = store.invoices.filter(({ footnote }) => footnote === "order 2041");
  expect(first?.status).toBe("open");
  store.payments.insert({ invoice_id: first?.id ?? 0, amount: first?.total_open ?? "", date: "2030-06-30" });
  store.invoices.update(first?.id ?? 0, {});
  expect(store.invoices.get(first?.id ?? 0)?.status).toBe("paid");
  const writes = () => requests.filter(({ method }) => method !== "GET").length;
  const before = writes();
  await run();
  expect(writes()).toBe(before);
});

test("the program that restores last Tuesday's values writes only what it prints", async () => {
  const file = writeProgram("bulk", "tuesday.plan");
  const where = await place();
  const { store } = where.sandbox;
  while (store.courses.count < 21) store.courses.insert({});
  const countRenamed = () => [...store.courses].filter(({ name }) => name.startsWith("Renamed")).length;
  const run = async (...args: string[]) => expect((await start(file, args, where).ended).code).toBe(0);
  await run();
  expect(existsSync(join(where.cwd, "tuesday.plan")), "the plan exists").toBe(false);

  const tuesday = new Date().toISOString();
  for (const { id } of [...store.courses]) store.courses.update(id, { name: `Renamed ${id}` });
  await run(tuesday);
  expect(countRenamed()).toBe(21);
  const [first] = [...store.courses];
  store.courses.delete(first?.id ?? 0);
  rmSync(join(where.cwd, "tuesday.plan"));
  await run(tuesday);
  expect(countRenamed()).toBe(0);
});

test("the program that listens to enrollments handles the events it subscribes to, and keeps them on disk", async () => {
  const file = writeTask("new-enrollments", folder).get("enrollments.ts") as string;
  const deliver = join(folder, "deliver.ts");
  writeFileSync(
    deliver,
    `import { signWebhook } from "education-admin-sdk/webhooks";
import { POST } from ${JSON.stringify(file)};
for (const event of ["enrollment.deleted", "program_enrollment.cancel", "planned_course.canceled"]) {
  const body = JSON.stringify({ tenant_id: "t", educator: "academy", event, event_data: { id: 7 } });
  const headers = { ...(await signWebhook({ body, secrets: "s3cret" })), "content-type": "application/json" };
  await POST(new Request("http://localhost/", { method: "POST", body, headers }));
}
await POST.drain();
await POST.close();
`,
  );
  const where = await place();
  const env = { ...where.env, WEBHOOK_SECRET: "s3cret" };
  const run = (program: string) => start(program, [], { cwd: where.cwd, env }).ended;
  const { code, output } = await run(deliver);
  expect(output.trim().split("\n").sort()).toEqual([
    "enrollment 7 was deleted",
    "planned course 7 was canceled: no places left",
    "program_enrollment.cancel 7",
  ]);
  expect([code, existsSync(join(where.cwd, "enrollments.sqlite"))]).toEqual([0, true]);

  // An event without the enrollment's identifier does not prove a deletion, so the listener receives it again.
  const unnamed = join(folder, "unnamed.ts");
  writeFileSync(
    unnamed,
    `import { DatabaseSync } from "node:sqlite";
import { signWebhook } from "education-admin-sdk/webhooks";
import { POST } from ${JSON.stringify(file)};
const body = JSON.stringify({ tenant_id: "t", educator: "academy", event: "enrollment.updated", event_data: {} });
const headers = { ...(await signWebhook({ body, secrets: "s3cret" })), "content-type": "application/json" };
await POST(new Request("http://localhost/", { method: "POST", body, headers }));
const handled = new DatabaseSync("enrollments.sqlite").prepare(
  "SELECT 1 FROM education_admin_deliveries WHERE state <> 'waiting' OR attempt > 1 OR (attempt = 1 AND leased = 0)",
);
while (!handled.get()) await new Promise((later) => setTimeout(later, 10));
await POST.close();
`,
  );
  const elsewhere = await place();
  const unclear = await start(unnamed, [], { cwd: elsewhere.cwd, env }).ended;
  expect(unclear.output).not.toContain("was deleted");
  const waiting = new DatabaseSync(join(elsewhere.cwd, "enrollments.sqlite"));
  expect(waiting.prepare("SELECT state FROM education_admin_deliveries").all()).toEqual([{ state: "waiting" }]);
  waiting.close();

  // The program is killed as soon as the service receives its 200, and then started again.
  const killed = join(folder, "killed.ts");
  const again = join(folder, "again.ts");
  writeFileSync(
    killed,
    `import { signWebhook } from "education-admin-sdk/webhooks";
import { POST } from ${JSON.stringify(file)};
const body = JSON.stringify({ tenant_id: "t", educator: "academy", event: "planned_course.canceled", event_data: { id: 8 } });
const headers = { ...(await signWebhook({ body, secrets: "s3cret" })), "content-type": "application/json" };
console.log = () => process.kill(process.pid, "SIGKILL");
if ((await POST(new Request("http://localhost/", { method: "POST", body, headers }))).status === 200) console.log();
`,
  );
  writeFileSync(
    again,
    `import { POST } from ${JSON.stringify(file)};
await POST.drain();
await POST.close();
`,
  );
  expect((await run(killed)).code).not.toBe(0);
  const inbox = new DatabaseSync(join(where.cwd, "enrollments.sqlite"));
  // Ends the lease of the killed program.
  expect(
    inbox.prepare("UPDATE education_admin_deliveries SET available_at = 0 WHERE state = 'waiting'").run().changes,
  ).toBe(1);
  inbox.close();
  expect((await run(again)).output.trim()).toBe("planned course 8 was canceled: no places left");
  expect((await run(again)).output.trim()).toBe("");
});

/** Writes the guide's program that contains this text to a file. @returns the path of the file. */
function writeProgram(guide: string, names: string): string {
  const file = join(folder, `${names}.ts`);
  writeFileSync(file, fencesOf(`docs/guides/${guide}.md`).find(({ code }) => code.includes(names))?.code ?? "");
  return file;
}

/** Expects the program to print its usage and exit with 1, without any request. */
async function sendsNothing(file: string, where: Place, usage: string, args: string[] = []): Promise<void> {
  const { code, output } = await start(file, args, where).ended;
  expect([code, output, where.sandbox.requests.length]).toEqual([1, expect.stringContaining(usage), 0]);
}

describe("the program for the accountant", () => {
  const file = writeTask("accounting", folder).get("accounting.ts") as string;

  test("writes the invoices of a month, and their amounts add up to the printed total", async () => {
    const where = await place();
    const { store } = where.sandbox;
    const insertInvoice = (day: string, status: string, unit_price: string) =>
      store.invoices.insert({ status, opened_at: `${day}T10:00:00.000Z`, items: [{ units: 1, unit_price }] });
    insertInvoice("2031-03-31", "paid", "10.10");
    insertInvoice("2031-04-01", "open", "20.20");
    insertInvoice("2031-04-30", "expired", "-5.05");
    insertInvoice("2031-04-30", "concept", "99.00");
    const { code, output } = await start(file, ["2031-04"], where).ended;
    expect([code, output]).toEqual([0, expect.stringContaining("2 invoices, ")]);
    const rows = where.read("2031-04.csv").split("\r\n").slice(1, -1);
    const incl = rows.map((row) => Number(row.split(";")[7]?.replace(",", ".")));
    const [, total] = /invoices, (\S+)/.exec(output) ?? [];
    expect(incl).toHaveLength(2);
    expect(incl.reduce((sum, amount) => sum + amount, 0)).toBeCloseTo(Number(total), 8);
  });

  test("counts the invoices of each currency", async () => {
    const where = await place();
    const insertInvoice = (currency: string) =>
      where.sandbox.store.invoices.insert({ status: "open", opened_at: "2031-04-01T10:00:00.000Z", currency });
    for (const currency of ["EUR", "GBP", "GBP"]) insertInvoice(currency);
    const { output } = await start(file, ["2031-04"], where).ended;
    expect(output).toMatch(/^1 invoices, \S+ EUR\n2 invoices, \S+ GBP\n$/);
    expect((await start(file, ["2031-05"], where).ended).output).toBe("0 invoices\n");
  });

  test.each([[], ["2031-13"]])("sends nothing without a month", async (...args) => {
    await sendsNothing(file, await place(), "Usage: node accounting.ts", args);
  });
});

test("the program that reminds students escapes their names", async () => {
  const file = writeTask("reminders", folder).get("remind.ts") as string;
  const where = await place();
  const { emails, meetings, users } = where.sandbox.store;
  const name = `<a href="x">{{key}}</a>`;
  for (const { id } of [...users]) users.update(id, { first_name: name });
  const at = new Date(Date.now() + 1.5 * 86_400_000).toISOString();
  for (const { id } of [...meetings]) meetings.update(id, { name, start_date_time: at, end_date_time: at });
  expect((await start(file, [], where).ended).code).toBe(0);
  const bodies = emails.filter(({ subject }) => subject === "Your course").map(({ body }) => body);
  expect(bodies.length).toBeGreaterThan(0);
  for (const body of bodies) expect(body.replaceAll(/<\/?p>/g, "")).not.toMatch(/[<>{}"]/);
});

test("the program that copies contacts starts over if it was stopped at its end", async () => {
  const file = writeProgram("pagination", "contacts.db");
  const where = await place();
  const { users } = where.sandbox.store;
  while (users.count < 150) users.insert({});
  const database = new DatabaseSync(join(where.cwd, "contacts.db"));
  onTestFinished(() => database.close());
  database.exec(`create table progress (list primary key, checkpoint);
    create trigger stopped before delete on progress begin select raise(fail, 'stopped'); end`);
  expect((await start(file, [], where).ended).output).toContain("stopped");
  database.exec("drop trigger stopped");
  const [last] = [...users].slice(-1);
  users.update(last?.id ?? 0, { first_name: "Changed" });
  expect((await start(file, [], where).ended).code).toBe(0);
  const row = database.prepare("select record from contacts where id = ?").get(last?.id ?? 0);
  expect(row?.record).toContain("Changed");
});

describe("the nightly jobs of many schools", needs("redis"), () => {
  const file = writeTask("thirty-schools", folder).get("nightly-jobs.ts") as string;

  test("run once a day for every school, although one of two workers is killed", async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.remove());
    const schools = await Promise.all(
      Array.from({ length: 6 }, async (_, at) => ({ name: `school-${at}`, ...(await place()) })),
    );
    const [first] = schools as [(typeof schools)[number]];
    const told = schools.map(({ name, env }) => ({
      name,
      baseUrl: env.EDUCATION_ADMIN_BASE_URL,
      apiKey: env.EDUCATION_ADMIN_API_KEY,
    }));
    writeFileSync(join(first.cwd, "schools.json"), JSON.stringify(told));
    const where = { cwd: first.cwd, env: { REDIS: redis.url, LOCK_MS: "1000" } };
    // The first worker takes five schools, none of which responds.
    for (const { sandbox } of schools)
      sandbox.faults.next({ operation: "invoices.list", delayMs: Number.POSITIVE_INFINITY });
    const add = async () => expect((await start(file, ["add"], where).ended).code).toBe(0);
    await add();
    await add();
    const killed = start(file, [], where);
    const countBegun = () => schools.filter(({ sandbox }) => sandbox.faults.pending.length === 0).length;
    await expect.poll(countBegun, { timeout: 60_000 }).toBe(5);
    killed.process.kill("SIGKILL");
    await killed.ended;
    for (const { sandbox } of schools) sandbox.faults.clear();

    const other = start(file, [], where);
    onTestFinished(() => void other.process.kill("SIGKILL"));
    const countWritten = () => schools.filter(({ name }) => existsSync(join(first.cwd, `${name}.csv`))).length;
    await expect.poll(countWritten, { timeout: 60_000 }).toBe(6);
    const finished = other.waitForOutput(/(?:school-\d \d+\n[\s\S]*){6}/);
    expect((await finished).match(/^school-\d \d+$/gm)).toHaveLength(6);
    other.process.kill("SIGTERM");
    expect((await other.ended).code).toBe(0);
    for (const { name, sandbox } of schools) {
      const open = sandbox.store.invoices.filter(({ status }) => status === "open" || status === "expired");
      expect(first.read(`${name}.csv`).trim().split("\r\n")).toHaveLength(open.length + 1);
    }
  }, 180_000);
});

test("the starter files for Next, Hono and Workers show the published courses", async () => {
  const written = writeTask("start", folder);
  const where = await place();
  const { EDUCATION_ADMIN_BASE_URL: SCHOOL, EDUCATION_ADMIN_API_KEY: KEY } = where.env;
  const asking = join(folder, "ask.ts");
  writeFileSync(
    asking,
    `import { GET } from ${JSON.stringify(written.get("route.ts"))};
    import app from ${JSON.stringify(written.get("app.ts"))};
    import worker from ${JSON.stringify(written.get("worker.ts"))};
    const asked = new Request("http://127.0.0.1/courses");
    const all = [await GET(), await app.request("/courses"), await worker.fetch(asked, ${JSON.stringify({ SCHOOL, KEY })})];
    for (const response of all) console.log(response.status, await response.text());`,
  );
  const { code, output } = await start(asking, [], where).ended;
  expect([code, output.match(/^200 \[\{"id":\d+,"name":/gm)?.length]).toEqual([0, 3]);
});
