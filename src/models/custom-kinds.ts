import type { CustomFieldObjectType } from "./enumerations.js";

/** A kind of record with custom fields. The paths of custom field options contain these names, except `orders`. */
export type CustomKind = CustomFieldObjectType | "orders";

/**
 * For each resource, the kind of record whose custom fields it writes. Courses and programs are catalog products;
 * planned courses and program editions are catalog variants.
 */
export const CUSTOM_KINDS = {
  accounts: "accounts",
  catalogProducts: "catalog_products",
  catalogVariants: "catalog_variants",
  courses: "catalog_products",
  orders: "orders",
  plannedCourses: "catalog_variants",
  programEditions: "catalog_variants",
  programs: "catalog_products",
  teachers: "teachers",
  users: "users",
} as const satisfies Readonly<Record<string, CustomKind>>;
