import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { parse } from "csv-parse/sync";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSandbox, type Fault, type Sandbox } from "../../src/sandbox/index.ts";
import { listen } from "../../src/sandbox/node.ts";
import { root } from "./support/code-blocks.ts";
import { compile } from "./support/compile.ts";
import { start } from "./support/example.ts";

interface Numbered {
  readonly id: number;
}

interface Place {
  readonly sandbox: Sandbox;
  readonly cwd: string;
  readonly env: Record<string, string>;
  read(name: string): string;
  rows(name: string): Record<string, string>[];
}

/** A sandbox over HTTP and an empty folder, for one test. */
async function place(): Promise<Place> {
  const sandbox = createSandbox({ size: "small" });
  const server = await listen(sandbox);
  onTestFinished(() => server.close());
  const cwd = mkdtempSync(join(tmpdir(), "example-"));
  const read = (name: string) => readFileSync(join(cwd, name), "utf8");
  return {
    sandbox,
    cwd,
    env: { EDUCATION_ADMIN_BASE_URL: server.url, EDUCATION_ADMIN_API_KEY: sandbox.apiKey },
    read,
    rows: (name) => parse(read(name), { columns: true }) as Record<string, string>[],
  };
}

function cents(amount: string): bigint {
  const [, whole = "", fraction = ""] = /^(-?\d+)\.(\d\d)$/.exec(amount) ?? [];
  return BigInt(whole + fraction);
}

const OWN = ["accounting-export", "attendance-report", "catalogue-to-sqlite", "lead-import", "lms-provisioning"];

describe("examples", () => {
  test("every example compiles as strictly as the library", () => {
    const files = globSync(OWN.map((name) => join(root, `examples/${name}/*.ts`)));
    expect(files.length).toBeGreaterThan(OWN.length);
    const wrong = [...compile(files)].flatMap(([file, found]) =>
      found.map(({ line, message }) => `${file}:${line} ${message}`),
    );
    expect(wrong).toEqual([]);
  }, 60_000);

  test("README.md of the examples names every one of them", () => {
    const listed = readFileSync(join(root, "examples/README.md"), "utf8");
    const folders = readdirSync(join(root, "examples"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).filter((name) => !listed.includes(`(${name}/`))).toEqual([]);
  });

  test.each(OWN)("%s explains itself with --help and asks nothing", async (name) => {
    const { sandbox, cwd, env } = await place();
    const { code, output } = await start(`examples/${name}/${name}.ts`, ["--help"], { cwd, env }).ended;
    expect([code, output]).toEqual([0, expect.stringContaining(`node ${name}.ts`)]);
    expect(sandbox.requests).toEqual([]);
  });
});

describe("accounting-export", () => {
  test("writes every open, expired and paid invoice, its PDF, and totals to the cent", async () => {
    const { sandbox, cwd, env, rows } = await place();
    const { code, output } = await start("examples/accounting-export/accounting-export.ts", ["--out", "out"], {
      cwd,
      env,
    }).ended;
    expect([code, output]).toEqual([0, expect.stringContaining("invoices in out")]);
    const due = sandbox.store.invoices.filter(({ status }) => status !== "concept");
    expect(
      rows("out/invoices.csv")
        .map(({ id }) => Number(id))
        .sort((a, b) => a - b),
    ).toEqual(due.map(({ id }) => id));
    for (const status of ["open", "expired", "paid"]) {
      const sum = rows("out/totals.csv").find((row) => row.status === status);
      const expected = due.filter((invoice) => invoice.status === status);
      expect(sum?.invoices).toBe(String(expected.length));
      expect(cents(sum?.total_incl ?? "")).toBe(expected.reduce((all, one) => all + cents(one.total_incl), 0n));
      expect(cents(sum?.total_open ?? "")).toBe(expected.reduce((all, one) => all + cents(one.total_open), 0n));
    }
    const paid = [...sandbox.store.payments].filter(({ status }) => status === "paid");
    const written = rows("out/payments.csv").map(({ id, amount }) => `${id} ${amount}`);
    expect(written.sort()).toEqual([...sandbox.store.payments].map(({ id, amount }) => `${id} ${amount}`).sort());
    const received = rows("out/totals.csv").reduce((all, row) => all + cents(row.received ?? ""), 0n);
    expect(received).toBe(paid.reduce((all, { amount }) => all + cents(amount), 0n));
    expect(received).toBeGreaterThan(0n);
    const orders = rows("out/orders.csv");
    expect(orders).toHaveLength(sandbox.store.orders.count);
    for (const { id, total_cost_incl, ...order } of orders) {
      const { account_id, total_cost_incl: total } = sandbox.store.orders.get(Number(id)) ?? {};
      expect(order["account.name"]).toBe(sandbox.store.accounts.get(account_id ?? 0)?.name);
      expect(total_cost_incl).toBe(total ?? "");
    }
    const asked = sandbox.requests.map(({ operation }) => operation);
    expect(asked.filter((operation) => /payments|accounts\.get/.test(operation ?? ""))).toEqual([]);
    const files = readdirSync(join(cwd, "out/pdf"));
    expect(files.sort()).toEqual(due.map(({ number }) => `${number}.pdf`).sort());
    expect(
      readFileSync(join(cwd, "out/pdf", files[0] ?? ""))
        .subarray(0, 5)
        .toString(),
    ).toBe("%PDF-");
  });

  test("continues after a kill, loses nothing, has nothing twice, and fetches no PDF again", async () => {
    const { sandbox, cwd, env, read, rows } = await place();
    for (let more = 0; more < 300; more++) sandbox.store.invoices.insert({ status: "open" });
    const due = sandbox.store.invoices.filter(({ status }) => status !== "concept");
    // The third page never comes: killed there, two are kept.
    let pages = 0;
    const paused = await listen({
      fetch: async (input, init) => {
        if (!String(input).includes("/pdf") && ++pages > 2) return new Promise<Response>(() => undefined);
        return sandbox.fetch(input, init);
      },
    });
    onTestFinished(() => paused.close());
    const first = start("examples/accounting-export/accounting-export.ts", ["--no-pdf"], {
      cwd,
      env: { ...env, EDUCATION_ADMIN_BASE_URL: paused.url },
    });
    await expect.poll(() => countLines(join(cwd, "export/invoices.csv.part")), { timeout: 15_000 }).toBe(201);
    const size = statSync(join(cwd, "export/invoices.csv.part")).size;
    const state = () => (exists(join(cwd, "export/invoices.csv.state")) ? read("export/invoices.csv.state") : "");
    await expect.poll(state).toContain(`"size":${size}`);
    first.process.kill("SIGKILL");
    await first.ended;
    const asked = sandbox.requests.length;

    const second = await start("examples/accounting-export/accounting-export.ts", ["--no-payments"], { cwd, env })
      .ended;
    expect([second.code, second.output]).toEqual([0, expect.stringContaining(`${due.length} invoices`)]);
    const ids = rows("export/invoices.csv").map(({ id }) => Number(id));
    expect(ids.sort((a, b) => a - b)).toEqual(due.map(({ id }) => id));
    const lists = sandbox.requests.slice(asked).filter(({ operation }) => operation === "invoices.list");
    expect(lists.length).toBeLessThan(4);

    const third = await start("examples/accounting-export/accounting-export.ts", [], { cwd, env }).ended;
    expect(third.code).toBe(0);
    const pdfs = sandbox.requests.filter(({ operation }) => operation === "invoices.getPdf");
    expect(pdfs.length).toBe(due.length);
  }, 60_000);
});

describe("accounting-export, when the service", () => {
  const file = "examples/accounting-export/accounting-export.ts";

  test("leaves payments out of its list, reads those of invoices of which something is paid", async () => {
    const { sandbox, cwd, env, rows } = await place();
    const server = await listen({
      fetch: async (input, init) => {
        const answer = await sandbox.fetch(input, init);
        if (!new URL(String(input)).pathname.endsWith("/invoices")) return answer;
        const invoices = ((await answer.json()) as object[]).map((invoice) => ({ ...invoice, payments: undefined }));
        return new Response(JSON.stringify(invoices), answer);
      },
    });
    onTestFinished(() => server.close());
    const { code } = await start(file, ["--no-pdf", "--no-orders"], {
      cwd,
      env: { ...env, EDUCATION_ADMIN_BASE_URL: server.url },
    }).ended;
    expect(code).toBe(0);
    const { invoices, payments } = sandbox.store;
    expect(rows("export/payments.csv")).toHaveLength(payments.count);
    const paid = invoices.filter(
      ({ total_incl, total_open, status }) => status !== "concept" && total_incl !== total_open,
    );
    const read = sandbox.requests.filter(({ operation }) => operation === "payments.listForInvoice");
    expect(read).toHaveLength(paid.length);
  });

  test.each([403, 404])("answers %s to the key, says why and keeps what it has", async (status) => {
    const { sandbox, cwd, env, rows } = await place();
    sandbox.faults.next({ operation: "orders.list", status, count: Number.POSITIVE_INFINITY });
    const { code, output } = await start(file, [], { cwd, env }).ended;
    expect([code, output]).toEqual([1, expect.stringMatching(new RegExp(`^orders.list.*${status}`))]);
    expect(rows("export/invoices.csv").length).toBeGreaterThan(0);
    sandbox.faults.clear();
    expect((await start(file, ["--no-pdf"], { cwd, env }).ended).code).toBe(0);
  });

  test("has no address or key, says which variable is missing", async () => {
    const { cwd } = await place();
    const { code, output } = await start(file, [], { cwd }).ended;
    expect([code, output]).toEqual([1, expect.stringContaining("EDUCATION_ADMIN_BASE_URL")]);
  });

  test("was stopped in the middle of a write, goes on from the state that is whole", async () => {
    const { sandbox, cwd, env, rows } = await place();
    mkdirSync(join(cwd, "export"));
    for (const torn of ['{"checkpoint":"abc', "", '{"checkpoint":"abc","size":5}'])
      for (const name of ["invoices", "orders", "payments"]) {
        writeFileSync(join(cwd, `export/${name}.csv.part`), "id,num");
        writeFileSync(join(cwd, `export/${name}.csv.state`), torn);
        if (name !== "payments") continue;
        const { code, output } = await start(file, ["--no-pdf"], { cwd, env }).ended;
        expect([torn, code, output]).toEqual([torn, 0, expect.any(String)]);
        expect(rows("export/orders.csv")).toHaveLength(sandbox.store.orders.count);
      }
  });
});

describe("attendance-report", () => {
  const file = "examples/attendance-report/attendance-report.ts";
  const escaped = (plain: string) => plain.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

  test("draws a bar for each planned course, with its teachers, their roles and the share that attended", async () => {
    const { sandbox, cwd, env, read } = await place();
    const { code, output } = await start(file, ["--out", "chart.html"], { cwd, env }).ended;
    expect([code, output]).toEqual([0, expect.stringContaining("in chart.html")]);
    const html = read("chart.html");
    const { attendances, courses, meetings, plannedCourses, teacherEnrollments, teacherRoles, teachers } =
      sandbox.store;
    const of = (id: number) =>
      attendances.filter(({ meeting_id }) => meetings.get(meeting_id)?.planned_course_id === id);
    const drawn = plannedCourses.filter(({ id, status }) => status === "completed" && of(id).length > 0);
    expect(drawn.length).toBeGreaterThan(0);
    for (const { id, course_id } of drawn) {
      const own = of(id);
      const attended = own.filter(({ state }) => state === "attended").length;
      expect(html).toContain(`>${escaped(courses.get(course_id)?.name ?? "")}`);
      expect(html).toContain(`${Math.round((attended / own.length) * 100)} %</text>`);
      if (attended > 0) expect(html).toContain(`attended: ${attended} of ${own.length}`);
      for (const { teacher_id, teacher_role_id } of teacherEnrollments.filter(
        (each) => each.planned_course_id === id,
      )) {
        const role = teacherRoles.get(teacher_role_id ?? 0);
        expect(html).toContain(escaped(teachers.get(teacher_id)?.last_name ?? "") + (role ? ` (${role.name})` : ""));
      }
    }
    expect(html.match(/<rect/g)?.length).toBeGreaterThanOrEqual(drawn.length);
    const single = sandbox.requests.filter(({ operation }) => operation?.endsWith(".get"));
    expect(single.length).toBeLessThan(10);
  });

  test("leaves the teachers out for a key that may not read them", async () => {
    const { sandbox, cwd, env, read } = await place();
    sandbox.faults.next({ operation: "teachers.list", status: 403, count: Number.POSITIVE_INFINITY });
    sandbox.faults.next({ operation: "teachers.get", status: 403, count: Number.POSITIVE_INFINITY });
    const { code, output } = await start(file, [], { cwd, env }).ended;
    expect([code, output]).toEqual([0, expect.stringContaining("Without teachers: teachers.")]);
    expect(read("attendance.html")).toContain("<rect");
  });

  test.each([403, 404])("keeps the report there is when the key is answered %s", async (status) => {
    const { sandbox, cwd, env, read } = await place();
    writeFileSync(join(cwd, "attendance.html"), "yesterday's");
    sandbox.faults.next({ operation: "attendances.list", status });
    const { code, output } = await start(file, [], { cwd, env }).ended;
    expect([code, output]).toEqual([1, expect.stringMatching(/^attendances.list/)]);
    expect(read("attendance.html")).toBe("yesterday's");
  });
});

describe("catalogue-to-sqlite", () => {
  test("writes only what changed the second time, and marks what is gone", async () => {
    const { sandbox, cwd, env } = await place();
    const run = async () =>
      (await start("examples/catalogue-to-sqlite/catalogue-to-sqlite.ts", [], { cwd, env }).ended).output;
    const { categories, catalogProducts: products, catalogVariants: variants, courses, plannedCourses } = sandbox.store;
    const line = (read: number, fresh: number, changed: number, gone: number) =>
      `${read} read, ${fresh} new, ${changed} changed, ${gone} gone`;

    const first = await run();
    expect(first).toContain(`categories: ${line(categories.count, categories.count, 0, 0)}`);
    expect(first).toContain(`products: ${line(products.count, products.count, 0, 0)}`);
    expect(first).toContain(`variants: ${line(variants.count, variants.count, 0, 0)}`);

    expect(first).toContain(`courses: ${line(courses.count, courses.count, 0, 0)}`);
    expect(first).toContain(`planned_courses: ${line(plannedCourses.count, plannedCourses.count, 0, 0)}`);
    expect(first).toContain(`programs: ${line(sandbox.store.programs.count, sandbox.store.programs.count, 0, 0)}`);

    products.update(1, { name: "Renamed" });
    plannedCourses.update(1, { status: "canceled", start_date: "2031-02-03" });
    categories.insert({ name: "Brand new" });
    variants.delete(2);
    const second = await run();
    expect(second).toContain(`categories: ${line(categories.count, 1, 0, 0)}`);
    expect(second).toContain(`products: ${line(products.count, 0, 1, 0)}`);
    expect(second).toContain(`variants: ${line(variants.count, 0, 0, 1)}`);

    const database = new DatabaseSync(join(cwd, "catalogue.sqlite"));
    onTestFinished(() => database.close());
    expect(database.prepare("SELECT name FROM products WHERE id = 1").get()).toEqual({ name: "Renamed" });
    expect(database.prepare("SELECT id FROM variants WHERE gone_at IS NOT NULL").all()).toEqual([{ id: 2 }]);
    const planned = plannedCourses.get(1);
    expect(database.prepare("SELECT name, status, start_date FROM agenda WHERE id = 1").get()).toEqual({
      name: courses.get(planned?.course_id ?? 0)?.name,
      status: "canceled",
      start_date: "2031-02-03",
    });
    expect(database.prepare("SELECT count(*) AS all_of_them FROM categories").get()).toEqual({
      all_of_them: categories.count,
    });
  });

  test("marks nothing as gone when a list is suddenly empty", async () => {
    const { sandbox, cwd, env } = await place();
    const run = () => start("examples/catalogue-to-sqlite/catalogue-to-sqlite.ts", [], { cwd, env }).ended;
    await run();
    for (const { id } of [...sandbox.store.catalogVariants]) sandbox.store.catalogVariants.delete(id);
    const { code, output } = await run();
    expect([code, output]).toEqual([
      1,
      expect.stringContaining("list of variants is empty: nothing was marked as gone"),
    ]);
    const database = new DatabaseSync(join(cwd, "catalogue.sqlite"));
    onTestFinished(() => database.close());
    expect(database.prepare("SELECT id FROM variants WHERE gone_at IS NOT NULL").all()).toEqual([]);
  });
});

describe("catalogue-to-sqlite, when a list", () => {
  test.each([403, 404])("is answered %s, leaves its copy as it was and copies the others", async (status) => {
    const { sandbox, cwd, env } = await place();
    const run = () => start("examples/catalogue-to-sqlite/catalogue-to-sqlite.ts", [], { cwd, env }).ended;
    expect((await run()).code).toBe(0);
    sandbox.faults.next({ operation: "plannedCourses.list", status, count: Number.POSITIVE_INFINITY });
    sandbox.store.programs.update(1, { name: "Renamed" });
    const { code, output } = await run();
    expect([code, output]).toEqual([1, expect.stringContaining(`planned_courses: plannedCourses.list: ${status}`)]);
    const database = new DatabaseSync(join(cwd, "catalogue.sqlite"));
    onTestFinished(() => database.close());
    const { planned } =
      database.prepare("SELECT count(*) AS planned FROM planned_courses WHERE gone_at IS NULL").get() ?? {};
    expect(planned).toBe(sandbox.store.plannedCourses.count);
    expect(database.prepare("SELECT name FROM programs WHERE id = 1").get()).toEqual({ name: "Renamed" });
  });

  test("is interrupted by a kill, goes on with the next run", async () => {
    const { sandbox, cwd, env } = await place();
    for (let more = 0; more < 300; more++) sandbox.store.catalogProducts.insert({});
    let pages = 0;
    const paused = await listen({
      fetch: async (input, init) => (++pages > 3 ? new Promise<Response>(() => undefined) : sandbox.fetch(input, init)),
    });
    onTestFinished(() => paused.close());
    const program = "examples/catalogue-to-sqlite/catalogue-to-sqlite.ts";
    const first = start(program, [], { cwd, env: { ...env, EDUCATION_ADMIN_BASE_URL: paused.url } });
    await expect.poll(() => pages, { timeout: 15_000 }).toBe(4);
    first.process.kill("SIGKILL");
    await first.ended;
    expect((await start(program, [], { cwd, env }).ended).code).toBe(0);
    const database = new DatabaseSync(join(cwd, "catalogue.sqlite"));
    onTestFinished(() => database.close());
    const { products } =
      database.prepare("SELECT count(*) AS products FROM products WHERE gone_at IS NULL").get() ?? {};
    expect(products).toBe(sandbox.store.catalogProducts.count);
  });
});

describe("lead-import", () => {
  const CSV = [
    "title,first_name,last_name,company_name,email,phone",
    "First aid,Ada,Example,Example Ltd,ada@example.org,+31 20 123 45 67",
    '"Coaching, in house",Ben,Sample,,ben@example.org,',
    "First aid,Ada,Example,Example Ltd,ADA@example.org,",
    "No address,Cas,Test,,,",
    "",
  ].join("\n");

  test("creates each lead once, reports every row, and creates nothing on a second run", async () => {
    const { sandbox, cwd, env, rows } = await place();
    writeFileSync(join(cwd, "leads.csv"), CSV);
    const before = sandbox.store.leads.count;
    const run = () => start("examples/lead-import/lead-import.ts", ["leads.csv"], { cwd, env }).ended;

    expect(await run()).toEqual({ code: 1, output: "2 created, 1 skipped, 1 refused, 0 unknown\n" });
    expect(rows("leads.csv.report.csv").map(({ row, result }) => `${row} ${result}`)).toEqual([
      "2 created",
      "3 created",
      "4 skipped",
      "5 refused",
    ]);
    expect(sandbox.store.leads.count).toBe(before + 2);
    expect(sandbox.store.leads.find(({ title }) => title === "Coaching, in house")?.email).toBe("ben@example.org");

    expect(await run()).toEqual({ code: 1, output: "0 created, 3 skipped, 1 refused, 0 unknown\n" });
    expect(sandbox.store.leads.count).toBe(before + 2);
  });

  test("reports a lead whose answer was lost as unknown, and does not create it again", async () => {
    const { sandbox, cwd, env, rows } = await place();
    writeFileSync(join(cwd, "leads.csv"), CSV.split("\n").slice(0, 2).join("\n"));
    const before = sandbox.store.leads.count;
    const run = () => start("examples/lead-import/lead-import.ts", ["leads.csv"], { cwd, env }).ended;

    sandbox.faults.next({ operation: "leads.create", status: 504, applied: true });
    expect(await run()).toEqual({ code: 1, output: "0 created, 0 skipped, 0 refused, 1 unknown\n" });
    expect(rows("leads.csv.report.csv")[0]?.reason).toContain("504");
    expect(await run()).toEqual({ code: 0, output: "0 created, 1 skipped, 0 refused, 0 unknown\n" });
    expect(sandbox.store.leads.count).toBe(before + 1);
  });

  test("links users by their address and puts labels on by name, in a request per list", async () => {
    const { sandbox, cwd, env, rows } = await place();
    const { labels, leads, users } = sandbox.store;
    const label = labels.find(({ model_type }) => model_type === "Lead");
    const user = users.get(3);
    const lines = ["title,email,labels", `Known,${user?.email.toUpperCase()},${label?.name}`, "New,new@example.org,"];
    for (let more = 0; more < 20; more++) lines.push(`More ${more},more-${more}@example.org,"; ${label?.name};"`);
    writeFileSync(join(cwd, "leads.csv"), [...lines, "Odd,odd@example.org,No such label"].join("\n"));
    const { code, output } = await start("examples/lead-import/lead-import.ts", ["leads.csv"], { cwd, env }).ended;
    expect([code, output]).toEqual([1, "22 created, 0 skipped, 1 refused, 0 unknown\n"]);
    expect(leads.find(({ title }) => title === "Known")).toMatchObject({ user_id: user?.id, label_ids: [label?.id] });
    expect(leads.find(({ title }) => title === "New")).toMatchObject({ user_id: null, label_ids: [] });
    expect(rows("leads.csv.report.csv").at(-1)?.reason).toBe("no label No such label");
    const read = sandbox.requests.filter(({ method }) => method === "GET").map(({ operation }) => operation);
    expect([...new Set(read)].sort()).toEqual(["labels.list", "leads.list", "users.list"]);
    expect(read.filter((operation) => operation === "labels.list").length).toBeLessThan(3);
  });

  test.each([403, 404])("imports nothing when the key is answered %s for users", async (status) => {
    const { sandbox, cwd, env } = await place();
    writeFileSync(join(cwd, "leads.csv"), CSV);
    const before = sandbox.store.leads.count;
    sandbox.faults.next({ operation: "users.list", status });
    const { code, output } = await start("examples/lead-import/lead-import.ts", ["leads.csv"], { cwd, env }).ended;
    expect([code, output]).toEqual([1, expect.stringMatching(/^Nothing was imported: users.list/)]);
    expect(sandbox.store.leads.count).toBe(before);
  });
});

describe("lms-provisioning", () => {
  interface Seat {
    readonly planned_course_id: number;
    readonly student_id: number;
  }
  const seat = ({ planned_course_id, student_id }: Seat) => `/courses/${planned_course_id}/members/${student_id}`;

  /** A learning platform that knows its members, and the program that keeps them up to date. */
  async function provisioning({ failures = 0 } = {}) {
    const { sandbox, cwd, env } = await place();
    const { enrollments } = sandbox.store;
    for (const { id } of [...enrollments]) enrollments.update(id, { status: "canceled" });
    const members = new Map<string, unknown>();
    const asked: string[] = [];
    let failing = failures;
    const platform = createServer(async (request, response) => {
      const { method, url = "", headers } = request;
      const body = await text(request);
      asked.push(`${method} ${url}`);
      if (headers.authorization !== "Bearer lms-token") return void response.writeHead(401).end();
      if (failing-- > 0) return void response.writeHead(503).end();
      if (method === "PUT") members.set(url, JSON.parse(body));
      else members.delete(url);
      response.writeHead(204).end();
    });
    await new Promise<void>((resolve) => platform.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void platform.close());
    const run = (...options: string[]) => {
      const program = start("examples/lms-provisioning/lms-provisioning.ts", ["--port", "0", ...options], {
        cwd,
        env: {
          ...env,
          WEBHOOK_SECRET: "s3cret",
          LMS_URL: `http://127.0.0.1:${(platform.address() as AddressInfo).port}`,
          LMS_TOKEN: "lms-token",
        },
      });
      onTestFinished(() => void program.process.kill("SIGKILL"));
      return program;
    };
    const running = async () => {
      const program = run();
      const [, url] = await program.printed(/webhooks on (\S+)/);
      await program.printed(/enrollments are up to date/);
      const scheme = { header: "webhook-signature" };
      const unsubscribe = sandbox.webhooks.subscribe({ to: url ?? "", secrets: "s3cret", scheme });
      return { program, unsubscribe };
    };
    const seats = () => [...members.keys()].sort();
    return { sandbox, enrollments, members, seats, asked, run, running };
  }

  test("puts students in and takes them out as enrollments change, also after the platform failed", async () => {
    const { sandbox, enrollments, members, seats, asked, running } = await provisioning({ failures: 1 });
    const { program } = await running();
    const one = enrollments.insert({ status: "active" });
    const two = enrollments.insert({ status: "confirmed" });
    const three = enrollments.insert({ status: "canceled" });
    await expect.poll(seats, { timeout: 15_000 }).toEqual([seat(one), seat(two)].sort());
    const student = sandbox.store.users.get(one.student_id);
    const course = sandbox.store.plannedCourses.get(one.planned_course_id);
    expect(members.get(seat(one))).toEqual({
      name: [student?.first_name, student?.middle_name, student?.last_name].filter(Boolean).join(" "),
      email: student?.email,
      starts: course?.start_date ?? one.start_date,
      ends: course?.end_date ?? one.end_date,
    });

    enrollments.update(one.id, { status: "canceled" });
    enrollments.delete(two.id);
    await expect.poll(seats, { timeout: 15_000 }).toEqual([]);
    expect(asked.filter((line) => line.endsWith(seat(three)) && line.startsWith("PUT"))).toEqual([]);
    expect(sandbox.webhooks.deliveries.every(({ status }) => status === 200)).toBe(true);

    program.process.kill("SIGTERM");
    expect((await program.ended).code).toBe(0);
  }, 45_000);

  test("catches up at its start with what it missed, after a kill too, and reads each list once", async () => {
    const { sandbox, enrollments, members, seats, run } = await provisioning();
    const many = Array.from({ length: 150 }, () => enrollments.insert({ status: "active" }));
    const all = [...new Set(many.map(seat))].sort();
    const first = run();
    await expect.poll(() => members.size, { timeout: 15_000 }).toBeGreaterThan(20);
    first.process.kill("SIGKILL");
    await first.ended;

    const before = sandbox.requests.length;
    const second = run();
    await second.printed(/enrollments are up to date/);
    expect(seats()).toEqual(all);
    expect(sandbox.requests.length - before).toBeLessThan(25);
    second.process.kill("SIGTERM");
    await second.ended;

    const [gone, left, kept] = [many[0], many[1], many[2]] as [Seat & Numbered, Seat & Numbered, Seat & Numbered];
    enrollments.delete(gone.id);
    enrollments.update(left.id, { status: "completed" });
    sandbox.store.users.update(kept.student_id, { email: "moved@example.org" });
    await run().printed(/enrollments are up to date/);
    expect(members.get(seat(kept))).toMatchObject({ email: "moved@example.org" });
    expect([members.has(seat(gone)), members.has(seat(left))]).toEqual([false, false]);
  }, 60_000);

  test("keeps a student who is enrolled twice in a course until both enrollments have ended", async () => {
    const { enrollments, seats, asked, running } = await provisioning();
    const { program } = await running();
    const one = enrollments.insert({ status: "active" });
    const { student_id, planned_course_id } = one;
    const two = enrollments.insert({ status: "active", student_id, planned_course_id });
    await program.printed(new RegExp(`enrollment ${two.id}: in`));
    enrollments.update(one.id, { status: "completed" });
    await program.printed(new RegExp(`enrollment ${one.id}: out`));
    expect([seats(), asked.filter((line) => line.startsWith("DELETE"))]).toEqual([[seat(one)], []]);
    enrollments.update(two.id, { status: "completed" });
    await expect.poll(seats, { timeout: 15_000 }).toEqual([]);
  }, 45_000);

  test("removes nobody at its start when too many enrollments have disappeared", async () => {
    const { enrollments, seats, asked, run, running } = await provisioning();
    const many = Array.from({ length: 5 }, () => enrollments.insert({ status: "active" }));
    const { program } = await running();
    program.process.kill("SIGTERM");
    await program.ended;
    for (const { id } of many) enrollments.delete(id);
    await run("--most-gone", "4").printed(/5 enrollments have disappeared: too many/);
    expect(seats()).toEqual([...new Set(many.map(seat))].sort());
    expect(asked.filter((line) => line.startsWith("DELETE"))).toEqual([]);
  }, 45_000);

  const forever = { count: Number.POSITIVE_INFINITY };
  test.each<[string, Fault[], RegExp, string]>([
    ["the key is answered 404", [{ status: 404, ...forever }], /can no longer read enrollments/, "enrollments.list"],
    ["the key is answered 403", [{ status: 403, ...forever }], /can no longer read enrollments/, "enrollments.list"],
    [
      "the key lost the scope of enrollments",
      [
        { operation: "enrollments.get", status: 404, ...forever },
        { operation: "enrollments.list", status: 403, ...forever },
      ],
      /can no longer read enrollments/,
      "enrollments.list",
    ],
    [
      "the key lost the scope of users",
      [
        { operation: "users.get", status: 404, ...forever },
        { operation: "users.list", status: 403, ...forever },
      ],
      /can no longer read users/,
      "users.list",
    ],
  ])(
    "removes no member when %s, stops and says so",
    async (_, faults, message, refused) => {
      const { sandbox, enrollments, seats, asked, run, running } = await provisioning();
      const { program, unsubscribe } = await running();
      const kept = enrollments.insert({ status: "active" });
      const gone = enrollments.insert({ status: "active" });
      await expect.poll(seats, { timeout: 15_000 }).toEqual([seat(kept), seat(gone)].sort());

      for (const fault of faults) sandbox.faults.next(fault);
      enrollments.update(kept.id, { end_date: "2031-01-01" });
      enrollments.update(gone.id, { end_date: "2031-01-01" });
      const ended = await program.ended;
      expect([ended.code, ended.output]).toEqual([1, expect.stringMatching(message)]);
      expect(seats()).toEqual([seat(kept), seat(gone)].sort());
      expect(asked.filter((line) => line.startsWith("DELETE"))).toEqual([]);

      // With the bad key it does not start; with a good one it handles what it had received.
      expect(await run().ended).toEqual({ code: 1, output: expect.stringContaining(`Not started: ${refused}`) });
      sandbox.faults.clear();
      unsubscribe();
      enrollments.delete(gone.id);
      run();
      await expect.poll(seats, { timeout: 30_000 }).toEqual([seat(kept)]);
    },
    60_000,
  );

  test("leaves a member alone whose student cannot be found or whose enrollment has a status it does not know", async () => {
    const { sandbox, enrollments, seats, asked, running } = await provisioning();
    const { program } = await running();
    const one = enrollments.insert({ status: "active" });
    const two = enrollments.insert({ status: "active" });
    await expect.poll(seats, { timeout: 15_000 }).toEqual([seat(one), seat(two)].sort());
    enrollments.update(one.id, { status: "paused" as "active" });
    await program.printed(/unknown status/);
    sandbox.faults.next({ operation: "users.get", status: 404, ...forever });
    enrollments.update(two.id, { end_date: "2031-01-01" });
    await expect
      .poll(
        () => sandbox.requests.filter(({ operation, status }) => operation === "users.get" && status === 404).length,
      )
      .toBeGreaterThan(0);
    expect(seats()).toEqual([seat(one), seat(two)].sort());
    expect(asked.filter((line) => line.startsWith("DELETE"))).toEqual([]);
  }, 45_000);

  test("names the environment variables it needs and ends", async () => {
    const { cwd, env } = await place();
    const { code, output } = await start("examples/lms-provisioning/lms-provisioning.ts", [], { cwd, env }).ended;
    expect([code, output]).toEqual([1, expect.stringContaining("WEBHOOK_SECRET, LMS_URL, LMS_TOKEN")]);
  });
});

function exists(file: string): boolean {
  return globSync(file).length > 0;
}

function countLines(file: string): number {
  return exists(file) ? readFileSync(file, "utf8").trimEnd().split("\n").length : 0;
}
