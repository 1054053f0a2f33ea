import * as z from "zod/mini";
import { ADMIN_ONLY, type OperationTable, operationTable, type PagedQuery } from "../../core/operation.js";
import { openModel } from "../../core/schema/model.js";
import { type ListOptions, type Pages, pages, Resource } from "../methods.js";

export const departmentSchema = /* @__PURE__ */ openModel(() => ({
  /** Unique within the school. */
  id: z.optional(z.int()),
  /** Name of the department. */
  name: z.optional(z.string()), // plain
}));

/**
 * A department, which groups course templates. The service description shows no fields; all fields in a response are
 * kept.
 */
export interface Department extends z.infer<typeof departmentSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "departments",
  { apis: ADMIN_ONLY, beta: true, feature: "Departments" },
  {
    list: { method: "GET", path: "departments", response: departmentSchema, paged: "cursor+page", pathConfirmed: false },
  },
);
export const departmentOperations: OperationTable = operations;

/** Departments: groups of course templates (Admin API). */
export class Departments extends Resource {
  /** @internal */
  static readonly operations = departmentOperations;

  /**
   * Lists departments. Needs the `Departments` feature flag. The service description shows no path for this operation:
   * if the assumed one returns 404, set the client option `routes`.
   * @beta
   * @example
   * for await (const department of admin.departments.list()) console.log(department.name);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<Department> {
    return pages(this, operations.list, { query }, options);
  }
}
