import * as catalog from "../seed/catalog.js";
import * as environment from "../seed/environment.js";
import * as finance from "../seed/finance.js";
import * as people from "../seed/people.js";
import * as planning from "../seed/planning.js";
import { type ChangeKind, Collection, type Columns, type Identified } from "./collection.js";
import type { OrganizationStore, Store } from "./store.js";
import { organizationViews } from "./views.js";
import { countsOf, type SandboxSize, type World } from "./world.js";

/** Makes the collections of a sandbox. @internal */
export function createStore(options: {
  seed: number;
  size: SandboxSize;
  onChange: (collection: string, kind: ChangeKind, record: Identified) => void;
}): { store: Store; reset: () => void } {
  const counts = countsOf(options.size);
  const collections: { reset(): void }[] = [];
  function seeded<T extends Identified>(name: string, count: number, columns: Columns<T>): Collection<T> {
    const onChange = (kind: ChangeKind, record: T) => options.onChange(name, kind, record);
    const made = new Collection<T>({ name, seed: options.seed, count, columns, onChange });
    collections.push(made);
    return made;
  }
  // Columns ask the store only when a record is made, and by then it is complete.
  const store = {} as Store;
  const world: World = { counts, store };
  const { people: persons } = counts;
  const resources: Omit<Store, "organization"> = {
    accounts: seeded("accounts", persons, people.accountColumns(world)),
    affiliations: seeded("affiliations", people.affiliationCount(persons), people.affiliationColumns(world)),
    attendances: seeded("attendances", planning.attendanceCount(counts), planning.attendanceColumns(world)),
    authentications: seeded(
      "authentications",
      people.authenticationCount(persons),
      people.authenticationColumns(world),
    ),
    catalogProducts: seeded("catalogProducts", counts.courses + counts.programs, catalog.catalogProductColumns(world)),
    catalogVariants: seeded(
      "catalogVariants",
      counts.plannedCourses + counts.programEditions,
      catalog.catalogVariantColumns(world),
    ),
    categories: seeded("categories", counts.categories, catalog.categoryColumns(world)),
    certificates: seeded("certificates", planning.certificateCount(counts), planning.certificateColumns(world)),
    comments: seeded("comments", counts.comments, people.commentColumns(world)),
    courseLocations: seeded("courseLocations", counts.courseLocations, planning.courseLocationColumns(world)),
    courseTabs: seeded("courseTabs", catalog.TAB_COUNT, catalog.courseTabColumns),
    courseVariants: seeded("courseVariants", catalog.COURSE_VARIANT_COUNT, catalog.courseVariantColumns),
    courses: seeded("courses", counts.courses, catalog.courseColumns(world)),
    creditCategories: seeded("creditCategories", planning.CREDIT_CATEGORY_COUNT, planning.creditCategoryColumns),
    credits: seeded("credits", planning.creditCount(counts), planning.creditColumns(world)),
    customAssociations: seeded(
      "customAssociations",
      environment.ASSOCIATION_COUNT,
      environment.customAssociationColumns,
    ),
    customFieldOptions: seeded("customFieldOptions", environment.OPTION_COUNT, environment.customFieldOptionColumns),
    customObjects: seeded("customObjects", environment.CUSTOM_OBJECT_COUNT, environment.customObjectColumns),
    customRecords: seeded("customRecords", counts.customRecords, environment.customRecordColumns),
    departments: seeded("departments", catalog.DEPARTMENT_COUNT, catalog.departmentColumns),
    discountCodes: seeded("discountCodes", catalog.DISCOUNT_CODE_COUNT, catalog.discountCodeColumns),
    editionDescriptionSections: seeded("editionDescriptionSections", catalog.SECTION_COUNT, catalog.sectionColumns),
    educators: seeded("educators", 1, environment.educatorColumns),
    emails: seeded("emails", 0, environment.sentEmailColumns),
    enrollments: seeded("enrollments", persons, planning.enrollmentColumns(world)),
    grades: seeded("grades", counts.pastEnrollments, planning.gradeColumns(world)),
    invoiceVats: seeded("invoiceVats", finance.VAT_COUNT, finance.invoiceVatColumns),
    invoices: seeded("invoices", persons, finance.invoiceColumns(world)),
    labels: seeded("labels", people.LABEL_COUNT, people.labelColumns),
    leads: seeded("leads", counts.leads, people.leadColumns(world)),
    materialGroups: seeded("materialGroups", planning.MATERIAL_GROUP_COUNT, planning.materialGroupColumns),
    materials: seeded("materials", planning.MATERIAL_COUNT, planning.materialColumns),
    meetingLocations: seeded("meetingLocations", counts.meetingLocations, planning.meetingLocationColumns(world)),
    meetings: seeded("meetings", planning.meetingCount(counts), planning.meetingColumns(world)),
    orders: seeded("orders", persons, finance.orderColumns(world)),
    plannedCourses: seeded("plannedCourses", counts.plannedCourses, planning.plannedCourseColumns(world)),
    users: seeded("users", persons, people.userColumns),
  };
  Object.assign(store, resources);
  Object.assign(store, {
    organization: {
      ...organizationViews(store),
      programEditions: seeded("programEditions", counts.programEditions, planning.programEditionColumns(world)),
      programEnrollments: seeded(
        "programEnrollments",
        counts.programEnrollments,
        planning.programEnrollmentColumns(world),
      ),
    } satisfies OrganizationStore,
  });
  return {
    store,
    reset: () => {
      for (const each of collections) each.reset();
    },
  };
}
