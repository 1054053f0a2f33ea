import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { model, ref } from "../../core/schema/model.js";
import { date } from "../../models/dates.js";
import { GraduationState, ProgramEnrollmentState } from "../../models/enumerations.js";
import { identifier } from "../../models/ids.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions } from "../methods.js";
import { type Grade, gradeSchema } from "../planning/grades.js";

export const programEnrollmentSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** The enrolled user. */
  student_id: z.int(),
  /** The program edition that the student takes part in. */
  edition_id: z.int(),
  /** The student's own version of the program. */
  personal_program_id: z.int(),
  /** Identifiers of the labels on the enrollment. */
  label_ids: z.array(z.int()),
  /** The order through which the student enrolled, if any. */
  order_id: z.nullable(z.int()),
  /** State of the enrollment. */
  state: ProgramEnrollmentState.open,
  /** Whether the student has passed. */
  graduation_state: GraduationState.open,
  /** Day on which the student passed; null until then. */
  graduation_date: z.nullable(date()), // plain
  /** The grade; null if there is none. Some responses omit it. */
  grade: z.optional(z.nullable(ref<Grade>(gradeSchema))),
}));

/** A program enrollment: a student in a program edition. Only public documents show its fields. */
export interface ProgramEnrollment extends z.infer<typeof programEnrollmentSchema> {}

export const programEnrollmentQuerySchema = /* @__PURE__ */ model(() => ({
  /** Only enrollments of this user. */
  student_id: z.optional(identifier()),
  /** Only enrollments in this program edition. */
  edition_id: z.optional(identifier()),
}));

/** Filters of the program enrollments list. */
export interface ProgramEnrollmentQuery extends z.input<typeof programEnrollmentQuerySchema>, PagedQuery {}

export const programEnrollmentAwardCertificateSchema = /* @__PURE__ */ model(() => ({
  /** The template of the certificate. */
  certificate_template_id: identifier(),
}));

/** The certificate to award to a program enrollment. */
export interface ProgramEnrollmentAwardCertificate extends z.input<typeof programEnrollmentAwardCertificateSchema> {}

const WRITING = { main: ["courses:read", "courses:modify"], admin: ["enrollments:read", "enrollments:modify"] } as const;

const operations = /* @__PURE__ */ operationTable(
  "programEnrollments",
  { apis: BOTH, feature: "Programs", scopes: { main: "courses", admin: "enrollments" } },
  {
    list: { method: "GET", path: "program/enrollments", query: programEnrollmentQuerySchema, response: programEnrollmentSchema, paged: "cursor+page" },
    get: { method: "GET", path: "program/enrollments/{id}", response: programEnrollmentSchema },
    cancel: { method: "PUT", path: "program/enrollments/{id}/cancel", response: programEnrollmentSchema, scopes: WRITING },
    awardCertificate: { method: "PUT", path: "program/enrollments/{id}/award_certificate", body: programEnrollmentAwardCertificateSchema, response: programEnrollmentSchema, scopes: WRITING },
    deleteCertificate: { method: "POST", path: "program/enrollments/{id}/delete_certificate", response: programEnrollmentSchema, idempotent: true, scopes: WRITING },
  },
);
export const programEnrollmentOperations: OperationTable = operations;
export const programEnrollmentNotes: TableNotes = {
  "*": { publicOnly: true },
  awardCertificate: { note: "returns the enrollment, not the certificate" },
  deleteCertificate: { note: "a POST without a body, not a DELETE; returns the enrollment" },
} satisfies NotesOf<typeof operations>;

/** Program enrollments: students in program editions (Main and Admin API). */
export class ProgramEnrollments extends ListedResource<ProgramEnrollment, ProgramEnrollmentQuery> {
  /** @internal */
  static readonly operations = programEnrollmentOperations;

  /**
   * Lists program enrollments. Needs the `Programs` feature flag.
   * @example
   * for await (const enrollment of client.programEnrollments.list({ edition_id: 1 })) console.log(enrollment.student_id);
   */
  list(query: ProgramEnrollmentQuery = {}, options?: ListOptions): Pages<ProgramEnrollment> {
    return pages(this, operations.list, { query }, options);
  }

  /**
   * Reads one program enrollment. Needs the `Programs` feature flag.
   * @example
   * const enrollment = await client.programEnrollments.get(1);
   */
  get(id: number, options?: RequestOptions): Call<ProgramEnrollment> {
    return call(this, operations.get, { params: { id } }, options);
  }

  /**
   * Cancels a program enrollment. Needs the `Programs` feature flag.
   * @example
   * const { state } = await client.programEnrollments.cancel(1);
   */
  cancel(id: number, options?: RequestOptions): Call<ProgramEnrollment> {
    return call(this, operations.cancel, { params: { id } }, options);
  }

  /**
   * Awards a certificate and returns the enrollment. Needs the `Programs` feature flag.
   * @example
   * await client.programEnrollments.awardCertificate(1, { certificate_template_id: 1 });
   */
  awardCertificate(id: number, body: ProgramEnrollmentAwardCertificate, options?: RequestOptions): Call<ProgramEnrollment> {
    return call(this, operations.awardCertificate, { params: { id }, body }, options);
  }

  /**
   * Deletes the certificate of a program enrollment and returns the enrollment. Needs the `Programs` feature flag.
   * @example
   * await client.programEnrollments.awardCertificate(1, { certificate_template_id: 1 });
   * await client.programEnrollments.deleteCertificate(1);
   */
  deleteCertificate(id: number, options?: RequestOptions): Call<ProgramEnrollment> {
    return call(this, operations.deleteCertificate, { params: { id } }, options);
  }
}
