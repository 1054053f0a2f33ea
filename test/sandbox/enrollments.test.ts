import { describe, expect, test } from "vitest";
import { NotFoundError, OrganizationClient } from "../../src/index.js";
import { admin, ask, failure, ids, main, small } from "./support.js";

describe("single resources behave as the service description says", () => {
  test("enrollments: a new certificate replaces an existing one", async () => {
    const sandbox = small();
    const client = admin(sandbox);
    const old = sandbox.store.certificates.at(0);
    const enrollment = old?.certifiable_id as number;
    await client.enrollments.awardCertificate(enrollment, { certificate_template_id: 2 });
    const certificates = await client.certificates.list().toArray({ max: 100 });
    expect(ids(certificates)).not.toContain(old?.id);
    const mine = certificates.filter(({ certifiable_id }) => certifiable_id === enrollment);
    expect(mine).toHaveLength(1);
    await expect(client.certificates.get(old?.id as number)).rejects.toBeInstanceOf(NotFoundError);
    await client.enrollments.awardCertificate(enrollment, { certificate_template_id: 3 });
    expect(sandbox.store.certificates.filter(({ certifiable_id }) => certifiable_id === enrollment)).toHaveLength(1);
  });

  test("enrollments: cancel, and a new last day", async () => {
    const { enrollments } = main(small());
    expect(await enrollments.cancel(30)).toMatchObject({ id: 30, status: "canceled" });
    expect(await enrollments.update(29, { end_date: "2031-01-01" })).toMatchObject({ end_date: "2031-01-01" });
    expect(await enrollments.update(29, { end_date: null })).toMatchObject({ end_date: null });
  });

  test("grades: a grade or a score is required; the score is returned as text, and the enrollment has the grade", async () => {
    const sandbox = small();
    const { grades, enrollments } = main(sandbox);
    const gradeable = { gradeable_id: 40, gradeable_type: "Enrollment" };
    expect(
      (
        await ask(sandbox, "api/v1/grades", {
          method: "POST",
          body: JSON.stringify({ ...gradeable, grade: null, score: null }),
        })
      ).status,
    ).toBe(422);
    const grade = await grades.create({ ...gradeable, score: 7.5 });
    expect(grade).toMatchObject({ score: "7.5", grade: null });
    expect((await enrollments.get(40)).grade).toEqual(grade);
    const better = await grades.update(grade.id, { score: 9, grade: "A" });
    expect(better).toMatchObject({ score: "9", grade: "A" });
    expect((await enrollments.get(40)).grade).toEqual(better);
    await grades.delete(grade.id);
    expect((await enrollments.get(40)).grade).toBeNull();
    expect((await failure(grades.create({ ...gradeable, gradeable_id: 999, score: 1 }))).errors).toHaveProperty(
      "gradeable_id",
    );
  });

  test("grades: an enrollment keeps its grade if another grade of it is deleted", async () => {
    const sandbox = small();
    const { grades, enrollments } = main(sandbox);
    const gradeable = { gradeable_id: 40, gradeable_type: "Enrollment" };
    const old = await grades.create({ ...gradeable, score: 5 });
    const current = await grades.create({ ...gradeable, score: 8 });
    await grades.delete(old.id);
    expect((await enrollments.get(40)).grade).toEqual(current);
  });

  test("meetings: unknown materials are refused by field", async () => {
    const body = { name: "x", start_date_time: "2030-07-01T09:00:00.000Z", end_date_time: "2030-07-01T12:00:00.000Z" };
    const error = await failure(main(small()).meetings.createForPlannedCourse(2, { ...body, material_ids: [1, 999] }));
    expect(error.errors).toEqual({ material_ids: ["refers to a record that does not exist"] });
  });

  test("meetings of a planned course are created below it, and not found below an unknown one", async () => {
    const sandbox = small();
    const { meetings } = main(sandbox);
    const body = {
      name: "Extra",
      start_date_time: "2030-07-01T09:00:00.000Z",
      end_date_time: "2030-07-01T12:00:00.000Z",
    };
    const meeting = await meetings.createForPlannedCourse(2, body);
    expect(meeting).toMatchObject({ ...body, planned_course_id: 2, meeting_location_id: null });
    expect(ids((await meetings.listForPlannedCourse(2)).records)).toContain(meeting.id);
    await expect(meetings.createForPlannedCourse(999, body)).rejects.toBeInstanceOf(NotFoundError);
    await expect(meetings.listForPlannedCourse(999).toArray({ max: 1 })).rejects.toBeInstanceOf(NotFoundError);
  });

  test("attendances: set creates a missing one and changes an existing one", async () => {
    const sandbox = small();
    const { attendances } = admin(sandbox);
    const meeting = sandbox.store.meetings.count;
    const created = await attendances.set({ meeting_id: meeting, enrollment_id: 40 });
    expect(created).toMatchObject({ state: "blanco", comment: null });
    const changed = await attendances.set({ meeting_id: meeting, enrollment_id: 40, state: "late", comment: "Train" });
    expect(changed).toMatchObject({ id: created.id, state: "late", comment: "Train" });
    expect(await attendances.get({ meeting_id: meeting, enrollment_id: 40 })).toEqual({
      meeting_id: meeting,
      enrollment_id: 40,
      state: "late",
      comment: "Train",
    });
    await expect(attendances.get({ meeting_id: meeting, enrollment_id: 1 })).rejects.toBeInstanceOf(NotFoundError);
    const organization = new OrganizationClient({ ...sandbox.admin, validation: "strict" });
    const records = await organization.attendanceRecords.list({ meeting_id: meeting }).toArray({ max: 10 });
    expect(records).toMatchObject([
      { id: created.id, attendance_state: "late", user_id: sandbox.store.enrollments.get(40)?.student_id },
    ]);
  });
});
