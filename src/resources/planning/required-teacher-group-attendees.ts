import type * as z from "zod/mini";
import { ADMIN_ONLY, type NotesOf, type OperationTable, operationTable, type TableNotes } from "../../core/operation.js";
import { model } from "../../core/schema/model.js";
import { identifier } from "../../models/ids.js";
import { type Call, call, type RequestOptions, Resource } from "../methods.js";

export const requiredTeacherGroupAttendeeCreateSchema = /* @__PURE__ */ model(() => ({
  /** The teacher to plan. */
  teacher_id: identifier(),
  /** The group of teachers that the planning event needs. */
  required_teacher_group_id: identifier(),
}));

/** A teacher to plan as part of a group that a planning event needs. */
export interface RequiredTeacherGroupAttendeeCreate extends z.input<typeof requiredTeacherGroupAttendeeCreateSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "requiredTeacherGroupAttendees",
  { apis: ADMIN_ONLY, beta: true, feature: "Meeting requirements", scopes: "courses" },
  {
    create: { method: "POST", path: "planning/required_teacher_group_attendees", body: requiredTeacherGroupAttendeeCreateSchema, status: 201 },
  },
);
export const requiredTeacherGroupAttendeeOperations: OperationTable = operations;
export const requiredTeacherGroupAttendeeNotes: TableNotes = {
  create: { publicOnly: true, note: "the service responds with 201 and no body" },
} satisfies NotesOf<typeof operations>;

/** Teachers planned as part of a group that a planning event needs (Admin API). */
export class RequiredTeacherGroupAttendees extends Resource {
  /** @internal */
  static readonly operations = requiredTeacherGroupAttendeeOperations;

  /**
   * Plans a teacher for a planning event as a member of a group that it needs, in the group's role. The service
   * responds without a body. Needs the `Meeting requirements` feature flag.
   * @beta
   * @example
   * await admin.requiredTeacherGroupAttendees.create({ teacher_id: 1, required_teacher_group_id: 1 });
   */
  create(body: RequiredTeacherGroupAttendeeCreate, options?: RequestOptions): Call<void> {
    return call(this, operations.create, { body }, options);
  }
}
