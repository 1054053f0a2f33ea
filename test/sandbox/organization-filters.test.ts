import { describe, expect, test } from "vitest";
import {
  type AttendanceRecordQuery,
  type CourseEditionQuery,
  type CourseEnrollmentQuery,
  OrganizationClient,
  type OrganizationMeetingQuery,
} from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { ids } from "./support.js";

const all = { max: 100 };

/** A sandbox without records, and a client of its Organization API that accepts no drift. */
function setUp() {
  const sandbox = createSandbox({ empty: true, now: "2030-06-01T12:00:00.000Z" });
  return { store: sandbox.store, organization: new OrganizationClient({ ...sandbox.admin, validation: "strict" }) };
}

describe("filters of the Organization API", () => {
  test.each<[CourseEditionQuery, string[]]>([
    [{}, ["ends before", "ends that day", "ends after", "flexible"]],
    [{ end_date_from: "2030-03-10" }, ["ends after", "flexible"]],
    [{ end_date_from: "2031-01-01" }, ["flexible"]],
  ])("course editions with %j end after the day or are flexible: %j", async (query, expected) => {
    const { store, organization } = setUp();
    const names = new Map<number, string>();
    for (const [name, end_date] of Object.entries({
      "ends before": "2030-03-09",
      "ends that day": "2030-03-10",
      "ends after": "2030-03-11",
      flexible: null,
    })) {
      names.set(store.plannedCourses.insert({ start_date: "2030-03-01", end_date }).id, name);
    }
    const found = await organization.courseEditions.list(query).toArray(all);
    expect(found.map(({ id }) => names.get(id))).toEqual(expected);
  });

  test.each<[CourseEnrollmentQuery, number[]]>([
    [{}, [1, 2, 3, 4]],
    [{ start_date_from: "2030-03-02" }, [3]],
    [{ start_date_until: "2030-03-02" }, [1]],
    [{ end_date_from: "2030-04-02" }, [3]],
    [{ end_date_until: "2030-04-02" }, [1]],
    [{ start_date_from: "2030-03-01", end_date_until: "2030-04-03" }, [2]],
  ])(
    "course enrollments with %j start or end strictly after or before the day, and have such a date: %j",
    async (query, expected) => {
      const { store, organization } = setUp();
      for (const day of ["01", "02", "03"]) {
        store.enrollments.insert({ start_date: `2030-03-${day}`, end_date: `2030-04-${day}` });
      }
      store.enrollments.insert({ start_date: null, end_date: null });
      expect(ids(await organization.courseEnrollments.list(query).toArray(all))).toEqual(expected);
    },
  );

  test.each<[OrganizationMeetingQuery, number[]]>([
    [{}, [1, 2, 3]],
    [{ start: "2030-07-01T12:00:00.000Z" }, [2, 3]],
    [{ start: "2030-07-01T11:59:59.999Z" }, [1, 2, 3]],
    [{ end: "2030-07-01T15:00:00.000Z" }, [1, 2]],
    [{ end: "2030-07-01T15:00:00.001Z" }, [1, 2, 3]],
    [{ start: "2030-07-01T12:30:00.000Z", end: "2030-07-01T13:30:00.000Z" }, [2]],
  ])("meetings with %j overlap the period: %j", async (query, expected) => {
    const { store, organization } = setUp();
    for (const [from, to] of [
      ["09", "12"],
      ["12", "15"],
      ["15", "18"],
    ]) {
      store.meetings.insert({
        start_date_time: `2030-07-01T${from}:00:00.000Z`,
        end_date_time: `2030-07-01T${to}:00:00.000Z`,
      });
    }
    expect(ids(await organization.meetings.list(query).toArray(all))).toEqual(expected);
  });

  test.each<[AttendanceRecordQuery, number[]]>([
    [{}, [1, 2, 3]],
    [{ course_enrollment_id: 1 }, [1, 2]],
    [{ course_enrollment_id: 2 }, [3]],
    [{ course_enrollment_id: 2, meeting_id: 1 }, []],
  ])("attendance records with %j belong to the enrollment: %j", async (query, expected) => {
    const { store, organization } = setUp();
    const { id: planned_course_id } = store.plannedCourses.insert({});
    for (let count = 0; count < 2; count++) {
      store.enrollments.insert({ planned_course_id });
      store.meetings.insert({ planned_course_id });
    }
    for (const [enrollment_id, meeting_id] of [
      [1, 1],
      [1, 2],
      [2, 2],
    ]) {
      store.attendances.insert({ enrollment_id, meeting_id });
    }
    expect(ids(await organization.attendanceRecords.list(query).toArray(all))).toEqual(expected);
  });
});
