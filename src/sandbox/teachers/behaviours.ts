import type { TeacherEnrollment, TeacherEnrollmentUpdate } from "../../resources/teachers/teacher-enrollments.js";
import type { TeacherRole } from "../../resources/teachers/teacher-roles.js";
import type { Teacher, TeacherCreate } from "../../resources/teachers/teachers.js";
import type { Store } from "../data/store.js";
import { type AnyBehaviour, behaviour, type Inquiry } from "../engine/behaviour.js";
import { one } from "../engine/plain.js";
import { checkReferences } from "../engine/references.js";
import { notFound, unprocessable } from "../engine/refusal.js";
import { fullName } from "../people/seed.js";

/** Behaviours of teachers, their roles, and their places in planned courses. @internal */
export function teachersBehaviours(store: Store): Record<string, AnyBehaviour> {
  return {
    teacherEnrollments: teacherEnrollments(store),
    teacherRoles: teacherRoles(store),
    teachers: teachers(store),
  };
}

function teachers({ teachers: records, users }: Store): AnyBehaviour {
  const set = (active: boolean) => (inquiry: Inquiry) => {
    records.update(one(inquiry).id, { active });
    return undefined;
  };
  return behaviour<Teacher>({
    filters: {
      search: (text: string) => {
        const wanted = text.toLowerCase();
        return (teacher) => [fullName(teacher), teacher.email].some((field) => field.toLowerCase().includes(wanted));
      },
      label_id: (labels: readonly number[]) => (teacher) => teacher.label_ids.some((id) => labels.includes(id)),
    },
    operations: {
      create: (inquiry) => {
        checkReferences(inquiry.body, inquiry);
        const { baseUrl, now } = inquiry;
        const { user_id: id } = inquiry.body as unknown as TeacherCreate;
        if (records.peek(id)) throw unprocessable("user_id", "is already a teacher");
        const { roles = [] } = users.get(id) ?? {};
        if (!roles.includes("teacher")) users.update(id, { roles: [...roles, "teacher"] });
        records.insert({
          id,
          active: true,
          label_ids: [],
          note: null,
          teacher_enrollments_count: 0,
          custom: {},
          created_at: now,
          updated_at: now,
        });
        return { result: "Success", location: `${baseUrl}/api/v1/teachers/${id}` };
      },
      activate: set(true),
      // assumes: a teacher who is deactivated stays in their planned courses.
      deactivate: set(false),
    },
  });
}

function teacherRoles({ meetings, teacherEnrollments: places }: Store): AnyBehaviour {
  return behaviour<TeacherRole>({
    // assumes: a teacher role that a teacher has is not deleted (422).
    remove: ({ id }) => {
      const has = ({ teacher_role_id }: { teacher_role_id?: number | null | undefined }) => teacher_role_id === id;
      if (places.find(has) || meetings.find(({ planning_attendees }) => planning_attendees.some(has))) {
        throw unprocessable("base", "a role that a teacher has cannot be deleted");
      }
    },
  });
}

function teacherEnrollments({ teacherEnrollments: records, plannedCourses }: Store): AnyBehaviour {
  const plannedCourse = ({ params }: Inquiry) => params.planned_course_id as number | undefined;
  // assumes: a teacher has one teacher enrollment in a planned course; a second one is refused (422).
  const refuseSecond = (place: Pick<TeacherEnrollment, "planned_course_id" | "teacher_id">, self?: number) => {
    const taken = records.find(
      ({ id, planned_course_id, teacher_id }) =>
        id !== self && planned_course_id === place.planned_course_id && teacher_id === place.teacher_id,
    );
    if (taken) throw unprocessable("teacher_id", "already teaches this planned course");
  };
  return behaviour<TeacherEnrollment, TeacherEnrollmentBody, TeacherEnrollmentUpdate>({
    scope: (inquiry) => {
      const id = plannedCourse(inquiry);
      if (id === undefined) return () => true;
      if (!plannedCourses.peek(id)) throw notFound();
      return (row) => row.planned_course_id === id;
    },
    // assumes: a teacher enrollment lets the teacher attend every meeting of the planned course, also those that are created
    // later; `teacher_ids` of a planned course replaces its teacher enrollments, and those who stay keep their roles.
    create: ({ planned_course_id: named, teacher_id }, inquiry) => {
      const planned_course_id = plannedCourse(inquiry) ?? (named as number);
      if (!plannedCourses.peek(planned_course_id)) throw notFound();
      refuseSecond({ planned_course_id, teacher_id });
      return { planned_course_id };
    },
    update: (body, place) => {
      const { planned_course_id = place.planned_course_id, teacher_id = place.teacher_id } = body;
      refuseSecond({ planned_course_id, teacher_id }, place.id);
      return {};
    },
  });
}

interface TeacherEnrollmentBody {
  /** Absent where the path names it. */
  readonly planned_course_id?: number;
  readonly teacher_id: number;
}
