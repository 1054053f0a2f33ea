import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { enumeration, model } from "../../core/schema/model.js";
import { customFields } from "../../models/custom-fields.js";
import { timestamps } from "../../models/dates.js";
import { Locale } from "../../models/enumerations.js";
import { identifier } from "../../models/ids.js";
import { filterInput } from "../../models/lists.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions } from "../methods.js";

/** Results of a create operation that returns no record. */
export const CreatedResult = /* @__PURE__ */ enumeration(["Success"]);
export type CreatedResult = (typeof CreatedResult.values)[number];

export const createdResponseSchema = /* @__PURE__ */ model(() => ({
  /** Whether the record was created. */
  result: z.optional(CreatedResult.open),
  /** URL of the new record. */
  location: z.string(), // identifier
}));

/**
 * The response to a create operation: the URL of the new record, not the record. Only public documents show its fields.
 */
export interface CreatedResponse extends z.infer<typeof createdResponseSchema> {}

export const teacherSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** First name of the teacher. */
  first_name: z.string(), // name
  /** Middle part of the name, such as `van`. */
  middle_name: z.nullable(z.string()), // name
  /** Last name of the teacher. */
  last_name: z.string(), // name
  /** E-mail address of the teacher. */
  email: z.string(), // contact
  /**
   * Short name of the teacher for web addresses.
   * @deprecated The service names no replacement.
   */
  slug: z.string(), // name
  /** Identifiers of the labels on the teacher. */
  label_ids: z.array(z.int()),
  /** False after `deactivate`. */
  active: z.boolean(),
  /** Path of the teacher's picture, relative to the school's website. */
  avatar_url: z.string(), // name
  /** Employee number of the teacher. */
  employee_number: z.nullable(z.string()), // number
  /** Note about the teacher for administrators. */
  note: z.nullable(z.string()), // note
  /** Short line about the teacher. */
  teacher_headline: z.nullable(z.string()), // note
  /** Description of the teacher. */
  teacher_description: z.nullable(z.string()), // note
  /**
   * Number of planned courses that the teacher is enrolled in.
   * @deprecated The service names no replacement.
   */
  teacher_enrollments_count: z.int(), // plain
  /** Language of the teacher, for example `de`. */
  locale: z.nullable(Locale.open),
  ...timestamps(),
  /** Values of custom fields, keyed by slug. */
  custom: z.optional(customFields()), // custom
}));

/** A teacher: a user who can teach planned courses. Only public documents show its fields. */
export interface Teacher extends z.infer<typeof teacherSchema> {}

export const teacherQuerySchema = /* @__PURE__ */ model(() => ({
  /** Text to search for. */
  search: z.optional(z.string()),
  /** Only teachers with one of these labels. */
  label_id: z.optional(filterInput(identifier())),
  /** Only teachers with these identifiers. */
  id: z.optional(filterInput(identifier())),
}));

/** Filters of the teachers list. */
export interface TeacherQuery extends z.input<typeof teacherQuerySchema>, PagedQuery {}

export const teacherCreateSchema = /* @__PURE__ */ model(() => ({
  /** The user who becomes a teacher. Public documents do not mark it as required, but the body has no other field. */
  user_id: identifier(),
}));

/** The user who becomes a teacher. */
export interface TeacherCreate extends z.input<typeof teacherCreateSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "teachers",
  { apis: BOTH, scopes: "teachers" },
  {
    list: { method: "GET", path: "teachers", query: teacherQuerySchema, response: teacherSchema, paged: "cursor+page" },
    create: { method: "POST", path: "teachers", body: teacherCreateSchema, response: createdResponseSchema, status: 201 },
    get: { method: "GET", path: "teachers/{id}", response: teacherSchema },
    activate: { method: "POST", path: "teachers/{id}/activate", status: 204 },
    deactivate: { method: "POST", path: "teachers/{id}/deactivate", status: 204 },
  },
);
export const teacherOperations: OperationTable = operations;
export const teacherNotes: TableNotes = {
  "*": { publicOnly: true },
  create: { note: "makes an existing user a teacher; returns result and location, not the teacher" },
} satisfies NotesOf<typeof operations>;

/** Teachers: users who can teach planned courses (Main and Admin API). */
export class Teachers extends ListedResource<Teacher, TeacherQuery> {
  /** @internal */
  static readonly operations = teacherOperations;

  /**
   * Lists teachers.
   * @example
   * for await (const teacher of client.teachers.list({ search: "van" })) console.log(teacher.last_name, teacher.active);
   */
  list(query: TeacherQuery = {}, options?: ListOptions): Pages<Teacher> {
    return pages(this, operations.list, { query }, options);
  }

  /**
   * Makes an existing user a teacher. The service returns the URL of the teacher, not the record.
   * @example
   * const user = await client.users.create({ first_name: "Alva", last_name: "Sampleton", email: "alva@example.com" });
   * const { location } = await client.teachers.create({ user_id: user.id });
   * console.log(location);
   */
  create(body: TeacherCreate, options?: RequestOptions): Call<CreatedResponse> {
    return call(this, operations.create, { body }, options);
  }

  /**
   * Reads one teacher.
   * @example
   * const teacher = await client.teachers.get(1);
   */
  get(id: number, options?: RequestOptions): Call<Teacher> {
    return call(this, operations.get, { params: { id } }, options);
  }

  /**
   * Makes a teacher active again.
   * @example
   * await client.teachers.activate(1);
   */
  activate(id: number, options?: RequestOptions): Call<void> {
    return call(this, operations.activate, { params: { id } }, options);
  }

  /**
   * Makes a teacher inactive.
   * @example
   * await client.teachers.deactivate(1);
   */
  deactivate(id: number, options?: RequestOptions): Call<void> {
    return call(this, operations.deactivate, { params: { id } }, options);
  }
}
