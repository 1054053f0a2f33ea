import type { Pages } from "../../core/lists/pages.js";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import type { ListOptions } from "../../core/options.js";
import { Resource, transportOf } from "../../core/resource.js";
import { type User, userSchema } from "../people/users.js";

const operations = /* @__PURE__ */ operationTable(
  "planningTeachers",
  { apis: BOTH, scopes: "relations" },
  {
    list: { method: "GET", path: "planning/teachers", response: userSchema, paged: "cursor+page" },
  },
);
/** The operations of {@link PlanningTeachers}. */
export const planningTeacherOperations: OperationTable = operations;
/** What documentation says about the operations of {@link PlanningTeachers}. */
export const planningTeacherNotes: TableNotes = {
  list: { publicOnly: true, note: "lists only who is available, as users" },
} satisfies NotesOf<typeof operations>;

/** Teachers who are available (Main and Admin API). */
export class PlanningTeachers extends Resource {
  /**
   * Lists the teachers who are available, as users.
   * @throws InputError when an argument is wrong, once the list is used; nothing was sent.
   * @throws ApiError when the service answers a page with an error.
   * @example
   * for await (const teacher of client.planningTeachers.list()) console.log(teacher.first_name, teacher.last_name);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<User> {
    return transportOf(this).pages(operations.list, { query }, options);
  }
}
