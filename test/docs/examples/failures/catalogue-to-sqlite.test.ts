import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { listen } from "../../../../src/sandbox/node.ts";
import { start } from "../../../support/program.ts";
import { place } from "../../support/place.ts";

describe("catalogue-to-sqlite", () => {
  test("marks nothing as gone when a list is suddenly empty", async () => {
    const { sandbox, cwd, env } = await place();
    const run = () => start("examples/catalogue-to-sqlite/catalogue-to-sqlite.ts", [], { cwd, env }).ended;
    await run();
    for (const { id } of [...sandbox.store.catalogVariants]) sandbox.store.catalogVariants.delete(id);
    const { code, output } = await run();
    expect([code, output]).toEqual([
      1,
      expect.stringContaining("list of variants is empty: nothing was marked as gone"),
    ]);
    const database = new DatabaseSync(join(cwd, "catalogue.sqlite"));
    onTestFinished(() => database.close());
    expect(database.prepare("SELECT id FROM variants WHERE gone_at IS NOT NULL").all()).toEqual([]);
  });
});

describe("catalogue-to-sqlite, when a list", () => {
  test.each([403, 404])("is answered %s, leaves its copy as it was and copies the others", async (status) => {
    const { sandbox, cwd, env } = await place();
    const run = () => start("examples/catalogue-to-sqlite/catalogue-to-sqlite.ts", [], { cwd, env }).ended;
    expect((await run()).code).toBe(0);
    sandbox.faults.next({ operation: "plannedCourses.list", status, count: Number.POSITIVE_INFINITY });
    sandbox.store.programs.update(1, { name: "Renamed" });
    const { code, output } = await run();
    expect([code, output]).toEqual([1, expect.stringContaining(`planned_courses: plannedCourses.list: ${status}`)]);
    const database = new DatabaseSync(join(cwd, "catalogue.sqlite"));
    onTestFinished(() => database.close());
    const { planned } =
      database.prepare("SELECT count(*) AS planned FROM planned_courses WHERE gone_at IS NULL").get() ?? {};
    expect(planned).toBe(sandbox.store.plannedCourses.count);
    expect(database.prepare("SELECT name FROM programs WHERE id = 1").get()).toEqual({ name: "Renamed" });
  });

  test("is interrupted by a kill, goes on with the next run", async () => {
    const { sandbox, cwd, env } = await place();
    for (let more = 0; more < 300; more++) sandbox.store.catalogProducts.insert({});
    let pages = 0;
    const paused = await listen({
      fetch: async (input, init) => (++pages > 3 ? new Promise<Response>(() => undefined) : sandbox.fetch(input, init)),
    });
    onTestFinished(() => paused.close());
    const program = "examples/catalogue-to-sqlite/catalogue-to-sqlite.ts";
    const first = start(program, [], { cwd, env: { ...env, EDUCATION_ADMIN_BASE_URL: paused.url } });
    await expect.poll(() => pages, { timeout: 15_000 }).toBe(4);
    first.process.kill("SIGKILL");
    await first.ended;
    expect((await start(program, [], { cwd, env }).ended).code).toBe(0);
    const database = new DatabaseSync(join(cwd, "catalogue.sqlite"));
    onTestFinished(() => database.close());
    const { products } =
      database.prepare("SELECT count(*) AS products FROM products WHERE gone_at IS NULL").get() ?? {};
    expect(products).toBe(sandbox.store.catalogProducts.count);
  });
});
