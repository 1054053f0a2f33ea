import { describe, expect, test } from "vitest";
import { InputError } from "../../src/index.js";
import { issuesOf, wire } from "./support/wire.js";

describe("teachers", () => {
  test.each([
    ["no user", {}],
    ["null for the user", { user_id: null }],
    ["text for the user", { user_id: "7" }],
  ])("a new one with %s is refused before anything is sent", async (_, body) => {
    const { main, admin, calls } = wire();
    for (const client of [main, admin]) {
      const [issue] = await issuesOf(client.teachers.create(body as never));
      expect(issue?.path).toBe("user_id");
    }
    expect(calls).toEqual([]);
  });

  test("a create returns the address of the new record, not the teacher", async () => {
    const location = "https://school.example/api/v1/teachers/7";
    const fetch = async () => Response.json({ result: "Success", location }, { status: 201 });
    const { main } = wire({ fetch, validation: "strict" });
    expect(await main.teachers.create({ user_id: 7 })).toEqual({ result: "Success", location });
  });

  test("are activated and deactivated by a POST without a body", async () => {
    const { main, admin, calls } = wire();
    await main.teachers.activate(7);
    await admin.teachers.deactivate(7);
    expect(calls.map(({ url, init, body }) => [init.method, url.pathname, body])).toEqual([
      ["POST", "/api/v1/teachers/7/activate", null],
      ["POST", "/api/v1/teachers/7/deactivate", null],
    ]);
  });

  test("accept one value or several in filters", async () => {
    const { main, query } = wire();
    await main.teachers.list({ label_id: 3, id: [1, 2] });
    expect(query()).toBe("label_id=3&id=1&id=2");
  });
});

test("need their role's name in an update of the role", async () => {
  const { main, body, calls } = wire();
  expect(await issuesOf(main.teacherRoles.update(7, {} as never))).toMatchObject([{ path: "name" }]);
  expect(calls).toEqual([]);
  await main.teacherRoles.update(7, { name: "Assistant" });
  expect(body()).toBe('{"name":"Assistant"}');
});

describe("teacher enrollments", () => {
  test("have the planned course in the body or in the path, never in both", async () => {
    const { main, calls } = wire();
    await main.teacherEnrollments.create({ planned_course_id: 3, teacher_id: 7 });
    await main.teacherEnrollments.createForPlannedCourse(3, { teacher_id: 7, teacher_role_id: 1 });
    expect(calls.map(({ url, body }) => [url.pathname, body])).toEqual([
      ["/api/v1/teacher_enrollments", '{"planned_course_id":3,"teacher_id":7}'],
      ["/api/v1/planned_courses/3/teacher_enrollments", '{"teacher_id":7,"teacher_role_id":1}'],
    ]);
    const both = { planned_course_id: 3, teacher_id: 7 } as never;
    await expect(main.teacherEnrollments.createForPlannedCourse(3, both)).rejects.toBeInstanceOf(InputError);
    expect(calls).toHaveLength(2);
  });

  test("an update accepts any of the fields", async () => {
    const { main, body } = wire();
    await main.teacherEnrollments.update(7, { teacher_role_id: 2 });
    expect(body()).toBe('{"teacher_role_id":2}');
    expect(await issuesOf(main.teacherEnrollments.update(7, { teacher_role_id: 0 }))).toMatchObject([
      { path: "teacher_role_id" },
    ]);
  });
});
