import type { Teacher, TeacherEnrollment } from "../../generated/resources.js";
import type { Store } from "../data/store.js";
import { type Behaviour, type Behaviours, type Inquiry, search } from "../engine/behaviour.js";
import { unprocessable } from "../engine/refusal.js";
import { fullName } from "../people/seed.js";

/** Behaviours of teachers, their roles, and their places in planned courses. @internal */
export function teachersBehaviours(store: Store): Behaviours {
  return {
    teacherEnrollments: teacherEnrollments(store),
    teacherRoles: teacherRoles(store),
    teachers: teachers(store),
  };
}

function teachers({ teachers: records, users }: Store): Behaviour<"teachers"> {
  const set = (active: boolean) => (_: Inquiry, one: () => Teacher) => {
    records.update(one().id, { active });
    return undefined;
  };
  return {
    filters: {
      search: search((teacher) => [fullName(teacher), teacher.email]),
      label_id: (labels: readonly number[]) => (teacher) => teacher.label_ids.some((id) => labels.includes(id)),
    },
    operations: {
      create: ({ baseUrl, body: { user_id: id } }) => {
        if (records.peek(id)) throw unprocessable("user_id", "is already a teacher");
        const { roles = [] } = users.get(id) ?? {};
        if (!roles.includes("teacher")) users.update(id, { roles: [...roles, "teacher"] });
        records.insert({ id, active: true, label_ids: [], note: null, custom: {} });
        return { result: "Success", location: `${baseUrl}/api/v1/teachers/${id}` };
      },
      activate: set(true),
      // rule: a teacher who is deactivated stays in their planned courses.
      deactivate: set(false),
    },
  };
}

function teacherRoles({ meetings, teacherEnrollments: places }: Store): Behaviour<"teacherRoles"> {
  return {
    // rule: a teacher role that a teacher has is not deleted (422).
    remove: ({ id }) => {
      const has = ({ teacher_role_id }: { teacher_role_id?: number | null | undefined }) => teacher_role_id === id;
      if (places.find(has) || meetings.find(({ planning_attendees }) => planning_attendees.some(has))) {
        throw unprocessable("base", "a role that a teacher has cannot be deleted");
      }
    },
  };
}

function teacherEnrollments({ teacherEnrollments: records }: Store): Behaviour<"teacherEnrollments"> {
  // rule: a teacher has one teacher enrollment in a planned course; a second one is refused (422).
  const refuseSecond = (place: Place, self?: number) => {
    const taken = records.find(
      ({ id, planned_course_id, teacher_id }) =>
        id !== self && planned_course_id === place.planned_course_id && teacher_id === place.teacher_id,
    );
    if (taken) throw unprocessable("teacher_id", "already teaches this planned course");
  };
  return {
    // rule: a teacher enrollment lets the teacher attend every meeting of the planned course, also those that are created
    // later; `teacher_ids` of a planned course replaces its teacher enrollments, and those who stay keep their roles.
    create: (body) => {
      refuseSecond(body);
      return {};
    },
    update: (body, place) => {
      const { planned_course_id = place.planned_course_id, teacher_id = place.teacher_id } = body;
      refuseSecond({ planned_course_id, teacher_id }, place.id);
      return {};
    },
  };
}

type Place = Pick<TeacherEnrollment, "planned_course_id" | "teacher_id">;
