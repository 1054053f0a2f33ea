import { type Inside, transportIn } from "../core/inside-client.js";
import type { ClientOptions } from "../core/options.js";
import type { Transport } from "../core/transport.js";
import { organizationTables } from "../generated/tables.js";
import { AttendanceRecords } from "../resources/organization/attendance-records.js";
import { Contacts } from "../resources/organization/contacts.js";
import { CourseEditions } from "../resources/organization/course-editions.js";
import { CourseEnrollments } from "../resources/organization/course-enrollments.js";
import { OrganizationMeetings } from "../resources/organization/meetings.js";
import { OrganizationProgramEditions } from "../resources/organization/program-editions.js";
import { OrganizationProgramEnrollments } from "../resources/organization/program-enrollments.js";
import { Client } from "./client.js";

/**
 * Client of the Organization API: lists of an organization's people, enrollments, meetings and editions.
 * @example
 * const organization = new OrganizationClient({ baseUrl: "https://school.example", apiKey: "key" });
 */
export class OrganizationClient extends Client {
  /** Attendance at meetings. */
  readonly attendanceRecords = new AttendanceRecords(transportIn(this));
  /** People of the organization. */
  readonly contacts = new Contacts(transportIn(this));
  /** Course templates held in certain periods. */
  readonly courseEditions = new CourseEditions(transportIn(this));
  /** Enrollments of contacts in course editions. */
  readonly courseEnrollments = new CourseEnrollments(transportIn(this));
  /** Meetings of course editions. */
  readonly meetings = new OrganizationMeetings(transportIn(this));
  /** Enrollments of contacts in program editions. */
  readonly programEnrollments = new OrganizationProgramEnrollments(transportIn(this));
  /** Editions of programs: runs over a period. */
  readonly programEditions = new OrganizationProgramEditions(transportIn(this));

  /**
   * Creates a client of the Organization API; sends nothing. Every other client has one as `organization`.
   * @param options `baseUrl`, `apiKey` and any option that should differ from its default, as for the other clients; or
   * the transport of another client, to share its token and rate limit.
   * @throws ConfigurationError naming the wrong option, never the key.
   */
  constructor(options: ClientOptions | Transport = {}) {
    super(options, "organization", organizationTables, again);
  }
}

// Outside the class, because bundlers change the `name` of a class that refers to itself.
const again: Inside["again"] = (options) => new OrganizationClient(options);
