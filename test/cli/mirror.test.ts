import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { runCli } from "../../src/cli/main.js";
import { MirrorProgress } from "../../src/cli/tell/mirror-progress.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { listen } from "../../src/sandbox/node.js";

async function start() {
  const folder = mkdtempSync(join(tmpdir(), "cli-mirror-"));
  const sandbox = createSandbox({ size: 30, rateLimit: false });
  const server = await listen(sandbox);
  onTestFinished(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });
  const env = { EDUCATION_ADMIN_BASE_URL: server.url, EDUCATION_ADMIN_API_KEY: sandbox.apiKey };
  const run = async (
    args: readonly string[],
    isTTY = false,
    onText: (stderr: string) => void = () => {},
    stop?: AbortSignal,
  ) => {
    let stdout = "";
    let stderr = "";
    const terminal = {
      env,
      stdout: { write: (text: string) => (stdout += text) },
      stderr: {
        isTTY,
        columns: 120,
        write: (text: string) => {
          stderr += text;
          onText(stderr);
        },
      },
      stop,
    };
    const status = await runCli(["mirror", ...args], terminal);
    return { status, stdout, stderr };
  };
  return { sandbox, run, env, file: join(folder, "school.sqlite") };
}

test("mirror --once copies lists into a file and reports the result", async () => {
  const { sandbox, run, file } = await start();
  const command = ["--to", file, "--resources", "accounts,users", "--once"];
  expect(await run(command)).toEqual({
    status: 0,
    stdout: "",
    stderr: expect.stringContaining("accounts: complete; 30 read, 30 added, 0 changed, 0 gone, 1 request\n"),
  });
  sandbox.store.accounts.delete(7);
  expect((await run(command)).stderr).toContain("accounts: complete; 29 read, 0 added, 0 changed, 1 gone");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const database = new DatabaseSync(file);
  expect(database.prepare("SELECT count(*) AS rows FROM current_accounts").get()).toEqual({ rows: 29 });
  database.close();
});

test("a changed key marks only rows that it has seen as gone; a key of the same name counts as the same key", async () => {
  const { sandbox, run, file, env } = await start();
  const command = ["--to", file, "--resources", "accounts", "--once"];
  await run(command);
  sandbox.store.accounts.delete(7);
  env.EDUCATION_ADMIN_API_KEY = sandbox.createKey();
  expect(await run(command)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("accounts: 1 missing row that only another key has seen"),
  });
  expect((await run([...command, "--accept", "accounts"])).stderr).toContain("1 gone");
  const named = [...command, "--key-name", "reports"];
  await run(named);
  sandbox.store.accounts.delete(9);
  env.EDUCATION_ADMIN_API_KEY = sandbox.createKey();
  expect(await run(named)).toMatchObject({ status: 0, stderr: expect.stringContaining("1 gone") });
});

test("mirror --resources and --accept take the names that other commands take", async () => {
  const { run, file } = await start();
  const names = ["--resources", "planned-courses,catalogVariants", "--accept", "planned-courses"];
  const { status, stderr } = await run(["--to", file, ...names, "--once"]);
  expect(status, stderr).toBe(0);
  expect(stderr).toMatch(/plannedCourses: complete; [\s\S]*catalogVariants: complete; /);
});

test("mirror --resources flat leaves out lists that need one request per record of another list", async () => {
  const { run, file } = await start();
  const { status, stderr } = await run(["--to", file, "--resources", "flat", "--once"]);
  expect(status).toBe(0);
  expect(stderr).toContain("invoices: complete");
  expect(stderr).not.toContain("payments:");
});

test("a terminal shows one line that is overwritten, and a permanent line for each list", async () => {
  const { run, file } = await start();
  const { stderr } = await run(["--to", file, "--resources", "accounts,users", "--once"], true);
  expect(stderr).toContain("\r0 of 2 lists, 30 rows, 1 request; accounts: 30 rows\u001b[K");
  expect(stderr).toContain("\r\u001b[Jaccounts: complete; 30 read, ");
  expect(stderr).toContain("\r1 of 2 lists, 30 rows, 1 request\u001b[K\r");
  expect(stderr.split("\r\u001b[J").at(-1)).toMatch(/^users: complete; .*\n$/);
});

test("the command reports what it is waiting for, and each list as it finishes", async () => {
  const { run, file, sandbox } = await start();
  const stop = new AbortController();
  let waitedAfter = 0;
  const onText = (stderr: string) => {
    if (!stderr.includes("waiting until") || stop.signal.aborted) return;
    waitedAfter = sandbox.requests.length;
    stop.abort();
  };
  // This share of the limit allows one request per window.
  const command = ["--to", file, "--resources", "accounts,users", "--share", "0.002", "--once"];
  const { status, stderr } = await run(command, true, onText, stop.signal);
  expect(stderr.replaceAll("\r", "<").replaceAll("\u001b[K", ">")).toMatch(
    /accounts: complete; 30 read.*\n<1 of 2 lists, 30 rows, 1 request><1 of 2 lists, 30 rows, 1 request; waiting until \d\d:\d\d: the request budget \(share 0\.002\) is used up>/,
  );
  expect([status, waitedAfter]).toEqual([1, 1]);
  expect(stderr).toContain("Interrupted: the next run resumes from here");
});

test("without a terminal a line is printed now and then, if something has changed", () => {
  const lines: string[] = [];
  const progress = new MirrorProgress({ write: (text) => lines.push(text) });
  progress.begin(3);
  progress.tick();
  const unknown = { total: null, percent: null, expectedEnd: null };
  progress.page({ list: "accounts", read: 12_300, requests: 123, ...unknown });
  progress.tick();
  progress.tick();
  progress.wait({ why: "the request budget (share 0.2) is used up", until: new Date(2030, 0, 1, 2, 43, 1) });
  progress.tick();
  progress.tick();
  progress.page({ list: "accounts", read: 12_400, requests: 124, ...unknown });
  progress.wait({ why: "the rate limit is used up", until: null });
  progress.tick();
  const expectedEnd = new Date(2030, 0, 1, 2, 43, 1);
  progress.page({ list: "accounts", read: 12_500, requests: 125, total: 30_000, percent: 41.9, expectedEnd });
  progress.tick();
  progress.page({ list: "accounts", read: 12_600, requests: 126, total: 30_000, percent: 42, expectedEnd: null });
  progress.tick();
  expect(lines).toEqual([
    "0 of 3 lists, 12,300 rows, 123 requests; accounts: 12,300 rows\n",
    "0 of 3 lists, 12,300 rows, 123 requests; accounts: 12,300 rows; waiting until 02:44: the request budget (share 0.2) is used up\n",
    "0 of 3 lists, 12,400 rows, 124 requests; accounts: 12,400 rows; waiting: the rate limit is used up\n",
    "0 of 3 lists, 12,500 rows, 125 requests; accounts: 41%, ends at about 02:44\n",
    "0 of 3 lists, 12,600 rows, 126 requests; accounts: 42%\n",
  ]);
});

test("without a terminal the first wait is reported when it begins", async () => {
  const { run, file } = await start();
  const stop = new AbortController();
  const onText = (stderr: string) => {
    if (stderr.includes("waiting until")) stop.abort();
  };
  // The command ends only if it prints the wait: the next line would come a minute later.
  const command = ["--to", file, "--resources", "accounts,users", "--share", "0.002", "--once"];
  const { stderr } = await run(command, false, onText, stop.signal);
  expect(stderr).toMatch(/\n1 of 2 lists, 30 rows, 1 request; waiting until \d\d:\d\d: the request budget/);
});

test("an error names a file that is not a database, or a folder that is missing", async () => {
  const { run, file, sandbox } = await start();
  const asked = sandbox.requests.length;
  writeFileSync(
    file,
    "not a database, but longer than a header of one would be, as SQLite looks at 100 bytes ".repeat(9),
  );
  const before = readFileSync(file, "utf8");
  expect(await run(["--to", file, "--resources", "accounts", "--once"])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(`--to: ${file}: file is not a database`),
  });
  expect(readFileSync(file, "utf8")).toBe(before);
  const missing = join(file, "..", "no", "x.sqlite");
  expect(await run(["--to", missing, "--once"])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(
      `--to: ${missing} cannot be written; the folder ${join(file, "..", "no")} does not exist`,
    ),
  });
  expect(sandbox.requests).toHaveLength(asked);
});

test.each([":memory:", "file::memory:?cache=shared", "file:x?mode=memory"])(
  "the target %s is refused, because nothing would remain after the command",
  async (to) => {
    const { run, sandbox } = await start();
    const asked = sandbox.requests.length;
    const stderr = expect.stringContaining(`--to: ${to} would keep nothing after the command`);
    expect(await run(["--to", to, "--once"])).toMatchObject({ status: 2, stderr });
    expect(sandbox.requests).toHaveLength(asked);
  },
);

test("stopping is the normal end of a running copy, but with --once it is a failure", async () => {
  const { run, file } = await start();
  const stopAt = (text: string) => {
    const stop = new AbortController();
    return [(stderr: string) => void (stderr.includes(text) && stop.abort()), stop.signal] as const;
  };
  const command = ["--to", file, "--resources", "accounts,users"];
  const kept = await run(command, false, ...stopAt("users: complete"));
  expect([kept.status, kept.stderr.endsWith("\nStopped: the next run resumes from here\n")]).toEqual([0, true]);
  const early = await run(command, false, ...stopAt("accounts: complete"));
  expect(early.status).toBe(0);
  expect(early.stderr).not.toContain("users: complete");
  const once = await run([...command, "--once"], false, ...stopAt("accounts: complete"));
  expect([once.status, once.stderr.includes("Interrupted: the next run resumes from here")]).toEqual([1, true]);
});

test.each(["SIGINT", "SIGTERM"] as const)("the signal %s stops the command", async (signal) => {
  const { run, file } = await start();
  const command = ["--to", file, "--resources", "accounts"];
  // No listener other than the command's may handle the signal.
  const stopped = await run(command, false, (stderr) => {
    if (stderr.includes("accounts: complete") && !stderr.includes("Stopped")) process.emit(signal);
  });
  expect(stopped).toMatchObject({ status: 0, stderr: expect.stringContaining("Stopped: ") });
});

test("an incomplete list ends with status 1, wrong usage with status 2", async () => {
  const { sandbox, run, file } = await start();
  sandbox.faults.next({ operation: "accounts.list", status: 403, times: 9 });
  const refused = await run(["--to", file, "--resources", "accounts", "--once"]);
  expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining("Not complete: accounts") });
  for (const wrong of [
    [],
    ["--to", file, "--wrong"],
    ["--to", file, "--resources", "acounts"],
    ["--to", file, "--share", "2"],
    ["--to", file, "--api", "both"],
    ["--to", file, "--prefix", "School"],
    ["--to", file, "--schema", "school"],
    ["--ddl", "mysql"],
    ["--ddl", "sqlite", "--schema", "school"],
  ]) {
    expect((await run([...wrong, "--once"])).status).toBe(2);
  }
  expect((await run(["--help"])).stdout).toContain("--to <file>");
});

test("--ddl prints the command's CREATE TABLE statements, and needs no key", async () => {
  const { run, env, file } = await start();
  const { EDUCATION_ADMIN_API_KEY } = env;
  env.EDUCATION_ADMIN_API_KEY = "";
  const names = ["--resources", "accounts,authentications", "--prefix", "school_"];
  const printed = await run(["--ddl", "sqlite", ...names]);
  expect(printed).toMatchObject({ status: 0, stderr: "" });
  const database = new DatabaseSync(file);
  database.exec(printed.stdout);
  const tables = () => database.prepare("SELECT name FROM sqlite_master ORDER BY name").all();
  const before = tables();
  expect(before.map(({ name }) => name)).toContain("school_current_authentications");
  env.EDUCATION_ADMIN_API_KEY = EDUCATION_ADMIN_API_KEY;
  expect((await run(["--to", file, ...names, "--once"])).status).toBe(0);
  expect(tables()).toEqual(before);
  expect(database.prepare("SELECT count(*) AS rows FROM school_current_accounts").get()).toEqual({ rows: 30 });
  database.close();
  expect((await run(["--ddl", "postgres", "--schema", "school"])).stdout).toContain(
    'CREATE SCHEMA IF NOT EXISTS "school";\n',
  );
});

test("a notification that could not be applied is reported", () => {
  let text = "";
  const progress = new MirrorProgress({ isTTY: false, write: (part: string) => (text += part) });
  const report = { available: true, failed: 2, repaired: 1, unreadable: 0, pending: 1, requests: 4 };
  progress.reportRepair({ ...report, error: null });
  expect(text).toBe("");
  progress.reportRepair({ ...report, error: new Error("accounts.get: 500") });
  expect(text).toBe("failed notifications: 1 notification left for the next time; accounts.get: 500\n");
});
