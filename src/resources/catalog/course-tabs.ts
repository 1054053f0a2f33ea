import * as z from "zod/mini";
import { BOTH, type OperationTable, operationTable, type PageQuery } from "../../core/operation.js";
import { model } from "../../core/schema/model.js";
import { ListedResource, type ListOptions, type Pages, pages } from "../methods.js";

export const courseTabSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Name of the tab. */
  name: z.string(), // plain
  /** Position among the tabs. */
  position: z.int(), // plain
}));

/** A course tab: a named section of a course's text. */
export interface CourseTab extends z.infer<typeof courseTabSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "courseTabs",
  { apis: BOTH, scopes: [] },
  {
    list: { method: "GET", path: "course_tabs", response: courseTabSchema, paged: "cursor" },
  },
);
export const courseTabOperations: OperationTable = operations;

/** Course tabs: named sections of course texts (Main and Admin API). */
export class CourseTabs extends ListedResource<CourseTab, PageQuery> {
  /** @internal */
  static readonly operations = courseTabOperations;

  /**
   * Lists course tabs.
   * @example
   * for await (const tab of client.courseTabs.list()) console.log(tab.id, tab.name);
   */
  list(query: PageQuery = {}, options?: ListOptions): Pages<CourseTab> {
    return pages(this, operations.list, { query }, options);
  }
}
