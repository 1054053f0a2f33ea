import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { model } from "../../core/schema/model.js";
import { identifier } from "../../models/ids.js";
import type { OnlyInput } from "../../models/only-input.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions } from "../methods.js";

export const programElementSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** The program edition that the course belongs to. */
  edition_id: z.int(),
  /** Position among the elements of the edition. */
  position: z.int(), // plain
  /** The course to take. */
  course_id: z.int(),
  /** The planned course in which the course is taken; null if not decided yet. */
  planned_course_id: z.nullable(z.int()),
}));

/** A course directly in a program edition, not within a block. Only public documents show its fields. */
export interface ProgramElement extends z.infer<typeof programElementSchema> {}

export const programElementQuerySchema = /* @__PURE__ */ model(() => ({
  /** Only courses in this program edition. */
  edition_id: z.optional(identifier()),
}));

/** Filters of the program elements list. */
export interface ProgramElementQuery extends z.input<typeof programElementQuerySchema>, PagedQuery {}

export const programElementCreateSchema = /* @__PURE__ */ model(() => ({
  /** The course to take; an update cannot change it. */
  course_id: identifier(),
  /** The program edition that the course belongs to. */
  edition_id: identifier(),
  /** The planned course in which the course is taken; null if not decided yet. */
  planned_course_id: z.optional(z.nullable(identifier())),
}));

/** Fields of a new program element. */
export interface ProgramElementCreate extends z.input<typeof programElementCreateSchema> {}

export const programElementUpdateSchema = /* @__PURE__ */ model(() => ({
  /** The program edition that the course belongs to. */
  edition_id: z.optional(identifier()),
  /** The planned course in which the course is taken; null if not decided yet. */
  planned_course_id: z.optional(z.nullable(identifier())),
}));

/** Changes to a program element. */
export interface ProgramElementUpdate extends z.input<typeof programElementUpdateSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "programElements",
  { apis: BOTH, feature: "Programs", scopes: "courses" },
  {
    list: { method: "GET", path: "program/elements", query: programElementQuerySchema, response: programElementSchema, paged: "cursor+page" },
    create: { method: "POST", path: "program/elements", body: programElementCreateSchema, response: programElementSchema, status: 201 },
    get: { method: "GET", path: "program/elements/{id}", response: programElementSchema },
    update: { method: "PUT", path: "program/elements/{id}", body: programElementUpdateSchema, response: programElementSchema },
    delete: { method: "DELETE", path: "program/elements/{id}", status: 204 },
  },
);
export const programElementOperations: OperationTable = operations;
export const programElementNotes: TableNotes = {
  "*": { publicOnly: true, note: "only courses directly in an edition, never those within blocks" },
  update: { note: "only courses directly in an edition, never those within blocks; course_id cannot be changed" },
} satisfies NotesOf<typeof operations>;

/**
 * Program elements: the courses directly in program editions (Main and Admin API). Only `programEditions.listElements`
 * also lists the courses within blocks.
 */
export class ProgramElements extends ListedResource<ProgramElement, ProgramElementQuery> {
  /** @internal */
  static readonly operations = programElementOperations;

  /**
   * Lists the courses directly in program editions. Needs the `Programs` feature flag.
   * @example
   * for await (const element of client.programElements.list({ edition_id: 1 })) console.log(element.course_id);
   */
  list(query: ProgramElementQuery = {}, options?: ListOptions): Pages<ProgramElement> {
    return pages(this, operations.list, { query }, options);
  }

  /**
   * Adds a course to a program edition. Needs the `Programs` feature flag.
   * @example
   * const element = await client.programElements.create({ edition_id: 1, course_id: 1 });
   */
  create(body: ProgramElementCreate, options?: RequestOptions): Call<ProgramElement> {
    return call(this, operations.create, { body }, options);
  }

  /**
   * Reads one program element. Needs the `Programs` feature flag.
   * @example
   * const element = await client.programElements.get(1);
   */
  get(id: number, options?: RequestOptions): Call<ProgramElement> {
    return call(this, operations.get, { params: { id } }, options);
  }

  /**
   * Changes a program element, but not its course; fields left out keep their value. Needs the `Programs` feature flag.
   * @example
   * await client.programElements.update(1, { planned_course_id: null });
   */
  update<Name extends PropertyKey>(id: number, body: OnlyInput<ProgramElementUpdate, ProgramElement, Name>, options?: RequestOptions): Call<ProgramElement> {
    return call(this, operations.update, { params: { id }, body }, options);
  }

  /**
   * Removes a course from a program edition. Needs the `Programs` feature flag.
   * @example
   * const element = await client.programElements.create({ edition_id: 1, course_id: 1 });
   * await client.programElements.delete(element.id);
   */
  delete(id: number, options?: RequestOptions): Call<void> {
    return call(this, operations.delete, { params: { id } }, options);
  }
}
