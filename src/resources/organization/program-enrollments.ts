import * as z from "zod/mini";
import { type OperationTable, ORGANIZATION, operationTable, type PageQuery } from "../../core/operation.js";
import { model } from "../../core/schema/model.js";
import { GraduationState, ProgramEnrollmentState } from "../../models/enumerations.js";
import { identifier } from "../../models/ids.js";
import { ListedResource, type ListOptions, type Pages, pages } from "../methods.js";

export const organizationProgramEnrollmentSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** The program edition that the contact takes part in. */
  program_edition_id: z.int(),
  /** State of the enrollment. */
  state: ProgramEnrollmentState.open,
  /** The grade as text. */
  grade: z.nullable(z.string()), // plain
  /** Whether the student has passed. */
  graduation_state: z.nullable(GraduationState.open),
  /** The enrolled contact. */
  contact_id: z.int(),
}));

/** A program enrollment: a contact in a program edition. */
export interface OrganizationProgramEnrollment extends z.infer<typeof organizationProgramEnrollmentSchema> {}

export const organizationProgramEnrollmentQuerySchema = /* @__PURE__ */ model(() => ({
  /** Only enrollments in this program edition. */
  program_edition_id: z.optional(identifier()),
}));

/** Filters of the program enrollments list. */
export interface OrganizationProgramEnrollmentQuery extends z.input<typeof organizationProgramEnrollmentQuerySchema>, PageQuery {}

const operations = /* @__PURE__ */ operationTable(
  "organization.programEnrollments",
  { apis: ORGANIZATION },
  {
    list: { method: "GET", path: "program_enrollments", query: organizationProgramEnrollmentQuerySchema, response: organizationProgramEnrollmentSchema, paged: "cursor", pathConfirmed: false },
  },
);
export const organizationProgramEnrollmentOperations: OperationTable = operations;

/** Program enrollments: contacts in program editions (Organization API). */
export class OrganizationProgramEnrollments extends ListedResource<OrganizationProgramEnrollment, OrganizationProgramEnrollmentQuery> {
  /** @internal */
  static readonly operations = organizationProgramEnrollmentOperations;

  /**
   * Lists program enrollments. The service description shows no path for this operation: if the assumed one returns
   * 404, set the client option `routes`.
   * @example
   * const enrollments = client.organization.programEnrollments.list({ program_edition_id: 7 });
   * for await (const enrollment of enrollments) console.log(enrollment.contact_id, enrollment.state);
   */
  list(query: OrganizationProgramEnrollmentQuery = {}, options?: ListOptions): Pages<OrganizationProgramEnrollment> {
    return pages(this, operations.list, { query }, options);
  }
}
