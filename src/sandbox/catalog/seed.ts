import type * as sdk from "../../generated/resources.js";
import { associationsColumn, customColumn } from "../custom/definitions.js";
import type { Columns, Identified, Making } from "../data/collection.js";
import { having, type Seeds, type Wants } from "../data/domain.js";
import { nameColumn } from "../data/row-maker.js";
import { courseName, postalAddress } from "../data/words.js";
import { amount, slugOf, timestamps, type World } from "../data/world.js";
import { labelFor } from "../people/seed.js";
import { FULL, presentTimetable, untaughtCourse } from "../planning/timetable.js";
import {
  availabilityOf,
  hasPrice,
  type Places,
  type ProductKind,
  placesOf,
  productOf,
  schemeOf,
  type VariantKind,
  variantOf,
} from "./offers.js";

export function catalogSeeds(world: World) {
  const { counts, store } = world;
  return {
    catalogProducts: {
      count: counts.courses + counts.programs,
      columns: catalogProductColumns(world),
      wants: {
        productable_id: ({ productable_type: type }, { name, cost, cost_scheme, category_id }) => ({
          fits: ({ id }: Identified) => !productOf(store, type as ProductKind, id),
          fields: { name, cost, cost_scheme, category_id },
        }),
      },
      parts: tabParts,
      event: "product",
      follow: (after, before) => store.categories.recount("products_count", before?.category_id, after?.category_id),
    },
    catalogVariants: {
      count: counts.plannedCourses + counts.programEditions,
      columns: catalogVariantColumns(world),
      wants: variantWants(world),
      event: "catalog_variant",
    },
    categories: {
      count: counts.categories,
      columns: categoryColumns(world),
      event: "category",
      follow: (after, before) => store.categories.recount("children_count", before?.parent_id, after?.parent_id),
    },
    courseLocations: {
      count: counts.courseLocations,
      columns: {
        name: (row) => `${row.address?.city ?? "Example"} Centre ${row.id}`,
        ...timestamps(counts.courseLocations),
        address: (_, random) => postalAddress(random),
      },
      event: "course_location",
    },
    courseTabs: { count: TAB_NAMES.length, columns: { ...nameColumn(TAB_NAMES), position: ({ id }) => id } },
    courseVariants: {
      count: COURSE_VARIANT_COUNT,
      columns: { ...nameColumn(VARIANT_NAMES), ...timestamps(COURSE_VARIANT_COUNT) },
      event: "course_variant",
    },
    courses: {
      count: counts.courses,
      columns: courseColumns(world),
      parts: tabParts,
      event: "course",
      follow: (after, before) => store.categories.recount("courses_count", before?.category_id, after?.category_id),
    },
    editionDescriptionSections: { count: SECTION_NAMES.length, columns: nameColumn(SECTION_NAMES) },
  } satisfies Partial<Seeds>;
}

const CATEGORY_NAMES = ["Safety", "Languages", "Management", "Technology", "Crafts", "Health", "Finance"] as const;

function categoryOf(productId: number, { counts }: World): number {
  return ((productId - 1) % counts.categories) + 1;
}

function categoryColumns({ counts }: World): Columns<sdk.Category> {
  // The number of records in one category if `total` records are distributed evenly.
  const share = (total: number, id: number, { seeded }: Making<sdk.Category>) =>
    seeded ? Math.max(0, Math.floor((total - id) / counts.categories) + 1) : 0;
  const top = CATEGORY_NAMES.length;
  return {
    name: ({ id }) => {
      const name = CATEGORY_NAMES[(id - 1) % top] as string;
      return id > top ? `${name} ${Math.ceil(id / top)}` : name;
    },
    position: ({ id }) => id,
    avatar: () => null,
    avatar_url: () => null,
    products_count: ({ id }, _, making) => share(counts.courses + counts.programs, id, making),
    courses_count: ({ id }, _, making) => share(counts.courses, id, making),
    children_count: ({ id }, _, { seeded }) =>
      seeded && id <= top ? Math.max(0, Math.floor((counts.categories - id) / top)) : 0,
    slug: ({ id, name }) => `${slugOf(name)}-${id}`,
    description: ({ name }, random) => (random.chance(0.7) ? `Everything about ${name.toLowerCase()}.` : null),
    is_published: (_, random) => random.chance(0.9),
    meta_title: ({ name }) => name,
    meta_description: () => null,
    parent_id: ({ id }, _, { seeded }) => (seeded && id > top ? ((id - 1) % top) + 1 : null),
    ...timestamps(counts.categories),
  };
}

/**
 * The currency of the seeded product and course with this identifier. One course in nine is priced in pounds and one in
 * fourteen in dollars.
 */
export function currencyOf(productId: number, { counts, manners }: World): string {
  if (productId > counts.courses) return manners.currency;
  return productId % 9 === 7 ? "GBP" : productId % 14 === 8 ? "USD" : manners.currency;
}

export function educatorCurrency(
  { educators }: World["store"],
  { look }: { look: Making<Identified>["look"] },
): string {
  return look(educators, 1).currency;
}

function courseColumns(world: World): Columns<sdk.Course> {
  const { counts } = world;
  return {
    position: ({ id }) => id,
    starting_price: ({ cost }) => cost,
    signup_url: ({ slug }) => `https://www.example.org/courses/${slug}/signup`,
    slug: ({ id, name }) => `${slugOf(name)}-${id}`,
    slug_history: () => [],
    avatar: () => null,
    avatar_url: () => null,
    avatar_thumb_url: () => null,
    conditions_or_default: () => "The provider's terms and conditions apply.",
    website_url: ({ slug }) => `https://www.example.org/courses/${slug}`,
    certificate_template_id: (_, random) => (random.chance(0.5) ? random.int(1, 3) : null),
    category_id: ({ id }) => categoryOf(id, world),
    name: (_, random) => courseName(random),
    code: ({ id }) => `C-${String(id).padStart(4, "0")}`,
    duration: (_, random) => `${random.int(1, 10)} days`,
    level: (_, random) => random.pick(["starter", "advanced", "expert"]),
    meta_title: ({ name }) => name,
    meta_description: () => null,
    result: (_, random) => (random.chance(0.5) ? "Certificate of participation" : null),
    label_ids: () => [],
    cost: ({ cost_scheme }, random) => (hasPrice(cost_scheme) ? amount(random.int(5, 150) * 1_000) : null),
    cost_scheme: (_, random, { given }) =>
      schemeOf(given) ?? random.pick(["student", "student", "student", "order", "tbd", "free"]),
    is_published: (_, random) => random.chance(0.85),
    ...timestamps(counts.courses),
    custom: customColumn(world, "catalog_product"),
    course_tab_contents: ({ id, name }) =>
      tabContents(id, name).map((content) => ({ ...content, course_tab: tabSummary(content.course_tab_id) })),
    credit_definitions: ({ id }) =>
      id % 3 === 0 ? [{ id, credits: 2, type: { id: 1, name: "Professional credit" } }] : [],
  };
}

const TAB_NAMES = ["Contents", "Practical", "Teachers", "Costs"] as const;

const TABS_WITH_CONTENT = 2;

function tabSummary(id: number): { id: number; name: string; position: number } {
  return { id, name: nameColumn(TAB_NAMES).name({ id }), position: id };
}

function tabContents(productId: number, name: string): sdk.CatalogProduct["course_tab_contents"] {
  return Array.from({ length: TABS_WITH_CONTENT }, (_, at) => ({
    ...tabParts.course_tab_contents({ id: productId }, at),
    content: at === 0 ? `${name}: what you will learn.` : "Bring a notebook.",
  }));
}

const VARIANT_NAMES = ["Classroom", "Online", "Blended", "In company"] as const;

export const COURSE_VARIANT_COUNT = VARIANT_NAMES.length;

// Catalog products: one for every course, then one for every program.
function catalogProductColumns(world: World): Columns<sdk.CatalogProduct> {
  const { counts, store } = world;
  const isCourse = (id: number) => id <= counts.courses;
  // The course or program of a product. Undefined for a program's seeded product, because the seeded program takes its
  // fields from the product.
  const of = (row: Readonly<sdk.CatalogProduct>, { look, seeded }: Making<sdk.CatalogProduct>) => {
    if (row.productable_type === "Course") return look<sdk.Course | sdk.Program>(store.courses, row.productable_id);
    return seeded ? undefined : look<sdk.Course | sdk.Program>(store.programs, row.productable_id);
  };
  return {
    name: (row, random, making) => of(row, making)?.name ?? `${courseName(random)} Program`,
    slug: ({ id, name }) => `${slugOf(name)}-${id}`,
    label_ids: (_, random) => (random.chance(0.2) ? [labelFor("Catalog::Product", random)] : []),
    cost_scheme: (row, _, making) => schemeOf(making.given) ?? of(row, making)?.cost_scheme ?? "student",
    cost: (row, random, making) =>
      hasPrice(row.cost_scheme) ? (of(row, making)?.cost ?? amount(random.int(200, 900) * 1_000)) : null,
    currency: ({ id }, _, making) => (making.seeded ? currencyOf(id, world) : educatorCurrency(store, making)),
    productable_type: ({ id }, _, { seeded }) => (!seeded || isCourse(id) ? "Course" : "Program::Program"),
    productable_id: ({ id }) => (isCourse(id) ? id : id - counts.courses),
    avatar: ({ id }) => `https://www.example.org/images/${id}.png`,
    position: ({ id }) => id,
    conditions_or_default: () => "The provider's terms and conditions apply.",
    category_id: (row, _, making) => (of(row, making) ?? { category_id: categoryOf(row.id, world) }).category_id,
    is_published: (_, random) => random.chance(0.85),
    show_on_website: ({ is_published }) => is_published,
    signup_url: ({ slug }) => `https://www.example.org/catalog/${slug}/signup`,
    ...timestamps(counts.courses + counts.programs),
    course_tab_contents: ({ id, name }) => tabContents(id, name),
    custom: customColumn(world, "catalog_product"),
    custom_associations: associationsColumn(world, "catalog_products"),
  };
}

const tabParts = {
  course_tab_contents: ({ id }: Identified, at: number) => ({
    id: (id - 1) * TABS_WITH_CONTENT + at + 1,
    course_tab_id: at + 1,
  }),
};

// Catalog variants: one for every planned course, then one for every program edition.
function catalogVariantColumns(world: World): Columns<sdk.AdminCatalogVariant> {
  const { counts, store } = world;
  const isPlanned = (id: number) => id <= counts.plannedCourses;
  const edition = (id: number) => ((id - counts.plannedCourses - 1) % counts.programEditions) + 1;
  return {
    product_id: ({ id }) =>
      isPlanned(id) ? store.plannedCourses.seeded(id).course_id : counts.courses + Math.ceil(edition(id) / 2),
    name: (row, _, { look }) => `${look(store.catalogProducts, row.product_id).name} ${row.id}`,
    sku: ({ id }) => `SKU-${id}`,
    cost_scheme: ({ product_id }, _, { given, look }) =>
      schemeOf(given) ?? look(store.catalogProducts, product_id).cost_scheme,
    cost: ({ product_id, cost_scheme: scheme }, random, { look }) =>
      hasPrice(scheme) ? (look(store.catalogProducts, product_id).cost ?? amount(random.int(5, 150) * 1_000)) : null,
    currency: ({ product_id }, _, { look }) => look(store.catalogProducts, product_id).currency,
    variantable_type: ({ id }, _, { seeded }) => (!seeded || isPlanned(id) ? "PlannedCourse" : "Program::Edition"),
    variantable_id: ({ id }) => (isPlanned(id) ? id : edition(id)),
    availability: ({ available_places, variantable_id, variantable_type }, _, { given, look }) => {
      const planned = variantable_type === "PlannedCourse" ? look(store.plannedCourses, variantable_id) : undefined;
      const isCanceled = planned?.status === "canceled" && given.available_places === undefined;
      return isCanceled ? "not_available" : availabilityOf(available_places);
    },
    available_places: (row, random, { given, look, seeded }) => {
      if (given.availability === "not_available") return 0;
      if (given.availability === "limited_availability") return random.int(1, 3);
      if (given.availability === "available") return random.int(4, 16);
      if (seeded && isPlanned(row.id)) {
        const present = presentTimetable(row.id, counts);
        if (present === FULL || (!present && row.id % 8 === 5)) return 0;
        if (present) return random.int(4, 16);
      }
      if (seeded && row.id === counts.plannedCourses + counts.programEditions) return 8;
      if (seeded) return random.chance(0.9) ? random.int(0, 16) : null;
      const isCourse = row.variantable_type === "PlannedCourse";
      const of = isCourse ? store.plannedCourses : store.programEditions;
      return placesOf(look<Identified & Places>(of, row.variantable_id)).available_places;
    },
    is_published: ({ id }, random, { seeded }) => (seeded && id === untaughtCourse(counts)) || random.chance(0.85),
    show_on_website: ({ is_published }) => is_published,
    ...timestamps(counts.plannedCourses + counts.programEditions),
    properties: () => ({}),
    custom: customColumn(world, "catalog_variant"),
    custom_associations: associationsColumn(world, "catalog_variants"),
    edition_description_section_contents: ({ id }, _, { seeded }) =>
      !seeded || isPlanned(id)
        ? []
        : [{ edition_description_section_id: 1, content: "What makes this edition special." }],
  };
}

function variantWants({ store }: World): Wants<sdk.AdminCatalogVariant> {
  return {
    variantable_id: ({ variantable_type: type }, { product_id: product }) => {
      const productable = product === undefined ? undefined : store.catalogProducts.peek(product)?.productable_id;
      const of = type === "PlannedCourse" ? "course_id" : "program_id";
      return {
        fits: (row: Identified & Readonly<Record<string, unknown>>) =>
          (productable === undefined || row[of] === productable) && !variantOf(store, type as VariantKind, row.id),
        fields: productable === undefined ? {} : { [of]: productable },
      };
    },
    product_id: ({ variantable_type: type, variantable_id: id }) => {
      return type === "PlannedCourse"
        ? having({ productable_type: "Course", productable_id: store.plannedCourses.peek(id)?.course_id })
        : having({ productable_type: "Program::Program", productable_id: store.programEditions.peek(id)?.program_id });
    },
  };
}

const SECTION_NAMES = ["Program", "Admission", "Teachers"] as const;
