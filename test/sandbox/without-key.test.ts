import { describe, expect, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { allOperations } from "../../src/operations.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { ask, small } from "./support.js";

const PUBLIC = ["courses", "planned_courses", "categories", "catalog/products", "catalog/variants"] as const;

const anyone = { apiKey: null };

describe("without a key", () => {
  test.each(PUBLIC)("%s can be read, and contains only published records", async (path) => {
    const sandbox = small();
    const all = (await ask(sandbox, `api/v1/${path}?per_page=100`)).body as { id: number; is_published: boolean }[];
    const [first, second, third] = all;
    expect(third).toBeDefined();
    const { store } = sandbox;
    const records = {
      courses: store.courses,
      planned_courses: store.plannedCourses,
      categories: store.categories,
      "catalog/products": store.catalogProducts,
      "catalog/variants": store.catalogVariants,
    }[path] as { update(id: number, changes: object): unknown };
    records.update(first?.id as number, { is_published: false });
    records.update(second?.id as number, { is_published: true });
    const keyed = await ask(sandbox, `api/v1/${path}?per_page=100`);
    expect(keyed.headers.get("total")).toBe(String(all.length));
    const shown = await ask(sandbox, `api/v1/${path}?per_page=100`, anyone);
    expect(shown.status).toBe(200);
    const published = all.filter(({ id, is_published }) => id === second?.id || (id !== first?.id && is_published));
    expect((shown.body as { id: number }[]).map(({ id }) => id)).toEqual(published.map(({ id }) => id));
    expect(shown.headers.get("total")).toBe(String(published.length));
    const one = await ask(sandbox, `api/v1/${path}/${second?.id}`, anyone);
    expect(one).toMatchObject({ status: 200, body: { id: second?.id } });
    expect((await ask(sandbox, `api/v1/${path}/${first?.id}`, anyone)).status).toBe(404);
    expect((await ask(sandbox, `api/v1/${path}/${first?.id}`)).status).toBe(200);
  });

  test("every other operation returns 403, including a write of public records", async () => {
    const sandbox = createSandbox({ size: 5, rateLimit: false });
    const open: string[] = [];
    for (const { id, apis, method, path } of allOperations) {
      const url = `${apis.includes("organization") ? "api/organization" : "api/v1"}/${path.replace(/\{\w+\}/g, "1")}`;
      const { status } = await ask(sandbox, url, { ...anyone, method });
      if (status !== 403) open.push(id);
    }
    expect([...new Set(open)].sort()).toEqual(
      [
        ...["catalogProducts", "catalogVariants", "categories", "courses", "plannedCourses"].flatMap((name) => [
          `${name}.get`,
          `${name}.list`,
        ]),
        "plannedCourses.getForCourse",
        "plannedCourses.listForCourse",
      ].sort(),
    );
  });

  test("an unknown key is refused even if no key is needed", async () => {
    const sandbox = small();
    expect((await ask(sandbox, "api/v1/courses", { apiKey: "unknown" })).status).toBe(403);
    expect((await ask(sandbox, "api/v1/courses", { headers: { authorization: "" } })).status).toBe(403);
  });

  test("the address has one window, which includes requests with unknown keys; valid keys have their own", async () => {
    const sandbox = createSandbox({ size: 5, rateLimit: { requests: 2 }, now: "2030-06-01T12:00:00.000Z" });
    expect((await ask(sandbox, "api/v1/courses", anyone)).status).toBe(200);
    expect((await ask(sandbox, "api/v1/accounts", { apiKey: "unknown" })).status).toBe(403);
    for (const apiKey of [null, "unknown", "other"]) {
      const { status, headers } = await ask(sandbox, "api/v1/courses", { apiKey });
      expect([status, headers.get("retry-after")]).toEqual([429, "300"]);
    }
    expect((await ask(sandbox, "api/v1/courses")).status).toBe(200);
  });

  test("reset restores the budget of a client that was created without the sandbox, with a key and without", async () => {
    const { baseUrl, fetch, apiKey, reset } = small();
    for (const key of [null, apiKey]) {
      const client = new MainClient({ baseUrl, fetch, apiKey: key, rateLimit: { requests: 3 } });
      for (const id of [1, 1, 1]) await client.courses.get(id);
      expect(client.rateLimit.used).toBe(3);
      reset();
      expect(client.rateLimit.used).toBe(0);
    }
  });
});
