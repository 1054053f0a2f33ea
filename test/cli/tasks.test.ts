import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { LISTS } from "../../src/cli/operations.js";
import { columnsOf } from "../../src/cli/tell/list-columns.js";
import { tableOf } from "../../src/cli/tell/table.js";
import { fieldsOf, unwrap } from "../../src/core/schema/traits.js";
import { allOperations } from "../../src/operations.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { listen } from "../../src/sandbox/node.js";
import { textsOf } from "../workbook/support/books.js";
import { runLine } from "./run-support.js";
import { readTasks } from "./tasks-support.js";

const TASKS = readTasks();

// With a width, the outputs look like a terminal of that width.
const run = (line: string, env: Record<string, string>, terminal?: { columns: number }) =>
  runLine(line.split(" "), env, terminal && { isTTY: true, ...terminal });

let env: Record<string, string>;
let folder: string;
let posts = 0;
const sandbox = createSandbox({ size: 300, rateLimit: false });
beforeAll(async () => {
  const server = await listen({
    fetch(request: Request) {
      if (request.method !== "GET") posts++;
      return sandbox.fetch(request);
    },
  } as Parameters<typeof listen>[0]);
  env = { EDUCATION_ADMIN_BASE_URL: server.url, EDUCATION_ADMIN_API_KEY: sandbox.apiKey };
  folder = mkdtempSync(join(tmpdir(), "cli-tasks-"));
  return async () => {
    rmSync(folder, { recursive: true });
    await server.close();
  };
});

describe("without a terminal", () => {
  test("there are at least 40 tasks", () => {
    expect(TASKS.length).toBeGreaterThanOrEqual(40);
  });

  test.each(TASKS.map((task) => [task.line, task] as const))("%s", async (line, task) => {
    const before = posts;
    const { status, stdout, stderr } = await run(line.replace("--out ", `--out ${folder}/`), env);
    expect(stdout + stderr).not.toContain("\x1b");
    expect(stdout + stderr).not.toContain("✓");
    if (task.type !== null) {
      expect([status, posts - before]).toEqual([2, 0]);
      expect(stderr).toContain("Add --yes");
      return;
    }
    expect(`${status} ${stderr}`).toMatch(new RegExp(`^${task.status} `));
    if (task.columns !== null) expect(stdout.split("\n")[0]?.split(/ {1,}/).join(" ")).toBe(task.columns);
    for (const text of task.out) expect(stdout).toContain(text);
    for (const text of [...task.err, ...task.green]) expect(stderr).toContain(text);
    for (const text of task.never) expect(stdout + stderr).not.toContain(`${text} `);
    if (status === 2) expect(posts).toBe(before);
  });

  test("a create whose response is lost is sent once, and the error says that it may have been carried out", async () => {
    const before = posts;
    sandbox.faults.next({ operation: "labels.create", reset: true, applied: true });
    const { status, stdout, stderr } = await run("create labels name=Lost model_type=Order --yes", env);
    expect([status, stdout, posts - before]).toEqual([1, "", 1]);
    expect(stderr).toContain("The service may have carried out the request. Check before you send it again");
  });

  test("an interrupted export with a limit continues up to the same limit", async () => {
    const file = join(folder, "limited.ndjson");
    sandbox.faults.next({ operation: "accounts.list", delayMs: 0, times: 1 });
    sandbox.faults.next({ operation: "accounts.list", status: 403 });
    expect((await run(`export accounts --out ${file} --limit 150`, env)).status).toBe(1);
    const resumed = await run(`export accounts --out ${file} --limit 150 --resume`, env);
    expect(resumed.stderr).toContain("150 records");
    const ids = readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).id);
    expect([ids.length, new Set(ids).size]).toEqual([150, 150]);
  });

  test("an export for people is a workbook with amounts as numbers, and not continued", async () => {
    const file = join(folder, "invoices.xlsx");
    await run(`export invoices --out ${file} --columns number,total_incl --limit 3`, env);
    const rows = await textsOf(file);
    expect(rows).toHaveLength(3);
    for (const row of rows) expect(row.total_incl).toMatch(/^-?\d+(\.\d+)?$/);
    const again = await run(`export invoices --out ${file} --resume`, env);
    expect([again.status, again.stderr]).toEqual([2, expect.stringContaining("a workbook cannot be continued")]);
  });
});

test("a terminal that reports a width of 0 shows whole lines", async () => {
  const wide = await run("list accounts --limit 3", env);
  const none = await run("list accounts --limit 3", env, { columns: 0 });
  expect(none.stdout).toBe(wide.stdout);
  expect((await run("list --help", env, { columns: 0 })).stdout).toContain("accounts");
});

test("the default columns of a list are at most six distinct fields of its records", () => {
  const wrong: string[] = [];
  for (const operation of allOperations.filter(({ paged }) => paged !== undefined)) {
    const fields = fieldsOf(operation.response);
    const columns = columnsOf(operation.id);
    // A list without default columns shows its first plain fields.
    if (columns === null) continue;
    if (columns.length > 6 || new Set(columns).size < columns.length) wrong.push(operation.id);
    for (const column of columns) {
      const [first = "", inner] = column.split(".");
      const field = fields[first];
      const isKnown = field && (inner === undefined || inner in fieldsOf(unwrap(field)));
      if (!isKnown) wrong.push(`${operation.id}: ${column}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(LISTS.names.length).toBeGreaterThan(60);
  for (const width of [80, 0, undefined]) expect(tableOf([{ id: 1 }], ["id"], width)).toBe("id\n1\n");
});
