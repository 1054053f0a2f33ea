import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { start } from "../../support/program.ts";
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
});
