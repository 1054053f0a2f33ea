import type { Attendance, Certificate } from "../../generated/resources.js";
import { where } from "../data/domain.js";
import { withoutUndefined } from "../data/given.js";
import type { Store } from "../data/store.js";
import type { Behavior, Behaviors, Inquiry } from "../engine/behavior.js";
import { notFound, unprocessable } from "../engine/refusal.js";
import { checkReferences } from "../engine/rules.js";
import { meetingBehaviors } from "./meetings.js";
import { plannedCourses } from "./planned-courses.js";
import { GRADED_ENROLLMENT, GRADED_PROGRAM_ENROLLMENT } from "./seed.js";

export function planningBehaviors(store: Store): Behaviors {
  const { attendances, enrollments } = store;
  const attendanceOf = ({ meeting_id, enrollment_id }: Pick<Attendance, "meeting_id" | "enrollment_id">) =>
    attendances.find(where({ enrollment_id, meeting_id }));
  return {
    attendances: {
      operations: {
        get: ({ params }) => {
          const attendance = attendanceOf(params);
          if (!attendance) throw notFound();
          return attendance;
        },
        set: ({ body: { meeting_id, enrollment_id, state, comment } }) => {
          const found = attendanceOf({ meeting_id, enrollment_id });
          const changes = withoutUndefined({ state, comment });
          if (found) return attendances.update(found.id, changes);
          return attendances.insert({ meeting_id, enrollment_id, state: "blanco", comment: null, ...changes });
        },
      },
    },
    enrollments: {
      filters: {
        with_canceled: (included: boolean) => (row) => included || row.status !== "canceled",
      },
      operations: {
        // rule: a canceled enrollment has the status `canceled`.
        cancel: (_, one) => enrollments.update(one().id, { status: "canceled" }),
        awardCertificate: (inquiry, one) => {
          const certified = { certifiable_id: one().id, certifiable_type: "course_enrollment" } as const;
          replaceCertificate(inquiry, certified, inquiry.body.certificate_template_id);
        },
      },
    },
    grades: grades(),
    ...meetingBehaviors(store),
    plannedCourses: plannedCourses(store),
  };
}

function grades(): Behavior<"grades"> {
  const text = (score: number | null | undefined) =>
    score === undefined ? {} : { score: score === null ? null : String(score) };
  const graded: readonly string[] = [GRADED_ENROLLMENT, GRADED_PROGRAM_ENROLLMENT];
  const checkType = (type: string) => {
    // rule: `gradeable_type` is `Enrollment` or `Program::Enrollment`, and has no other values.
    if (!graded.includes(type)) throw unprocessable("gradeable_type", `must be one of: ${graded.join(", ")}`);
  };
  return {
    create: ({ gradeable_type, score }) => {
      checkType(gradeable_type);
      // rule: a new grade does not change the `graduation_state` of its enrollment.
      return { grader_id: 1, ...text(score) };
    },
    update: (body, grade, inquiry) => {
      const { gradeable_type = grade.gradeable_type, gradeable_id = grade.gradeable_id } = body;
      checkType(gradeable_type);
      if (body.gradeable_type !== undefined || body.gradeable_id !== undefined)
        checkReferences({ gradeable_type, gradeable_id }, inquiry);
      return text(body.score);
    },
  };
}

type Certified = Pick<Certificate, "certifiable_id" | "certifiable_type">;

export function replaceCertificate(
  { store, baseUrl }: Pick<Inquiry, "store" | "baseUrl">,
  certified: Certified,
  template: number,
): void {
  const { certificates } = store;
  certificates.deleteAll(where(certified));
  const pdf_url = `${baseUrl}/certificates/${certificates.nextId}.pdf?template=${template}`;
  certificates.insert({ ...certified, pdf_url });
}
