import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../../src/sandbox/index.js";
import { listen } from "../../src/sandbox/node.js";
import { type Ran, runLine } from "./run-support.js";

const sandbox = createSandbox({ size: "small" });
let north: { readonly baseUrl: string; readonly apiKey: string };
beforeAll(async () => {
  const server = await listen(sandbox);
  north = { baseUrl: server.url, apiKey: sandbox.apiKey };
  return () => server.close();
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "schools-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

function run(line: string, text: string, mode = 0o600): Promise<Ran> {
  const file = join(folder, "schools.json");
  writeFileSync(file, text);
  chmodSync(file, mode);
  // The environment belongs to another school.
  return runLine(line.split(" "), {
    EDUCATION_ADMIN_SCHOOLS: file,
    EDUCATION_ADMIN_BASE_URL: "http://127.0.0.1:1",
    EDUCATION_ADMIN_API_KEY: "canary",
  });
}

test("--school reads the address and the key of a school from the file", async () => {
  const { status, stdout, stderr } = await run("count courses --school north", JSON.stringify({ north }));
  expect([status, stdout], stderr).toEqual([0, `${sandbox.store.courses.count}\n`]);
});

test.each([
  ["--school nort", "{}", 0o600, 'has no "nort"'],
  [
    "--school nort",
    '{ "north": { "baseUrl": "https://b.example", "apiKey": "canary" } }',
    0o600,
    'did you mean "north"?',
  ],
  ["--school north", '{ "north": { "baseUrl": "https://b.example" } }', 0o600, '"north" in'],
  ["--school north", '{ "north": "canary" }', 0o600, "needs an address and a key"],
  ["--school toString", "{}", 0o600, 'has no "toString"'],
  ["--school north", '["canary"]', 0o600, "is not a JSON object"],
  ["--school north", '{ "canary', 0o600, "is not JSON"],
  ["--school north", '{ "north": { "baseUrl": "https://b.example", "apiKey": "canary" } }', 0o640, "chmod 600"],
  ["--school north --env-file school.env", "{}", 0o600, "--school contradicts --env-file"],
])("list accounts %s of %s is refused before anything is sent", async (options, text, mode, message) => {
  const sent = sandbox.requests.length;
  const { status, stderr } = await run(`list accounts ${options}`, text, mode);
  expect([status, sandbox.requests.length]).toEqual([2, sent]);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain("canary");
});
