import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type RunningProgram, start } from "../support/program.ts";
import { makeFolder } from "../support/type-check.ts";
import { textsOf } from "../workbook/support/books.ts";
import { documents, fencesOf } from "./support/code-blocks.ts";
import { type Place, place } from "./support/place.ts";
import { writeSheetOf } from "./support/sheet-of.ts";
import { TASK_PAGES, taskPrograms, writeTask } from "./support/tasks.ts";

// Inside the project, so that imports find its dependencies; Git ignores the folder.
const folder = makeFolder();
afterAll(() => rmSync(folder, { recursive: true }));
const paths = new Map(TASK_PAGES.flatMap((page) => [...writeTask(page, folder)]));

const begin = (name: string, { cwd, env }: Pick<Place, "cwd" | "env">, ...args: string[]): RunningProgram =>
  start(paths.get(name) as string, args, { cwd, env });
const run = (name: string, where: Pick<Place, "cwd" | "env">, ...args: string[]) => begin(name, where, ...args).ended;

describe("the task pages", () => {
  test("have programs of at most 60 lines, and react-page two of at most 120", () => {
    const lines = (page: string) => [...taskPrograms(page).values()].map(({ code }) => code.split("\n").length);
    for (const page of TASK_PAGES) expect(Math.max(...lines(page))).toBeLessThanOrEqual(60);
    expect(lines("react-page")).toHaveLength(2);
    expect(Math.max(...lines("react-page"))).toBeLessThanOrEqual(120);
  });

  test("all have programs that run here or in react-page.test.ts", () => {
    const marked = documents().filter((file) =>
      fencesOf(file).some(({ language }) => /^(ts task|tsx)$/.test(language)),
    );
    expect(marked.map((file) => file.slice("docs/guides/".length, -3)).sort()).toEqual(
      [...TASK_PAGES, "react-page"].sort(),
    );
  });

  test.each([...paths.keys()].filter((name) => name !== "query.ts"))(
    "%s ends with status 1 and names the missing settings",
    async (name) => {
      const { cwd } = await place();
      const { code, output } = await run(name, { cwd, env: {} });
      expect([code, output]).toEqual([1, expect.stringContaining("EDUCATION_ADMIN_BASE_URL")]);
    },
  );
});

describe("nightly export", () => {
  test("writes both files, and keeps them if the key is refused the next night", async () => {
    const where = await place();
    const { sandbox } = where;
    expect((await run("nightly-export.ts", where)).code).toBe(0);
    const open = sandbox.store.invoices.filter(({ status }) => status === "open" || status === "expired");
    const before = where.read("invoices.csv");
    expect(before.trim().split("\n")).toHaveLength(open.length + 1);
    expect(where.rows("enrollments.csv")).toHaveLength(sandbox.store.enrollments.count);
    expect(where.rows("enrollments.csv")[0]?.["student.email"]).toMatch(/@example\./);

    sandbox.revokeKey(sandbox.apiKey);
    const { code, output } = await run("nightly-export.ts", where);
    expect([code, output.match(/^PermissionDeniedError: .* 403 /gm)?.length]).toEqual([1, 2]);
    expect(where.read("invoices.csv")).toBe(before);
  });
});

describe("mirror", () => {
  test("copies, answers queries, finds deletions, and loses nothing if the key is refused", async () => {
    const where = await place();
    const { sandbox } = where;
    expect(await run("copy.ts", where)).toMatchObject({
      code: 0,
      output: expect.stringContaining("enrollments: 25 read, 25 added"),
    });
    sandbox.store.enrollments.delete(7);
    const { code, output } = await run("copy.ts", where);
    expect([code, output]).toEqual([0, expect.stringContaining("enrollments: 24 read, 0 added, 0 changed, 1 gone")]);

    sandbox.revokeKey(sandbox.apiKey);
    expect(await run("copy.ts", where)).toMatchObject({ code: 1, output: expect.stringContaining("403") });
    const queried = await run("query.ts", { cwd: where.cwd, env: {} });
    const counts = [...queried.output.matchAll(/│ (\d+) +│\n/g)].map(([, count]) => Number(count));
    expect([queried.code, counts.reduce((sum, count) => sum + count, 0)]).toEqual([0, 24]);
  });

  test("continues after a kill", async () => {
    const where = await place();
    where.sandbox.faults.next({ operation: "users.list", delayMs: Number.POSITIVE_INFINITY });
    const killed = begin("copy.ts", where);
    await expect.poll(() => where.sandbox.requests.map(({ operation }) => operation)).toContain("users.list");
    killed.process.kill("SIGKILL");
    await killed.ended;
    const { code, output } = await run("copy.ts", where);
    expect([code, output]).toEqual([0, expect.stringContaining(`users: ${where.sandbox.store.users.count} read`)]);
  });
});

describe("import", () => {
  const CSV = "E-mail,First name,Last name\nada@example.org,Ada,Fox\nbo@example.org,Bo,Fox\n,Cy,Fox\n";

  test("plans without writing, applies the confirmed plan, and reports the result of each row", async () => {
    const where = await place();
    const { sandbox } = where;
    const kaja = sandbox.store.users.insert({ email: "kaja@example.org", first_name: "Kaja" });
    await writeSheetOf(join(where.cwd, "students.xlsx"), `${CSV}kaja@example.org,Paul,Neu\n`);
    const { code, output } = await run("import-students.ts", where);
    expect([code, output]).toEqual([0, expect.stringContaining("2 to create, 1 there already, 1 refused")]);
    expect(sandbox.requests.filter(({ method }) => method !== "GET")).toEqual([]);
    const [, digest = ""] = /import-students\.ts (\w+)/.exec(output) ?? [];

    const before = sandbox.store.users.count;
    const other = await run("import-students.ts", where, "7f3a9c1e");
    expect(other).toMatchObject({ code: 1, output: expect.stringContaining("not the plan that was confirmed") });
    expect(sandbox.store.users.count).toBe(before);

    // The command is killed at its first request to the service, and started again with the same arguments.
    const sent = sandbox.requests.length;
    const killed = begin("import-students.ts", where, digest);
    while (sandbox.requests.length === sent) await new Promise((turn) => setImmediate(turn));
    killed.process.kill("SIGKILL");
    expect((await killed.ended).code).toBe(null);
    const applied = await run("import-students.ts", where, digest);
    expect(applied).toMatchObject({ output: expect.stringContaining("2 created, 1 there already") });
    expect(sandbox.store.users.count).toBe(before + 2);
    expect(sandbox.store.users.get(kaja.id)?.first_name).toBe("Kaja");
    const rows = await textsOf(join(where.cwd, "students.result.xlsx"));
    expect(rows.map(({ _outcome }) => _outcome)).toEqual(["created", "created", "refused", "unchanged"]);
    expect(Object.values(rows[3] ?? {}).join(" ")).toContain("differs, but stays as it is");
    // Runs again, as after a crash at the very end.
    await run("import-students.ts", where, digest);
    expect(sandbox.store.users.count).toBe(before + 2);
  });

  test("plans nothing with a refused key", async () => {
    const where = await place();
    await writeSheetOf(join(where.cwd, "students.xlsx"), CSV);
    where.sandbox.revokeKey(where.sandbox.apiKey);
    const { code, output } = await run("import-students.ts", where);
    expect([code, output]).toEqual([1, expect.stringMatching(/40[34] /)]);
    expect(existsSync(join(where.cwd, "students.plan")), "the plan exists").toBe(false);
    // The next run starts from the beginning.
    const env = { ...where.env, EDUCATION_ADMIN_API_KEY: where.sandbox.createKey() };
    expect((await run("import-students.ts", { ...where, env })).output).toContain("2 to create");
  });
});
