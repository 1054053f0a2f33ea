import { type Inside, transportIn } from "../core/inside-client.js";
import type { AnySchool, NoSchool } from "../core/school.js";
import { mainTables } from "../generated/tables.js";
import { CatalogVariants } from "../resources/catalog/catalog-variants.js";
import { InvoiceVats } from "../resources/finance/invoice-vats.js";
import { Invoices } from "../resources/finance/invoices.js";
import { Affiliations } from "../resources/people/affiliations.js";
import { Comments } from "../resources/people/comments.js";
import { Leads } from "../resources/people/leads.js";
import { Tasks } from "../resources/people/tasks.js";
import { Attendances } from "../resources/planning/attendances.js";
import { Enrollments } from "../resources/planning/enrollments.js";
import { PlanningEvents } from "../resources/planning/planning-events.js";
import { ProgramEditions } from "../resources/programs/program-editions.js";
import { Programs } from "../resources/programs/programs.js";
import type { InSchool, ListsInSchool, OptionsInSchool } from "./in-school.js";
import { ProviderClient } from "./provider.js";

/**
 * Client of the Main API: accounts, catalog, courses, enrollments, invoices, leads, meetings and more.
 * @example
 * const client = new MainClient({ baseUrl: "https://school.example", apiKey: "key" });
 */
export class MainClient<out S extends AnySchool = NoSchool> extends ProviderClient<S> {
  /** Links between users and accounts. */
  readonly affiliations = new Affiliations(transportIn(this)) as ListsInSchool<Affiliations, S>;
  /** Attendance at meetings. */
  readonly attendances = new Attendances(transportIn(this));
  /** Planned courses and program editions that the catalog offers. */
  readonly catalogVariants = new CatalogVariants(transportIn(this)) as InSchool<CatalogVariants, S, "catalog_variants">;
  /** Comments on accounts, invoices, leads, orders and other records. */
  readonly comments = new Comments(transportIn(this));
  /** Enrollments of students in planned courses. */
  readonly enrollments = new Enrollments(transportIn(this)) as ListsInSchool<Enrollments, S>;
  /** VAT rates. */
  readonly invoiceVats = new InvoiceVats(transportIn(this));
  /** Invoices, from concept to paid. */
  readonly invoices = new Invoices(transportIn(this)) as ListsInSchool<Invoices, S>;
  /** Potential customers: people and companies. */
  readonly leads = new Leads(transportIn(this)) as ListsInSchool<Leads, S>;
  /** Parts of meetings that are planned separately. */
  readonly planningEvents = new PlanningEvents(transportIn(this));
  /** Runs of programs over a period. */
  readonly programEditions = new ProgramEditions(transportIn(this)) as InSchool<ProgramEditions, S, "catalog_variants">;
  /** Programs: series of courses. */
  readonly programs = new Programs(transportIn(this)) as InSchool<Programs, S, "catalog_products">;
  /** Tasks for users. */
  readonly tasks = new Tasks(transportIn(this)) as ListsInSchool<Tasks, S>;

  /**
   * Creates a client of the Main API; sends nothing.
   * @param options any option that should differ from its default. `baseUrl` and `apiKey` are required, but in Node
   * default to the environment variables EDUCATION_ADMIN_BASE_URL and EDUCATION_ADMIN_API_KEY.
   * @throws ConfigurationError naming the wrong option, never the key.
   * @example
   * const client = new MainClient({ baseUrl: "https://school.example", apiKey: "key" });
   */
  constructor(options: OptionsInSchool<S> = {} as OptionsInSchool<S>) {
    super(options, "main", mainTables, again);
  }
}

// Outside the class, because bundlers change the `name` of a class that refers to itself.
const again: Inside["again"] = (options) => new MainClient(options);
