import * as z from "zod/mini";
import { ADMIN_ONLY, BOTH, type OperationTable, operationTable, type PagedQuery } from "../../core/operation.js";
import { enumeration, model } from "../../core/schema/model.js";
import { timestamps } from "../../models/dates.js";
import { identifier } from "../../models/ids.js";
import { type Call, call, type ListOptions, type Pages, pages, type RequestOptions, Resource } from "../methods.js";

/** States of an attendance (service description, Enumerations); `blanco` means not filled in. */
export const AttendanceState = /* @__PURE__ */ enumeration(["absent", "absent_with_leave", "attended", "blanco", "late"]);
export type AttendanceState = (typeof AttendanceState.values)[number];

export const attendanceSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** The meeting. */
  meeting_id: z.int(),
  /** The enrollment of the student. */
  enrollment_id: z.int(),
  /** Attendance of the student, such as `attended` or `late`. */
  state: AttendanceState.open,
  /** Comment on the attendance. */
  comment: z.nullable(z.string()), // note
  ...timestamps(),
}));

/** An attendance: whether the student of an enrollment was at a meeting. */
export interface Attendance extends z.infer<typeof attendanceSchema> {}

export const attendanceSummarySchema = /* @__PURE__ */ model(() => ({
  /** The meeting. */
  meeting_id: z.int(),
  /** The enrollment of the student. */
  enrollment_id: z.int(),
  /** Attendance of the student, such as `attended` or `late`. */
  state: AttendanceState.open,
  /** Comment on the attendance. */
  comment: z.nullable(z.string()), // note
}));

/** A single attendance as the Admin API returns it: without its identifier and timestamps. */
export interface AttendanceSummary extends z.infer<typeof attendanceSummarySchema> {}

export const attendanceQuerySchema = /* @__PURE__ */ model(() => ({
  /** Only attendances of this meeting. */
  meeting_id: z.optional(identifier()),
}));

/** Filters of the attendances list. */
export interface AttendanceQuery extends z.input<typeof attendanceQuerySchema>, PagedQuery {}

export const attendanceSetSchema = /* @__PURE__ */ model(() => ({
  /** The meeting. */
  meeting_id: identifier(),
  /** The enrollment of the student. */
  enrollment_id: identifier(),
  /** Attendance of the student, such as `attended` or `late`. */
  state: z.optional(AttendanceState.schema),
  /** Comment on the attendance. */
  comment: z.optional(z.nullable(z.string())),
}));

/** The attendance to set: one per meeting and enrollment. */
export interface AttendanceSet extends z.input<typeof attendanceSetSchema> {}

export const attendancePathSchema = /* @__PURE__ */ model(() => ({
  /** The meeting. */
  meeting_id: identifier(),
  /** The enrollment of the student. */
  enrollment_id: identifier(),
}));

/** Identifies one attendance by its meeting and its enrollment. */
export interface AttendancePath extends z.input<typeof attendancePathSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "attendances",
  { apis: BOTH, scopes: { main: "courses", admin: "enrollments" } },
  {
    list: { method: "GET", path: "attendances", query: attendanceQuerySchema, response: attendanceSchema, paged: "cursor+page" },
    set: { method: "POST", path: "attendances/upsert", body: attendanceSetSchema, response: attendanceSchema, idempotent: true },
    get: {
      method: "GET",
      path: "attendances/{meeting_id}/{enrollment_id}",
      params: attendancePathSchema,
      response: attendanceSummarySchema,
      apis: ADMIN_ONLY,
      beta: true,
      pathConfirmed: false,
      scopes: null,
    },
  },
);
export const attendanceOperations: OperationTable = operations;

/** Attendances: who was at which meeting (Main and Admin API). */
export class Attendances extends Resource {
  /** @internal */
  static readonly operations = attendanceOperations;

  /**
   * Lists attendances.
   * @example
   * for await (const attendance of client.attendances.list({ meeting_id: 1 })) console.log(attendance.state);
   */
  list(query: AttendanceQuery = {}, options?: ListOptions): Pages<Attendance> {
    return pages(this, operations.list, { query }, options);
  }

  /**
   * Creates or changes the attendance of one enrollment at one meeting; repeating the call is harmless.
   * @example
   * await client.attendances.set({ meeting_id: 1, enrollment_id: 1, state: "attended" });
   */
  set(body: AttendanceSet, options?: RequestOptions): Call<Attendance> {
    return call(this, operations.set, { body }, options);
  }
}

/** Attendances of the Admin API, which can also read a single attendance. */
export class AdminAttendances extends Attendances {
  /**
   * Reads one attendance, without its identifier and timestamps. The service description shows no path for this
   * operation: if the assumed one returns 404, set the client option `routes`.
   * @beta
   * @example
   * const attendance = await admin.attendances.get({ meeting_id: 1, enrollment_id: 1 });
   */
  get(path: AttendancePath, options?: RequestOptions): Call<AttendanceSummary> {
    return call(this, operations.get, { params: path }, options);
  }
}
