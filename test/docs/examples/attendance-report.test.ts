import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { start } from "../../support/program.ts";
import { place } from "../support/place.ts";

describe("attendance-report", () => {
  const file = "examples/attendance-report/attendance-report.ts";
  const escaped = (plain: string) => plain.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

  test("draws a bar for each planned course, with its teachers, their roles and the share that attended", async () => {
    const { sandbox, cwd, env, read } = await place();
    const { code, output } = await start(file, ["--out", "chart.html"], { cwd, env }).ended;
    expect([code, output]).toEqual([0, expect.stringContaining("in chart.html")]);
    const html = read("chart.html");
    const { attendances, courses, meetings, plannedCourses, teacherEnrollments, teacherRoles, teachers } =
      sandbox.store;
    const of = (id: number) =>
      attendances.filter(({ meeting_id }) => meetings.get(meeting_id)?.planned_course_id === id);
    const drawn = plannedCourses.filter(({ id, status }) => status === "completed" && of(id).length > 0);
    expect(drawn.length).toBeGreaterThan(0);
    for (const { id, course_id } of drawn) {
      const own = of(id);
      const attended = own.filter(({ state }) => state === "attended").length;
      expect(html).toContain(`>${escaped(courses.get(course_id)?.name ?? "")}`);
      expect(html).toContain(`${Math.round((attended / own.length) * 100)} %</text>`);
      if (attended > 0) expect(html).toContain(`attended: ${attended} of ${own.length}`);
      for (const { teacher_id, teacher_role_id } of teacherEnrollments.filter(
        (each) => each.planned_course_id === id,
      )) {
        const role = teacherRoles.get(teacher_role_id ?? 0);
        expect(html).toContain(escaped(teachers.get(teacher_id)?.last_name ?? "") + (role ? ` (${role.name})` : ""));
      }
    }
    expect(html.match(/<rect/g)?.length).toBeGreaterThanOrEqual(drawn.length);
    const single = sandbox.requests.filter(({ operation }) => operation?.endsWith(".get"));
    expect(single.length).toBeLessThan(10);
  });

  test("leaves the teachers out for a key that may not read them", async () => {
    const { sandbox, cwd, env, read } = await place();
    sandbox.faults.next({ operation: "teachers.list", status: 403, count: Number.POSITIVE_INFINITY });
    sandbox.faults.next({ operation: "teachers.get", status: 403, count: Number.POSITIVE_INFINITY });
    const { code, output } = await start(file, [], { cwd, env }).ended;
    expect([code, output]).toEqual([0, expect.stringContaining("Without teachers: teachers.")]);
    expect(read("attendance.html")).toContain("<rect");
  });

  test.each([403, 404])("keeps the report there is when the key is answered %s", async (status) => {
    const { sandbox, cwd, env, read } = await place();
    writeFileSync(join(cwd, "attendance.html"), "yesterday's");
    sandbox.faults.next({ operation: "attendances.list", status });
    const { code, output } = await start(file, [], { cwd, env }).ended;
    expect([code, output]).toEqual([1, expect.stringMatching(/^attendances.list/)]);
    expect(read("attendance.html")).toBe("yesterday's");
  });
});
