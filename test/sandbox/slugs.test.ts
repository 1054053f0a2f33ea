import { expect, test } from "vitest";
import { InputError, NotFoundError } from "../../src/index.js";
import { ask, main, small } from "./support.js";

test("courses and users can be read by slug as well as by identifier", async () => {
  const sandbox = small();
  const client = main(sandbox);
  const [course, user] = [await client.courses.get(2), await client.users.get(3)];
  expect(await client.courses.get(course.slug)).toEqual(course);
  expect(await client.courses.get("2")).toEqual(course);
  expect(await client.users.get(user.slug)).toEqual(user);
  sandbox.store.courses.update(2, { slug: "été & hiver" });
  expect((await client.courses.get("été & hiver")).id).toBe(2);
  for (const missing of [client.courses.get("no-such-course"), client.users.get("no-such-user")]) {
    await expect(missing).rejects.toBeInstanceOf(NotFoundError);
  }
  expect((await ask(sandbox, `api/v1/accounts/${course.slug}`)).status).toBe(404);
});

test("a former slug redirects to the course, below any prefix of the address", async () => {
  const sandbox = small();
  const client = main(sandbox);
  const { slug } = await client.courses.get(2);
  await client.courses.update(2, { name: "Second name" });
  const { slug: now } = await client.courses.update(2, { name: "Third name" });
  expect(now).not.toBe(slug);
  const { status, headers } = await ask(sandbox, `api/v1/courses/${slug}`);
  expect([status, headers.get("location")]).toEqual([302, now]);
  expect(await client.courses.get(slug)).toMatchObject({ id: 2, slug: now });
  const below = new (client.constructor as typeof import("../../src/index.js").MainClient)({
    ...sandbox.main,
    baseUrl: "https://gateway.example/school",
  });
  expect(await below.courses.get(slug)).toMatchObject({ id: 2 });
  expect(sandbox.requests.at(-1)?.path).toBe(`/school/api/v1/courses/${now}`);
});

test.each(["", ".", "..", "a/b", "a\\b", "..%2f", 0, -1, 1.5, Number.NaN, null, true])(
  "%j is not a valid slug, and nothing is sent",
  async (id) => {
    const sandbox = small();
    await expect(Promise.resolve(main(sandbox).courses.get(id as never))).rejects.toBeInstanceOf(InputError);
    expect(sandbox.requests).toEqual([]);
  },
);
