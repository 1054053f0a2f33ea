import type * as sdk from "../../generated/resources.js";
import type { Store } from "../data/store.js";
import { fullName } from "../people/seed.js";

export interface Use {
  readonly resourceType: sdk.PlanningResourceType;
  readonly resourceId: number;
  readonly eventType: sdk.PlanningEventType;
  readonly eventId: number;
  /** The meeting itself, or the meeting of the planning event. */
  readonly meetingId: number;
  readonly start: string;
  readonly end: string;
}

// All uses of teachers, locations and reservable materials by meetings and planning events, except in canceled courses.
function usesOf({ meetings, planningEvents, plannedCourses, materials }: Store): Use[] {
  const uses: Use[] = [];
  const canceled = new Set(plannedCourses.filter(({ status }) => status === "canceled").map(({ id }) => id));
  const reservable = new Set(materials.filter(({ use_type }) => use_type !== "consumable").map(({ id }) => id));
  const add = (
    eventType: sdk.PlanningEventType,
    meetingId: number,
    event: Readonly<sdk.Meeting | sdk.AdminPlanningEvent>,
  ) => {
    const named = { eventType, eventId: event.id, meetingId, start: event.start_date_time, end: event.end_date_time };
    const addUses = (resourceType: sdk.PlanningResourceType, ids: Iterable<number>) => {
      for (const resourceId of new Set(ids)) uses.push({ resourceType, resourceId, ...named });
    };
    const { planning_attendees: attendees, planning_materials: needed = [] } = event;
    const teachers = attendees.map(({ teacher_id }) => teacher_id);
    const planned = needed.map(({ material_id }) => material_id).filter((id) => reservable.has(id));
    addUses("Teacher", teachers);
    addUses("Material", planned);
    addUses("MeetingLocation", locationsOf(event));
  };
  for (const meeting of meetings.rows()) {
    if (!canceled.has(meeting.planned_course_id)) add("Meeting", meeting.id, meeting);
  }
  for (const event of planningEvents.rows()) {
    const course = meetings.peek(event.meeting_id)?.planned_course_id;
    if (course === undefined || !canceled.has(course)) add("Planning::Event", event.meeting_id, event);
  }
  return uses;
}

export function locationsOf(
  event: Readonly<Pick<sdk.Meeting, "meeting_location_id" | "planning_meeting_location_ids">>,
): number[] {
  const { meeting_location_id: main, planning_meeting_location_ids: planned } = event;
  return main === null ? planned : [main, ...planned];
}

export function usedAt(store: Store, resourceType: sdk.PlanningResourceType, time: string): ReadonlySet<number> {
  const used = usesOf(store).filter((use) => use.resourceType === resourceType && use.start <= time && time < use.end);
  return new Set(used.map(({ resourceId }) => resourceId));
}

// rule: two meetings or planning events conflict if they overlap and use the same teacher, reservable material or
// location; a meeting and its own planning events do not conflict, and those of canceled planned courses do not count.
export function conflictsOf(store: Store): sdk.PlanningConflict[] {
  const groups = Map.groupBy(usesOf(store), (use) => `${use.resourceType} ${use.resourceId}`);
  const pairs = [...groups.values()].flatMap(overlapping);
  return pairs.sort(([, a], [, b]) => byStart(a, b)).map((pair) => conflictOf(pair, store));
}

const byStart = (a: Use, b: Use) => (a.start < b.start ? -1 : Number(a.start > b.start));

type Pair = readonly [first: Use, other: Use];

// Pairs of overlapping uses; the use that starts first comes first.
function overlapping(uses: readonly Use[]): Pair[] {
  const pairs: Pair[] = [];
  let open: Use[] = [];
  for (const use of [...uses].sort(byStart)) {
    open = open.filter(({ end }) => end > use.start);
    for (const other of open) if (other.meetingId !== use.meetingId) pairs.push([other, use]);
    if (use.end > use.start) open.push(use);
  }
  return pairs;
}

function conflictOf([first, other]: Pair, store: Store): sdk.PlanningConflict {
  return {
    resource_type: first.resourceType,
    resource_id: first.resourceId,
    resource_name: nameOf(first, store),
    event_id: first.eventId,
    event_type: first.eventType,
    event_start_date_time: first.start,
    event_end_date_time: first.end,
    conflicting_event_id: other.eventId,
    conflicting_event_type: other.eventType,
    conflicting_event_start_date_time: other.start,
    conflicting_event_end_date_time: other.end,
    start_date_time: other.start,
    end_date_time: first.end < other.end ? first.end : other.end,
  };
}

function nameOf({ resourceType, resourceId: id }: Use, { teachers, materials, meetingLocations }: Store): string {
  if (resourceType === "Teacher") {
    const teacher = teachers.peek(id);
    return teacher ? fullName(teacher) : "";
  }
  return (resourceType === "Material" ? materials : meetingLocations).peek(id)?.name ?? "";
}
