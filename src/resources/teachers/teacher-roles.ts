import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { model } from "../../core/schema/model.js";
import { timestamps } from "../../models/dates.js";
import type { OnlyInput } from "../../models/only-input.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions } from "../methods.js";

export const teacherRoleSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Name of the role, for example `Assistant`. */
  name: z.string(), // plain
  ...timestamps(),
}));

/** A role that a teacher can have in a planned course. Only public documents show its fields. */
export interface TeacherRole extends z.infer<typeof teacherRoleSchema> {}

const teacherRoleFields = () => ({
  /** Name of the role, for example `Assistant`. */
  name: z.string(),
});

export const teacherRoleCreateSchema = /* @__PURE__ */ model(teacherRoleFields);

/** Fields of a new teacher role. */
export interface TeacherRoleCreate extends z.input<typeof teacherRoleCreateSchema> {}

export const teacherRoleUpdateSchema = /* @__PURE__ */ model(teacherRoleFields);

/** Changes to a teacher role; the service requires `name` in every update. */
export interface TeacherRoleUpdate extends z.input<typeof teacherRoleUpdateSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "teacherRoles",
  { apis: BOTH, scopes: "courses" },
  {
    list: { method: "GET", path: "teacher_roles", response: teacherRoleSchema, paged: "cursor+page" },
    create: { method: "POST", path: "teacher_roles", body: teacherRoleCreateSchema, response: teacherRoleSchema, status: 201 },
    get: { method: "GET", path: "teacher_roles/{id}", response: teacherRoleSchema },
    update: { method: "PUT", path: "teacher_roles/{id}", body: teacherRoleUpdateSchema, response: teacherRoleSchema },
    delete: { method: "DELETE", path: "teacher_roles/{id}", status: 204 },
  },
);
export const teacherRoleOperations: OperationTable = operations;
export const teacherRoleNotes: TableNotes = {
  "*": { publicOnly: true },
  update: { note: "every update requires name" },
} satisfies NotesOf<typeof operations>;

/** Roles that teachers can have in planned courses (Main and Admin API). */
export class TeacherRoles extends ListedResource<TeacherRole, PagedQuery> {
  /** @internal */
  static readonly operations = teacherRoleOperations;

  /**
   * Lists teacher roles.
   * @example
   * for await (const role of client.teacherRoles.list()) console.log(role.id, role.name);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<TeacherRole> {
    return pages(this, operations.list, { query }, options);
  }

  /**
   * Creates a teacher role.
   * @example
   * const role = await client.teacherRoles.create({ name: "Assistant" });
   */
  create(body: TeacherRoleCreate, options?: RequestOptions): Call<TeacherRole> {
    return call(this, operations.create, { body }, options);
  }

  /**
   * Reads one teacher role.
   * @example
   * const role = await client.teacherRoles.get(1);
   */
  get(id: number, options?: RequestOptions): Call<TeacherRole> {
    return call(this, operations.get, { params: { id } }, options);
  }

  /**
   * Renames a teacher role; `name` is always required.
   * @example
   * await client.teacherRoles.update(1, { name: "Lead teacher" });
   */
  update<Name extends PropertyKey>(id: number, body: OnlyInput<TeacherRoleUpdate, TeacherRole, Name>, options?: RequestOptions): Call<TeacherRole> {
    return call(this, operations.update, { params: { id }, body }, options);
  }

  /**
   * Deletes a teacher role.
   * @example
   * const role = await client.teacherRoles.create({ name: "Assistant" });
   * await client.teacherRoles.delete(role.id);
   */
  delete(id: number, options?: RequestOptions): Call<void> {
    return call(this, operations.delete, { params: { id } }, options);
  }
}
