import * as z from "zod/mini";
import { ADMIN_ONLY, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { model } from "../../core/schema/model.js";
import { ListedResource, type ListOptions, type Pages, pages } from "../methods.js";

export const personalProgramElementSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** The program enrollment that the element belongs to. */
  enrollment_id: z.int(),
  /** The course that the student takes. */
  course_id: z.int(),
  /** The student's enrollment in a planned course; null until there is one. */
  course_enrollment_id: z.nullable(z.int()),
  /** The element of the program edition; null for a course that the student chose freely. */
  element_id: z.nullable(z.int()),
}));

/** One course in a student's own version of a program. Only public documents show its fields. */
export interface PersonalProgramElement extends z.infer<typeof personalProgramElementSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "personalProgramElements",
  { apis: ADMIN_ONLY, feature: "Programs", scopes: "enrollments" },
  {
    list: { method: "GET", path: "program/personal_program_elements", response: personalProgramElementSchema, paged: "cursor+page" },
  },
);
export const personalProgramElementOperations: OperationTable = operations;
export const personalProgramElementNotes: TableNotes = {
  list: {
    publicOnly: true,
    deprecated: { admin: "The service names no replacement." },
    note: "may respond with 409; the Main API may have this list too: its document omits deprecated operations",
  },
} satisfies NotesOf<typeof operations>;

/** Personal program elements: the courses in students' own versions of programs (Admin API). */
export class PersonalProgramElements extends ListedResource<PersonalProgramElement, PagedQuery> {
  /** @internal */
  static readonly operations = personalProgramElementOperations;

  /**
   * Lists personal program elements. A 409 from the service is thrown as `ConflictError`. Needs the `Programs` feature
   * flag.
   * @deprecated The service names no replacement.
   * @example
   * for await (const element of admin.personalProgramElements.list()) console.log(element.enrollment_id, element.course_id);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<PersonalProgramElement> {
    return pages(this, operations.list, { query }, options);
  }
}
