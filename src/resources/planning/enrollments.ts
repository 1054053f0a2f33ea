import * as z from "zod/mini";
import { ADMIN_ONLY, BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { enumeration, model, ref } from "../../core/schema/model.js";
import { date, dateInput, timestamps } from "../../models/dates.js";
import { GraduationState } from "../../models/enumerations.js";
import { identifier } from "../../models/ids.js";
import { filterInput } from "../../models/lists.js";
import type { OnlyInput } from "../../models/only-input.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions } from "../methods.js";
import { type Grade, gradeSchema } from "./grades.js";

/** Statuses of an enrollment (service description, Enumerations). */
export const EnrollmentStatus = /* @__PURE__ */ enumeration(["confirmed", "active", "canceled", "completed"]);
export type EnrollmentStatus = (typeof EnrollmentStatus.values)[number];

export const enrollmentSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** The enrolled user. */
  student_id: z.int(),
  /** The planned course that the student takes part in. */
  planned_course_id: z.int(),
  /** The order the enrollment came from, if any. */
  order_id: z.nullable(z.int()),
  /** First day, yyyy-MM-dd. */
  start_date: z.nullable(date()), // plain
  /** Last day, yyyy-MM-dd: of the planned course if its dates are fixed, otherwise of the enrollment. */
  end_date: z.nullable(date()), // plain
  /** Status of the enrollment. */
  status: EnrollmentStatus.open,
  /** Whether the student has passed. */
  graduation_state: GraduationState.open,
  ...timestamps(),
  /** The grade given, if any. */
  grade: z.nullable(ref<Grade>(gradeSchema)),
}));

/** An enrollment: a student in a planned course. */
export interface Enrollment extends z.infer<typeof enrollmentSchema> {}

export const enrollmentQuerySchema = /* @__PURE__ */ model(() => ({
  /** Only enrollments of this user. */
  student_id: z.optional(identifier()),
  /** Only enrollments in this planned course. */
  planned_course_id: z.optional(identifier()),
  /** Only enrollments with one of these statuses. */
  status: z.optional(filterInput(EnrollmentStatus.schema)),
  /** False leaves out canceled enrollments. Default true. */
  with_canceled: z.optional(z.boolean()),
}));

/** Filters of the enrollments list. */
export interface EnrollmentQuery extends z.input<typeof enrollmentQuerySchema>, PagedQuery {}

export const enrollmentUpdateSchema = /* @__PURE__ */ model(() => ({
  /** Last day, yyyy-MM-dd or a `Date` (its UTC day is used). */
  end_date: z.optional(z.nullable(dateInput())),
}));

/** Changes to an enrollment. */
export interface EnrollmentUpdate extends z.input<typeof enrollmentUpdateSchema> {}

export const enrollmentAwardCertificateSchema = /* @__PURE__ */ model(() => ({
  /** The course certificate template to use. */
  certificate_template_id: identifier(),
}));

/** The certificate to award. */
export interface EnrollmentAwardCertificate extends z.input<typeof enrollmentAwardCertificateSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "enrollments",
  { apis: BOTH, scopes: { main: "orders", admin: "enrollments" } },
  {
    list: { method: "GET", path: "enrollments", query: enrollmentQuerySchema, response: enrollmentSchema, paged: "cursor+page" },
    get: { method: "GET", path: "enrollments/{id}", response: enrollmentSchema },
    update: {
      method: "PUT",
      path: "enrollments/{id}",
      body: enrollmentUpdateSchema,
      response: enrollmentSchema,
      scopes: { main: ["orders:read", "orders:modify"], admin: ["enrollments:read", "enrollments:modify"] },
    },
    cancel: { method: "PUT", path: "enrollments/{id}/cancel", response: enrollmentSchema, scopes: { main: ["orders:read", "orders:modify"], admin: ["enrollments:read", "enrollments:modify"] } },
    awardCertificate: { method: "PUT", path: "enrollments/{id}/award_certificate", body: enrollmentAwardCertificateSchema, apis: ADMIN_ONLY, beta: true, pathConfirmed: false, scopes: null },
  },
);
export const enrollmentOperations: OperationTable = operations;
export const enrollmentNotes: TableNotes = {
  list: { note: "with_canceled defaults to true", widest: { with_canceled: true } },
  awardCertificate: { note: "replaces an existing certificate; the service description shows no response body" },
} satisfies NotesOf<typeof operations>;

/** Enrollments: students in planned courses (Main and Admin API). */
export class Enrollments extends ListedResource<Enrollment, EnrollmentQuery> {
  /** @internal */
  static readonly operations = enrollmentOperations;

  /**
   * Lists enrollments, including canceled ones unless `with_canceled` is false.
   * @example
   * for await (const enrollment of client.enrollments.list({ status: ["active"] })) console.log(enrollment.student_id);
   */
  list(query: EnrollmentQuery = {}, options?: ListOptions): Pages<Enrollment> {
    return pages(this, operations.list, { query }, options);
  }

  /**
   * Reads one enrollment.
   * @example
   * const enrollment = await client.enrollments.get(7);
   */
  get(id: number, options?: RequestOptions): Call<Enrollment> {
    return call(this, operations.get, { params: { id } }, options);
  }

  /**
   * Changes the end date of an enrollment; null removes it.
   * @example
   * await client.enrollments.update(7, { end_date: "2030-06-30" });
   */
  update<Name extends PropertyKey>(id: number, body: OnlyInput<EnrollmentUpdate, Enrollment, Name>, options?: RequestOptions): Call<Enrollment> {
    return call(this, operations.update, { params: { id }, body }, options);
  }

  /**
   * Cancels an enrollment; the service description does not show the resulting status.
   * @example
   * const enrollment = await client.enrollments.cancel(7);
   */
  cancel(id: number, options?: RequestOptions): Call<Enrollment> {
    return call(this, operations.cancel, { params: { id } }, options);
  }
}

/** Enrollments of the Admin API, which can also award certificates. */
export class AdminEnrollments extends Enrollments {
  /**
   * Awards a certificate to an enrollment; any existing certificate is replaced. The service description shows no path
   * for this operation: if the assumed one returns 404, set the client option `routes`.
   * @beta
   * @example
   * await admin.enrollments.awardCertificate(7, { certificate_template_id: 7 });
   */
  awardCertificate(id: number, body: EnrollmentAwardCertificate, options?: RequestOptions): Call<void> {
    return call(this, operations.awardCertificate, { params: { id }, body }, options);
  }
}
