import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { listen } from "../../../src/sandbox/node.ts";
import { start } from "../support/example.ts";
import { place } from "../support/place.ts";

describe("catalogue-to-sqlite", () => {
  test("writes only what changed the second time, and marks what is gone", async () => {
    const { sandbox, cwd, env } = await place();
    const run = async () =>
      (await start("examples/catalogue-to-sqlite/catalogue-to-sqlite.ts", [], { cwd, env }).ended).output;
    const { categories, catalogProducts: products, catalogVariants: variants, courses, plannedCourses } = sandbox.store;
    const line = (read: number, fresh: number, changed: number, gone: number) =>
      `${read} read, ${fresh} new, ${changed} changed, ${gone} gone`;

    const first = await run();
    expect(first).toContain(`categories: ${line(categories.count, categories.count, 0, 0)}`);
    expect(first).toContain(`products: ${line(products.count, products.count, 0, 0)}`);
    expect(first).toContain(`variants: ${line(variants.count, variants.count, 0, 0)}`);

    expect(first).toContain(`courses: ${line(courses.count, courses.count, 0, 0)}`);
    expect(first).toContain(`planned_courses: ${line(plannedCourses.count, plannedCourses.count, 0, 0)}`);
    expect(first).toContain(`programs: ${line(sandbox.store.programs.count, sandbox.store.programs.count, 0, 0)}`);

    products.update(1, { name: "Renamed" });
    plannedCourses.update(1, { status: "canceled", start_date: "2031-02-03" });
    categories.insert({ name: "Brand new" });
    variants.delete(2);
    const second = await run();
    expect(second).toContain(`categories: ${line(categories.count, 1, 0, 0)}`);
    expect(second).toContain(`products: ${line(products.count, 0, 1, 0)}`);
    expect(second).toContain(`variants: ${line(variants.count, 0, 0, 1)}`);

    const database = new DatabaseSync(join(cwd, "catalogue.sqlite"));
    onTestFinished(() => database.close());
    expect(database.prepare("SELECT name FROM products WHERE id = 1").get()).toEqual({ name: "Renamed" });
    expect(database.prepare("SELECT id FROM variants WHERE gone_at IS NOT NULL").all()).toEqual([{ id: 2 }]);
    const planned = plannedCourses.get(1);
    expect(database.prepare("SELECT name, status, start_date FROM agenda WHERE id = 1").get()).toEqual({
      name: courses.get(planned?.course_id ?? 0)?.name,
      status: "canceled",
      start_date: "2031-02-03",
    });
    expect(database.prepare("SELECT count(*) AS all_of_them FROM categories").get()).toEqual({
      all_of_them: categories.count,
    });
  });

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
