import type { Api } from "../core/operation.js";
import type { ClientOptions } from "../core/options.js";
import { allOperations } from "../operations.js";
import { CatalogProducts } from "../resources/catalog/catalog-products.js";
import { Categories } from "../resources/catalog/categories.js";
import { CourseLocations } from "../resources/catalog/course-locations.js";
import { CourseTabs } from "../resources/catalog/course-tabs.js";
import { CourseVariants } from "../resources/catalog/course-variants.js";
import { Courses } from "../resources/catalog/courses.js";
import { CustomAssociations } from "../resources/custom/custom-associations.js";
import { CustomFieldOptions } from "../resources/custom/custom-field-options.js";
import { CustomObjects } from "../resources/custom/custom-objects.js";
import { CustomRecords } from "../resources/custom/custom-records.js";
import { CreditCategories } from "../resources/finance/credit-categories.js";
import { Credits } from "../resources/finance/credits.js";
import { DiscountCodes } from "../resources/finance/discount-codes.js";
import { Orders } from "../resources/finance/orders.js";
import { Accounts } from "../resources/people/accounts.js";
import { Authentications } from "../resources/people/authentications.js";
import { Labels } from "../resources/people/labels.js";
import { Leads } from "../resources/people/leads.js";
import { Grades } from "../resources/planning/grades.js";
import { MaterialGroups } from "../resources/planning/material-groups.js";
import { Materials } from "../resources/planning/materials.js";
import { MeetingLocations } from "../resources/planning/meeting-locations.js";
import { Meetings } from "../resources/planning/meetings.js";
import { Educators } from "../resources/settings/educators.js";
import { Client } from "./client.js";
import { OrganizationClient } from "./organization.js";

/** The resources that the Main and the Admin API offer alike. */
export abstract class ProviderClient extends Client {
  /** Businesses and persons the provider deals with. */
  readonly accounts: Accounts;
  /** How users log in. */
  readonly authentications: Authentications;
  /** What the catalog offers: courses and programs. */
  readonly catalogProducts: CatalogProducts;
  /** Categories of the catalog. */
  readonly categories: Categories;
  /** Places where courses are held. */
  readonly courseLocations: CourseLocations;
  /** Tabs of a course page. */
  readonly courseTabs: CourseTabs;
  /** Variants of courses. */
  readonly courseVariants: CourseVariants;
  /** Courses of the catalog. */
  readonly courses: Courses;
  /** Categories of credits, with their types. */
  readonly creditCategories: CreditCategories;
  /** Credits students have earned. */
  readonly credits: Credits;
  /** Which custom objects other records can point at; in beta. */
  readonly customAssociations: CustomAssociations;
  /** Options of custom fields; in beta. */
  readonly customFieldOptions: CustomFieldOptions;
  /** Kinds of records the provider has added; in beta. */
  readonly customObjects: CustomObjects;
  /** Records of custom objects; in beta. */
  readonly customRecords: CustomRecords;
  /** Discount codes. */
  readonly discountCodes: DiscountCodes;
  /** The provider itself. */
  readonly educators: Educators;
  /** Grades of students. */
  readonly grades: Grades;
  /** Labels of records. */
  readonly labels: Labels;
  /** People and companies who may become customers. */
  readonly leads: Leads;
  /** Groups of materials. */
  readonly materialGroups: MaterialGroups;
  /** What can be reserved or used up for a meeting. */
  readonly materials: Materials;
  /** Rooms and other places of a course location. */
  readonly meetingLocations: MeetingLocations;
  /** Meetings of planned courses. */
  readonly meetings: Meetings;
  /** Orders. */
  readonly orders: Orders;
  /** The Organization API, on the same token and request budget. */
  readonly organization: OrganizationClient;

  constructor(options: ClientOptions, api: Api) {
    super(
      options,
      allOperations.filter(({ apis }) => apis.includes(api) || apis.includes("organization")),
    );
    const { transport } = this;
    this.accounts = new Accounts(transport);
    this.authentications = new Authentications(transport);
    this.catalogProducts = new CatalogProducts(transport);
    this.categories = new Categories(transport);
    this.courseLocations = new CourseLocations(transport);
    this.courseTabs = new CourseTabs(transport);
    this.courseVariants = new CourseVariants(transport);
    this.courses = new Courses(transport);
    this.creditCategories = new CreditCategories(transport);
    this.credits = new Credits(transport);
    this.customAssociations = new CustomAssociations(transport);
    this.customFieldOptions = new CustomFieldOptions(transport);
    this.customObjects = new CustomObjects(transport);
    this.customRecords = new CustomRecords(transport);
    this.discountCodes = new DiscountCodes(transport);
    this.educators = new Educators(transport);
    this.grades = new Grades(transport);
    this.labels = new Labels(transport);
    this.leads = new Leads(transport);
    this.materialGroups = new MaterialGroups(transport);
    this.materials = new Materials(transport);
    this.meetingLocations = new MeetingLocations(transport);
    this.meetings = new Meetings(transport);
    this.orders = new Orders(transport);
    this.organization = new OrganizationClient(transport);
  }
}
