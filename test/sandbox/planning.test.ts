import { describe, expect, test } from "vitest";
import { ConflictError, NotFoundError, PermissionDeniedError, UnprocessableEntityError } from "../../src/index.js";
import { createSandbox, type Sandbox, type SandboxOptions } from "../../src/sandbox/index.js";
import { admin, eventsOf, ids, main } from "./support.js";

const all = { max: 10_000 };
const small = (options: SandboxOptions = {}): Sandbox =>
  createSandbox({ size: 60, now: "2040-01-01T12:00:00.000Z", ...options });
const reason = (call: PromiseLike<unknown>) =>
  Promise.resolve(call).then(
    () => null,
    (error: unknown) => error,
  );
const morning = { start_date_time: "2040-01-07T09:00:00.000Z", end_date_time: "2040-01-07T12:00:00.000Z" };
const noon = { start_date_time: "2040-01-07T11:00:00.000Z", end_date_time: "2040-01-07T14:00:00.000Z" };

describe("planning events", () => {
  test("belong to a meeting, have pages, and have materials without identifiers", async () => {
    const sandbox = small();
    const { planningEvents } = main(sandbox);
    const every = await planningEvents.list({ per_page: 5 }).toArray(all);
    expect(ids(every)).toEqual(ids([...sandbox.store.planningEvents]));
    for (const event of every) {
      expect(sandbox.store.meetings.get(event.meeting_id)).toBeDefined();
      expect(event.end_date_time > event.start_date_time, JSON.stringify(event)).toBe(true);
    }
    expect(await planningEvents.get(3)).toEqual(every[2]);
    const materials = await planningEvents.listMaterials(3).toArray(all);
    expect(materials).toEqual(every[2]?.planning_materials);
    expect(Object.keys(materials[0] ?? {})).toEqual(["material_id", "amount", "comment"]);
    expect(await reason(planningEvents.listMaterials(9_999))).toBeInstanceOf(NotFoundError);
  });

  test("show their required teachers only in the Admin API, and only with the feature flag", async () => {
    const needs = ["required_teacher_groups", "planning_attendee_conditions"];
    const [inAdmin] = await admin(small()).planningEvents.list().toArray({ max: 1 });
    const [inMain] = await main(small()).planningEvents.list().toArray({ max: 1 });
    const without = small({ disabledFeatures: ["Meeting requirements"] });
    const [unflagged] = await admin(without).planningEvents.list().toArray({ max: 1 });
    for (const name of needs) {
      expect(inAdmin).toHaveProperty(name, [{ id: 1, quantity: 2, teacher_label_ids: [] }]);
      expect(inMain).not.toHaveProperty(name);
      expect(unflagged).not.toHaveProperty(name);
    }
  });

  test("can be deleted without their meeting, and are deleted with it", async () => {
    const sandbox = small();
    const client = main(sandbox);
    const { meeting_id } = await client.planningEvents.get(3);
    await client.planningEvents.delete(3);
    expect(await reason(client.planningEvents.get(3))).toBeInstanceOf(NotFoundError);
    expect((await client.meetings.get(meeting_id)).id).toBe(meeting_id);
    await client.meetings.delete((await client.planningEvents.get(4)).meeting_id);
    expect(await reason(client.planningEvents.get(4))).toBeInstanceOf(NotFoundError);
  });

  test("move along with their meeting if the request wants that", async () => {
    const client = main(small());
    const event = await client.planningEvents.get(3);
    const { id, start_date_time, end_date_time } = await client.meetings.get(event.meeting_id);
    const later = (time: string) => new Date(Date.parse(time) + 3_600_000).toISOString();
    const moved = { start_date_time: later(start_date_time), end_date_time: later(end_date_time) };
    await client.meetings.update(id, moved);
    expect(await client.planningEvents.get(3)).toEqual(event);
    const back = { start_date_time, end_date_time };
    await client.meetings.update(id, back);
    await client.meetings.update(id, { ...moved, shift_planning_events: true });
    expect(await client.planningEvents.get(3)).toMatchObject({
      start_date_time: later(event.start_date_time),
      end_date_time: later(event.end_date_time),
    });
  });
});

describe("planning conflicts", () => {
  test("are seeded: some teachers prepare while they teach", async () => {
    const { store, ...sandbox } = small();
    const conflicts = await main({ ...sandbox, store })
      .planningConflicts.list({ per_page: 2 })
      .toArray(all);
    expect(conflicts.length).toBeGreaterThan(0);
    for (const conflict of conflicts) {
      expect(conflict.start_date_time < conflict.end_date_time, JSON.stringify(conflict)).toBe(true);
      expect(conflict.resource_name).not.toBe("");
    }
    const event = store.planningEvents.get(2);
    expect(conflicts).toContainEqual(
      expect.objectContaining({
        resource_type: "Teacher",
        resource_id: event?.planning_attendees[0]?.teacher_id,
        conflicting_event_type: "Planning::Event",
        conflicting_event_id: 2,
        event_type: "Meeting",
        start_date_time: event?.start_date_time,
        end_date_time: event?.end_date_time,
      }),
    );
  });

  test.each([
    ["Teacher", { teacher_ids: [3] }],
    ["Material", { material_ids: [1] }],
    ["MeetingLocation", { meeting_location_id: 2 }],
  ] as const)(
    "of a %s appear with a second meeting at the same time and disappear with it",
    async (resource_type, needed) => {
      const sandbox = small();
      const client = main(sandbox);
      const nothing = { teacher_ids: [], material_ids: [] };
      const ours = async () => {
        const conflicts = await client.planningConflicts.list().toArray(all);
        return conflicts.filter(({ start_date_time }) => start_date_time.startsWith("2040-01-07"));
      };
      const first = await client.meetings.create({
        name: "A",
        planned_course_id: 22,
        ...morning,
        ...nothing,
        ...needed,
      });
      expect(await ours()).toEqual([]);
      const second = await client.meetings.create({ name: "B", planned_course_id: 21, ...noon, ...nothing, ...needed });
      const id = "teacher_ids" in needed ? 3 : "material_ids" in needed ? 1 : 2;
      expect(await ours()).toEqual([
        {
          resource_type,
          resource_id: id,
          resource_name: expect.stringMatching(/\w/),
          event_id: first.id,
          event_type: "Meeting",
          event_start_date_time: morning.start_date_time,
          event_end_date_time: morning.end_date_time,
          conflicting_event_id: second.id,
          conflicting_event_type: "Meeting",
          conflicting_event_start_date_time: noon.start_date_time,
          conflicting_event_end_date_time: noon.end_date_time,
          start_date_time: noon.start_date_time,
          end_date_time: morning.end_date_time,
        },
      ]);
      // Consecutive meetings do not conflict.
      await client.meetings.update(second.id, { start_date_time: morning.end_date_time });
      expect(await ours()).toEqual([]);
      await client.meetings.update(second.id, { start_date_time: noon.start_date_time });
      expect(await ours()).toHaveLength(1);
      await client.plannedCourses.cancel(21);
      expect(await ours()).toEqual([]);
      sandbox.store.plannedCourses.update(21, { status: "planned" });
      expect(await ours()).toHaveLength(1);
      await client.meetings.delete(first.id);
      expect(await ours()).toEqual([]);
    },
  );

  test("do not exist for consumable materials, nor between a meeting and its own planning event", async () => {
    const sandbox = small();
    const { store } = sandbox;
    const client = main(sandbox);
    const count = async () => (await client.planningConflicts.list().toArray(all)).length;
    const before = await count();
    for (const name of ["A", "B"]) {
      await client.meetings.create({ name, planned_course_id: 22, ...morning, teacher_ids: [], material_ids: [3] });
    }
    const meeting = await client.meetings.create({ name: "C", planned_course_id: 22, ...morning, teacher_ids: [3] });
    store.planningEvents.insert({ meeting_id: meeting.id, ...noon, planning_attendees: meeting.planning_attendees });
    expect(await count()).toBe(before);
  });
});

describe("available resources", () => {
  test("are those that no meeting and no planning event uses at that time", async () => {
    const sandbox = small({ now: "2040-01-07T08:00:00.000Z" });
    const client = main(sandbox);
    await client.meetings.create({
      name: "A",
      planned_course_id: 22,
      ...morning,
      meeting_location_id: 2,
      teacher_ids: [3],
      material_ids: [1, 3],
    });
    const active = sandbox.store.teachers.filter((teacher) => teacher.active).map(({ id }) => id);
    const available = async () => ({
      locations: ids(await client.planningLocations.list({ per_page: 2 }).toArray(all)),
      materials: ids(await client.planningMaterials.list().toArray(all)),
      teachers: ids(await client.planningTeachers.list().toArray(all)),
    });
    const before = await available();
    expect(before).toEqual({
      locations: ids([...sandbox.store.meetingLocations]),
      materials: ids([...sandbox.store.materials]),
      teachers: active,
    });
    expect(active).toContain(3);
    await sandbox.clock.advance(2 * 3_600_000);
    expect(await available()).toEqual({
      locations: before.locations.filter((id) => id !== 2),
      // Material 3 is consumed, not reserved.
      materials: before.materials.filter((id) => id !== 1),
      teachers: active.filter((id) => id !== 3),
    });
    await sandbox.clock.advance(2 * 3_600_000);
    expect(await available()).toEqual(before);
  });

  test("include locations without an address, and no inactive teacher", async () => {
    const sandbox = small();
    const [location] = await main(sandbox).planningLocations.list().toArray({ max: 1 });
    expect(location).not.toHaveProperty("address");
    await main(sandbox).teachers.deactivate(3);
    expect(ids(await main(sandbox).planningTeachers.list().toArray(all))).not.toContain(3);
    const [teacher] = await main(sandbox).planningTeachers.list().toArray({ max: 1 });
    expect(teacher).toEqual(await main(sandbox).users.get(teacher?.id as number));
  });
});

describe("planning attendees", () => {
  test.each(["Meeting", "Planning::Event"] as const)(
    "are added to a %s and removed from it",
    async (attendable_type) => {
      const sandbox = small();
      const client = admin(sandbox);
      const read = () => (attendable_type === "Meeting" ? client.meetings : client.planningEvents).get(4);
      const { planning_attendees: before } = await read();
      const free = sandbox.store.teachers.find(({ id }) => !before.some(({ teacher_id }) => teacher_id === id));
      const kind = attendable_type === "Meeting" ? "meeting" : "planning_event";
      const events = eventsOf(sandbox, ["meeting.*", "planning_event.*"]);
      const body = { teacher_id: free?.id as number, attendable_id: 4, attendable_type, teacher_role_id: 2 };
      const attendee = await client.planningAttendees.create(body);
      expect(attendee).toEqual({ ...body, id: expect.any(Number), comment: null });
      expect((await read()).planning_attendees).toEqual([...before, attendee]);
      const again = await reason(client.planningAttendees.create(body));
      expect(again).toBeInstanceOf(ConflictError);
      await client.planningAttendees.delete(attendee.id);
      expect((await read()).planning_attendees).toEqual(before);
      expect(await reason(client.planningAttendees.delete(attendee.id))).toBeInstanceOf(NotFoundError);
      await sandbox.webhooks.settled();
      const change = [`${kind}.updated 4`, `${kind}.teacher_attendees_changed 4`];
      expect(events).toEqual([...change, ...change]);
    },
  );

  test("require an existing teacher, role and event", async () => {
    const { planningAttendees } = admin(small());
    const body = { teacher_id: 1, attendable_id: 4, attendable_type: "Meeting" } as const;
    for (const field of ["teacher_id", "attendable_id", "teacher_role_id"] as const) {
      const error = await reason(planningAttendees.create({ ...body, [field]: 9_999 }));
      expect((error as UnprocessableEntityError).errors).toHaveProperty(field);
    }
  });

  test("have unique identifiers, seeded or new", async () => {
    const sandbox = small();
    await admin(sandbox).planningAttendees.create({ teacher_id: 1, attendable_id: 1, attendable_type: "Meeting" });
    const { meetings, planningEvents } = sandbox.store;
    const attendees = [...meetings, ...planningEvents].flatMap(({ planning_attendees }) => planning_attendees);
    expect(attendees.length).toBeGreaterThan(meetings.count);
    expect(new Set(ids(attendees)).size).toBe(attendees.length);
  });

  test("of a required group are added to its planning event if they have the required labels", async () => {
    const sandbox = small();
    const { store } = sandbox;
    const client = admin(sandbox);
    await client.requiredTeacherGroupAttendees.create({ teacher_id: 4, required_teacher_group_id: 1 });
    const { planning_attendees } = await client.planningEvents.get(1);
    expect(planning_attendees.at(-1)).toMatchObject({ teacher_id: 4, attendable_type: "Planning::Event" });
    const wanted = store.planningEvents.get(2)?.required_teacher_groups?.[0]?.teacher_label_ids ?? [];
    expect(wanted).toHaveLength(1);
    store.teachers.update(1, { label_ids: [] });
    const body = { teacher_id: 1, required_teacher_group_id: 2 };
    expect(await reason(client.requiredTeacherGroupAttendees.create(body))).toBeInstanceOf(UnprocessableEntityError);
    store.teachers.update(1, { label_ids: wanted });
    await client.requiredTeacherGroupAttendees.create(body);
    expect((await client.planningEvents.get(2)).planning_attendees.at(-1)).toMatchObject({ teacher_id: 1 });
    const unknown = client.requiredTeacherGroupAttendees.create({ ...body, required_teacher_group_id: 9_999 });
    expect(await reason(unknown)).toBeInstanceOf(UnprocessableEntityError);
    const off = admin(small({ disabledFeatures: ["Meeting requirements"] }));
    expect(await reason(off.requiredTeacherGroupAttendees.create(body))).toBeInstanceOf(PermissionDeniedError);
  });
});

describe("the planning of a meeting", () => {
  test("has all teachers in teacher_ids, and the attributes change single ones", async () => {
    const client = main(small());
    const body = { name: "A", planned_course_id: 22, ...morning };
    const { id, planning_attendees } = await client.meetings.create({ ...body, teacher_ids: [1, 2] });
    const [first, second] = planning_attendees;
    expect(planning_attendees.map(({ teacher_id }) => teacher_id)).toEqual([1, 2]);
    const changed = await client.meetings.update(id, {
      planning_attendees_attributes: [
        { id: first?.id as number, _destroy: true },
        { id: second?.id as number, teacher_role_id: 2, comment: "Brings the keys." },
        { teacher_id: 3, teacher_role_id: 1 },
      ],
    });
    expect(changed.planning_attendees).toEqual([
      { ...second, teacher_role_id: 2, comment: "Brings the keys." },
      { ...second, id: expect.any(Number), teacher_id: 3, teacher_role_id: 1 },
    ]);
    const kept = await client.meetings.update(id, { teacher_ids: [3, 4] });
    expect(kept.planning_attendees[0]).toEqual(changed.planning_attendees[1]);
    expect(kept.planning_attendees.map(({ teacher_id }) => teacher_id)).toEqual([3, 4]);
    const unknown = client.meetings.update(id, { planning_attendees_attributes: [{ id: 99_999, comment: "?" }] });
    expect(await reason(unknown)).toBeInstanceOf(UnprocessableEntityError);
  });

  test("lists materials without identifiers, and one location for the meeting", async () => {
    const client = main(small());
    const body = { name: "A", planned_course_id: 22, ...morning, meeting_location_id: 2 };
    const { id, planning_meeting_location_ids } = await client.meetings.create({ ...body, material_ids: [1, 2] });
    expect(planning_meeting_location_ids).toEqual([2]);
    const attributes = [
      { material_id: 2, _destroy: true },
      { material_id: 5, comment: "The large one." },
    ];
    await client.meetings.update(id, { planning_materials_attributes: attributes });
    expect(await client.meetings.listMaterials(id).toArray(all)).toEqual([
      { material_id: 1, amount: 1, comment: null },
      { material_id: 5, amount: 1, comment: "The large one." },
    ]);
    expect(await reason(client.meetings.listMaterials(9_999))).toBeInstanceOf(NotFoundError);
  });

  test("is deleted with the meeting, along with its attendances and attendees", async () => {
    const sandbox = small();
    const { store } = sandbox;
    const client = admin(sandbox);
    const meetingId = store.attendances.get(1)?.meeting_id as number;
    const [attendee] = (await client.meetings.get(meetingId)).planning_attendees;
    await client.meetings.delete(meetingId);
    expect(await reason(client.meetings.get(meetingId))).toBeInstanceOf(NotFoundError);
    expect(store.attendances.filter(({ meeting_id }) => meeting_id === meetingId)).toEqual([]);
    expect(store.attendances.count).toBeGreaterThan(0);
    expect(await reason(client.planningAttendees.delete(attendee?.id as number))).toBeInstanceOf(NotFoundError);
  });

  test("loses a deleted location or material, as planning events do", async () => {
    const sandbox = small();
    const client = main(sandbox);
    const { store } = sandbox;
    const meeting = store.meetings.find(({ meeting_location_id }) => meeting_location_id === 2);
    await client.meetingLocations.delete(2);
    expect(await client.meetings.get(meeting?.id as number)).toMatchObject({
      meeting_location_id: null,
      planning_meeting_location_ids: [],
    });
    await client.materials.delete(1);
    await client.materials.delete(3);
    for (const event of [...store.meetings, ...store.planningEvents]) {
      expect([event.meeting_location_id, ...event.planning_meeting_location_ids]).not.toContain(2);
      const materials = (event.planning_materials ?? []).map(({ material_id }) => material_id);
      expect(materials.filter((id) => id === 1 || id === 3)).toEqual([]);
    }
  });

  test("lets a group of materials be deleted only if it is empty", async () => {
    const { materialGroups, materials } = main(small());
    expect(await reason(materialGroups.delete(1))).toBeInstanceOf(UnprocessableEntityError);
    const group = await materialGroups.create({ name: "Screens" });
    const material = await materials.create({ name: "Screen", material_group_id: group.id });
    expect(await reason(materialGroups.delete(group.id))).toBeInstanceOf(UnprocessableEntityError);
    await materials.delete(material.id);
    expect(await materialGroups.get(group.id)).toEqual(group);
    await materialGroups.delete(group.id);
    expect(await reason(materialGroups.get(group.id))).toBeInstanceOf(NotFoundError);
  });
});
