import type { Attendance, AttendancePath, AttendanceSet } from "../../resources/planning/attendances.js";
import type { Enrollment, EnrollmentAwardCertificate } from "../../resources/planning/enrollments.js";
import type { Grade, GradeCreate, GradeUpdate } from "../../resources/planning/grades.js";
import type { ProgramEnrollment } from "../../resources/programs/program-enrollments.js";
import type { Collection } from "../data/collection.js";
import type { Store } from "../data/store.js";
import { type AnyBehaviour, behaviour } from "../engine/behaviour.js";
import { one } from "../engine/plain.js";
import { checkReferences } from "../engine/references.js";
import { notFound, unprocessable } from "../engine/refusal.js";
import { replaceCertificate } from "./certificates.js";
import { meetingBehaviours } from "./meetings.js";
import { plannedCourses } from "./planned-courses.js";
import { GRADED_ENROLLMENT, GRADED_PROGRAM_ENROLLMENT } from "./seed.js";

/** Behaviours of planned courses, their meetings, enrollments, attendances and grades. @internal */
export function planningBehaviours(store: Store): Record<string, AnyBehaviour> {
  return {
    attendances: attendances(store),
    enrollments: enrollments(store),
    grades: grades(store),
    ...meetingBehaviours(store),
    plannedCourses: plannedCourses(store),
  };
}

function attendances(store: Store): AnyBehaviour {
  const { attendances: records } = store;
  const of = ({ meeting_id, enrollment_id }: AttendancePath) =>
    records.find((row) => row.enrollment_id === enrollment_id && row.meeting_id === meeting_id);
  return behaviour<Attendance>({
    operations: {
      get: ({ params }) => {
        const attendance = of(params as unknown as AttendancePath);
        if (!attendance) throw notFound();
        return attendance;
      },
      set: (inquiry) => {
        const { body, now } = inquiry;
        checkReferences(body, inquiry);
        const sent = body as unknown as AttendanceSet;
        const found = of(sent);
        const changes: Partial<Attendance> = {
          ...(sent.state !== undefined && { state: sent.state }),
          ...(sent.comment !== undefined && { comment: sent.comment }),
        };
        if (found) return records.update(found.id, changes);
        const { meeting_id, enrollment_id } = sent;
        return records.insert({
          meeting_id,
          enrollment_id,
          state: "blanco",
          comment: null,
          created_at: now,
          updated_at: now,
          ...changes,
        });
      },
    },
  });
}

function enrollments(store: Store): AnyBehaviour {
  const { enrollments: records } = store;
  return behaviour<Enrollment>({
    filters: {
      with_canceled: (included: boolean) => (row) => included || row.status !== "canceled",
    },
    operations: {
      // assumes: a canceled enrollment has the status `canceled`.
      cancel: (inquiry) => records.update(one(inquiry).id, { status: "canceled" }),
      awardCertificate: (inquiry) => {
        const { id } = one(inquiry);
        const { certificate_template_id: template } = inquiry.body as unknown as EnrollmentAwardCertificate;
        replaceCertificate(inquiry, { certifiable_id: id, certifiable_type: "course_enrollment" }, template);
        return undefined;
      },
    },
  });
}

function grades(store: Store): AnyBehaviour {
  const { enrollments, programEnrollments } = store;
  const graded: Readonly<Record<string, Collection<Enrollment> | Collection<ProgramEnrollment>>> = {
    [GRADED_ENROLLMENT]: enrollments,
    [GRADED_PROGRAM_ENROLLMENT]: programEnrollments,
  };
  const text = (score: number | null | undefined) =>
    score === undefined ? {} : { score: score === null ? null : String(score) };
  const checkGraded = (type: string, id: number) => {
    const holders = graded[type];
    // assumes: `gradeable_type` is `Enrollment` or `Program::Enrollment`, and has no other values.
    if (!holders) throw unprocessable("gradeable_type", `must be one of: ${Object.keys(graded).join(", ")}`);
    if (!holders.peek(id)) throw unprocessable("gradeable_id", "refers to a record that does not exist");
  };
  return behaviour<Grade, GradeCreate, GradeUpdate>({
    create: (body) => {
      checkGraded(body.gradeable_type, body.gradeable_id);
      // assumes: `graduation_state` of an enrollment does not follow a new grade.
      return { grader_id: 1, ...text(body.score) };
    },
    update: ({ gradeable_type, gradeable_id, score }, grade) => {
      if (gradeable_type !== undefined || gradeable_id !== undefined)
        checkGraded(gradeable_type ?? grade.gradeable_type, gradeable_id ?? grade.gradeable_id);
      return text(score);
    },
  });
}
