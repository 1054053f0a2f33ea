import { execFileSync } from "node:child_process";
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { describeConcerned } from "../../src/cli/commands/describe-concerned.js";
import { COMMANDS } from "../../src/cli/commands.js";
import { filterOptions } from "../../src/cli/filters.js";
import { LISTS, RECORDS } from "../../src/cli/operations.js";
import { placeholders } from "../../src/core/operation.js";
import { MainClient } from "../../src/index.js";
import { allOperations } from "../../src/operations.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { listen } from "../../src/sandbox/node.js";
import { drawCases } from "../support/amount.js";
import { runLine } from "./run-support.js";

const sandbox = createSandbox({ size: 300 });
const client = new MainClient(sandbox);
let environment: Record<string, string>;
beforeAll(async () => {
  const server = await listen(sandbox);
  environment = { EDUCATION_ADMIN_BASE_URL: server.url, EDUCATION_ADMIN_API_KEY: sandbox.apiKey };
  return () => server.close();
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const run = (args: string, env = environment, isTTY = false) => runLine(args.split(" "), env, { isTTY, columns: 100 });

describe("get and list", () => {
  test("a record is printed as JSON", async () => {
    const { status, stdout, stderr } = await run("get accounts 7");
    expect([status, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toEqual(await client.accounts.get(7));
    expect(JSON.parse((await run("get educators")).stdout)).toEqual(await client.educators.get());
  });

  test("the first records of a list are printed, filtered, as JSON or as a table", async () => {
    const { stdout } = await run("list accounts --limit 3 --account-type business --json");
    expect(JSON.parse(stdout)).toEqual(await client.accounts.list({ account_type: "business" }).toArray({ max: 3 }));
    const table = (await run("list invoices --limit 2 --status open,paid --columns id,status,account_name")).stdout;
    const [heads, ...rows] = table.trimEnd().split("\n");
    expect(heads).toMatch(/^id +status +account_name$/);
    expect(rows).toHaveLength(2);
    for (const row of rows) expect(row).toMatch(/^\d+ +(open|paid) /);
  });

  test("columns of records that could not be read are told", async () => {
    const [{ account_id: gone } = { account_id: 0 }] = await client.orders.list().toArray({ max: 1 });
    const server = await listen({
      fetch: async (input, init) => {
        const request = new Request(input, init);
        const { pathname } = new URL(request.url);
        if (pathname.endsWith(`/accounts/${gone}`)) return Response.json({ message: "Not found" }, { status: 404 });
        const answer = await sandbox.fetch(request);
        if (!pathname.endsWith("/accounts")) return answer;
        const records = (await answer.json()) as { readonly id: number }[];
        return Response.json(
          records.filter(({ id }) => id !== gone),
          { headers: answer.headers },
        );
      },
    });
    onTestFinished(() => server.close());
    const list = (columns: string) =>
      run(`list orders --limit 1 --columns ${columns}`, { ...environment, EDUCATION_ADMIN_BASE_URL: server.url });
    expect((await list("id,account.name,account.email")).stderr).toBe(
      "Unknown in 1 record: the fields of account, which could not be read.\n",
    );
    expect((await list("id")).stderr).toBe("");
  });

  test("the command says so if there are no records", async () => {
    const none = "list accounts --search no-such-name-anywhere";
    expect(await run(none)).toEqual({ status: 0, stdout: "", stderr: "no records\n" });
    expect(await run(`${none} --columns id`)).toEqual({ status: 0, stdout: "", stderr: "no records\n" });
    expect(await run(`${none} --json`)).toEqual({ status: 0, stdout: "[]\n", stderr: "" });
  });

  test("commands accept repeated filters, lists below other records, the Organization API and the Admin API", async () => {
    const both = await run("list invoices --status open --status paid --limit 500 --json");
    expect(JSON.parse(both.stdout)).toEqual(await client.invoices.list({ status: ["open", "paid"] }).toArray());
    const meetings = await run("list meetings.list-for-planned-course 1 --json");
    expect(JSON.parse(meetings.stdout)).toEqual(await client.meetings.listForPlannedCourse(1).toArray({ max: 20 }));
    const contacts = await run("list organization.contacts --limit 1 --json");
    expect(JSON.parse(contacts.stdout)).toEqual(await client.organization.contacts.list().toArray({ max: 1 }));
    // Only the Admin API has departments.
    expect((await run("list departments --json")).status).toBe(0);
    expect(await run("list departments --api main")).toMatchObject({ status: 2 });
    expect((await run("list accounts --api admin --limit 1")).status).toBe(0);
  });

  test("several path parameters are accepted in the order of the path", async () => {
    const attendance = sandbox.store.attendances.filter(() => true)[0];
    const { meeting_id, enrollment_id } = attendance ?? {};
    const { stdout, stderr } = await run(`get attendances ${meeting_id} ${enrollment_id}`);
    expect([JSON.parse(stdout), stderr]).toEqual([expect.objectContaining({ meeting_id, enrollment_id }), ""]);
  });
});

describe("records selected by conditions, with fields of the records they refer to", () => {
  const open = "--columns number,account.email,total_open --where total_open>0 --where account.email!=";
  const expectRecords = async () => {
    const all = await client.invoices.list().with({ account: true }).toArray();
    const fit = all.filter(({ total_open, account }) => Number(total_open) > 0 && account?.email);
    return fit.map(({ number, account, total_open }) => ({ number, "account.email": account?.email, total_open }));
  };
  test("are listed, counted and exported", async () => {
    const rows = await expectRecords();
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.parse((await run(`list invoices --all --json ${open}""`)).stdout)).toEqual(rows);
    expect((await run('count invoices --where total_open>0 --where account.email!=""')).stdout).toBe(
      `${rows.length}\n`,
    );
    expect((await run("count invoices --status open")).stdout).toBe(
      `${await client.invoices.list({ status: ["open"] }).count()}\n`,
    );
    const { stdout } = await run(`export invoices --format csv --quiet ${open}""`);
    expect(parse(stdout, { columns: true })).toEqual(rows.map((row) => ({ ...row, number: row.number ?? "" })));
  });
  test.each([
    [
      "list invoices --columns account.emial",
      '"account.emial" is not a field of the record; did you mean "account.email"?',
    ],
    ["count invoices --where totl_open>0", '"totl_open" is not a field of the record'],
    ["count invoices --where status=opn", '"opn" is not one of concept, '],
    ["export invoices --where expiration_date<01-07-2026", "expiration_date: write the day 01-07-2026 as yyyy-MM-dd"],
  ])("are not requested if the line is wrong: %s", async (line, reason) => {
    const { status, stderr } = await run(line);
    expect([status, stderr]).toEqual([2, expect.stringContaining(reason)]);
  });
});

test("a write shows the people it concerns before the question", async () => {
  const of = (id: string, ...parameters: number[]) => {
    const operation = allOperations.find((one) => one.id === id) as (typeof allOperations)[number];
    return describeConcerned(client, { operation, api: "main", parameters, query: {}, rest: [], values: {} });
  };
  const { student_id, status } = await client.enrollments.get(7);
  const { first_name, last_name, email } = await client.users.get(student_id);
  const lines = (await of("enrollments.cancel", 7)).split("\n");
  expect(lines).toContain(`  status: ${status}`);
  expect(lines.find((line) => line.startsWith("  student: "))).toMatch(
    new RegExp(`: ${first_name} .*${last_name}, ${email}$`),
  );
  expect(await of("accounts.update", 7)).toContain(`  name: ${(await client.accounts.get(7)).name}\n`);
  expect([await of("accounts.create"), await of("enrollments.cancel", 999_999)]).toEqual(["", ""]);
});

describe("export", () => {
  test("writes a list to a file, and reports what it wrote", async () => {
    const file = join(folder, "open.csv");
    const { status, stdout, stderr } = await run(
      `export invoices --status open --format csv --out ${file} --columns number,total_open`,
    );
    const invoices = await client.invoices.list({ status: ["open"] }).toArray();
    expect(parse(readFileSync(file, "utf8"), { columns: true, recordDelimiter: "\r\n" })).toEqual(
      invoices.map(({ number, total_open }) => ({ number: number ?? "", total_open })),
    );
    expect([status, stdout, statSync(file).mode & 0o777]).toEqual([0, "", 0o600]);
    expect(stderr).toMatch(new RegExp(`^${invoices.length} records, [\\d.]+ k?B: ${file}\n$`));
    expect(readdirSync(folder)).toEqual(["open.csv"]);
  });

  test("writes to standard output without --out, and with --gzip a compressed file", async () => {
    const { stdout } = await run("export accounts --quiet");
    const accounts = await client.accounts.list().toArray();
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual(accounts);
    const file = join(folder, "accounts.ndjson.gz");
    expect((await run(`export accounts --gzip --quiet --out ${file}`)).stderr).toBe("");
    expect(gunzipSync(readFileSync(file)).toString()).toBe(stdout);
  });

  test("shows its progress on a terminal", async () => {
    const { stderr } = await run(`export accounts --out ${join(folder, "x")}`, environment, true);
    expect(stderr).toMatch(/\r\[#{8} {16}\] 33% {2}100 records {2}[\d,]+\/s {2}.*[\d.]+ kB/);
    expect(stderr).toMatch(/\r\[#{24}] 100% {2}\d+ records/);
  });

  test("refuses a target that is not a file, and says how to write to a pipe", async () => {
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const asked = sandbox.requests.length;
    expect(await run(`export accounts --out ${pipe}`)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(
        `--out: ${pipe} is a named pipe; leave out --out and redirect the output: education-admin-sdk export … > ${pipe}`,
      ),
    });
    expect((await run(`export accounts --out ${folder}`)).stderr).toContain("is a folder; name a file");
    expect((await run(`export accounts --out ${folder}/no/x`)).stderr).toContain(`folder ${folder}/no does not exist`);
    expect((await run("export accounts --out /dev/stdout")).stderr).toContain("is a stream of the process; leave out");
    expect(sandbox.requests).toHaveLength(asked);
    expect(lstatSync(pipe).isFIFO(), "still a named pipe").toBe(true);
  });

  test("says how to continue when it fails halfway, and then continues", async () => {
    const file = join(folder, "accounts.ndjson");
    const whole = await run("export accounts --quiet --where phone!=1");
    sandbox.faults.next({ operation: "accounts.list", delayMs: 0, times: 1 });
    sandbox.faults.next({ operation: "accounts.list", status: 403 });
    const failed = await run(`export accounts --out ${file} --where phone!=1`);
    expect(failed.status).toBe(1);
    expect(failed.stderr).toContain("The same command with --resume continues this export.");
    expect(failed.stderr).toContain("403");
    const { stderr } = await run(`export accounts --resume --out ${file} --where phone!=1`);
    expect(stderr).toContain(", continued: ");
    const countIn = (text: string) =>
      Number(/The matching records include (\d+) without a value to compare;/.exec(text)?.[1]);
    // The first page, which this run did not read, has more of them.
    expect([countIn(stderr), countIn(whole.stderr) > 75]).toEqual([75, true]);
    expect(readFileSync(file, "utf8")).toBe(whole.stdout);
  });
});

describe("settings", () => {
  test("can come from a file, which takes precedence over the environment", async () => {
    const file = join(folder, "school.env");
    writeFileSync(
      file,
      Object.entries(environment)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(""),
    );
    const wrong = { EDUCATION_ADMIN_BASE_URL: "https://other.example", EDUCATION_ADMIN_API_KEY: "wrong" };
    expect((await run(`get accounts 7 --env-file ${file}`, wrong)).status).toBe(0);
    expect(await run(`get accounts 7 --env-file ${file}x`, wrong)).toMatchObject({ status: 2 });
    // Some editors start a file with a byte order mark.
    writeFileSync(file, `\uFEFF${readFileSync(file, "utf8")}`);
    expect((await run(`get accounts 7 -e ${file}`, wrong)).status).toBe(0);
  });

  test.each(["--api-key canary", "--key=canary", "--token canary", "--base-url https://canary.example"])(
    "cannot come from the command line: %s",
    async (option) => {
      const { status, stderr } = await run(`get accounts 7 ${option}`);
      expect(status).toBe(2);
      expect(stderr).toContain("EDUCATION_ADMIN_API_KEY");
      expect(stderr).not.toContain("canary");
    },
  );
});

test("with --without-key no key is sent, and the error says that there was none", async () => {
  const { status, stderr } = await run("list accounts --without-key");
  expect(status).toBe(1);
  expect(stderr).toContain("Likely reasons: the client has no API key");
  expect((await run("list accounts", { ...environment, EDUCATION_ADMIN_API_KEY: "" })).stderr).toContain(
    "--without-key",
  );
});

test("text from the service cannot control a terminal, and is written to a file unchanged", async () => {
  const name = "a\u009b2Jb\u202ec\x1b[8md\re";
  const { id } = await client.labels.create({ name, model_type: "Lead", color: "#336699" });
  onTestFinished(async () => void (await client.labels.delete(id)));
  const asked = ["list labels --limit 100", "list labels --json --limit 100", "export labels --format ndjson"];
  for (const args of asked) {
    const { stdout, stderr } = await run(args, environment, true);
    expect(stdout + stderr).toMatch(/2Jb/);
    const own = ["\x1b[K", "\x1b[J", "\r", "\n"];
    expect(own.reduce((text, one) => text.replaceAll(one, ""), stdout + stderr)).not.toMatch(/[\p{Cc}\u202e]/u);
  }
  expect((await run(asked[2] as string)).stdout).toContain(`"name":"a\u009b2Jb\u202ec\\u001b[8md\\re"`);
  sandbox.faults.next({ status: 422, errors: { base: [name] }, message: name });
  const { stderr } = await run("list labels", environment, true);
  expect(stderr).toContain("2Jb");
  expect(stderr).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
});

describe("responses and errors", () => {
  test("a response with a record other than the requested one is refused, and nothing is written", async () => {
    for (const [args, said] of [
      ["get accounts 7", /^accounts\.get: the response to the request for 7 is another record/],
      [
        "update accounts 7 name=Mine --yes",
        /^accounts\.update: .* another record[\s\S]*The service may have carried out the request/,
      ],
    ] as const) {
      sandbox.faults.next({
        operation: /update/.test(args) ? "accounts.update" : "accounts.get",
        body: { id: 8, name: "Other" },
      });
      expect(await run(args)).toMatchObject({ status: 1, stdout: "", stderr: expect.stringMatching(said) });
    }
  });

  test("a missing key ends with the status for wrong settings, an error of the service with that for failures", async () => {
    expect(await run("get accounts 7", {})).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(
        /^EDUCATION_ADMIN_BASE_URL and EDUCATION_ADMIN_API_KEY are not set\. .*--env-file school\.env/,
      ),
    });
    expect(
      (await run("list accounts", { EDUCATION_ADMIN_API_KEY: "x", EDUCATION_ADMIN_BASE_URL: " " })).stderr,
    ).toMatch(/^EDUCATION_ADMIN_BASE_URL is not set\. Set it /);
    const keyless = { EDUCATION_ADMIN_BASE_URL: "" };
    expect((await run("list accounts --without-key", keyless)).stderr).toMatch(
      /^EDUCATION_ADMIN_BASE_URL is not set\./,
    );
    const wrong = { ...environment, EDUCATION_ADMIN_BASE_URL: "school.example" };
    expect(await run("list accounts", wrong)).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^EDUCATION_ADMIN_BASE_URL must be an absolute URL/),
    });
    expect(await run("get accounts 999999")).toMatchObject({ status: 1, stderr: expect.stringContaining("404") });
  });
});

describe("help", () => {
  test.each(COMMANDS.map(({ name }) => name))("explains %s", async (name) => {
    const { status, stdout, stderr } = await run(`${name} --help`);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(new RegExp(`^Usage: education-admin-sdk ${name} `));
    expect(stdout.split("\n").filter((line) => line.length > 120)).toEqual([]);
    expect(stdout).not.toContain("default: []");
  });

  test("of the program lists every command", async () => {
    const { stdout } = await run("--help");
    for (const { name } of COMMANDS) expect(stdout).toContain(`\n  ${name} `);
  });

  test.each(["list", "get", "export"])("of %s says how to see the options of one list or record", async (name) => {
    const { stdout } = await run(`${name} --help`);
    expect(stdout).toMatch(
      new RegExp(`\\n${name} <(list|record)> --help lists the arguments(, filters)? and options of one`),
    );
  });

  test("of every list explains its filters, and every list and record can be requested", async () => {
    for (const name of drawCases(LISTS.names, 15)) {
      const { operation } = LISTS.find(name, null);
      const { stdout } = await run(`export ${name} --help`);
      for (const { option } of filterOptions(operation)) expect(stdout, name).toContain(`  ${option.long} `);
      for (const { option } of filterOptions(operation)) expect(option.description, name).toMatch(/ .+ /);
    }
    expect((await run("list accounts --help")).stdout).toMatch(
      /--account-type <value> +Only business or only personal/,
    );
    expect((await run("update accounts --help")).stdout.replace(/\s+/g, " ")).toContain("fields: name (required), ");
    expect((await run("update labels --help")).stdout).not.toContain("(required)");
    const courses = (await run("list courses --help")).stdout.replace(/\s+/g, " ");
    expect(courses).toContain("Only courses with these identifiers; can be repeated. Deprecated: ");
    const rows = allOperations.filter(({ method, response }) => method === "GET" && response);
    expect(new Set([...LISTS.names, ...RECORDS.names]).size).toBeGreaterThanOrEqual(
      new Set(rows.filter(({ paged }) => paged).map(({ id }) => id)).size,
    );
    for (const name of drawCases(LISTS.names, 15)) {
      const { operation } = LISTS.find(name, null);
      const { stderr } = await run(`list ${name}${" 1".repeat(placeholders(operation).length)} --limit 1`);
      expect(stderr, name).not.toMatch(/not a function|undefined|has no method/);
    }
  });

  test("is not needed for the version: --version and -v print it", async () => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
    for (const args of ["--version", "-v", "list accounts --version"])
      expect((await run(args)).stdout).toBe(`${version}\n`);
  });
});

test("sandbox names the port that is already in use, and says what to do", async () => {
  const { port } = new URL(environment.EDUCATION_ADMIN_BASE_URL ?? "");
  expect(await run(`sandbox --port ${port} --size small`)).toEqual({
    status: 1,
    stdout: "",
    stderr: `Another program is listening on port ${port} of 127.0.0.1. Stop it, or use another port: --port 0 picks any free port.\n`,
  });
});
