import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { enumeration, model, openModel, partial, ref } from "../../core/schema/model.js";
import { costKept, costNeeded } from "../../models/cost.js";
import { customAssociationsInput, customFields } from "../../models/custom-fields.js";
import { dayText, looseDateInput, timestamps } from "../../models/dates.js";
import { CostScheme, Currency, PublishedPublic } from "../../models/enumerations.js";
import { identifier } from "../../models/ids.js";
import { filterInput, listInput } from "../../models/lists.js";
import { decimal } from "../../models/money.js";
import type { OnlyInput } from "../../models/only-input.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions } from "../methods.js";

/** Types of planned course: with fixed dates, or flexible, where every enrollment has its own dates. */
export const PlannedCourseType = /* @__PURE__ */ enumeration(["FixedPlannedCourse", "FlexiblePlannedCourse"]);
export type PlannedCourseType = (typeof PlannedCourseType.values)[number];

/** Statuses of a planned course. */
export const PlannedCourseStatus = /* @__PURE__ */ enumeration(["planned", "active", "completed", "canceled"]);
export type PlannedCourseStatus = (typeof PlannedCourseStatus.values)[number];

/** Who can enroll in a planned course: everyone, or only some accounts if it is closed. */
export const AvailabilityState = /* @__PURE__ */ enumeration(["open", "closed"]);
export type AvailabilityState = (typeof AvailabilityState.values)[number];

/** Value of the `parents_published` filter, which keeps only planned courses whose course is published. */
export const ParentsPublished = /* @__PURE__ */ enumeration(["parents_published"]);
export type ParentsPublished = (typeof ParentsPublished.values)[number];

/** Sort orders of planned courses. */
export const PlannedCourseSort = /* @__PURE__ */ enumeration(["start_date:asc", "start_date:desc"]);
export type PlannedCourseSort = (typeof PlannedCourseSort.values)[number];

export const relatedRecordSchema = /* @__PURE__ */ openModel(() => ({
  /** Identifier of the record. */
  id: z.int(),
}));

/** A record nested in a planned course. Public documents do not show its fields; all fields in a response are kept. */
export interface RelatedRecord extends z.infer<typeof relatedRecordSchema> {}

export const plannedCourseSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Whether the course is planned, in progress, completed or canceled. */
  status: PlannedCourseStatus.open,
  /**
   * Duration in days; for a fixed planned course, the number of its meetings or, if it has none, the number of days
   * from start to end.
   */
  duration_in_days: z.nullable(z.int()), // plain
  /** Whether everyone can enroll, or only some accounts. */
  availability_state: AvailabilityState.open,
  /** Whether participants pay: true when `cost_scheme` is `student` or `order`. */
  payable: z.boolean(),
  /** Number of participants. */
  current_participants: z.int(), // plain
  /** Number of enrollments that are confirmed, active or completed. */
  confirmed_active_and_completed_enrollments_count: z.int(), // plain
  /** Number of enrollments that were requested but are not yet confirmed. */
  requested_enrollments_count: z.int(), // plain
  /** Whether any places are left; the catalog variant shows how many. */
  available_places: z.boolean(),
  /** URL of the course in Canvas; absent if there is none. */
  canvas_link: z.optional(z.nullable(z.string())), // plain
  /** ISO 4217 code of `cost`, for example `EUR`. */
  currency: Currency.open,
  /** Multiplier of the price, as decimal text. */
  cost_multiplier: z.nullable(decimal()),
  /** Whether the planned course is published. */
  is_published: z.boolean(),
  /** The course that is planned. */
  course_id: z.int(),
  /** Whether the dates are fixed or flexible; cannot be changed. */
  type: PlannedCourseType.open,
  /** First day, yyyy-MM-dd; null for a flexible planned course. */
  start_date: z.nullable(dayText()), // plain
  /** Last day, yyyy-MM-dd; null for a flexible planned course. */
  end_date: z.nullable(dayText()), // plain
  /** Minimum number of participants. */
  min_participants: z.nullable(z.int()), // plain
  /** Maximum number of participants; null for no limit. */
  max_participants: z.nullable(z.int()), // plain
  /** How the planned course is charged. */
  cost_scheme: CostScheme.open,
  /** Price as decimal text, in `currency`; requests send it as a number. */
  cost: z.nullable(decimal()),
  /** The course variant, such as evening courses. */
  course_variant_id: z.nullable(z.int()),
  /** The course location where the course is held. */
  course_location_id: z.nullable(z.int()),
  ...timestamps(),
  /** Values of custom fields, keyed by slug. */
  custom: z.optional(customFields()), // custom
  /** The meetings; present only if the option `include` names them. */
  meetings: z.optional(z.array(ref<RelatedRecord>(relatedRecordSchema))),
  /** The teachers; present only if the option `include` names them. */
  teachers: z.optional(z.array(ref<RelatedRecord>(relatedRecordSchema))),
  /** The course variant; present only if the option `include` names it. */
  course_variant: z.optional(z.nullable(ref<RelatedRecord>(relatedRecordSchema))),
  /** The course location; present only if the option `include` names it. */
  course_location: z.optional(z.nullable(ref<RelatedRecord>(relatedRecordSchema))),
}));

/**
 * A planned course: a course on certain dates, or a flexible course that students take on their own dates. Only public
 * documents show its fields.
 */
export interface PlannedCourse extends z.infer<typeof plannedCourseSchema> {}

const filtersOfAllLists = () => ({
  /** Text to search for. */
  search: z.optional(z.string()),
  /** Only planned courses with fixed dates, or only flexible ones. */
  type: z.optional(PlannedCourseType.schema),
  /** Only planned courses whose course is published. */
  parents_published: z.optional(ParentsPublished.schema),
  /** Only published planned courses that are planned or in progress. */
  published_public: z.optional(PublishedPublic.schema),
  /** Only planned courses starting on this day or later: text such as yyyy-MM-dd, or a `Date`. */
  start_date_from: z.optional(looseDateInput()),
  /** Only planned courses starting on this day or earlier: text such as yyyy-MM-dd, or a `Date`. */
  start_date_until: z.optional(looseDateInput()),
  /** Only planned courses open to everyone, or only closed ones. */
  availability_state: z.optional(AvailabilityState.schema),
  /**
   * Only planned courses with these identifiers.
   * @deprecated The service names no replacement for a list; `get` reads one planned course.
   */
  id: z.optional(filterInput(identifier())),
  /** Fields to sort by, the most important first. */
  sort: z.optional(filterInput(PlannedCourseSort.schema)),
});

export const plannedCourseQuerySchema = /* @__PURE__ */ model(() => ({
  ...filtersOfAllLists(),
  /** Only planned courses of the courses with these identifiers. */
  course_id: z.optional(filterInput(identifier())),
  /** Only planned courses with one of these statuses. */
  status: z.optional(filterInput(PlannedCourseStatus.schema)),
}));

/** Filters and sort order of the planned courses list. */
export interface PlannedCourseQuery extends z.input<typeof plannedCourseQuerySchema>, PagedQuery {}

export const coursePlannedCourseQuerySchema = /* @__PURE__ */ model(() => ({
  ...filtersOfAllLists(),
  /** Only planned courses with this status; several statuses are not allowed. */
  status: z.optional(PlannedCourseStatus.schema),
}));

/** Filters and sort order of the planned courses of one course. */
export interface CoursePlannedCourseQuery extends z.input<typeof coursePlannedCourseQuerySchema>, PagedQuery {}

const plannedCourseFields = () => ({
  /** Whether the planned course is published. */
  is_published: z.optional(z.boolean()),
  /** The course that is planned. */
  course_id: identifier(),
  /** First day of a fixed planned course: text such as yyyy-MM-dd, or a `Date`. */
  start_date: z.optional(looseDateInput()),
  /** Last day of a fixed planned course: text such as yyyy-MM-dd, or a `Date`. */
  end_date: z.optional(z.nullable(looseDateInput())),
  /** Minimum number of participants. */
  min_participants: z.optional(z.nullable(z.int())),
  /** Maximum number of participants; null for no limit. */
  max_participants: z.optional(z.nullable(z.int())),
  /** How the planned course is charged. Default for a new planned course: `student`. */
  cost_scheme: z.optional(CostScheme.schema),
  /** Price as a number, such as 450; in records it is text. Null only when `cost_scheme` is `tbd` or `free`. */
  cost: z.nullable(z.number()),
  /** The course variant, such as evening courses. */
  course_variant_id: z.optional(z.nullable(identifier())),
  /** The course location where the course is held. */
  course_location_id: z.optional(z.nullable(identifier())),
  /** Duration of a flexible planned course, in days. */
  duration: z.optional(z.number()),
  /** Identifiers of the teachers. */
  teacher_ids: z.optional(listInput(identifier())),
  /** Values of custom fields, keyed by slug. */
  custom: z.optional(customFields()),
  /**
   * Identifiers of custom records, keyed by the association's slug; they replace its earlier links. Needs the
   * `Custom objects` feature flag.
   */
  custom_associations: z.optional(customAssociationsInput()),
});

export const plannedCourseCreateSchema = /* @__PURE__ */ model(
  () => ({
    ...plannedCourseFields(),
    /** Whether the dates are fixed or flexible; cannot be changed by an update. */
    type: PlannedCourseType.schema,
  }),
  /* @__PURE__ */ costNeeded("450"),
);

/** Fields of a new planned course. */
export interface PlannedCourseCreate extends z.input<typeof plannedCourseCreateSchema> {}

export const plannedCourseUpdateSchema = /* @__PURE__ */ model(() => partial(plannedCourseFields()), /* @__PURE__ */ costKept("450"));

/** Changes to a planned course; its `type` cannot be changed. */
export interface PlannedCourseUpdate extends z.input<typeof plannedCourseUpdateSchema> {}

export const coursePlannedCoursePathSchema = /* @__PURE__ */ model(() => ({
  /** The course. */
  course_id: identifier(),
  /** The planned course. */
  id: identifier(),
}));

/** Identifies one planned course of a course. */
export interface CoursePlannedCoursePath extends z.input<typeof coursePlannedCoursePathSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "plannedCourses",
  { apis: BOTH, scopes: "courses" },
  {
    list: { method: "GET", path: "planned_courses", query: plannedCourseQuerySchema, response: plannedCourseSchema, paged: "cursor+page" },
    create: { method: "POST", path: "planned_courses", body: plannedCourseCreateSchema, response: plannedCourseSchema, status: 201 },
    get: { method: "GET", path: "planned_courses/{id}", response: plannedCourseSchema },
    update: { method: "PUT", path: "planned_courses/{id}", body: plannedCourseUpdateSchema, response: plannedCourseSchema },
    cancel: { method: "PUT", path: "planned_courses/{id}/cancel", response: plannedCourseSchema, scopes: ["courses:destroy"] },
    listForCourse: { method: "GET", path: "courses/{course_id}/planned_courses", query: coursePlannedCourseQuerySchema, response: plannedCourseSchema, paged: "cursor+page" },
    getForCourse: { method: "GET", path: "courses/{course_id}/planned_courses/{id}", params: coursePlannedCoursePathSchema, response: plannedCourseSchema },
  },
);
export const plannedCourseOperations: OperationTable = operations;
export const plannedCourseNotes: TableNotes = {
  "*": { publicOnly: true },
  list: { note: "published_public keeps only published planned courses that are planned or in progress" },
  create: {
    note: "cost is a number here and text in the record, null only if cost_scheme is tbd or free; cost_scheme defaults to student; start_date and end_date are for fixed planned courses, duration (days) for flexible ones",
  },
  update: {
    note: "cost is a number here and text in the record; type cannot be changed",
    derived: { payable: ["cost_scheme"], status: ["start_date", "end_date"] },
  },
  listForCourse: { note: "accepts only one status; published_public keeps only published planned courses that are planned or in progress" },
} satisfies NotesOf<typeof operations>;

/**
 * Planned courses: courses on certain dates, or flexible courses that students take on their own dates (Main and Admin
 * API).
 */
export class PlannedCourses extends ListedResource<PlannedCourse, PlannedCourseQuery> {
  /** @internal */
  static readonly operations = plannedCourseOperations;

  /**
   * Lists planned courses.
   * @example
   * const shown = client.plannedCourses.list({ published_public: "published_public", sort: "start_date:asc" });
   * for await (const planned of shown) console.log(planned.start_date, planned.available_places);
   */
  list(query: PlannedCourseQuery = {}, options?: ListOptions): Pages<PlannedCourse> {
    return pages(this, operations.list, { query }, options);
  }

  /**
   * Plans a course; `cost` may be null only when `cost_scheme` is `tbd` or `free`.
   * @example
   * const dates = { start_date: "2030-07-01", end_date: "2030-07-15" };
   * const planned = await client.plannedCourses.create({ course_id: 1, type: "FixedPlannedCourse", cost: 450, ...dates });
   */
  create(body: PlannedCourseCreate, options?: RequestOptions): Call<PlannedCourse> {
    return call(this, operations.create, { body }, options);
  }

  /**
   * Reads one planned course.
   * @example
   * const planned = await client.plannedCourses.get(7);
   */
  get(id: number, options?: RequestOptions): Call<PlannedCourse> {
    return call(this, operations.get, { params: { id } }, options);
  }

  /**
   * Changes a planned course; fields left out keep their value.
   * @example
   * await client.plannedCourses.update(7, { max_participants: 16, cost: 425 });
   */
  update<Name extends PropertyKey>(id: number, body: OnlyInput<PlannedCourseUpdate, PlannedCourse, Name>, options?: RequestOptions): Call<PlannedCourse> {
    return call(this, operations.update, { params: { id }, body }, options);
  }

  /**
   * Cancels a planned course.
   * @example
   * const { status } = await client.plannedCourses.cancel(7);
   */
  cancel(id: number, options?: RequestOptions): Call<PlannedCourse> {
    return call(this, operations.cancel, { params: { id } }, options);
  }

  /**
   * Lists the planned courses of one course.
   * @example
   * for await (const planned of client.plannedCourses.listForCourse(1, { status: "planned" })) console.log(planned.id);
   */
  listForCourse(courseId: number, query: CoursePlannedCourseQuery = {}, options?: ListOptions): Pages<PlannedCourse> {
    return pages(this, operations.listForCourse, { params: { course_id: courseId }, query }, options);
  }

  /**
   * Reads one planned course of one course.
   * @example
   * const planned = await client.plannedCourses.getForCourse({ course_id: 7, id: 7 });
   */
  getForCourse(path: CoursePlannedCoursePath, options?: RequestOptions): Call<PlannedCourse> {
    return call(this, operations.getForCourse, { params: path }, options);
  }
}
