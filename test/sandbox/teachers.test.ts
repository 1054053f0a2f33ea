import { describe, expect, test } from "vitest";
import { NotFoundError, type Teacher, UnprocessableEntityError } from "../../src/index.js";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import { admin, eventsOf, ids, main, small } from "./support.js";

const all = { max: 1_000 };

async function refusal(call: PromiseLike<unknown>): Promise<unknown> {
  const error = await Promise.resolve(call).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UnprocessableEntityError);
  return (error as UnprocessableEntityError).errors;
}

// The teachers and their roles at every meeting of a planned course.
function attendeesOf({ store }: Sandbox, plannedCourseId: number): string[] {
  const meetings = store.meetings.filter(({ planned_course_id }) => planned_course_id === plannedCourseId);
  return meetings.map(({ planning_attendees }) =>
    planning_attendees.map(({ teacher_id, teacher_role_id }) => `${teacher_id}:${teacher_role_id}`).join(" "),
  );
}

describe("seeded teachers", () => {
  test.each([1, 2, 25, 40, 300, 1_000])(
    "are consistent with users, planned courses and meetings at size %i",
    (size) => {
      const sandbox = createSandbox({ size, seed: 5 });
      const { meetings, plannedCourses, teacherEnrollments, teacherRoles, teachers, users } = sandbox.store;
      const places = [...teacherEnrollments];
      for (const user of users) expect(user.roles.includes("teacher")).toBe(teachers.get(user.id) !== undefined);
      for (const teacher of teachers) {
        const { first_name, email, slug, teacher_enrollments_count } = teacher;
        const count = places.filter(({ teacher_id }) => teacher_id === teacher.id).length;
        expect(teacher_enrollments_count).toBe(count);
        expect(users.get(teacher.id)).toMatchObject({ first_name, email, slug, teacher_enrollments_count: count });
      }
      const taken = new Set<string>();
      for (const { planned_course_id, teacher_id, teacher_role_id } of places) {
        expect(plannedCourses.get(planned_course_id)).toBeDefined();
        expect(teachers.get(teacher_id)).toBeDefined();
        expect(teacherRoles.get(teacher_role_id ?? 0)).toBeDefined();
        taken.add(`${planned_course_id} ${teacher_id}`);
      }
      expect(taken.size).toBe(places.length);
      const attendeeIds = [...meetings].flatMap(({ planning_attendees }) => ids(planning_attendees));
      expect(new Set(attendeeIds).size).toBe(attendeeIds.length);
      for (const { id, planned_course_id, planning_attendees } of meetings) {
        const teaching = places.filter((place) => place.planned_course_id === planned_course_id);
        expect(planning_attendees).toMatchObject(
          teaching.map(({ teacher_id, teacher_role_id }) => ({ attendable_id: id, teacher_id, teacher_role_id })),
        );
      }
    },
  );
});

describe("teachers", () => {
  test("are users with the role of a teacher", async () => {
    const sandbox = small();
    const { teachers, users } = main(sandbox);
    const events = eventsOf(sandbox, ["teacher.*", "user.*"]);
    const user = await users.create({ first_name: "Alva", last_name: "Sample", email: "alva@example.com" });
    const created = await teachers.create({ user_id: user.id });
    expect(created).toEqual({ result: "Success", location: `${sandbox.baseUrl}/api/v1/teachers/${user.id}` });
    expect(await teachers.get(user.id)).toMatchObject({
      id: 41,
      first_name: "Alva",
      email: "alva@example.com",
      active: true,
      teacher_enrollments_count: 0,
      created_at: "2030-06-01T12:00:00.000Z",
    });
    expect((await users.get(user.id)).roles).toContain("teacher");
    await sandbox.webhooks.settled();
    expect(events).toEqual(["user.created 41", "user.updated 41", "teacher.created 41"]);
  });

  test("are created from existing users who are not teachers yet", async () => {
    const { teachers } = admin(small());
    expect(await refusal(teachers.create({ user_id: 999 }))).toEqual({
      user_id: ["refers to a record that does not exist"],
    });
    expect(await refusal(teachers.create({ user_id: 2 }))).toEqual({ user_id: ["is already a teacher"] });
    await expect(teachers.get(5)).rejects.toBeInstanceOf(NotFoundError);
  });

  test("become inactive and active again, without a response body", async () => {
    const sandbox = small();
    const { teachers } = main(sandbox);
    const events = eventsOf(sandbox, ["teacher.*"]);
    expect(await teachers.deactivate(2)).toBeUndefined();
    expect((await teachers.get(2)).active).toBe(false);
    expect(await teachers.activate(2)).toBeUndefined();
    expect((await teachers.get(2)).active).toBe(true);
    await expect(teachers.activate(5)).rejects.toBeInstanceOf(NotFoundError);
    await expect(teachers.deactivate(5)).rejects.toBeInstanceOf(NotFoundError);
    await sandbox.webhooks.settled();
    expect(events).toEqual(["teacher.updated 2", "teacher.updated 2"]);
  });

  test("have pages, and are found by name, e-mail address, labels and identifiers", async () => {
    const sandbox = createSandbox({ size: 400 });
    const { teachers } = main(sandbox);
    const every = await teachers.list({ per_page: 7 }).toArray(all);
    expect(ids(every)).toEqual(Array.from({ length: 40 }, (_, at) => at + 1));
    const [, second] = every as [Teacher, Teacher];
    const name = [second.first_name, second.middle_name, second.last_name].filter(Boolean).join(" ");
    expect(ids(await teachers.list({ search: name.toUpperCase() }).toArray(all))).toContain(2);
    expect(ids(await teachers.list({ search: second.email }).toArray(all))).toEqual([2]);
    expect(ids(await teachers.list({ id: [3, 40, 41] }).toArray(all))).toEqual([3, 40]);
    const label = every.flatMap(({ label_ids }) => label_ids)[0] as number;
    const labelled = every.filter(({ label_ids }) => label_ids.includes(label));
    expect(labelled.length).toBeGreaterThan(0);
    expect(labelled.length).toBeLessThan(40);
    expect(await teachers.list({ label_id: label }).toArray(all)).toEqual(labelled);
    expect(sandbox.store.labels.get(label)?.model_type).toBe("Teacher");
  });

  test("change with their users", async () => {
    const sandbox = small();
    const events = eventsOf(sandbox, ["teacher.*"]);
    const { users, teachers } = main(sandbox);
    await users.update(2, { first_name: "Runa", custom: { diet: "none" } });
    expect(await teachers.get(2)).toMatchObject({ first_name: "Runa", updated_at: "2030-06-01T12:00:00.000Z" });
    await users.update(2, { wants_newsletter: true });
    await users.update(9, { first_name: "Runa" });
    sandbox.store.users.delete(3);
    await sandbox.webhooks.settled();
    expect(events).toEqual(["teacher.updated 2", "teacher.deleted 3"]);
  });
});

describe("teacher roles", () => {
  test("are created, changed and deleted, each with its event", async () => {
    const sandbox = small();
    const { teacherRoles } = main(sandbox);
    const events = eventsOf(sandbox, ["teacher_role.*"]);
    expect((await teacherRoles.list({ per_page: 2 }).toArray(all)).map(({ name }) => name)).toEqual([
      "Lead teacher",
      "Assistant",
      "Examiner",
    ]);
    const role = await teacherRoles.create({ name: "Guest" });
    expect(role).toMatchObject({ id: 4, name: "Guest", created_at: "2030-06-01T12:00:00.000Z" });
    expect(await teacherRoles.update(4, { name: "Guest teacher" })).toMatchObject({ id: 4, name: "Guest teacher" });
    expect(await teacherRoles.get(4)).toMatchObject({ name: "Guest teacher" });
    expect(await teacherRoles.delete(4)).toBeUndefined();
    await expect(teacherRoles.get(4)).rejects.toBeInstanceOf(NotFoundError);
    await sandbox.webhooks.settled();
    expect(events).toEqual(["teacher_role.created 4", "teacher_role.updated 4", "teacher_role.deleted 4"]);
  });

  test("cannot be deleted while a teacher has them, in a planned course or at a meeting", async () => {
    const sandbox = small();
    const { teacherRoles, teacherEnrollments } = admin(sandbox);
    const inUse = { base: ["a role that a teacher has cannot be deleted"] };
    expect(await refusal(teacherRoles.delete(1))).toEqual(inUse);
    const { id, teacher_id } = sandbox.store.teacherEnrollments.at(0) ?? {};
    await teacherEnrollments.update(id as number, { teacher_role_id: 3 });
    expect(await refusal(teacherRoles.delete(3))).toEqual(inUse);
    await teacherEnrollments.delete(id as number);
    const attendee = { id: 900, attendable_id: 1, attendable_type: "Meeting", comment: null };
    const planning_attendees = [{ ...attendee, teacher_id: teacher_id as number, teacher_role_id: 3 }];
    sandbox.store.meetings.update(1, { planning_attendees });
    expect(await refusal(teacherRoles.delete(3))).toEqual(inUse);
    sandbox.store.meetings.update(1, { planning_attendees: [] });
    expect(await teacherRoles.delete(3)).toBeUndefined();
  });
});

describe("teacher enrollments", () => {
  test("add a teacher to a planned course and its meetings", async () => {
    const sandbox = small();
    const { teacherEnrollments, teachers, users } = main(sandbox);
    const [before] = await teacherEnrollments.listForPlannedCourse(1).toArray(all);
    expect(before).toMatchObject({ planned_course_id: 1, teacher_id: 2, teacher_role_id: 1 });
    const { teacher_enrollments_count: count } = await teachers.get(4);
    const events = eventsOf(sandbox, ["planned_course.*", "meeting.*", "teacher.*", "user.*"]);

    const place = await teacherEnrollments.create({ planned_course_id: 1, teacher_id: 4, teacher_role_id: 2 });
    expect(place).toMatchObject({ planned_course_id: 1, teacher_id: 4, teacher_role_id: 2 });
    expect(attendeesOf(sandbox, 1)).toEqual(["2:1 4:2", "2:1 4:2", "2:1 4:2"]);
    const attendeeIds = [...sandbox.store.meetings].flatMap(({ planning_attendees }) => ids(planning_attendees));
    expect(new Set(attendeeIds).size).toBe(attendeeIds.length);
    expect((await teachers.get(4)).teacher_enrollments_count).toBe(count + 1);
    expect((await users.get(4)).teacher_enrollments_count).toBe(count + 1);
    await sandbox.webhooks.settled();
    const meetings = [1, 2, 3].flatMap((id) => [`meeting.updated ${id}`, `meeting.teacher_attendees_changed ${id}`]);
    expect(events.splice(0)).toEqual([...meetings, "planned_course.teacher_attendees_changed 1"]);

    await teacherEnrollments.update(place.id, { teacher_role_id: 3 });
    expect(attendeesOf(sandbox, 1)).toEqual(["2:1 4:3", "2:1 4:3", "2:1 4:3"]);
    await sandbox.webhooks.settled();
    expect(events.splice(0)).toEqual([...meetings, "planned_course.teacher_attendees_changed 1"]);

    expect(await teacherEnrollments.delete(place.id)).toBeUndefined();
    expect(attendeesOf(sandbox, 1)).toEqual(["2:1", "2:1", "2:1"]);
    expect((await teachers.get(4)).teacher_enrollments_count).toBe(count);
    await sandbox.webhooks.settled();
    expect(events).toEqual([...meetings, "planned_course.teacher_attendees_changed 1"]);
    await expect(teacherEnrollments.delete(place.id)).rejects.toBeInstanceOf(NotFoundError);
  });

  test("move to another planned course with the teacher", async () => {
    const sandbox = small();
    const { teacherEnrollments } = admin(sandbox);
    const events = eventsOf(sandbox, ["planned_course.*"]);
    const place = await teacherEnrollments.createForPlannedCourse(1, { teacher_id: 4 });
    expect(place).toMatchObject({ planned_course_id: 1, teacher_id: 4, teacher_role_id: null });
    await teacherEnrollments.update(place.id, { planned_course_id: 2 });
    expect(attendeesOf(sandbox, 1)).toEqual(["2:1", "2:1", "2:1"]);
    expect(attendeesOf(sandbox, 2)).toEqual(["3:1 4:null", "3:1 4:null", "3:1 4:null"]);
    await teacherEnrollments.update(place.id, {});
    await sandbox.webhooks.settled();
    expect(events).toEqual([1, 1, 2].map((id) => `planned_course.teacher_attendees_changed ${id}`));
  });

  test("are unique per teacher in a planned course, and refer to existing records", async () => {
    const { teacherEnrollments: places } = main(small());
    const taken = { teacher_id: ["already teaches this planned course"] };
    expect(await refusal(places.create({ planned_course_id: 1, teacher_id: 2 }))).toEqual(taken);
    expect(await refusal(places.createForPlannedCourse(1, { teacher_id: 2 }))).toEqual(taken);
    expect(await refusal(places.update(1, { planned_course_id: 5 }))).toEqual(taken);
    expect(await places.update(1, { planned_course_id: 1, teacher_id: 2 })).toMatchObject({ id: 1 });
    for (const wrong of [{ teacher_id: 5 }, { teacher_role_id: 9 }, { planned_course_id: 999 }]) {
      const [field] = Object.keys(wrong) as [string];
      const message = { [field]: ["refers to a record that does not exist"] };
      expect(await refusal(places.create({ planned_course_id: 1, teacher_id: 4, ...wrong }))).toEqual(message);
      expect(await refusal(places.update(1, wrong))).toEqual(message);
    }
    await expect(places.createForPlannedCourse(999, { teacher_id: 1 })).rejects.toBeInstanceOf(NotFoundError);
    await expect(places.listForPlannedCourse(999).toArray(all)).rejects.toBeInstanceOf(NotFoundError);
  });

  test("have pages, for all planned courses or one", async () => {
    const sandbox = small();
    const { teacherEnrollments } = main(sandbox);
    const every = await teacherEnrollments.list({ per_page: 5 }).toArray(all);
    expect(every).toEqual([...sandbox.store.teacherEnrollments]);
    const inThree = every.filter(({ planned_course_id }) => planned_course_id === 3);
    expect(inThree.map(({ teacher_role_id }) => teacher_role_id)).toEqual([1, 2]);
    expect(await teacherEnrollments.list({ planned_course_id: 3, per_page: 1 }).toArray(all)).toEqual(inThree);
    expect(await teacherEnrollments.listForPlannedCourse(3).toArray(all)).toEqual(inThree);
  });

  test("have no role in the Main API if the feature flag is off", async () => {
    const sandbox = createSandbox({ size: 40, disabledFeatures: ["Teacher roles"] });
    const [inMain] = await main(sandbox).teacherEnrollments.listForPlannedCourse(1).toArray(all);
    const [inAdmin] = await admin(sandbox).teacherEnrollments.listForPlannedCourse(1).toArray(all);
    expect(inMain).not.toHaveProperty("teacher_role_id");
    expect(inAdmin).toEqual({ ...inMain, teacher_role_id: 1 });
  });
});

describe("planned courses and meetings", () => {
  test("turn teacher_ids into teacher enrollments, which an update replaces", async () => {
    const sandbox = small();
    const { plannedCourses, teacherEnrollments: places } = main(sandbox);
    const teaching = async (id: number) =>
      (await places.listForPlannedCourse(id).toArray(all)).map(
        (place) => `${place.teacher_id}:${place.teacher_role_id}`,
      );
    const dates = { start_date: "2030-07-01", end_date: "2030-07-15" };
    const course = await plannedCourses.create({
      course_id: 1,
      type: "FixedPlannedCourse",
      cost: 450,
      teacher_ids: [1, 2, 1],
      ...dates,
    });
    expect(await teaching(course.id)).toEqual(["1:null", "2:null"]);
    await plannedCourses.update(3, { teacher_ids: [4, 3] });
    expect(await teaching(3)).toEqual(["4:1", "3:null"]);
    expect(attendeesOf(sandbox, 3)).toEqual(["4:1 3:null", "4:1 3:null", "4:1 3:null"]);
    await plannedCourses.update(3, { is_published: true });
    expect(await teaching(3)).toEqual(["4:1", "3:null"]);
    await plannedCourses.update(3, { teacher_ids: [] });
    expect(attendeesOf(sandbox, 3)).toEqual(["", "", ""]);
  });

  test("give a new meeting the teachers of its planned course", async () => {
    const sandbox = small();
    const { meetings } = main(sandbox);
    const times = { start_date_time: "2030-07-01T09:00:00.000Z", end_date_time: "2030-07-01T12:00:00.000Z" };
    const meeting = await meetings.createForPlannedCourse(1, { name: "Extra", ...times });
    expect(meeting.planning_attendees).toMatchObject([
      { attendable_id: meeting.id, attendable_type: "Meeting", teacher_id: 2, teacher_role_id: 1, comment: null },
    ]);
    expect(sandbox.make.meeting({ planned_course_id: 1 }).planning_attendees).toMatchObject([{ teacher_id: 2 }]);
  });
});
