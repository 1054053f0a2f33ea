import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../../src/sandbox/index.js";
import { listen } from "../../src/sandbox/node.js";
import { drawCases } from "../support/amount.js";
import { type Ended, inTerminal, type Step } from "../support/pty.js";
import { needs } from "../support/tools.js";

const sandbox = createSandbox({ size: 300, rateLimit: false });
let env: Record<string, string>;
beforeAll(async () => {
  sandbox.webhooks.subscribe({ to: "https://receiver.example/webhooks" });
  const server = await listen(sandbox);
  env = { EDUCATION_ADMIN_BASE_URL: server.url, EDUCATION_ADMIN_API_KEY: sandbox.apiKey };
  return () => server.close();
});

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "cli-screens-"));
  writeFileSync(join(cwd, "students.csv"), "email,first_name,last_name\nnew@example.com,Zoë,東京\n");
  onTestFinished(() => rmSync(cwd, { recursive: true }));
});

const CLI = [process.execPath, resolve("dist/cli/cli.js")];

function run(line: string, columns: number, steps: readonly Step[] = []): Promise<Ended> {
  return inTerminal([...CLI, ...line.split(" ")], steps, { columns, rows: 60, cwd, env });
}

function shell(line: string, columns: number): Promise<Ended> {
  const command = line.replace("education-admin-sdk", CLI.join(" "));
  return inTerminal(["/bin/sh", "-c", command], [], { columns, rows: 60, cwd, env });
}

/** Removes the parts that differ from run to run. */
function steady(screen: string): string {
  return screen
    .replaceAll(env.EDUCATION_ADMIN_BASE_URL ?? "", "http://127.0.0.1:4010")
    .replace(/127\.0\.0\.1:\d{5}/g, "127.0.0.1:4010")
    .replace(/\b[\d,]+\/s/g, "950/s")
    .replace(/--confirm (?:[0-9a-f]\n?){8}/g, "--confirm 7f3a9c1e\n");
}

const LINES: readonly string[] = [
  "export invoices --help",
  "get accounts 1 --columns id,name,address.city",
  "list invoices --limit 4 --columns number,status,account_name,total_open",
  "list accounts --acount-type business",
  "export accounts --out accounts.csv",
  "mirror --to school.sqlite --resources accounts,labels --once",
  "webhooks list",
  "types --out school.ts",
  "bulk plan users students.csv --key email --to students.plan",
  "bulk show students.plan",
  "completion --help",
];

test("the version is printed without loading the command line parser", () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  for (const flag of ["--version", "-v"]) {
    const loaded = join(cwd, flag);
    const printed = execFileSync(process.execPath, [resolve("dist/cli/cli.js"), flag], {
      encoding: "utf8",
      env: { ...env, NODE_V8_COVERAGE: loaded },
    });
    expect(printed).toBe(`${version}\n`);
    const files = readdirSync(loaded).map((name) => readFileSync(join(loaded, name), "utf8"));
    expect(files.join("")).toContain("dist/cli/cli.js");
    expect(files.join("")).not.toContain("commander");
  }
});

test.each(drawCases([80, 40], 1, 1, (columns) => `cli/screens ${columns}`))(
  "every command fits a terminal that is %i columns wide",
  needs("python"),
  async (columns) => {
    const screens: string[] = [];
    for (const line of LINES) {
      const { screen, status } = await run(line, columns);
      screens.push(`$ education-admin-sdk ${line}\n${screen}\n(${status})\n`);
    }
    const { screen, status } = await run("sandbox --port 0 --key key --size small --no-console", columns, [
      { wait: "key" },
      { send: "\x03" },
    ]);
    screens.push(`$ education-admin-sdk sandbox\n${screen}\n(${status})\n`);
    await expect(steady(screens.join("\n"))).toMatchFileSnapshot(`screens-${columns}.txt`);
  },
);

/** Lets the first two requests succeed, one of which reads the length of the list; the third never ends. */
function stall(): void {
  sandbox.faults.next({ operation: "accounts.list", delayMs: 0, times: 2 });
  sandbox.faults.next({ operation: "accounts.list", delayMs: 600_000 });
}

describe("an export that is interrupted", needs("python"), () => {
  afterEach(() => sandbox.faults.clear());

  test("says how to continue, and continues", async () => {
    stall();
    const ended = await run("export accounts --out accounts.csv", 80, [{ wait: "100 records" }, { send: "\x03" }]);
    expect(ended).toMatchObject({ status: -2, isCursorHidden: false });
    expect(ended.screen).toBe(
      "300 records in 3 requests\nInterrupted: the same command with --resume continues this export.",
    );
    sandbox.faults.clear();
    const { screen } = await run("export accounts --out accounts.csv --resume", 80);
    expect(screen).toMatch(/✓ 300 records, [\d.]+ kB, continued: accounts\.csv$/);
    expect(readdirSync(cwd).sort()).toEqual(["accounts.csv", "students.csv"]);
    expect(readFileSync(join(cwd, "accounts.csv"), "utf8").trimEnd().split("\r\n")).toHaveLength(301);
  });

  test("writes no line wider than a terminal that has been made narrower", async () => {
    stall();
    const steps = [{ wait: "100 records" }, { resize: [40, 60] }, { send: "\x03" }] as const;
    const { screen } = await run("export accounts --out accounts.csv", 80, steps);
    const [estimate, ...lines] = screen.split("\n");
    expect(estimate).toBe("300 records in 3 requests");
    // Text written before the terminal was made narrower may remain, on its own line.
    expect(lines.slice(-2).join("")).toBe("Interrupted: the same command with --resume continues this export.");
    expect(lines.length).toBeLessThanOrEqual(3);
  });

  test("ends silently when the reader of its output has closed the pipe", async () => {
    const { screen, status } = await shell("education-admin-sdk export accounts --quiet | head -n 1 | cut -c 1-20", 80);
    expect([screen, status]).toEqual(['{"id":1,"name":"Fixt', 0]);
  });

  test("reports that the disk is full", async () => {
    const { screen, status } = await shell("education-admin-sdk export accounts > /dev/full", 80);
    expect([screen, status]).toEqual(["The output could not be written: the disk is full", 1]);
  });

  test("says how to continue when the disk is full, and continues", async () => {
    const { screen, status } = await shell("ulimit -f 60; education-admin-sdk export accounts --out accounts.csv", 80);
    expect([screen.replace("300 records in 3 requests\n", "").replace("\n", ""), status]).toEqual([
      "accounts.csv could not be written: the file would be larger than permitted. The same command with --resume continues this export.",
      1,
    ]);
    expect((await run("export accounts --out accounts.csv --resume", 80)).screen).toMatch(
      /✓ 300 records, .*, continued/,
    );
  });

  test("says how to continue after the key has been revoked", async () => {
    sandbox.faults.next({ operation: "accounts.list", delayMs: 0, times: 2 });
    sandbox.faults.next({ operation: "accounts.list", status: 401 });
    const { screen, status } = await run("export accounts --out accounts.csv", 80);
    expect(status).toBe(1);
    expect(screen).toMatch(/^300 records in 3 requests\naccounts\.list: .*401/);
    expect(screen.replaceAll("\n", " ")).toMatch(/ The same command with --resume continues this export\.$/);
  });

  test("shows no progress line in CI", async () => {
    const { written } = await inTerminal([...CLI, "export", "accounts", "--out", "a.csv"], [], {
      cwd,
      env: { ...env, CI: "1" },
    });
    expect(written).toMatch(/^300 records in 3 requests\r\n300 records, [\d.]+ kB: a\.csv\r\n$/);
  });
});

test("a full disk leaves the existing file unchanged, and a copy continues later", needs("python"), async () => {
  writeFileSync(join(cwd, "invoice.pdf"), "older");
  const file = await shell("ulimit -f 0; education-admin-sdk get invoices.get-pdf 1 --out invoice.pdf", 120);
  expect(file.status).toBe(1);
  expect(file.screen).toMatch(
    /invoice\.pdf could not be written: the file would be larger than permitted\. An existing file\s+is unchanged/,
  );
  expect(readFileSync(join(cwd, "invoice.pdf"), "utf8")).toBe("older");
  expect(readdirSync(cwd).sort()).toEqual(["invoice.pdf", "students.csv"]);

  const copy = await shell("ulimit -f 120; education-admin-sdk mirror --to s.sqlite --resources accounts --once", 120);
  expect(copy.status).toBe(1);
  // The copy may not have started, because its tables do not fit.
  expect(copy.screen).toMatch(
    /^(--to: s\.sqlite: disk I\/O error\. |accounts: disk I\/O error; .*\nNot complete: accounts\. The next run resumes from here$)/,
  );
});

test("mirror says when it will run next, and how to continue after Ctrl-C", needs("python"), async () => {
  const steps = [{ wait: "the next run begins about" }, { send: "\x03" }];
  const { screen, status } = await run("mirror --to school.sqlite --resources accounts", 80, steps);
  expect(status).toBe(0);
  expect(screen).toMatch(/\nStopped: the next run resumes from here$/);
  expect(screen).not.toContain("the next run begins");
});
