import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { type ListOptions, type Pages, pages, Resource } from "../methods.js";
import { type User, userSchema } from "../people/users.js";

const operations = /* @__PURE__ */ operationTable(
  "planningTeachers",
  { apis: BOTH, scopes: "relations" },
  {
    list: { method: "GET", path: "planning/teachers", response: userSchema, paged: "cursor+page" },
  },
);
export const planningTeacherOperations: OperationTable = operations;
export const planningTeacherNotes: TableNotes = {
  list: { publicOnly: true, note: "lists only available teachers, as users" },
} satisfies NotesOf<typeof operations>;

/** Teachers who are available (Main and Admin API). */
export class PlanningTeachers extends Resource {
  /** @internal */
  static readonly operations = planningTeacherOperations;

  /**
   * Lists the teachers who are available, as users.
   * @example
   * for await (const teacher of client.planningTeachers.list()) console.log(teacher.first_name, teacher.last_name);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<User> {
    return pages(this, operations.list, { query }, options);
  }
}
