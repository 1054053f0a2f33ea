import * as z from "zod/mini";
import { type OperationTable, ORGANIZATION, operationTable, type PageQuery } from "../../core/operation.js";
import { enumeration, model, ref } from "../../core/schema/model.js";
import { dateTime, dateTimeInput } from "../../models/dates.js";
import { filterInput } from "../../models/lists.js";
import { ListedResource, type ListOptions, type Pages, pages } from "../methods.js";

/** Statuses of a meeting's attendance registration (service description, Organization API). */
export const MeetingAttendanceStatus = /* @__PURE__ */ enumeration(["complete", "excluded", "incomplete"]);
export type MeetingAttendanceStatus = (typeof MeetingAttendanceStatus.values)[number];

export const organizationAddressSchema = /* @__PURE__ */ model(() => ({
  /** Street and number. */
  address: z.nullable(z.string()), // contact
  /** Second address line. */
  address_line2: z.nullable(z.string()), // contact
  /** Postal code. */
  postal_code: z.nullable(z.string()), // contact
  /** City. */
  city: z.nullable(z.string()), // contact
  /** Two-letter country code, for example `NL`. */
  country: z.nullable(z.string()), // contact
  /** State or province code. */
  state_province: z.nullable(z.string()), // contact
}));

/** Address of a meeting location, as the Organization API returns it. */
export interface OrganizationAddress extends z.infer<typeof organizationAddressSchema> {}

export const organizationMeetingSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Name of the meeting. */
  name: z.nullable(z.string()), // plain
  /** When the meeting starts. */
  start_date_time: dateTime(),
  /** When the meeting ends. */
  end_date_time: dateTime(),
  /** Description of the meeting. */
  description: z.nullable(z.string()), // note
  /** Name of the location of the meeting. */
  meeting_location_name: z.nullable(z.string()), // plain
  /** Address of the location of the meeting. */
  meeting_location_address: z.nullable(ref<OrganizationAddress>(organizationAddressSchema)),
  /** The course edition that the meeting belongs to. */
  course_edition_id: z.int(),
  /** Whether attendance is registered for everyone. */
  attendance_status: MeetingAttendanceStatus.open,
}));

/** A meeting of a course edition. */
export interface OrganizationMeeting extends z.infer<typeof organizationMeetingSchema> {}

export const organizationMeetingQuerySchema = /* @__PURE__ */ model(() => ({
  /** Only meetings ending after this date and time, yyyy-MM-ddTHH:mm:ss.SSSZ or a `Date`. */
  start: z.optional(dateTimeInput()),
  /** Only meetings starting before this date and time, yyyy-MM-ddTHH:mm:ss.SSSZ or a `Date`. */
  end: z.optional(dateTimeInput()),
  /** Only meetings whose attendance has one of these statuses. */
  attendance_status: z.optional(filterInput(MeetingAttendanceStatus.schema)),
}));

/** Filters of the organization's meetings list. */
export interface OrganizationMeetingQuery extends z.input<typeof organizationMeetingQuerySchema>, PageQuery {}

const operations = /* @__PURE__ */ operationTable(
  "organization.meetings",
  { apis: ORGANIZATION },
  {
    list: { method: "GET", path: "meetings", query: organizationMeetingQuerySchema, response: organizationMeetingSchema, paged: "cursor", pathConfirmed: false },
  },
);
export const organizationMeetingOperations: OperationTable = operations;

/** Meetings of course editions (Organization API). */
export class OrganizationMeetings extends ListedResource<OrganizationMeeting, OrganizationMeetingQuery> {
  /** @internal */
  static readonly operations = organizationMeetingOperations;

  /**
   * Lists meetings; `start` and `end` select those that overlap a period. The service description shows no path for
   * this operation: if the assumed one returns 404, set the client option `routes`.
   * @example
   * const meetings = client.organization.meetings.list({ attendance_status: ["incomplete"] });
   * for await (const meeting of meetings) console.log(meeting.name, meeting.start_date_time);
   */
  list(query: OrganizationMeetingQuery = {}, options?: ListOptions): Pages<OrganizationMeeting> {
    return pages(this, operations.list, { query }, options);
  }
}
