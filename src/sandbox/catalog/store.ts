import type { CatalogProduct } from "../../resources/catalog/catalog-products.js";
import type { AdminCatalogVariant } from "../../resources/catalog/catalog-variants.js";
import type { Category } from "../../resources/catalog/categories.js";
import type { CourseLocation } from "../../resources/catalog/course-locations.js";
import type { CourseTab } from "../../resources/catalog/course-tabs.js";
import type { CourseVariant } from "../../resources/catalog/course-variants.js";
import type { Course } from "../../resources/catalog/courses.js";
import type { EditionDescriptionSection } from "../../resources/catalog/edition-description-sections.js";
import type { Collection, Identified } from "../data/collection.js";

/** The sandbox's categories, courses and catalog. */
export interface CatalogStore {
  readonly catalogProducts: Collection<CatalogProduct>;
  readonly catalogVariants: Collection<AdminCatalogVariant>;
  readonly categories: Collection<Category>;
  readonly courseLocations: Collection<CourseLocation>;
  readonly courseTabs: Collection<CourseTab>;
  readonly courseVariants: Collection<CourseVariant>;
  readonly courses: Collection<Course>;
  readonly editionDescriptionSections: Collection<EditionDescriptionSection & Identified>;
}
