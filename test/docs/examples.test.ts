import { globSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parse } from "csv-parse/sync";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSandbox, type Fault, type Sandbox } from "../../src/sandbox/index.ts";
import { listen } from "../../src/sandbox/node.ts";
import { root } from "./support/code-blocks.ts";
import { compile } from "./support/compile.ts";
import { start } from "./support/example.ts";

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

const OWN = [
  "accounting-export",
  "attendance-report",
  "catalogue-to-sqlite",
  "lead-import",
  "lms-provisioning",
  "mirror-dashboard",
];

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
    const written = rows("out/invoices.csv");
    expect(written.map(({ id }) => Number(id)).sort((a, b) => a - b)).toEqual(due.map(({ id }) => id));
    for (const status of ["open", "expired", "paid"]) {
      const sum = rows("out/totals.csv").find((row) => row.status === status);
      const expected = due.filter((invoice) => invoice.status === status);
      expect(sum?.invoices).toBe(String(expected.length));
      expect(cents(sum?.total_incl ?? "")).toBe(expected.reduce((all, one) => all + cents(one.total_incl), 0n));
      expect(cents(sum?.total_open ?? "")).toBe(expected.reduce((all, one) => all + cents(one.total_open), 0n));
    }
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
    // The third page of the first run never comes: killed there, two are kept.
    let pages = 0;
    const server = await listen({
      fetch: async (input, init) =>
        ++pages === 3 ? new Promise<Response>(() => undefined) : sandbox.fetch(input, init),
    });
    onTestFinished(() => server.close());
    env.EDUCATION_ADMIN_BASE_URL = server.url;
    const first = start("examples/accounting-export/accounting-export.ts", ["--no-pdf"], { cwd, env });
    await expect.poll(() => countLines(join(cwd, "export/invoices.csv.part")), { timeout: 15_000 }).toBe(201);
    const size = statSync(join(cwd, "export/invoices.csv.part")).size;
    const state = () => (exists(join(cwd, "export/invoices.csv.state")) ? read("export/invoices.csv.state") : "");
    await expect.poll(state).toContain(`"size":${size}`);
    first.process.kill("SIGKILL");
    await first.ended;
    const asked = sandbox.requests.length;

    const second = await start("examples/accounting-export/accounting-export.ts", [], { cwd, env }).ended;
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

describe("attendance-report", () => {
  test("draws a bar for each course edition, with the share that attended", async () => {
    const { sandbox, cwd, env, read } = await place();
    const { code, output } = await start("examples/attendance-report/attendance-report.ts", ["--out", "chart.html"], {
      cwd,
      env,
    }).ended;
    expect([code, output]).toEqual([0, expect.stringContaining("in chart.html")]);
    const html = read("chart.html");
    const completed = sandbox.store.organization.courseEditions.filter(({ status }) => status === "completed");
    const records = sandbox.store.organization.attendanceRecords;
    const drawn = completed.filter(({ id }) => records.find(({ course_edition_id }) => course_edition_id === id));
    expect(drawn.length).toBeGreaterThan(0);
    for (const { id, name } of drawn) {
      const own = records.filter(({ course_edition_id }) => course_edition_id === id);
      const attended = own.filter(({ attendance_state }) => attendance_state === "attended").length;
      expect(html).toContain(`<text x="0"`);
      expect(html).toContain(name.replace(/&/g, "&#38;"));
      expect(html).toContain(`${Math.round((attended / own.length) * 100)} %</text>`);
      expect(html).toContain(`attended: ${attended} of ${own.length}`);
    }
    expect(html.match(/<rect/g)?.length).toBeGreaterThanOrEqual(drawn.length);
  });
});

describe("catalogue-to-sqlite", () => {
  test("writes only what changed the second time, and marks what is gone", async () => {
    const { sandbox, cwd, env } = await place();
    const run = async () =>
      (await start("examples/catalogue-to-sqlite/catalogue-to-sqlite.ts", [], { cwd, env }).ended).output;
    const { categories, catalogProducts: products, catalogVariants: variants } = sandbox.store;
    const line = (read: number, fresh: number, changed: number, gone: number) =>
      `${read} read, ${fresh} new, ${changed} changed, ${gone} gone`;

    const first = await run();
    expect(first).toContain(`categories: ${line(categories.count, categories.count, 0, 0)}`);
    expect(first).toContain(`products: ${line(products.count, products.count, 0, 0)}`);
    expect(first).toContain(`variants: ${line(variants.count, variants.count, 0, 0)}`);

    products.update(1, { name: "Renamed" });
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
    const members = new Set<string>();
    const asked: string[] = [];
    let failing = failures;
    const platform = createServer((request, response) => {
      const { method, url = "", headers } = request;
      asked.push(`${method} ${url}`);
      if (headers.authorization !== "Bearer lms-token") return void response.writeHead(401).end();
      if (failing-- > 0) return void response.writeHead(503).end();
      if (method === "PUT") members.add(url);
      else members.delete(url);
      response.writeHead(204).end();
    });
    await new Promise<void>((resolve) => platform.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void platform.close());
    const run = () => {
      const program = start("examples/lms-provisioning/lms-provisioning.ts", ["--port", "0"], {
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
      const scheme = { header: "webhook-signature" };
      const unsubscribe = sandbox.webhooks.subscribe({ to: url ?? "", secrets: "s3cret", scheme });
      return { program, unsubscribe };
    };
    return { sandbox, enrollments: sandbox.store.enrollments, members, asked, run, running };
  }

  test("puts students in and takes them out as enrollments change, also after the platform failed", async () => {
    const { sandbox, enrollments, members, asked, running } = await provisioning({ failures: 1 });
    const { program } = await running();
    const one = enrollments.insert({ status: "active" });
    const two = enrollments.insert({ status: "confirmed" });
    const three = enrollments.insert({ status: "canceled" });
    await expect.poll(() => [...members].sort(), { timeout: 15_000 }).toEqual([seat(one), seat(two)].sort());

    enrollments.update(one.id, { status: "canceled" });
    enrollments.delete(two.id);
    await expect.poll(() => [...members], { timeout: 15_000 }).toEqual([]);
    expect(asked.filter((line) => line.endsWith(seat(three)) && line.startsWith("PUT"))).toEqual([]);
    const operations = new Set(sandbox.requests.map(({ operation }) => operation));
    expect([...operations].sort()).toEqual(["enrollments.get", "enrollments.list"]);
    expect(sandbox.webhooks.deliveries.every(({ status }) => status === 200)).toBe(true);

    program.process.kill("SIGTERM");
    expect((await program.ended).code).toBe(0);
  }, 45_000);

  test.each<[string, Fault[], RegExp]>([
    ["the key is answered 404", [{ status: 404, count: Number.POSITIVE_INFINITY }], /can no longer read enrollments/],
    ["the key is answered 403", [{ status: 403, count: Number.POSITIVE_INFINITY }], /can no longer read enrollments/],
    [
      "the key lost the scope of enrollments",
      [
        { operation: "enrollments.get", status: 404, count: Number.POSITIVE_INFINITY },
        { operation: "enrollments.list", status: 403, count: Number.POSITIVE_INFINITY },
      ],
      /can no longer read enrollments/,
    ],
  ])(
    "removes no member when %s, stops and says so",
    async (_, faults, message) => {
      const { sandbox, enrollments, members, asked, run, running } = await provisioning();
      const { program, unsubscribe } = await running();
      const kept = enrollments.insert({ status: "active" });
      const gone = enrollments.insert({ status: "active" });
      await expect.poll(() => [...members].sort(), { timeout: 15_000 }).toEqual([seat(kept), seat(gone)].sort());

      for (const fault of faults) sandbox.faults.next(fault);
      enrollments.update(kept.id, { end_date: "2031-01-01" });
      enrollments.update(gone.id, { end_date: "2031-01-01" });
      const ended = await program.ended;
      expect([ended.code, ended.output]).toEqual([1, expect.stringMatching(message)]);
      expect([...members].sort()).toEqual([seat(kept), seat(gone)].sort());
      expect(asked.filter((line) => line.startsWith("DELETE"))).toEqual([]);

      // With the bad key it does not start; with a good one it handles what it had received.
      expect(await run().ended).toEqual({ code: 1, output: expect.stringContaining("Not started: enrollments.list") });
      sandbox.faults.clear();
      unsubscribe();
      enrollments.delete(gone.id);
      run();
      await expect.poll(() => [...members], { timeout: 30_000 }).toEqual([seat(kept)]);
    },
    60_000,
  );

  test("leaves a member alone whose enrollment has a status it does not know", async () => {
    const { enrollments, members, asked, running } = await provisioning();
    const { program } = await running();
    const one = enrollments.insert({ status: "active" });
    await expect.poll(() => [...members], { timeout: 15_000 }).toEqual([seat(one)]);
    enrollments.update(one.id, { status: "paused" as "active" });
    await program.printed(/unknown status/);
    expect(asked.filter((line) => line.startsWith("DELETE"))).toEqual([]);
  }, 45_000);
});

function exists(file: string): boolean {
  return globSync(file).length > 0;
}

function countLines(file: string): number {
  return exists(file) ? readFileSync(file, "utf8").trimEnd().split("\n").length : 0;
}

describe("mirror-dashboard", () => {
  test("brings its mirror up to date once, queries it, and tells what has changed since the last time", async () => {
    const { sandbox, cwd, env } = await place();
    const dashboard = async (...more: string[]) =>
      (await start("examples/mirror-dashboard/mirror-dashboard.ts", more, { cwd, env }).ended).output;
    const changes = async () => (await start("examples/mirror-dashboard/changes.ts", [], { cwd, env }).ended).output;
    expect(await dashboard()).toContain(`enrollments: ${sandbox.store.enrollments.count} read`);
    const asked = sandbox.requests.length;
    expect(await dashboard()).toContain("students");
    expect(sandbox.requests.length).toBe(asked);
    expect((await changes()).trim().split("\n")).toHaveLength(sandbox.store.enrollments.count);
    sandbox.store.enrollments.update(1, { end_date: "2031-01-01" });
    await dashboard("--at-most", "1ms");
    expect(JSON.parse(await changes())).toMatchObject({ kind: "changed", id: "1", fields: ["end_date"] });
    expect(await changes()).toBe("");
  }, 60_000);
});
