import type { Teacher } from "../../generated/resources.js";
import { where } from "../data/domain.js";
import { withoutUndefined } from "../data/given.js";
import type { Store } from "../data/store.js";
import { type Behaviors, type Inquiry, search } from "../engine/behavior.js";
import { unprocessable } from "../engine/refusal.js";
import { fullName } from "../people/seed.js";

export function teachersBehaviors({ meetings, teacherEnrollments: places, teachers, users }: Store): Behaviors {
  const set = (active: boolean) => (_: Inquiry, one: () => Teacher) => void teachers.update(one().id, { active });
  return {
    teacherEnrollments: {
      // rule: a teacher enrollment makes the teacher attend every meeting of the planned course, including meetings
      // that are created later; `teacher_ids` of a planned course replaces its teacher enrollments, and teachers who
      // stay keep their roles.
      check: (body, place) => {
        const { planned_course_id, teacher_id } = { ...place, ...withoutUndefined(body) };
        const isIts = where({ planned_course_id, teacher_id });
        // rule: a teacher has one teacher enrollment in a planned course; a second one is refused (422).
        if (places.find((each) => each.id !== place?.id && isIts(each)))
          throw unprocessable("teacher_id", "already teaches this planned course");
      },
    },
    teacherRoles: {
      // rule: a teacher role that is assigned to a teacher cannot be deleted (422).
      remove: ({ id }) => {
        const has = ({ teacher_role_id }: { teacher_role_id?: number | null | undefined }) => teacher_role_id === id;
        if (places.find(has) || meetings.find(({ planning_attendees }) => planning_attendees.some(has))) {
          throw unprocessable("base", "a role that a teacher has cannot be deleted");
        }
      },
    },
    teachers: {
      filters: {
        search: search((teacher) => [fullName(teacher), teacher.email]),
        label_id: (labels: readonly number[]) => (teacher) => teacher.label_ids.some((id) => labels.includes(id)),
      },
      operations: {
        create: ({ baseUrl, body: { user_id: id } }) => {
          if (teachers.peek(id)) throw unprocessable("user_id", "is already a teacher");
          const { roles = [] } = users.get(id) ?? {};
          if (!roles.includes("teacher")) users.update(id, { roles: [...roles, "teacher"] });
          teachers.insert({ id, active: true, label_ids: [], note: null, custom: {} });
          return { result: "Success", location: `${baseUrl}/api/v1/teachers/${id}` };
        },
        activate: set(true),
        // rule: a teacher who is deactivated stays in their planned courses.
        deactivate: set(false),
      },
    },
  };
}
