import * as z from "zod/mini";
import { type OperationTable, ORGANIZATION, operationTable, type PageQuery } from "../../core/operation.js";
import { enumeration, model } from "../../core/schema/model.js";
import { dateTime } from "../../models/dates.js";
import { identifier } from "../../models/ids.js";
import { ListedResource, type ListOptions, type Pages, pages } from "../methods.js";

/** States of an attendance record; the service description shows only some of them. */
export const OrganizationAttendanceState = /* @__PURE__ */ enumeration(["attended"], { complete: false });
export type OrganizationAttendanceState = (typeof OrganizationAttendanceState.values)[number];

export const attendanceRecordSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** The meeting. */
  meeting_id: z.int(),
  /** Start of the meeting. */
  start_date_time: dateTime(),
  /** End of the meeting. */
  end_date_time: dateTime(),
  /** The course enrollment of the user. */
  enrollment_id: z.int(),
  /** The user that the record is about. */
  user_id: z.int(),
  /** Attendance of the user, such as `attended`. */
  attendance_state: OrganizationAttendanceState.open,
  /** Comment on the attendance. */
  comment: z.nullable(z.string()), // note
  /** The course edition the meeting belongs to. */
  course_edition_id: z.int(),
}));

/** An attendance record: whether a user attended a meeting. */
export interface AttendanceRecord extends z.infer<typeof attendanceRecordSchema> {}

export const attendanceRecordQuerySchema = /* @__PURE__ */ model(() => ({
  /** Only records of this course edition. */
  course_edition_id: z.optional(identifier()),
  /** Only records of this course enrollment. */
  course_enrollment_id: z.optional(identifier()),
  /** Only records of this meeting. */
  meeting_id: z.optional(identifier()),
}));

/** Filters of the attendance records list. */
export interface AttendanceRecordQuery extends z.input<typeof attendanceRecordQuerySchema>, PageQuery {}

const operations = /* @__PURE__ */ operationTable(
  "organization.attendanceRecords",
  { apis: ORGANIZATION },
  {
    list: { method: "GET", path: "attendance_records", query: attendanceRecordQuerySchema, response: attendanceRecordSchema, paged: "cursor", pathConfirmed: false },
  },
);
export const attendanceRecordOperations: OperationTable = operations;

/** Attendance records: who attended which meeting (Organization API). */
export class AttendanceRecords extends ListedResource<AttendanceRecord, AttendanceRecordQuery> {
  /** @internal */
  static readonly operations = attendanceRecordOperations;

  /**
   * Lists attendance records. The service description shows no path for this operation: if the assumed one returns 404,
   * set the client option `routes`.
   * @example
   * const records = client.organization.attendanceRecords.list({ course_edition_id: 7 });
   * for await (const record of records) console.log(record.user_id, record.attendance_state);
   */
  list(query: AttendanceRecordQuery = {}, options?: ListOptions): Pages<AttendanceRecord> {
    return pages(this, operations.list, { query }, options);
  }
}
