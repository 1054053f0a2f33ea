import * as z from "zod/mini";
import { ADMIN_ONLY, type NotesOf, type OperationTable, operationTable, type TableNotes } from "../../core/operation.js";
import { model } from "../../core/schema/model.js";
import { identifier } from "../../models/ids.js";
import { type Call, call, type RequestOptions, Resource } from "../methods.js";
import { type PlanningAttendee, planningAttendeeSchema } from "./meetings.js";
import { PlanningEventType } from "./planning-events.js";

export const planningAttendeeCreateSchema = /* @__PURE__ */ model(() => ({
  /** The teacher to plan. */
  teacher_id: identifier(),
  /** The meeting or planning event. */
  attendable_id: identifier(),
  /** Kind of event that the teacher is planned for. */
  attendable_type: PlanningEventType.schema,
  /** The role in which the teacher attends. */
  teacher_role_id: z.optional(identifier()),
}));

/** A teacher to plan for a meeting or planning event. */
export interface PlanningAttendeeCreate extends z.input<typeof planningAttendeeCreateSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "planningAttendees",
  { apis: ADMIN_ONLY, beta: true, scopes: "courses" },
  {
    create: { method: "POST", path: "planning/attendees", body: planningAttendeeCreateSchema, response: planningAttendeeSchema, status: 201 },
    delete: { method: "DELETE", path: "planning/attendees/{id}", status: 204 },
  },
);
export const planningAttendeeOperations: OperationTable = operations;
export const planningAttendeeNotes: TableNotes = {
  "*": { publicOnly: true },
  create: { note: "plans a teacher for a meeting or planning event; may respond with 409" },
} satisfies NotesOf<typeof operations>;

/** Teachers planned for meetings and planning events (Admin API). */
export class PlanningAttendees extends Resource {
  /** @internal */
  static readonly operations = planningAttendeeOperations;

  /**
   * Plans a teacher for a meeting or planning event. A 409 from the service is thrown as `ConflictError`.
   * @beta
   * @example
   * const attendee = await admin.planningAttendees.create({ teacher_id: 1, attendable_id: 7, attendable_type: "Meeting" });
   */
  create(body: PlanningAttendeeCreate, options?: RequestOptions): Call<PlanningAttendee> {
    return call(this, operations.create, { body }, options);
  }

  /**
   * Removes a teacher from a meeting or planning event.
   * @beta
   * @example
   * await admin.planningAttendees.delete(7);
   */
  delete(id: number, options?: RequestOptions): Call<void> {
    return call(this, operations.delete, { params: { id } }, options);
  }
}
