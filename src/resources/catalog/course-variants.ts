import * as z from "zod/mini";
import { BOTH, type OperationTable, operationTable, type PagedQuery } from "../../core/operation.js";
import { model } from "../../core/schema/model.js";
import { timestamps } from "../../models/dates.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions } from "../methods.js";

export const courseVariantSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Name of the variant. */
  name: z.string(), // plain
  ...timestamps(),
}));

/** A course variant: a named form of teaching, such as evening courses. */
export interface CourseVariant extends z.infer<typeof courseVariantSchema> {}

export const courseVariantCreateSchema = /* @__PURE__ */ model(() => ({
  /** Name of the variant. */
  name: z.string(),
}));

/** Fields of a new course variant. */
export interface CourseVariantCreate extends z.input<typeof courseVariantCreateSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "courseVariants",
  { apis: BOTH, scopes: "settings" },
  {
    list: { method: "GET", path: "course_variants", response: courseVariantSchema, paged: "cursor+page" },
    create: { method: "POST", path: "course_variants", body: courseVariantCreateSchema, response: courseVariantSchema, status: 201, scopes: ["settings:modify", "settings:read"] },
    get: { method: "GET", path: "course_variants/{id}", response: courseVariantSchema },
  },
);
export const courseVariantOperations: OperationTable = operations;

/** Course variants: forms of teaching, such as evening courses (Main and Admin API). */
export class CourseVariants extends ListedResource<CourseVariant, PagedQuery> {
  /** @internal */
  static readonly operations = courseVariantOperations;

  /**
   * Lists course variants.
   * @example
   * for await (const variant of client.courseVariants.list()) console.log(variant.name);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<CourseVariant> {
    return pages(this, operations.list, { query }, options);
  }

  /**
   * Creates a course variant.
   * @example
   * const variant = await client.courseVariants.create({ name: "Evening course" });
   */
  create(body: CourseVariantCreate, options?: RequestOptions): Call<CourseVariant> {
    return call(this, operations.create, { body }, options);
  }

  /**
   * Reads one course variant.
   * @example
   * const variant = await client.courseVariants.get(1);
   */
  get(id: number, options?: RequestOptions): Call<CourseVariant> {
    return call(this, operations.get, { params: { id } }, options);
  }
}
