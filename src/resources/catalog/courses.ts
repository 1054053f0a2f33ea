import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { model, partial, ref } from "../../core/schema/model.js";
import { costKept, costNeeded } from "../../models/cost.js";
import { type CourseTabContentPatchPayload, type CourseTabContentPayload, courseTabContentPatchPayloadSchema, courseTabContentPayloadSchema } from "../../models/course-tab-content.js";
import { type CreditType, creditTypeSchema } from "../../models/credit-type.js";
import { customAssociationsInput, customFields } from "../../models/custom-fields.js";
import { timestamps } from "../../models/dates.js";
import { CostScheme, Published } from "../../models/enumerations.js";
import { byIdOrSlug, identifier } from "../../models/ids.js";
import { filterInput, listInput } from "../../models/lists.js";
import { decimal, decimalInput } from "../../models/money.js";
import type { OnlyInput } from "../../models/only-input.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions } from "../methods.js";

export const courseTabSummarySchema = /* @__PURE__ */ model(() => ({
  /** Identifier of the tab. */
  id: z.int(),
  /** Name of the tab. */
  name: z.string(), // plain
  /** Position among the tabs. */
  position: z.int(), // plain
}));

/** A course tab, as part of a course. */
export interface CourseTabSummary extends z.infer<typeof courseTabSummarySchema> {}

export const courseTabContentWithTabSchema = /* @__PURE__ */ model(() => ({
  /** Identifier of the content, not of the tab. */
  id: z.int(),
  /** The tab the text belongs to. */
  course_tab_id: z.optional(z.int()),
  /** Text of the tab. */
  content: z.nullable(z.string()), // plain
  /** The tab the text belongs to. */
  course_tab: z.optional(ref<CourseTabSummary>(courseTabSummarySchema)),
}));

/** Text of one course tab, as part of a course. */
export interface CourseTabContentWithTab extends z.infer<typeof courseTabContentWithTabSchema> {}

export const creditDefinitionSchema = /* @__PURE__ */ model(() => ({
  /** Identifier of the credit definition. */
  id: z.int(),
  /** Number of credits. */
  credits: z.number(), // plain
  /** Type of the credits. */
  type: ref<CreditType>(creditTypeSchema),
}));

/** Number of credits of one type that a course awards. */
export interface CreditDefinition extends z.infer<typeof creditDefinitionSchema> {}

export const courseSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Position among the courses. */
  position: z.int(), // plain
  /** Lowest price, as decimal text. */
  starting_price: z.nullable(decimal()),
  /** URL of the signup form. */
  signup_url: z.nullable(z.string()), // plain
  /** Short name of the course for web addresses. */
  slug: z.string(), // plain
  /** Former slugs of the course. */
  slug_history: z.array(z.string()), // plain
  /** Image of the course. */
  avatar: z.nullable(z.string()), // plain
  /** URL of the image. */
  avatar_url: z.nullable(z.string()), // plain
  /** URL of the small image. */
  avatar_thumb_url: z.nullable(z.string()), // plain
  /** The course's own conditions, or the school's defaults. */
  conditions_or_default: z.nullable(z.string()), // plain
  /** URL of the course on the school's website. */
  website_url: z.nullable(z.string()), // plain
  /** Template of the certificates awarded for the course. */
  certificate_template_id: z.nullable(z.int()),
  /** The category of the course. */
  category_id: z.int(),
  /** Name of the course. */
  name: z.string(), // plain
  /** The school's own code for the course. */
  code: z.string(), // plain
  /** Duration as text. */
  duration: z.optional(z.nullable(z.string())), // plain
  /** Level as text. */
  level: z.optional(z.nullable(z.string())), // plain
  /** Title for search engines. The Admin API has deprecated it. */
  meta_title: z.nullable(z.string()), // plain
  /** Description for search engines. The Admin API has deprecated it. */
  meta_description: z.nullable(z.string()), // plain
  /** Result of the course as text. */
  result: z.optional(z.nullable(z.string())), // plain
  /** Identifiers of the labels on the course. */
  label_ids: z.array(z.int()),
  /** Price as decimal text, per student or per order depending on `cost_scheme`. */
  cost: z.nullable(decimal()),
  /** How the course is charged. */
  cost_scheme: CostScheme.open,
  /** Whether the course is published. */
  is_published: z.boolean(),
  ...timestamps(),
  /** Values of custom fields, keyed by slug. */
  custom: customFields(), // custom
  /** Texts of the course's tabs. */
  course_tab_contents: z.optional(z.array(ref<CourseTabContentWithTab>(courseTabContentWithTabSchema))),
  /** Credits the course awards. */
  credit_definitions: z.optional(z.array(ref<CreditDefinition>(creditDefinitionSchema))),
}));

/** A course: the template from which courses are planned. */
export interface Course extends z.infer<typeof courseSchema> {}

export const courseQuerySchema = /* @__PURE__ */ model(() => ({
  /** Only published courses. */
  published: z.optional(Published.schema),
  /**
   * Only courses with these identifiers.
   * @deprecated The service names no replacement for a list; `get` reads one course.
   */
  id: z.optional(filterInput(identifier())),
}));

/** Filters of the courses list. */
export interface CourseQuery extends z.input<typeof courseQuerySchema>, PagedQuery {}

const courseFields = () => ({
  /** The category of the course. */
  category_id: identifier(),
  /** Name of the course. */
  name: z.string(),
  /** The school's own code for the course. */
  code: z.string(),
  /**
   * Price as decimal text, such as `"450.00"`. Required if `cost_scheme` is `order` or `student`, the default for a new
   * course.
   */
  cost: z.optional(z.nullable(decimalInput())),
  /** How the course is charged. Default for a new course: `student`. */
  cost_scheme: z.optional(CostScheme.schema),
  /** Title for search engines. The Admin API has deprecated it. */
  meta_title: z.optional(z.nullable(z.string())),
  /** Description for search engines. The Admin API has deprecated it. */
  meta_description: z.optional(z.nullable(z.string())),
  /** Whether the course is published. */
  is_published: z.optional(z.boolean()),
  /** Values of custom fields, keyed by slug. */
  custom: z.optional(customFields()),
  /**
   * Identifiers of custom records, keyed by the association's slug; they replace its earlier links. Needs the
   * `Custom objects` feature flag.
   */
  custom_associations: z.optional(customAssociationsInput()),
  /**
   * Result of the course as text.
   * @deprecated The service names no replacement.
   */
  result: z.optional(z.nullable(z.string())),
  /**
   * Conditions of the course.
   * @deprecated The service names no replacement.
   */
  conditions: z.optional(z.string()),
  /**
   * Duration as text.
   * @deprecated The service names no replacement.
   */
  duration: z.optional(z.nullable(z.string())),
  /**
   * Level as text.
   * @deprecated The service names no replacement.
   */
  level: z.optional(z.nullable(z.string())),
});

export const courseCreateSchema = /* @__PURE__ */ model(
  () => ({
    ...courseFields(),
    /** Texts of the course's tabs. */
    course_tab_contents_attributes: z.optional(listInput(ref<CourseTabContentPayload>(courseTabContentPayloadSchema))),
  }),
  /* @__PURE__ */ costNeeded('"450.00"'),
);

/** Fields of a new course. */
export interface CourseCreate extends z.input<typeof courseCreateSchema> {}

export const courseUpdateSchema = /* @__PURE__ */ model(
  () =>
    partial({
      ...courseFields(),
      /** Texts of the course's tabs. */
      course_tab_contents_attributes: listInput(ref<CourseTabContentPatchPayload>(courseTabContentPatchPayloadSchema)),
    }),
  /* @__PURE__ */ costKept('"450.00"'),
);

/** Changes to a course. */
export interface CourseUpdate extends z.input<typeof courseUpdateSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "courses",
  { apis: BOTH, scopes: "courses" },
  {
    list: { method: "GET", path: "courses", query: courseQuerySchema, response: courseSchema, paged: "cursor+page" },
    create: { method: "POST", path: "courses", body: courseCreateSchema, response: courseSchema, status: 201, scopes: ["courses:modify", "courses:read"] },
    get: { method: "GET", path: "courses/{id}", params: byIdOrSlug, response: courseSchema },
    update: { method: "PUT", path: "courses/{id}", body: courseUpdateSchema, response: courseSchema, scopes: ["courses:modify", "courses:read"] },
  },
);
export const courseOperations: OperationTable = operations;
export const courseNotes: TableNotes = {
  create: { note: "cost_scheme defaults to student; cost is required when cost_scheme is student (also by default) or order; in the Admin API meta_title and meta_description are deprecated" },
  update: { derived: { conditions_or_default: ["conditions"] } },
} satisfies NotesOf<typeof operations>;

/** Courses: the templates from which courses are planned (Main and Admin API). */
export class Courses extends ListedResource<Course, CourseQuery> {
  /** @internal */
  static readonly operations = courseOperations;

  /**
   * Lists courses.
   * @example
   * for await (const course of client.courses.list({ published: "published" })) console.log(course.code, course.name);
   */
  list(query: CourseQuery = {}, options?: ListOptions): Pages<Course> {
    return pages(this, operations.list, { query }, options);
  }

  /**
   * Creates a course; `cost` is required unless `cost_scheme` is `tbd` or `free`.
   * @example
   * const course = await client.courses.create({ category_id: 1, name: "First aid", code: "FA-1", cost: "450.00" });
   */
  create(body: CourseCreate, options?: RequestOptions): Call<Course> {
    return call(this, operations.create, { body }, options);
  }

  /**
   * Reads one course by its identifier or slug; a former slug works too.
   * @example
   * const course = await client.courses.get(1);
   * console.log((await client.courses.get(course.slug)).name);
   */
  get(id: number | string, options?: RequestOptions): Call<Course> {
    return call(this, operations.get, { params: { id } }, options);
  }

  /**
   * Changes a course; fields left out keep their value.
   * @example
   * await client.courses.update(1, { is_published: true });
   */
  update<Name extends PropertyKey>(id: number, body: OnlyInput<CourseUpdate, Course, Name>, options?: RequestOptions): Call<Course> {
    return call(this, operations.update, { params: { id }, body }, options);
  }
}
