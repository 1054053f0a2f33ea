import * as z from "zod/mini";
import { type OperationTable, ORGANIZATION, operationTable, type PageQuery } from "../../core/operation.js";
import { enumeration, model } from "../../core/schema/model.js";
import { date, dateInput } from "../../models/dates.js";
import { ListedResource, type ListOptions, type Pages, pages } from "../methods.js";

/** Statuses of a course edition (service description, Organization API). */
export const CourseEditionStatus = /* @__PURE__ */ enumeration(["planned", "active", "completed", "canceled"]);
export type CourseEditionStatus = (typeof CourseEditionStatus.values)[number];

export const courseEditionSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Name of the course edition. */
  name: z.string(), // plain
  /** First day, yyyy-MM-dd. */
  start_date: z.nullable(date()), // plain
  /** Last day, yyyy-MM-dd. */
  end_date: z.nullable(date()), // plain
  /** Status of the course edition. */
  status: CourseEditionStatus.open,
  /** The course template of the edition. */
  course_template_id: z.int(),
  /** Name of the course template. */
  course_template_name: z.string(), // plain
}));

/** A course edition: a run of a course template over a period. */
export interface CourseEdition extends z.infer<typeof courseEditionSchema> {}

export const courseEditionQuerySchema = /* @__PURE__ */ model(() => ({
  /** Only editions with this status. */
  status: z.optional(CourseEditionStatus.schema),
  /** Only editions ending after this day, yyyy-MM-dd or a `Date`; flexible editions are always included. */
  end_date_from: z.optional(dateInput()),
}));

/** Filters of the course editions list. */
export interface CourseEditionQuery extends z.input<typeof courseEditionQuerySchema>, PageQuery {}

const operations = /* @__PURE__ */ operationTable(
  "organization.courseEditions",
  { apis: ORGANIZATION },
  {
    list: { method: "GET", path: "course_editions", query: courseEditionQuerySchema, response: courseEditionSchema, paged: "cursor", pathConfirmed: false },
  },
);
export const courseEditionOperations: OperationTable = operations;

/** Course editions: runs of course templates over a period (Organization API). */
export class CourseEditions extends ListedResource<CourseEdition, CourseEditionQuery> {
  /** @internal */
  static readonly operations = courseEditionOperations;

  /**
   * Lists course editions. The service description shows no path for this operation: if the assumed one returns 404,
   * set the client option `routes`.
   * @example
   * const editions = client.organization.courseEditions.list({ status: "active", end_date_from: "2030-01-01" });
   * for await (const edition of editions) console.log(edition.name);
   */
  list(query: CourseEditionQuery = {}, options?: ListOptions): Pages<CourseEdition> {
    return pages(this, operations.list, { query }, options);
  }
}
