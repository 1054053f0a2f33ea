import { describe, expect, test } from "vitest";
import {
  AdminClient,
  ConflictError,
  NotFoundError,
  OrganizationClient,
  UnprocessableEntityError,
} from "../../src/index.js";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import { eventsOf, ids, main } from "./support.js";

const all = { max: 1_000 };
const small = (): Sandbox => createSandbox({ size: 60, now: "2030-06-01T12:00:00.000Z" });
const fixed = {
  course_id: 2,
  type: "FixedPlannedCourse",
  start_date: "2030-07-01",
  end_date: "2030-07-15",
  cost: 449.5,
} as const;

describe("seeded planned courses", () => {
  test("are consistent with the records that refer to them", () => {
    const { store } = createSandbox({ size: 300, seed: 4 });
    for (const planned of store.plannedCourses) {
      const enrollments = store.enrollments.filter(({ planned_course_id }) => planned_course_id === planned.id);
      const taken = enrollments.filter(({ status }) => status !== "canceled").length;
      expect([planned.id, planned.current_participants]).toEqual([planned.id, taken]);
      expect(planned.confirmed_active_and_completed_enrollments_count).toBe(taken);
      const most = planned.max_participants;
      expect(planned.available_places).toBe(most === null || taken < most);
      expect(planned.payable).toBe(["student", "order"].includes(planned.cost_scheme));
      expect(planned.cost === null).toBe(!planned.payable);
      const variant = store.catalogVariants.get(planned.id);
      expect(variant).toMatchObject({
        variantable_type: "PlannedCourse",
        variantable_id: planned.id,
        cost: planned.cost,
        cost_scheme: planned.cost_scheme,
        is_published: planned.is_published,
        available_places: most === null ? null : most - taken,
      });
      if (planned.status === "canceled") expect(variant?.availability).toBe("not_available");
      const meetings = store.meetings.filter(({ planned_course_id }) => planned_course_id === planned.id);
      if (planned.type === "FixedPlannedCourse") {
        expect(planned.duration_in_days).toBe(meetings.length);
        const [first = "", last = ""] = [meetings[0], meetings.at(-1)].map((each) =>
          each?.start_date_time.slice(0, 10),
        );
        const { start_date: start, end_date: end } = planned;
        // Courses that start this week begin on its Monday, and their lessons on a later day.
        if (planned.status === "active")
          expect([start ?? "", first, last, end]).toEqual([start, first, last, end].sort());
        else expect([first, last]).toEqual([start, end]);
      } else {
        expect([planned.start_date, planned.end_date]).toEqual([null, null]);
      }
    }
    expect(new Set([...store.plannedCourses].map(({ status }) => status)).size).toBe(4);
    expect(new Set([...store.plannedCourses].map(({ type }) => type)).size).toBe(2);
  });
});

describe("lists of planned courses", () => {
  test("have pages, and filters for type, status, course, published and dates", async () => {
    const sandbox = small();
    const { plannedCourses } = main(sandbox);
    const every = await plannedCourses.list({ per_page: 7 }).toArray(all);
    expect(ids(every)).toEqual(Array.from({ length: sandbox.store.plannedCourses.count }, (_, at) => at + 1));
    const expectList = async (
      query: Parameters<typeof plannedCourses.list>[0],
      fits: (row: (typeof every)[0]) => boolean,
    ) => {
      const found = await plannedCourses.list(query).toArray(all);
      const expected = every.filter(fits);
      expect(expected.length).toBeGreaterThan(0);
      expect(expected.length).toBeLessThan(every.length);
      expect(ids(found)).toEqual(ids(expected));
    };
    await expectList({ type: "FlexiblePlannedCourse" }, ({ type }) => type === "FlexiblePlannedCourse");
    await expectList({ status: ["planned", "active"] }, ({ status }) => status === "planned" || status === "active");
    await expectList({ course_id: [1, 3] }, ({ course_id }) => course_id === 1 || course_id === 3);
    await expectList({ id: [2, 5] }, ({ id }) => id === 2 || id === 5);
    const day = every[9]?.start_date as string;
    await expectList({ start_date_from: day }, ({ start_date }) => start_date !== null && start_date >= day);
    await expectList({ start_date_until: day }, ({ start_date }) => start_date !== null && start_date <= day);
    const published = sandbox.store.courses.filter(({ is_published }) => is_published).map(({ id }) => id);
    await expectList({ parents_published: "parents_published" }, ({ course_id }) => published.includes(course_id));
    await expectList(
      { published_public: "published_public" },
      ({ is_published, status }) => is_published && (status === "planned" || status === "active"),
    );
    const code = sandbox.store.courses.get(4)?.code as string;
    await expectList({ search: code.toLowerCase() }, ({ course_id }) => course_id === 4);
    sandbox.store.plannedCourses.update(3, { availability_state: "closed" });
    expect(ids(await plannedCourses.list({ availability_state: "closed" }).toArray(all))).toContain(3);
    expect(ids(await plannedCourses.list({ availability_state: "open" }).toArray(all))).not.toContain(3);
  });

  test("can be sorted by start, with missing starts last or first, over several pages", async () => {
    const { plannedCourses } = main(small());
    const up = await plannedCourses.list({ sort: "start_date:asc", per_page: 4 }).toArray(all);
    const starts = up.map(({ start_date }) => start_date ?? "9999");
    expect(starts).toEqual([...starts].sort());
    expect(starts).toContain("9999");
    const down = await plannedCourses.list({ sort: "start_date:desc", per_page: 4 }).toArray(all);
    expect(down.map(({ start_date }) => start_date ?? "9999")).toEqual([...starts].sort().reverse());
    expect(new Set(ids(down)).size).toBe(up.length);
  });

  test("of one course contain only its own; another course's planned course is not found", async () => {
    const { plannedCourses } = main(small());
    const ofCourse = await plannedCourses.listForCourse(2).toArray(all);
    expect(ofCourse.length).toBeGreaterThan(1);
    expect(new Set(ofCourse.map(({ course_id }) => course_id))).toEqual(new Set([2]));
    const { id } = ofCourse[0] as { id: number };
    expect(await plannedCourses.getForCourse({ course_id: 2, id })).toEqual(await plannedCourses.get(id));
    await expect(plannedCourses.getForCourse({ course_id: 3, id })).rejects.toBeInstanceOf(NotFoundError);
    await expect(plannedCourses.listForCourse(9_999)).rejects.toBeInstanceOf(NotFoundError);
    const statuses = [...new Set(ofCourse.map(({ status }) => status))] as ("planned" | "active" | "completed")[];
    expect(statuses.length).toBeGreaterThan(1);
    for (const status of statuses) {
      const found = await plannedCourses.listForCourse(2, { status }).toArray(all);
      expect(ids(found)).toEqual(ids(ofCourse.filter((each) => each.status === status)));
    }
  });
});

describe("a planned course", () => {
  test("gets a catalog variant, and a course edition, when it is created", async () => {
    const sandbox = small();
    const events = eventsOf(sandbox, ["planned_course.*", "catalog_variant.*"]);
    const planned = await main(sandbox).plannedCourses.create({ ...fixed, max_participants: 3, is_published: true });
    expect(planned).toMatchObject({ status: "planned", cost: "449.50", payable: true, cost_scheme: "student" });
    expect(planned).toMatchObject({ available_places: true, current_participants: 0, duration_in_days: 15 });
    const [variant, ...more] = await main(sandbox)
      .catalogVariants.list({ variantable_id: planned.id, variantable_type: "planned_course" })
      .toArray(all);
    expect(more).toEqual([]);
    const product = sandbox.store.catalogProducts.get(variant?.product_id as number);
    expect([product?.productable_type, product?.productable_id]).toEqual(["Course", 2]);
    expect(variant).toMatchObject({ cost: "449.50", available_places: 3, availability: "limited_availability" });
    const editions = await new OrganizationClient(sandbox.main).courseEditions.list().toArray(all);
    expect(editions.at(-1)).toMatchObject({ id: planned.id, start_date: "2030-07-01", course_template_id: 2 });
    expect(editions.at(-1)?.name).toContain(sandbox.store.courses.get(2)?.name);
    await sandbox.webhooks.settled();
    expect(events).toEqual([`planned_course.created ${planned.id}`, `catalog_variant.created ${variant?.id}`]);
  });

  test("also gets a catalog product if its course was never planned before", async () => {
    const sandbox = small();
    const course = await main(sandbox).courses.create({ category_id: 1, name: "Bees", code: "B-1", cost: "90.00" });
    const planned = await main(sandbox).plannedCourses.create({ ...fixed, course_id: course.id });
    const products = sandbox.store.catalogProducts.filter((row) => row.name === "Bees");
    expect(products).toMatchObject([{ productable_type: "Course", productable_id: course.id, category_id: 1 }]);
    const variants = sandbox.store.catalogVariants.filter((row) => row.product_id === products[0]?.id);
    expect(variants).toMatchObject([{ variantable_type: "PlannedCourse", variantable_id: planned.id }]);
  });

  test("has a duration and no dates if it is flexible", async () => {
    const { plannedCourses } = main(small());
    const planned = await plannedCourses.create({
      ...fixed,
      type: "FlexiblePlannedCourse",
      duration: 45,
      cost_scheme: "free",
      cost: null,
    });
    expect(planned).toMatchObject({
      start_date: null,
      end_date: null,
      duration_in_days: 45,
      cost: null,
      payable: false,
    });
    expect(await plannedCourses.update(planned.id, { duration: 60, start_date: "2030-09-01" })).toMatchObject({
      start_date: null,
      duration_in_days: 60,
    });
  });

  test("updates its catalog variant and its course edition", async () => {
    const sandbox = small();
    const client = main(sandbox);
    const before = await client.plannedCourses.get(20);
    const updated = await client.plannedCourses.update(20, {
      cost: 99,
      cost_scheme: "order",
      is_published: !before.is_published,
      max_participants: before.current_participants,
      end_date: "2031-01-01",
    });
    expect(updated).toMatchObject({
      cost: "99.00",
      payable: true,
      available_places: false,
      course_id: before.course_id,
    });
    expect(await client.catalogVariants.get(20)).toMatchObject({
      cost: "99.00",
      cost_scheme: "order",
      is_published: !before.is_published,
      available_places: 0,
      availability: "not_available",
    });
    const editions = await new OrganizationClient(sandbox.main).courseEditions.list().toArray(all);
    expect(editions.find(({ id }) => id === 20)?.end_date).toBe("2031-01-01");
  });

  test("is refused with contradictory input", async () => {
    const { plannedCourses } = main(small());
    for (const [body, field] of [
      [{ ...fixed, end_date: "2030-06-01" }, "end_date"],
      [{ ...fixed, course_id: 9_999 }, "course_id"],
      [{ ...fixed, course_location_id: 9_999 }, "course_location_id"],
      [{ ...fixed, course_variant_id: 9_999 }, "course_variant_id"],
      [{ ...fixed, teacher_ids: [9_999] }, "teacher_ids"],
    ] as const) {
      const error = await plannedCourses.create(body).then(
        () => null,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(UnprocessableEntityError);
      expect((error as UnprocessableEntityError).errors).toHaveProperty(field);
    }
    const free = await plannedCourses.create({ ...fixed, cost_scheme: "free", cost: null });
    await expect(plannedCourses.update(free.id, { cost_scheme: "student" })).rejects.toThrow(/cost: is required/);
  });

  test("cancels its enrollments when it is canceled, and sends the event once", async () => {
    const sandbox = small();
    const client = main(sandbox);
    const { id } = sandbox.store.plannedCourses.find(
      ({ status, current_participants }) => status === "planned" && current_participants > 1,
    ) as { id: number };
    const events = eventsOf(sandbox, ["planned_course.*", "catalog_variant.*", "enrollment.*"]);
    const open = sandbox.store.enrollments.filter((row) => row.planned_course_id === id && row.status !== "canceled");
    const canceled = await client.plannedCourses.cancel(id);
    expect(canceled).toMatchObject({ status: "canceled", current_participants: 0 });
    expect(canceled).toEqual(await client.plannedCourses.get(id));
    const statuses = await client.enrollments.list({ planned_course_id: id }).toArray(all);
    expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set(["canceled"]));
    expect((await client.catalogVariants.get(id)).availability).toBe("not_available");
    const shown = await client.catalogVariants.list({ published_public: "published_public" }).toArray(all);
    expect(ids(shown)).not.toContain(id);
    const editions = await new OrganizationClient(sandbox.main).courseEditions
      .list({ status: "canceled" })
      .toArray(all);
    expect(ids(editions)).toContain(id);
    await client.plannedCourses.cancel(id);
    await sandbox.webhooks.settled();
    expect(events.sort()).toEqual(
      [
        `planned_course.updated ${id}`,
        `planned_course.canceled ${id}`,
        `catalog_variant.updated ${id}`,
        ...open.map((row) => `enrollment.updated ${row.id}`),
      ].sort(),
    );
  });

  test("keeps completed enrollments when it is canceled", async () => {
    const sandbox = small();
    const done = sandbox.store.enrollments.find(({ status }) => status === "completed");
    await main(sandbox).plannedCourses.cancel(done?.planned_course_id as number);
    expect(sandbox.store.enrollments.get(done?.id as number)?.status).toBe("completed");
  });

  test("counts its places from its enrollments, without events of its own", async () => {
    const sandbox = small();
    const { store } = sandbox;
    const client = main(sandbox);
    const enrollment = store.enrollments.find(({ status }) => status === "confirmed");
    const id = enrollment?.planned_course_id as number;
    const { current_participants: taken } = await client.plannedCourses.get(id);
    await client.plannedCourses.update(id, { max_participants: taken });
    const events = eventsOf(sandbox, ["planned_course.*", "catalog_variant.*"]);
    expect((await client.catalogVariants.get(id)).availability).toBe("not_available");
    await client.enrollments.cancel(enrollment?.id as number);
    expect(await client.plannedCourses.get(id)).toMatchObject({
      current_participants: taken - 1,
      available_places: true,
    });
    expect(await client.catalogVariants.get(id)).toMatchObject({
      available_places: 1,
      availability: "limited_availability",
    });
    store.enrollments.insert({ planned_course_id: id, status: "confirmed" });
    expect(await client.plannedCourses.get(id)).toMatchObject({ current_participants: taken, available_places: false });
    await sandbox.webhooks.settled();
    expect(events).toEqual([]);
  });

  test("takes as many days as it has meetings if it is fixed", async () => {
    const client = main(small());
    const { id } = await client.plannedCourses.create(fixed);
    const time = { start_date_time: "2030-07-01T09:00:00.000Z", end_date_time: "2030-07-01T16:00:00.000Z" };
    const meeting = await client.meetings.createForPlannedCourse(id, { name: null, ...time });
    await client.meetings.create({ name: "Second", planned_course_id: id, ...time });
    expect((await client.plannedCourses.get(id)).duration_in_days).toBe(2);
    await client.meetings.update(meeting.id, { planned_course_id: 1 });
    expect((await client.plannedCourses.get(id)).duration_in_days).toBe(1);
    expect((await client.plannedCourses.get(1)).duration_in_days).toBe(4);
    const [left] = await client.meetings.listForPlannedCourse(id).toArray(all);
    await client.meetings.delete(left?.id as number);
    expect((await client.plannedCourses.get(id)).duration_in_days).toBe(15);
  });

  test("has the teachers of its meetings", async () => {
    const sandbox = small();
    const client = main(sandbox);
    const { id } = await client.plannedCourses.create({ ...fixed, teacher_ids: [2, 3] });
    const time = { start_date_time: "2030-07-01T09:00:00.000Z", end_date_time: "2030-07-01T16:00:00.000Z" };
    const meeting = await client.meetings.createForPlannedCourse(id, { name: null, ...time });
    expect(meeting.planning_attendees.map(({ teacher_id }) => teacher_id)).toEqual([2, 3]);
    const admin = new AdminClient({ ...sandbox.admin, validation: "strict" });
    await expect(
      admin.planningAttendees.create({ teacher_id: 2, attendable_id: meeting.id, attendable_type: "Meeting" }),
    ).rejects.toBeInstanceOf(ConflictError);
  });
});
