import type * as sdk from "../../generated/resources.js";
import { withoutUndefined } from "../data/given.js";
import type { Store } from "../data/store.js";
import { ComputedRecords } from "../data/view.js";
import type { Behavior } from "../engine/behavior.js";
import { notFound, Refusal, unprocessable } from "../engine/refusal.js";
import { allAttendees, attendeeOf, nextAttendeeId } from "../teachers/attendees.js";

type Attendable = Pick<sdk.Meeting & sdk.AdminPlanningEvent, "id" | "planning_attendees">;

export function planningAttendees(store: Store): Behavior<"planningAttendees"> {
  return {
    records: () => new ComputedRecords([...allAttendees(store)]),
    operations: {
      create: ({ body }) => {
        const { attendable_id: id, attendable_type: type } = body;
        const attended = attendablesOf(store, type).get(id);
        if (!attended) throw unprocessable("attendable_id", "refers to a record that does not exist");
        return addAttendee(store, type, attended, body);
      },
      delete: ({ params }) => {
        for (const type of TYPES) {
          const attendables = attendablesOf(store, type);
          const attended = attendables.find(({ planning_attendees: all }) => all.some(({ id }) => id === params.id));
          if (!attended) continue;
          const left = attended.planning_attendees.filter(({ id }) => id !== params.id);
          attendables.update(attended.id, { planning_attendees: left });
          return;
        }
        throw notFound();
      },
    },
  };
}

export function requiredTeacherGroupAttendees(store: Store): Behavior<"requiredTeacherGroupAttendees"> {
  return {
    operations: {
      create: ({ body: { required_teacher_group_id: groupId, teacher_id } }) => {
        const event = store.planningEvents.find(({ required_teacher_groups: groups = [] }) =>
          groups.some(({ id }) => id === groupId),
        );
        const group = event?.required_teacher_groups?.find(({ id }) => id === groupId);
        if (!event || !group) {
          throw unprocessable("required_teacher_group_id", "refers to a record that does not exist");
        }
        const labels = store.teachers.get(teacher_id)?.label_ids ?? [];
        if (!group.teacher_label_ids.every((label) => labels.includes(label))) {
          throw unprocessable("teacher_id", "does not have the labels of the group");
        }
        // No documented record shows which role the group requires, so the attendee gets no role.
        addAttendee(store, "Planning::Event", event, { teacher_id });
      },
    },
  };
}

const TYPES = ["Meeting", "Planning::Event"] as const satisfies readonly sdk.PlanningEventType[];

function attendablesOf({ meetings, planningEvents }: Store, type: sdk.PlanningEventType) {
  return type === "Meeting" ? meetings : planningEvents;
}

function addAttendee(
  store: Store,
  type: sdk.PlanningEventType,
  { id, planning_attendees: before }: Attendable,
  place: { readonly teacher_id: number; readonly teacher_role_id?: number | null | undefined },
): sdk.PlanningAttendee {
  if (before.some((each) => each.teacher_id === place.teacher_id)) {
    // rule: `planningAttendees.create` responds with 409 if the teacher is already planned for that meeting or planning
    // event.
    throw new Refusal(409, "The teacher is already planned", { errors: { teacher_id: ["is already planned"] } });
  }
  const attendee = attendeeOf(nextAttendeeId(store), type, id, place);
  attendablesOf(store, type).update(id, { planning_attendees: [...before, attendee] });
  return attendee;
}

type SentMeeting = Partial<
  Pick<
    sdk.PlannedCourseMeetingCreate,
    "teacher_ids" | "planning_attendees_attributes" | "material_ids" | "planning_materials_attributes"
  >
>;

/**
 * The attendees of a meeting after an update: `teacher_ids` replaces all teachers; `planning_attendees_attributes`
 * adds, changes and removes individual attendees.
 */
export function attendeesAfter(
  store: Store,
  { id, planning_attendees: before }: Attendable,
  sent: SentMeeting,
): sdk.PlanningAttendee[] {
  const { teacher_ids: teachers, planning_attendees_attributes: attributes = [] } = sent;
  let next = nextAttendeeId(store);
  const newAttendee = (teacher_id: number, more: Partial<sdk.PlanningAttendeePayload> = {}) =>
    attendeeOf(next++, "Meeting", id, { ...more, teacher_id });
  let after = teachers ? before.filter(({ teacher_id }) => teachers.includes(teacher_id)) : [...before];
  const planned = new Set(after.map(({ teacher_id }) => teacher_id));
  after.push(...(teachers ?? []).filter((teacher) => !planned.has(teacher)).map((teacher) => newAttendee(teacher)));
  for (const change of attributes) {
    const { id: changed, teacher_id, teacher_role_id, comment, _destroy } = change;
    if (changed === undefined) {
      if (_destroy === true) continue;
      if (teacher_id === undefined) throw unprocessable("planning_attendees_attributes.teacher_id", "is required");
      after.push(newAttendee(teacher_id, change));
      continue;
    }
    if (!before.some((each) => each.id === changed)) {
      throw unprocessable("planning_attendees_attributes.id", "refers to a record that does not exist");
    }
    const fields = withoutUndefined({ teacher_id, teacher_role_id, comment });
    after = after.flatMap((each) => (each.id !== changed ? [each] : _destroy === true ? [] : [{ ...each, ...fields }]));
  }
  return after;
}

/** The materials of a meeting after an update. These materials have no identifiers, so `material_id` selects one. */
export function materialsAfter(before: readonly sdk.PlanningMaterial[], sent: SentMeeting): sdk.PlanningMaterial[] {
  const { material_ids: wanted, planning_materials_attributes: attributes = [] } = sent;
  const planned = new Map(before.map((each) => [each.material_id, each]));
  if (wanted) {
    for (const id of planned.keys()) if (!wanted.includes(id)) planned.delete(id);
    for (const id of wanted) if (!planned.has(id)) planned.set(id, { material_id: id, amount: 1, comment: null });
  }
  for (const { material_id: id, comment, _destroy } of attributes) {
    if (id === undefined) throw unprocessable("planning_materials_attributes.material_id", "is required");
    if (_destroy === true) planned.delete(id);
    else
      planned.set(id, {
        amount: 1,
        ...planned.get(id),
        material_id: id,
        comment: comment ?? planned.get(id)?.comment ?? null,
      });
  }
  return [...planned.values()];
}
