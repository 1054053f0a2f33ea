import { describe, expect, test } from "vitest";
import { createSandbox } from "../../src/sandbox/index.js";
import { ask } from "./support.js";

// Requests as clients for PHP, Go, Python and Ruby write them, and as the service's makers show them. The second
// request of each pair is this library's: both must have the same response.
const SAME: readonly (readonly [what: string, other: string, own: string])[] = [
  ["true, in PHP", "enrollments?with_canceled=1", "enrollments?with_canceled=true"],
  ["false, in PHP", "enrollments?with_canceled=0", "enrollments?with_canceled=false"],
  ["a list, in PHP", "planned_courses?course_id[0]=1&course_id[1]=2", "planned_courses?course_id=1&course_id=2"],
  ["a list, encoded", "planned_courses?course_id%5B0%5D=1&course_id%5B1%5D=2", "planned_courses?course_id=1,2"],
  ["a list, in Ruby", "planned_courses?course_id[]=1&course_id[]=2", "planned_courses?course_id=1&course_id=2"],
  ["an order without a direction", "planned_courses?sort=start_date", "planned_courses?sort=start_date:asc"],
  ["an order of products", "catalog/products?sort=position", "catalog/products?sort=position:asc"],
  ["an order of categories", "categories?sort=position", "categories?sort=position:asc"],
  [
    "a time in whole seconds, in Go",
    "orders?created_at_after=2030-01-05T09:00:00Z",
    "orders?created_at_after=2030-01-05T09:00:00.000Z",
  ],
  ["a name of what is there anyway", "courses?include=course_tab_contents.course_tab", "courses"],
];

describe("requests of other clients", () => {
  const sandbox = createSandbox({ size: 40, now: "2030-06-01T12:00:00.000Z" });
  const get = (path: string) => ask(sandbox, `api/v1/${path}`);

  test.each(SAME)("%s", async (_, other, own) => {
    const [theirs, ours] = [await get(other), await get(own)];
    expect([theirs.status, theirs.body]).toEqual([200, ours.body]);
    expect(ours.body).not.toEqual([]);
  });

  test("a page of a list in PHP's form leads to the next one", async () => {
    const { headers } = await get("planned_courses?course_id[0]=1&course_id[1]=2&per_page=1");
    const next = /<([^>]+)>; rel="next"/.exec(headers.get("link") ?? "")?.[1];
    expect((await ask(sandbox, String(next))).status).toBe(200);
  });

  test("include adds related records, to a list and to one record", async () => {
    const { body } = await get("planned_courses?include=meetings,teachers&include[]=course_location");
    const fields = { meetings: expect.arrayContaining([expect.objectContaining({ id: expect.any(Number) })]) };
    expect((body as object[]).some((planned) => expect.objectContaining(fields).asymmetricMatch(planned))).toBe(true);
    expect(Object.keys((body as object[])[0] ?? {})).toEqual(expect.arrayContaining(["teachers", "course_location"]));
    expect((await get("planned_courses/1?include=meetings")).body).toHaveProperty("meetings");
    expect((await get("planned_courses/1")).body).not.toHaveProperty("meetings");
  });

  test.each(["planned_courses?include=name", "planned_courses?include=meetings.secret", "users?include=__proto__"])(
    "%s is refused",
    async (path) => {
      expect(await get(path)).toMatchObject({ status: 400, body: { errors: { include: [expect.any(String)] } } });
    },
  );

  test("PATCH updates", async () => {
    const body = JSON.stringify({ name: "Updated" });
    const { status } = await ask(sandbox, "api/v1/accounts/1", { method: "PATCH", body });
    expect([status, sandbox.store.accounts.get(1)?.name]).toEqual([200, "Updated"]);
  });
});
