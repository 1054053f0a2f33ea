import { describe, expect, expectTypeOf, test } from "vitest";
import { AvailabilityState, CostScheme, type PlannedCourse, type PlannedCourseUpdate } from "../../src/schemas.js";
import { issuesOf, wire } from "./support/wire.js";

const fixed = { course_id: 1, type: "FixedPlannedCourse", start_date: "2030-07-01", end_date: "2030-07-15" } as const;
const flexible = { course_id: 1, type: "FlexiblePlannedCourse", duration: 30 } as const;

describe("the cost of a planned course", () => {
  test.each([
    ["no scheme, which means student", {}, "cost_scheme is left out"],
    ["student", { cost_scheme: "student" }, 'cost_scheme is "student"'],
    ["order", { cost_scheme: "order" }, 'cost_scheme is "order"'],
    ["a cast order", { cost_scheme: CostScheme.cast("order") }, 'cost_scheme is "order"'],
  ] as const)("is needed with %s", async (_, given, why) => {
    const { main, calls } = wire();
    const issues = await issuesOf(main.plannedCourses.create({ ...fixed, ...given, cost: null }));
    expect(issues).toEqual([{ path: "cost", message: expect.stringContaining(why) }]);
    expect(calls).toEqual([]);
  });

  test("must be present, even if it is null", async () => {
    const { main, calls } = wire();
    // @ts-expect-error cost is missing
    const issues = await issuesOf(main.plannedCourses.create({ ...fixed, cost_scheme: "free" }));
    expect(issues.map(({ path }) => path)).toEqual(["cost"]);
    expect(calls).toEqual([]);
  });

  test.each(["tbd", "free"] as const)("may be null if the scheme is %s", async (cost_scheme) => {
    const { main, body } = wire();
    await main.plannedCourses.create({ ...flexible, cost_scheme, cost: null });
    expect(JSON.parse(body() ?? "")).toEqual({ ...flexible, cost_scheme, cost: null });
  });

  test("is sent as a number; text is refused", async () => {
    const { main, body, calls } = wire();
    await main.plannedCourses.create({ ...fixed, cost: 449.5 });
    expect(JSON.parse(body() ?? "").cost).toBe(449.5);
    calls.length = 0;
    const issues = await issuesOf(main.plannedCourses.create({ ...fixed, cost: "449.50" as never }));
    expect(issues.map(({ path }) => path)).toEqual(["cost"]);
    expect(calls).toEqual([]);
  });

  test("may stay when an update changes the scheme, but a charged course cannot lose it", async () => {
    const { main, body } = wire();
    await main.plannedCourses.update(1, { cost_scheme: "order" });
    expect(body()).toBe('{"cost_scheme":"order"}');
    expect(await issuesOf(main.plannedCourses.update(1, { cost_scheme: "order", cost: null }))).toEqual([
      { path: "cost", message: expect.stringContaining('cannot be null when cost_scheme is "order"') },
    ]);
  });
});

describe("an update of a planned course", () => {
  test("cannot change the type, which is fixed at creation", async () => {
    const { main, calls } = wire();
    // @ts-expect-error type cannot be changed
    const issues = await issuesOf(main.plannedCourses.update(1, { type: "FlexiblePlannedCourse" }));
    expect(issues).toEqual([{ path: "type", message: "is read-only here; leave it out" }]);
    expect(calls).toEqual([]);
  });

  test("does not accept a whole record", () => {
    expectTypeOf<PlannedCourse>().not.toExtend<PlannedCourseUpdate>();
  });

  test("accepts days as dates", async () => {
    const { main, body } = wire();
    await main.plannedCourses.update(1, { start_date: new Date("2030-07-01T22:00:00Z"), end_date: null });
    expect(body()).toBe('{"start_date":"2030-07-01","end_date":null}');
  });
});

describe("lists of planned courses", () => {
  test("accept at most one status for one course, and several for all", async () => {
    const { main, calls } = wire();
    await main.plannedCourses.list({ status: ["planned", "active"], course_id: 3 }).toArray({ max: 1 });
    expect(calls[0]?.url.search).toContain("course_id=3&status=planned&status=active");
    calls.length = 0;
    const several = main.plannedCourses.listForCourse(3, { status: ["planned", "active"] as never });
    expect((await issuesOf(several.toArray({ max: 1 }))).map(({ path }) => path)).toEqual(["status"]);
    expect(calls).toEqual([]);
  });

  test("refuse an unknown value of a filter and send a cast one", async () => {
    const { main, calls } = wire();
    const list = (state: string) =>
      main.plannedCourses.list({ availability_state: state as never }).toArray({ max: 1 });
    expect((await issuesOf(list("invitation"))).map(({ path }) => path)).toEqual(["availability_state"]);
    expect(calls).toEqual([]);
    await list(AvailabilityState.cast("invitation"));
    expect(calls[0]?.url.search).toContain("availability_state=invitation");
  });
});

describe("planning", () => {
  test("requires a teacher and an event for an attendee", async () => {
    const { admin, calls } = wire();
    const body = { teacher_id: 1, attendable_id: 7, attendable_type: "Course" as never };
    expect((await issuesOf(admin.planningAttendees.create(body))).map(({ path }) => path)).toEqual(["attendable_type"]);
    expect((await issuesOf(admin.planningAttendees.create({} as never))).map(({ path }) => path)).toEqual([
      "teacher_id",
      "attendable_id",
      "attendable_type",
    ]);
    expect(calls).toEqual([]);
  });

  test("sends both kinds of events under the service's names", async () => {
    const { admin, body } = wire();
    for (const attendable_type of ["Meeting", "Planning::Event"] as const) {
      await admin.planningAttendees.create({ teacher_id: 1, attendable_id: 7, attendable_type });
      expect(JSON.parse(body() ?? "")).toEqual({ teacher_id: 1, attendable_id: 7, attendable_type });
    }
  });
});
