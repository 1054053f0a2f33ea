import type { Domain } from "../engine/domain.js";
import { catalogBehaviours } from "./behaviours.js";
import { catalogSeeds } from "./seed.js";
import type { CatalogStore } from "./store.js";

/** The catalog domain of the sandbox. @internal */
export const catalog: Domain<CatalogStore> = {
  seeds: catalogSeeds,
  behaviours: catalogBehaviours,
  references: {
    catalog_product_id: ({ catalogProducts }) => catalogProducts,
    catalog_variant_id: ({ catalogVariants }) => catalogVariants,
    category_id: ({ categories }) => categories,
    course_id: ({ courses }) => courses,
    course_ids: ({ courses }) => courses,
    course_location_id: ({ courseLocations }) => courseLocations,
    course_variant_id: ({ courseVariants }) => courseVariants,
    course_tab_id: ({ courseTabs }) => courseTabs,
    edition_description_section_id: ({ editionDescriptionSections }) => editionDescriptionSections,
    parent_id: ({ categories }) => categories,
    product_id: ({ catalogProducts }) => catalogProducts,
  },
  factories: {
    adminCatalogVariant: ({ catalogVariants }) => catalogVariants,
    category: ({ categories }) => categories,
  },
};
