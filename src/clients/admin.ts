import { type Inside, transportIn } from "../core/inside-client.js";
import type { AnySchool, NoSchool } from "../core/school.js";
import { adminTables } from "../generated/tables.js";
import { AdminCatalogVariants } from "../resources/catalog/catalog-variants.js";
import { EditionDescriptionSections } from "../resources/catalog/edition-description-sections.js";
import { AdminAffiliations } from "../resources/people/affiliations.js";
import { AdminComments } from "../resources/people/comments.js";
import { Emails } from "../resources/people/emails.js";
import { AdminLeads } from "../resources/people/leads.js";
import { OrganizationAccounts } from "../resources/people/organization-accounts.js";
import { OrganizationAffiliations } from "../resources/people/organization-affiliations.js";
import { OrganizationInvoices } from "../resources/people/organization-invoices.js";
import { OrganizationOrders } from "../resources/people/organization-orders.js";
import { Organizations } from "../resources/people/organizations.js";
import { AdminTasks } from "../resources/people/tasks.js";
import { AdminAttendances } from "../resources/planning/attendances.js";
import { Certificates } from "../resources/planning/certificates.js";
import { AdminEnrollments } from "../resources/planning/enrollments.js";
import { PlanningAttendees } from "../resources/planning/planning-attendees.js";
import { AdminPlanningEvents } from "../resources/planning/planning-events.js";
import { RequiredTeacherGroupAttendees } from "../resources/planning/required-teacher-group-attendees.js";
import { PersonalProgramElements } from "../resources/programs/personal-program-elements.js";
import { AdminProgramEditions } from "../resources/programs/program-editions.js";
import { AdminPrograms } from "../resources/programs/programs.js";
import { Departments } from "../resources/settings/departments.js";
import type { InSchool, ListsInSchool, OptionsInSchool } from "./in-school.js";
import { ProviderClient } from "./provider.js";

/**
 * Client of the Admin API: everything in the Main API except invoices and VAT rates, plus certificates, departments,
 * e-mails, organizations and more.
 * @example
 * const admin = new AdminClient({ baseUrl: "https://school.example", apiKey: "key" });
 */
export class AdminClient<out S extends AnySchool = NoSchool> extends ProviderClient<S> {
  /** Links between users and accounts. */
  readonly affiliations = new AdminAffiliations(transportIn(this)) as ListsInSchool<AdminAffiliations, S>;
  /** Attendance at meetings. */
  readonly attendances = new AdminAttendances(transportIn(this));
  /** Planned courses and program editions that the catalog offers. */
  readonly catalogVariants = new AdminCatalogVariants(transportIn(this)) as InSchool<
    AdminCatalogVariants,
    S,
    "catalog_variants"
  >;
  /** Certificates that were awarded; in beta. */
  readonly certificates = new Certificates(transportIn(this));
  /** Comments on accounts, invoices, leads, orders and other records. */
  readonly comments = new AdminComments(transportIn(this)) as ListsInSchool<AdminComments, S>;
  /** Departments; in beta. */
  readonly departments = new Departments(transportIn(this));
  /** Sections of edition descriptions; in beta. */
  readonly editionDescriptionSections = new EditionDescriptionSections(transportIn(this));
  /** E-mails to users; in beta. */
  readonly emails = new Emails(transportIn(this));
  /** Enrollments of students in planned courses. */
  readonly enrollments = new AdminEnrollments(transportIn(this)) as ListsInSchool<AdminEnrollments, S>;
  /** Potential customers: people and companies. */
  readonly leads = new AdminLeads(transportIn(this)) as ListsInSchool<AdminLeads, S>;
  /** Links between accounts and organizations; in beta. */
  readonly organizationAccounts = new OrganizationAccounts(transportIn(this)) as ListsInSchool<OrganizationAccounts, S>;
  /** Links between users and organizations; in beta. */
  readonly organizationAffiliations = new OrganizationAffiliations(transportIn(this)) as ListsInSchool<
    OrganizationAffiliations,
    S
  >;
  /** Links between invoices and organizations; in beta. */
  readonly organizationInvoices = new OrganizationInvoices(transportIn(this));
  /** Links between orders and organizations; in beta. */
  readonly organizationOrders = new OrganizationOrders(transportIn(this)) as ListsInSchool<OrganizationOrders, S>;
  /** Accounts that belong together; in beta. */
  readonly organizations = new Organizations(transportIn(this)) as ListsInSchool<Organizations, S>;
  /** Courses in students' own versions of programs; deprecated. */
  readonly personalProgramElements = new PersonalProgramElements(transportIn(this)) as ListsInSchool<
    PersonalProgramElements,
    S
  >;
  /** Teachers planned for meetings and planning events; in beta. */
  readonly planningAttendees = new PlanningAttendees(transportIn(this));
  /** Parts of meetings that are planned separately. */
  readonly planningEvents = new AdminPlanningEvents(transportIn(this));
  /** Runs of programs over a period. */
  readonly programEditions = new AdminProgramEditions(transportIn(this)) as InSchool<
    AdminProgramEditions,
    S,
    "catalog_variants"
  >;
  /** Programs: series of courses. */
  readonly programs = new AdminPrograms(transportIn(this)) as InSchool<AdminPrograms, S, "catalog_products">;
  /** Teachers planned for a planning event as members of a teacher group that it requires; in beta. */
  readonly requiredTeacherGroupAttendees = new RequiredTeacherGroupAttendees(transportIn(this));
  /** Tasks for users. */
  readonly tasks = new AdminTasks(transportIn(this)) as ListsInSchool<AdminTasks, S>;

  /**
   * Creates a client of the Admin API; sends nothing.
   * @param options any option that should differ from its default. `baseUrl` and `apiKey` are required, but in Node
   * default to the environment variables EDUCATION_ADMIN_BASE_URL and EDUCATION_ADMIN_API_KEY.
   * @throws ConfigurationError naming the wrong option, never the key.
   * @example
   * const client = new AdminClient({ baseUrl: "https://school.example", apiKey: "key" });
   */
  constructor(options: OptionsInSchool<S> = {} as OptionsInSchool<S>) {
    super(options, "admin", adminTables, again);
  }
}

// Outside the class, because bundlers change the `name` of a class that refers to itself.
const again: Inside["again"] = (options) => new AdminClient(options);
