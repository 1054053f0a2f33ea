import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { createSandbox } from "../../src/sandbox/index.js";
import { listen } from "../../src/sandbox/node.js";
import { drawCases } from "../support/amount.js";
import { inTerminal } from "../support/pty.js";
import { needs } from "../support/tools.js";
import { readTasks, type Task } from "./tasks-support.js";

const CLI = resolve("dist/cli/cli.js");
const TASKS = readTasks();
const MARK = "\x1b[32m✓\x1b[39m ";

const filesOf = ({ line }: Task) => line.split(" ").filter((word) => /\.\w+$/.test(word));
/** Adds the earlier tasks that write files for these tasks. */
const withEarlier = (some: readonly Task[]) =>
  TASKS.filter((task, at) =>
    some.some(
      (one) => one === task || (TASKS.indexOf(one) > at && filesOf(one).some((file) => filesOf(task).includes(file))),
    ),
  );

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

  // Only tasks with color differ under NO_COLOR, and one of them is enough.
  const coloured = TASKS.filter(({ green }) => green.length > 0);
  const tasks = withEarlier("NO_COLOR" in colours ? drawCases(coloured, 1, 1) : drawCases(TASKS, 8));
  test.each(tasks.map((task) => [task.line, task] as const))("%s", async (line, task) => {
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

// An older Node, such as Debian's; undefined if every Node here is new enough.
const oldNode = ["/usr/bin/node", "/usr/local/bin/node"].find((path) => {
  const { stdout } = spawnSync(path, ["--version"], { encoding: "utf8" });
  return /^v(1\d|20|21|22\.([0-9]|1[0-7]))\./.test(stdout ?? "");
});
const NONE = "there is no Node before 22.18 on this machine";

test("with a Node that is too old, the command prints only two lines, which say so", (context) => {
  if (!oldNode) return context.skip(NONE);
  const { stdout, stderr, status } = spawnSync(oldNode, [CLI, "list", "accounts"], { encoding: "utf8" });
  const version = execFileSync(oldNode, ["--version"], { encoding: "utf8" }).trim().slice(1);
  expect([stdout, status]).toEqual(["", 1]);
  expect(stderr.trimEnd().split("\n")).toEqual([
    `education-admin-sdk needs Node 22.18 or later; this is ${version}.`,
    "Install a newer Node (https://nodejs.org), or choose one with your version manager: nvm install 24",
  ]);
  const { engines } = JSON.parse(readFileSync("package.json", "utf8")) as { engines: { node: string } };
  expect(engines.node).toBe(">=22.18");
});

test("on Node 20 a program fails clearly when it creates a client, not with a TypeError at its first call", (context) => {
  const version = oldNode && execFileSync(oldNode, ["--version"], { encoding: "utf8" }).trim().slice(1);
  if (!oldNode || version?.startsWith("22.")) return context.skip(NONE);
  const entry = JSON.stringify(join(process.cwd(), "dist/node/index.js"));
  const program = `const { MainClient } = await import(${entry}); new MainClient({ apiKey: "key", baseUrl: "http://localhost" });`;
  const { stderr, status } = spawnSync(oldNode, ["--input-type=module", "-e", program], { encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr).toContain(`ConfigurationError: education-admin-sdk needs Node 22.18 or later; this is ${version}.`);
});
