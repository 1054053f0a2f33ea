import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { createSandbox } from "../../src/sandbox/index.js";
import { listen } from "../../src/sandbox/node.js";
import { inTerminal } from "../support/pty.js";
import { needs } from "../support/tools.js";
import { readTasks } from "./tasks-support.js";

const CLI = resolve("dist/cli/cli.js");
const TASKS = readTasks();
const MARK = "\x1b[32m✓\x1b[39m ";

describe.each([
  ["in a terminal", {}],
  ["in a terminal with NO_COLOR", { NO_COLOR: "1" }],
] as const)("%s", needs("python"), (_, colours) => {
  let env: Record<string, string>;
  let cwd: string;
  beforeAll(async () => {
    const sandbox = createSandbox({ size: 300, rateLimit: false });
    const server = await listen(sandbox);
    env = { EDUCATION_ADMIN_BASE_URL: server.url, EDUCATION_ADMIN_API_KEY: sandbox.apiKey, ...colours };
    cwd = mkdtempSync(join(tmpdir(), "cli-tasks-"));
    return async () => {
      rmSync(cwd, { recursive: true });
      await server.close();
    };
  });

  test.each(TASKS.map((task) => [task.line, task] as const))("%s", async (line, task) => {
    const steps = task.type === null ? [] : [{ wait: "Type yes: " }, { send: `${task.type}\r` }];
    const command = [process.execPath, CLI, ...line.split(" ")];
    const { screen, written, status } = await inTerminal(command, steps, { columns: 200, rows: 60, cwd, env });
    expect([status, screen]).toEqual([task.status, screen]);
    if (task.columns !== null) expect(screen.split("\n")[0]?.split(/ {1,}/).join(" ")).toBe(task.columns);
    for (const text of [...task.out, ...task.err, ...task.green]) expect(screen).toContain(text);
    for (const text of task.never) expect(screen).not.toContain(`${text} `);
    const isColoured = task.green.length > 0 && !("NO_COLOR" in colours);
    expect(written.includes(MARK)).toBe(isColoured);
    if (!isColoured) expect(["\x1b[32m", "\x1b[31m", "✓"].filter((one) => written.includes(one))).toEqual([]);
  });
});

test("a Node that is too old is named in two lines, and nothing else", (context) => {
  const old = ["/usr/bin/node", "/usr/local/bin/node"].find((path) => {
    const { stdout } = spawnSync(path, ["--version"], { encoding: "utf8" });
    return /^v(1\d|20|21|22\.([0-9]|1[0-7]))\./.test(stdout ?? "");
  });
  if (!old) return context.skip("there is no Node before 22.18 on this machine");
  const { stdout, stderr, status } = spawnSync(old, [CLI, "list", "accounts"], { encoding: "utf8" });
  const version = execFileSync(old, ["--version"], { encoding: "utf8" }).trim().slice(1);
  expect([stdout, status]).toEqual(["", 1]);
  expect(stderr.trimEnd().split("\n")).toEqual([
    `education-admin-sdk needs Node 22.18 or later; this is ${version}.`,
    "Install a newer Node (https://nodejs.org), or choose one with your version manager: nvm install 24",
  ]);
  const { engines } = JSON.parse(readFileSync("package.json", "utf8")) as { engines: { node: string } };
  expect(engines.node).toBe(">=22.18");
});
