import type { Meeting, MeetingUpdate } from "../../resources/planning/meetings.js";
import { shiftTime } from "../data/days.js";
import { where } from "../data/domain.js";
import type { Store } from "../data/store.js";
import { ComputedRecords } from "../data/view.js";
import type { Behavior, Behaviors } from "../engine/behavior.js";
import { unprocessable } from "../engine/refusal.js";
import { attendeesOfNew } from "../teachers/attendees.js";
import { attendeesAfter, materialsAfter, planningAttendees, requiredTeacherGroupAttendees } from "./attendees.js";
import { conflictsOf, locationsOf, usedAt } from "./occupancy.js";

export function meetingBehaviors(store: Store): Behaviors {
  const { materials, meetingLocations, teachers, users } = store;
  return {
    materialGroups: {
      // rule: a material group that has materials cannot be deleted (422).
      remove: ({ id }) => {
        if (materials.find(where({ material_group_id: id }))) {
          throw unprocessable("base", "a group that has materials cannot be deleted");
        }
      },
    },
    materials: {
      create: ({ use_type = "reservable" }) => ({ use_type }),
      after: (kind, { id }) => {
        if (kind === "deleted") takeMaterialOff(store, id);
      },
    },
    meetingLocations: {
      after: (kind, { id }) => {
        if (kind === "deleted") takeLocationOff(store, id);
      },
    },
    meetings: meetings(store),
    planningAttendees: planningAttendees(store),
    planningConflicts: {
      records: () => new ComputedRecords(conflictsOf(store)),
    },
    planningEvents: { operations: { listMaterials: (_, one) => materialsOf(one()) } },
    // rule: `planningLocations`, `planningMaterials` and `planningTeachers` list what is available at the sandbox's
    // time; `consumable` materials are always available, and teachers only while they are active.
    planningLocations: {
      records: () => meetingLocations,
      scope: ({ now }) => isNotIn(usedAt(store, "MeetingLocation", now)),
    },
    planningMaterials: {
      records: () => materials,
      scope: ({ now }) => isNotIn(usedAt(store, "Material", now)),
    },
    planningTeachers: {
      records: () => users,
      scope: ({ now }) => {
        const isFree = isNotIn(usedAt(store, "Teacher", now));
        return (user) => teachers.peek(user.id)?.active === true && isFree(user);
      },
    },
    requiredTeacherGroupAttendees: requiredTeacherGroupAttendees(store),
  };
}

function isNotIn(ids: ReadonlySet<number>): (row: { readonly id: number }) => boolean {
  return ({ id }) => !ids.has(id);
}

// Lists planned materials as in their meeting or planning event: without identifiers.
function materialsOf({ planning_materials: planned = [] }: PlannedRecord): object {
  return { records: new ComputedRecords(planned), fits: null, order: null };
}

function meetings(store: Store): Behavior<"meetings"> {
  const { meetings: records, enrollments: enrolled, planningEvents, attendances } = store;
  return {
    filters: {
      for_student_id: (student: string) => {
        const attended = enrolled.filter(({ student_id }) => String(student_id) === student);
        const ids = new Set(attended.map(({ planned_course_id }) => planned_course_id));
        return (row) => ids.has(row.planned_course_id);
      },
      date_from: (date: string) => (row) => row.start_date_time >= date,
      start: (time: string) => (row) => row.end_date_time > time,
      end: (time: string) => (row) => row.start_date_time < time,
    },
    create: (body) => {
      const id = records.nextId;
      const teachers = body.teacher_ids ? [] : attendeesOfNew(store, id, body.planned_course_id);
      return {
        planning_attendees: attendeesAfter(store, { id, planning_attendees: teachers }, body),
        planning_materials: materialsAfter([], body),
        ...locationOf(body),
      };
    },
    update: (body, meeting) => {
      if (body.shift_planning_events) shiftEvents(store, meeting, body.start_date_time as string | undefined);
      return {
        planning_attendees: attendeesAfter(store, meeting, body),
        planning_materials: materialsAfter(meeting.planning_materials ?? [], body),
        ...locationOf(body),
      };
    },
    after: (kind, { id }) => {
      // rule: deleting a meeting also deletes its attendances and planning events.
      if (kind !== "deleted") return;
      for (const records of [attendances, planningEvents]) records.deleteAll(where({ meeting_id: id }));
    },
    operations: {
      listMaterials: (_, one) => materialsOf(one()),
    },
  };
}

// A meeting is planned in its own location unless the body names other locations.
function locationOf({ meeting_location_id: location, planning_meeting_location_ids: planned }: MeetingUpdate): object {
  if (location === undefined || planned !== undefined) return {};
  return { planning_meeting_location_ids: location === null ? [] : [location] };
}

function shiftEvents({ planningEvents }: Store, meeting: Meeting, start: string | undefined): void {
  const by = start === undefined ? 0 : Date.parse(start) - Date.parse(meeting.start_date_time);
  if (by === 0) return;
  planningEvents.updateAll(where({ meeting_id: meeting.id }), ({ start_date_time, end_date_time }) => ({
    start_date_time: shiftTime(start_date_time, by),
    end_date_time: shiftTime(end_date_time, by),
  }));
}

// rule: deleting a meeting location removes it from meetings and planning events, which stay.
function takeLocationOff({ meetings, planningEvents }: Store, location: number): void {
  const withoutLocation = ({ meeting_location_id: main, planning_meeting_location_ids: planned }: LocatedRecord) => ({
    meeting_location_id: main === location ? null : main,
    planning_meeting_location_ids: planned.filter((id) => id !== location),
  });
  const isThere = (event: Readonly<LocatedRecord>) => locationsOf(event).includes(location);
  for (const records of [meetings, planningEvents]) records.updateAll(isThere, withoutLocation);
}

type LocatedRecord = Pick<Meeting, "meeting_location_id" | "planning_meeting_location_ids">;

// rule: deleting a material removes it from meetings and planning events, which stay.
function takeMaterialOff({ meetings, planningEvents }: Store, material: number): void {
  const withoutMaterial = ({ planning_materials: planned = [] }: PlannedRecord) => ({
    planning_materials: planned.filter(({ material_id }) => material_id !== material),
  });
  const needsIt = ({ planning_materials: planned = [] }: Readonly<PlannedRecord>) =>
    planned.some(({ material_id }) => material_id === material);
  for (const records of [meetings, planningEvents]) records.updateAll(needsIt, withoutMaterial);
}

type PlannedRecord = Pick<Meeting, "planning_materials">;
