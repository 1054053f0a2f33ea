import { describe, expect, test } from "vitest";
import type { Enrollment } from "../../../src/index.ts";
import { provisioning, seat } from "../support/lms.ts";

describe("lms-provisioning", () => {
  test("adds and removes students as enrollments change, even if the platform fails in between", async () => {
    const { sandbox, enrollments, members, seats, asked, running } = await provisioning({ failures: 1 });
    const { program } = await running();
    const one = enrollments.insert({ status: "active" });
    const two = enrollments.insert({ status: "confirmed" });
    const three = enrollments.insert({ status: "canceled" });
    await expect.poll(seats, { timeout: 15_000 }).toEqual([seat(one), seat(two)].sort());
    const student = sandbox.store.users.get(one.student_id);
    const course = sandbox.store.plannedCourses.get(one.planned_course_id);
    expect(members.get(seat(one))).toEqual({
      name: [student?.first_name, student?.middle_name, student?.last_name].filter(Boolean).join(" "),
      email: student?.email,
      starts: course?.start_date ?? one.start_date,
      ends: course?.end_date ?? one.end_date,
    });

    enrollments.update(one.id, { status: "canceled" });
    enrollments.delete(two.id);
    await expect.poll(seats, { timeout: 15_000 }).toEqual([]);
    expect(asked.filter((line) => line.endsWith(seat(three)) && line.startsWith("PUT"))).toEqual([]);
    expect(sandbox.webhooks.deliveries.filter(({ status }) => status !== 200)).toEqual([]);

    program.process.kill("SIGTERM");
    expect((await program.ended).code).toBe(0);
  }, 45_000);

  test("catches up on missed changes at its start, even after a kill, and reads each list once", async () => {
    const { sandbox, enrollments, members, seats, run } = await provisioning();
    const students = sandbox.store.users.count;
    const many = Array.from({ length: 60 }, (_, at) =>
      enrollments.insert({
        status: "active",
        student_id: (at % students) + 1,
        planned_course_id: Math.floor(at / students) + 1,
      }),
    );
    const all = many.map(seat).sort();
    const first = run();
    await expect.poll(() => members.size, { timeout: 15_000 }).toBeGreaterThan(20);
    first.process.kill("SIGKILL");
    await first.ended;

    const before = sandbox.requests.length;
    const second = run();
    await second.waitForOutput(/enrollments are up to date/);
    expect(seats()).toEqual(all);
    expect(sandbox.requests.length - before).toBeLessThan(25);
    second.process.kill("SIGTERM");
    await second.ended;

    const [gone, left, kept] = many as unknown as [Enrollment, Enrollment, Enrollment];
    enrollments.delete(gone.id);
    enrollments.update(left.id, { status: "completed" });
    sandbox.store.users.update(kept.student_id, { email: "moved@example.org" });
    await run().waitForOutput(/enrollments are up to date/);
    expect(members.get(seat(kept))).toMatchObject({ email: "moved@example.org" });
    expect([members.has(seat(gone)), members.has(seat(left))]).toEqual([false, false]);
  });
});
