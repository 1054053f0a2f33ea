import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { runCli } from "../../src/cli/main.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { listen } from "../../src/sandbox/node.js";

const sandbox = createSandbox({ size: "small" });
let environment: Record<string, string>;
beforeAll(async () => {
  const server = await listen(sandbox);
  environment = { EDUCATION_ADMIN_BASE_URL: server.url, EDUCATION_ADMIN_API_KEY: sandbox.apiKey };
  return () => server.close();
});

let file: string;
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), "env-file-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  file = join(folder, "school.env");
});

async function run(args: string): Promise<{ readonly status: number; readonly stderr: string }> {
  let stderr = "";
  const output = { write: () => undefined, on: () => undefined, off: () => undefined };
  const heard = {
    ...output,
    write(text: string | Uint8Array) {
      stderr += String(text);
    },
  };
  const status = await runCli(args.split(" "), { env: environment, stdout: output, stderr: heard });
  return { status, stderr };
}

describe("address and key", () => {
  const NEITHER = "does not set EDUCATION_ADMIN_BASE_URL or EDUCATION_ADMIN_API_KEY. ";
  test.each([
    [
      "EDUCATION_ADMIN_BASE_URL=https://b.example",
      "",
      "does not set EDUCATION_ADMIN_API_KEY. Address and key must both",
    ],
    ["EDUCATION_ADMIN_API_KEY=canary", "", "does not set EDUCATION_ADMIN_BASE_URL. "],
    [
      "EDUCATION_ADMIN_BASE_URL=https://b.example\nEDUCATION_ADMIN_API_KEY=",
      "",
      "does not set EDUCATION_ADMIN_API_KEY. ",
    ],
    ["EDUCATION_ADMIN_API_KEY=canary", " --without-key", "does not set EDUCATION_ADMIN_BASE_URL. "],
    ["", "", NEITHER],
    ["# nothing\n\nOTHER='canary\nof two lines'\n", "", NEITHER],
  ])("cannot be split between a file and the environment: %j%s", async (text, options, message) => {
    writeFileSync(file, text);
    const asked = sandbox.requests.length;
    const { status, stderr } = await run(`list accounts --env-file ${file}${options}`);
    expect(status).toBe(2);
    expect(stderr).toContain(`--env-file: ${file} ${message}`);
    expect(stderr).toContain("may belong to another school and were not used. Nothing was sent");
    expect(stderr).not.toContain("canary");
    expect(sandbox.requests).toHaveLength(asked);
  });

  test("can come from a file that has only the address, without a key", async () => {
    writeFileSync(file, `export EDUCATION_ADMIN_BASE_URL = "${environment.EDUCATION_ADMIN_BASE_URL}" # the school\r\n`);
    expect((await run(`list catalog-products --limit 1 --without-key -e ${file}`)).status).toBe(0);
  });

  test.each([
    ["EDUCATION_ADMIN_BASE_URL: https://b.example", 1],
    ["# a comment\r\n\r\nEDUCATION_ADMIN_API_KEY canary", 3],
    ["A='two\nlines'\ncanary", 3],
    ['EDUCATION_ADMIN_API_KEY="canary\nB=1', 1],
    ["=canary", 1],
  ])("are refused from a file with an unreadable line: %j", async (text, line) => {
    writeFileSync(file, text);
    const { status, stderr } = await run(`get accounts 7 --env-file ${file}`);
    expect(status).toBe(2);
    expect(stderr).toContain(`--env-file: line ${line} of ${file} cannot be read. Write NAME=value`);
    expect(stderr).not.toContain("canary");
  });
});
