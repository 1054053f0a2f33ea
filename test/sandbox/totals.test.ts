import { expect, test } from "vitest";
import { allOperations } from "../../src/operations.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { ask, ids, linksOf, small } from "./support.js";

const total = async (sandbox: ReturnType<typeof small>, path: string) =>
  (await ask(sandbox, path)).headers.get("total");

test("every paged list reports the number of its records on all pages, other responses do not", async () => {
  const sandbox = createSandbox({ size: 30, rateLimit: false });
  const lists = allOperations.filter(({ id, paged }) => paged && !id.startsWith("webhooks."));
  const wrong: string[] = [];
  for (const { id, apis, path, paged } of lists) {
    const api = apis.includes("organization") ? "api/organization" : "api/v1";
    const at = `${api}/${path.replace("{object_slug}", sandbox.store.customObjects.at(0)?.slug ?? "").replace("{object_type}", "users")}`;
    const address = at.replace(/\{\w+\}/g, "1");
    const seen: number[] = [];
    const told = new Set<string | null>();
    let status = 200;
    for (let next: string | undefined = `${address}${paged === "none" ? "" : "?per_page=10"}`; next; ) {
      const answer = await ask(sandbox, next);
      status = answer.status;
      if (status !== 200) break;
      seen.push(...ids(answer.body));
      told.add(answer.headers.get("total"));
      next = linksOf(answer.headers).next;
    }
    const due = paged === "none" ? null : String(seen.length);
    if (status === 200 ? told.size !== 1 || !told.has(due) : status !== 404) wrong.push(`${id} ${status} ${[...told]}`);
  }
  expect(wrong).toEqual([]);
  expect((await ask(sandbox, "api/v1/accounts/1")).headers.get("total")).toBeNull();
});

test("the number follows the filters and the current records", async () => {
  const sandbox = small();
  const { accounts, orders } = sandbox.store;
  const business = () => accounts.filter(({ account_type }) => account_type === "business").length;
  const list = "api/v1/accounts?account_type=business&per_page=1";
  expect(await total(sandbox, list)).toBe(String(business()));
  accounts.insert({ account_type: "business" });
  expect(await total(sandbox, list)).toBe(String(business()));
  expect(await total(sandbox, "api/v1/accounts?page=2&per_page=7")).toBe("41");
  expect(await total(sandbox, "api/v1/orders?sort=created_at:desc&per_page=1")).toBe(String(orders.count));
  sandbox.reset();
  expect(await total(sandbox, list)).toBe(String(business()));
});

test("a number that depends on other records follows them", async () => {
  const sandbox = small();
  const list = "api/v1/planned_courses?parents_published=parents_published&per_page=1";
  const before = Number(await total(sandbox, list));
  const { course_id } = sandbox.store.plannedCourses.find(
    (row) => sandbox.store.courses.get(row.course_id)?.is_published === true,
  ) as { course_id: number };
  sandbox.store.courses.update(course_id, { is_published: false });
  const hidden = sandbox.store.plannedCourses.filter((row) => row.course_id === course_id).length;
  expect(Number(await total(sandbox, list))).toBe(before - hidden);
});

test("a fault can omit the number or make it wrong", async () => {
  const sandbox = small();
  for (const [told, heard] of [
    [null, null],
    ["7", "7"],
    ["many", "many"],
    ["-1", "-1"],
  ] as const) {
    for (const name of ["total", "Total"]) {
      sandbox.faults.next({ operation: "accounts.list", headers: { [name]: told } });
      expect(await total(sandbox, "api/v1/accounts")).toBe(heard);
    }
  }
  expect(await total(sandbox, "api/v1/accounts")).toBe("40");
});
