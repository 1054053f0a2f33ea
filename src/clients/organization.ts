import type { ClientOptions } from "../core/options.js";
import type { Transport } from "../core/transport.js";
import { AttendanceRecords } from "../resources/organization/attendance-records.js";
import { Contacts } from "../resources/organization/contacts.js";
import { CourseEditions } from "../resources/organization/course-editions.js";
import { CourseEnrollments } from "../resources/organization/course-enrollments.js";
import { OrganizationMeetings } from "../resources/organization/meetings.js";
import { ProgramEditions } from "../resources/organization/program-editions.js";
import { ProgramEnrollments } from "../resources/organization/program-enrollments.js";
import { organizationTables } from "../resources/organization/tables.js";
import { Client } from "./client.js";

/**
 * Client of the Organization API: read-only lists for an organization's use.
 * @example
 * const organization = new OrganizationClient({ baseUrl: "https://school.example", apiKey: "key" });
 */
export class OrganizationClient extends Client {
  /** Who attended which meeting. */
  readonly attendanceRecords: AttendanceRecords;
  /** The persons of the organization. */
  readonly contacts: Contacts;
  /** Course templates held in certain periods. */
  readonly courseEditions: CourseEditions;
  /** Contacts in course editions. */
  readonly courseEnrollments: CourseEnrollments;
  /** Meetings of course editions. */
  readonly meetings: OrganizationMeetings;
  /** Contacts in program editions. */
  readonly programEnrollments: ProgramEnrollments;
  /** Programs held in certain periods. */
  readonly programEditions: ProgramEditions;

  /**
   * @param options the client's options, or the transport of another client to share it.
   * @throws ConfigurationError naming the option that is wrong; never echoes the key.
   */
  constructor(options: ClientOptions | Transport = {}) {
    super(
      options,
      organizationTables.flatMap((table) => Object.values(table)),
    );
    const { transport } = this;
    this.attendanceRecords = new AttendanceRecords(transport);
    this.contacts = new Contacts(transport);
    this.courseEditions = new CourseEditions(transport);
    this.courseEnrollments = new CourseEnrollments(transport);
    this.meetings = new OrganizationMeetings(transport);
    this.programEnrollments = new ProgramEnrollments(transport);
    this.programEditions = new ProgramEditions(transport);
  }
}
