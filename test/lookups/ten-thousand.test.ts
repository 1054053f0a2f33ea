import { beforeAll, describe, expect, it } from "vitest";
import { MainClient } from "../../src/index.js";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";

const [ENROLLMENTS, COURSES, USERS] = [10_000, 400, 6_000];

// In every order each student is enrolled and each planned course has students.
const orders: Record<string, (at: number) => { readonly student: number; readonly course: number }> = {
  "scattered over students and courses": (at) => ({ student: (at * 2_741) % USERS, course: (at * 173) % COURSES }),
  "student by student": (at) => ({ student: Math.floor((at * USERS) / ENROLLMENTS), course: (at * 173) % COURSES }),
  "course by course": (at) => ({ student: (at * 2_741) % USERS, course: Math.floor((at * COURSES) / ENROLLMENTS) }),
};

describe("10,000 enrollments with their 6,000 students and 400 planned courses", () => {
  let sandbox: Sandbox;

  beforeAll(() => {
    sandbox = createSandbox({ empty: true, rateLimit: false });
    const { enrollments, plannedCourses, users } = sandbox.store;
    for (let id = 1; id <= USERS; id++) users.insert({ id });
    for (let id = 1; id <= COURSES; id++) plannedCourses.insert({ id });
    for (let id = 1; id <= ENROLLMENTS; id++) enrollments.insert({ id });
  }, 60_000);

  it.each(Object.entries(orders))(
    "take at most 1.05 of the least requests, %s",
    async (_, of) => {
      const { enrollments } = sandbox.store;
      for (let at = 0; at < ENROLLMENTS; at++) {
        const { student, course } = of(at);
        enrollments.update(at + 1, { student_id: student + 1, planned_course_id: course + 1 });
      }
      const before = sandbox.requests.length;
      const client = new MainClient(sandbox);
      let right = 0;
      for await (const each of client.enrollments.list().with({ planned_course: true, student: true })) {
        if (each.student?.id === each.student_id && each.planned_course?.id === each.planned_course_id) right++;
      }
      expect(right).toBe(ENROLLMENTS);
      const least = (ENROLLMENTS + COURSES + USERS) / 100;
      const rowByRow = ENROLLMENTS / 100 + 2 * ENROLLMENTS;
      expect([least, rowByRow]).toEqual([164, 20_100]);
      expect(sandbox.requests.length - before).toBeLessThanOrEqual(1.05 * least);
    },
    60_000,
  );
});
