import type { Identified, Records } from "../data/collection.js";
import type { Store } from "../data/store.js";
import { unprocessable } from "./refusal.js";

// Fields of bodies that name a record, and where it must be.
const TARGETS: Readonly<Record<string, (store: Store) => Records<Identified>>> = {
  account_id: (store) => store.accounts,
  administrator_id: (store) => store.users,
  catalog_product_id: (store) => store.catalogProducts,
  catalog_variant_id: (store) => store.catalogVariants,
  category_id: (store) => store.categories,
  course_id: (store) => store.courses,
  course_ids: (store) => store.courses,
  course_location_id: (store) => store.courseLocations,
  course_tab_id: (store) => store.courseTabs,
  custom_record_ids: (store) => store.customRecords,
  enrollment_id: (store) => store.enrollments,
  invoice_vat_id: (store) => store.invoiceVats,
  label_id: (store) => store.labels,
  label_ids: (store) => store.labels,
  material_group_id: (store) => store.materialGroups,
  material_id: (store) => store.materials,
  material_ids: (store) => store.materials,
  meeting_id: (store) => store.meetings,
  meeting_location_id: (store) => store.meetingLocations,
  parent_id: (store) => store.categories,
  planned_course_id: (store) => store.plannedCourses,
  planning_meeting_location_ids: (store) => store.meetingLocations,
  user_id: (store) => store.users,
};

/** Refuses a body that names a record nobody has: 422, with the field. @internal */
export function checkReferences(value: unknown, store: Store, path = ""): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, field] of Object.entries(value)) {
    const at = Array.isArray(value) ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`;
    const target = TARGETS[name]?.(store);
    const ids = (Array.isArray(field) ? field : [field]).filter((id): id is number => typeof id === "number");
    for (const id of target ? ids : []) {
      if (!target?.get(id)) throw unprocessable(at, "names a record that does not exist");
    }
    checkReferences(field, store, at);
  }
}
