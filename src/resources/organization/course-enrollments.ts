import * as z from "zod/mini";
import { type OperationTable, ORGANIZATION, operationTable, type PageQuery } from "../../core/operation.js";
import { enumeration, model } from "../../core/schema/model.js";
import { date, dateInput } from "../../models/dates.js";
import { GraduationState } from "../../models/enumerations.js";
import { identifier } from "../../models/ids.js";
import { ListedResource, type ListOptions, type Pages, pages } from "../methods.js";

/** Statuses of a course enrollment; the service description shows only some of them. */
export const OrganizationEnrollmentStatus = /* @__PURE__ */ enumeration(["active"], { complete: false });
export type OrganizationEnrollmentStatus = (typeof OrganizationEnrollmentStatus.values)[number];

export const courseEnrollmentSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** The course edition that the contact takes part in. */
  course_edition_id: z.int(),
  /** First day, yyyy-MM-dd. */
  start_date: z.nullable(date()), // plain
  /** Last day, yyyy-MM-dd. */
  end_date: z.nullable(date()), // plain
  /** Status of the enrollment. */
  status: OrganizationEnrollmentStatus.open,
  /** The grade as text. */
  grade: z.nullable(z.string()), // plain
  /** Whether the student has passed. */
  graduation_state: z.nullable(GraduationState.open),
  /** The enrolled contact. */
  contact_id: z.int(),
}));

/** A course enrollment: a contact in a course edition. */
export interface CourseEnrollment extends z.infer<typeof courseEnrollmentSchema> {}

export const courseEnrollmentQuerySchema = /* @__PURE__ */ model(() => ({
  /** Only enrollments in this course edition. */
  course_edition_id: z.optional(identifier()),
  /** Only enrollments starting after this day. */
  start_date_from: z.optional(dateInput()),
  /** Only enrollments starting before this day. */
  start_date_until: z.optional(dateInput()),
  /** Only enrollments ending after this day. */
  end_date_from: z.optional(dateInput()),
  /** Only enrollments ending before this day. */
  end_date_until: z.optional(dateInput()),
}));

/** Filters of the course enrollments list. Days are yyyy-MM-dd or a `Date`. */
export interface CourseEnrollmentQuery extends z.input<typeof courseEnrollmentQuerySchema>, PageQuery {}

const operations = /* @__PURE__ */ operationTable(
  "organization.courseEnrollments",
  { apis: ORGANIZATION },
  {
    list: { method: "GET", path: "course_enrollments", query: courseEnrollmentQuerySchema, response: courseEnrollmentSchema, paged: "cursor", pathConfirmed: false },
  },
);
export const courseEnrollmentOperations: OperationTable = operations;

/** Course enrollments: contacts in course editions (Organization API). */
export class CourseEnrollments extends ListedResource<CourseEnrollment, CourseEnrollmentQuery> {
  /** @internal */
  static readonly operations = courseEnrollmentOperations;

  /**
   * Lists course enrollments. The service description shows no path for this operation: if the assumed one returns 404,
   * set the client option `routes`.
   * @example
   * const enrollments = client.organization.courseEnrollments.list({ course_edition_id: 7 });
   * for await (const enrollment of enrollments) console.log(enrollment.contact_id, enrollment.grade);
   */
  list(query: CourseEnrollmentQuery = {}, options?: ListOptions): Pages<CourseEnrollment> {
    return pages(this, operations.list, { query }, options);
  }
}
