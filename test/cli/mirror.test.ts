import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { runCli } from "../../src/cli/cli-main.js";
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
  const run = async (args: readonly string[], isTTY = false) => {
    let stdout = "";
    let stderr = "";
    const terminal = {
      env,
      stdout: { write: (text: string) => (stdout += text) },
      stderr: { isTTY, columns: 120, write: (text: string) => (stderr += text) },
    };
    const status = await runCli(["mirror", ...args], terminal);
    return { status, stdout, stderr };
  };
  return { sandbox, run, env, file: join(folder, "school.sqlite") };
}

test("mirror --once copies lists into a file and tells what it did", async () => {
  const { sandbox, run, file } = await start();
  const command = ["--to", file, "--resources", "accounts,users", "--once"];
  expect(await run(command)).toEqual({
    status: 0,
    stdout: "",
    stderr: expect.stringContaining("accounts: complete; 30 read, 30 added, 0 changed, 0 gone, 1 requests\n"),
  });
  sandbox.store.accounts.delete(7);
  expect((await run(command)).stderr).toContain("accounts: complete; 29 read, 0 added, 0 changed, 1 gone");
  const database = new DatabaseSync(file);
  expect(database.prepare("SELECT count(*) AS rows FROM current_accounts").get()).toEqual({ rows: 29 });
  database.close();
});

test("a key that has changed decides about what it has seen; the same name stands for the same key", async () => {
  const { sandbox, run, file, env } = await start();
  const command = ["--to", file, "--resources", "accounts", "--once"];
  await run(command);
  sandbox.store.accounts.delete(7);
  env.EDUCATION_ADMIN_API_KEY = sandbox.createKey();
  expect(await run(command)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("accounts: 1 missing rows that only another key has seen"),
  });
  expect((await run([...command, "--accept", "accounts"])).stderr).toContain("1 gone");
  const named = [...command, "--key-name", "reports"];
  await run(named);
  sandbox.store.accounts.delete(9);
  env.EDUCATION_ADMIN_API_KEY = sandbox.createKey();
  expect(await run(named)).toMatchObject({ status: 0, stderr: expect.stringContaining("1 gone") });
});

test("mirror --resources flat leaves out what takes a request for each record of another list", async () => {
  const { run, file } = await start();
  const { status, stderr } = await run(["--to", file, "--resources", "flat", "--once"]);
  expect(status).toBe(0);
  expect(stderr).toContain("invoices: complete");
  expect(stderr).not.toContain("payments:");
});

test("a terminal gets a table that is written over", async () => {
  const { run, file } = await start();
  const { stderr } = await run(["--to", file, "--resources", "accounts", "--once"], true);
  expect(stderr).toContain("list      read  added");
  expect(stderr).toContain("\u001b[2A\u001b[0J");
});

test("a list that is not complete is exit status 1, and mistakes are exit status 2", async () => {
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
  ]) {
    expect((await run([...wrong, "--once"])).status).toBe(2);
  }
  expect((await run(["--help"])).stdout).toContain("--to <file>");
});
