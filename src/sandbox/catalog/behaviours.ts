import type { CatalogProductTabContentPayload, CourseTabContentPatchPayload } from "../../models/course-tab-content.js";
import type { CatalogProduct, CatalogProductUpdate } from "../../resources/catalog/catalog-products.js";
import type {
  AdminCatalogVariant,
  AdminCatalogVariantUpdate,
  VariantableTypeFilter,
} from "../../resources/catalog/catalog-variants.js";
import type { Category, CategoryCreate, CategoryUpdate } from "../../resources/catalog/categories.js";
import type { Course, CourseCreate, CourseUpdate } from "../../resources/catalog/courses.js";
import type { Store } from "../data/store.js";
import { slugOf } from "../data/world.js";
import { type AnyBehaviour, behaviour } from "../engine/behaviour.js";
import { unprocessable } from "../engine/refusal.js";

const isPublished = () => (row: { readonly is_published: boolean }) => row.is_published;

/** Behaviours of categories, courses, catalog products and catalog variants. @internal */
export function catalogBehaviours(store: Store): Record<string, AnyBehaviour> {
  const { categories, courseLocations, courseTabs, courseVariants, editionDescriptionSections } = store;
  return {
    catalogProducts: catalogProducts(store),
    catalogVariants: catalogVariants(store),
    categories: behaviour<Category, CategoryCreate, CategoryUpdate>({
      records: () => categories,
      written: categories,
      filters: { published: isPublished },
      create: ({ name }) => ({ slug: `${slugOf(name)}-${categories.nextId}`, position: categories.count + 1 }),
      update: ({ parent_id }, { parent_id: before }) => {
        if (parent_id !== undefined) moved(store, "children_count", before, parent_id);
        return {};
      },
      after: (kind, { parent_id }) => {
        if (kind === "created") moved(store, "children_count", null, parent_id);
      },
    }),
    courseLocations: behaviour({ records: () => courseLocations, written: courseLocations }),
    courses: courses(store),
    courseTabs: behaviour({ records: () => courseTabs }),
    courseVariants: behaviour({ records: () => courseVariants, written: courseVariants }),
    editionDescriptionSections: behaviour({ records: () => editionDescriptionSections }),
  };
}

// Updates the counters of both categories when something moves from one to the other; null means no category.
function moved(
  { categories }: Store,
  counter: "children_count" | "courses_count" | "products_count",
  from: number | null,
  to: number | null,
): void {
  if (from === to) return;
  for (const [id, change] of [
    [from, -1],
    [to, 1],
  ] as const) {
    const category = id === null ? undefined : categories.peek(id);
    if (category) categories.update(category.id, { [counter]: category[counter] + change });
  }
}

function courses(store: Store): AnyBehaviour {
  const { courses: records } = store;
  return behaviour<Course, CourseCreate, CourseUpdate>({
    records: () => records,
    written: records,
    filters: {
      published: isPublished,
      id: (ids: readonly number[]) => (row) => ids.includes(row.id),
    },
    create: ({ name, cost, cost_scheme = "student", conditions, course_tab_contents_attributes: contents }) => ({
      slug: `${slugOf(name)}-${records.nextId}`,
      position: records.count + 1,
      cost_scheme,
      starting_price: cost ?? null,
      conditions_or_default: conditions ?? "The conditions of the provider apply.",
      course_tab_contents: withContents([], contents),
    }),
    after: (kind, { category_id }) => {
      if (kind === "created") moved(store, "courses_count", null, category_id);
    },
    update: (body, course) => {
      const { cost = course.cost, cost_scheme = course.cost_scheme, conditions, name } = body;
      if (cost === null && (cost_scheme === "student" || cost_scheme === "order")) {
        throw unprocessable("cost", `is required when cost_scheme is ${cost_scheme}`);
      }
      if (body.category_id !== undefined) moved(store, "courses_count", course.category_id, body.category_id);
      return {
        starting_price: cost,
        ...(name !== undefined && name !== course.name && renamed(name, course)),
        ...(conditions !== undefined && { conditions_or_default: conditions }),
        course_tab_contents: withContents(course.course_tab_contents ?? [], body.course_tab_contents_attributes),
      };
    },
  });
}

function renamed(name: string, { id, slug, slug_history }: Course): Pick<Course, "slug" | "slug_history"> {
  return { slug: `${slugOf(name)}-${id}`, slug_history: [...slug_history, slug] };
}

interface TabContent {
  id: number;
  course_tab_id?: number | undefined;
  content: string | null;
}

interface NewContent extends TabContent {
  course_tab_id: number;
}

// An item with an id changes the content with that id; an item without one is new.
function withContents<T extends TabContent>(
  contents: readonly T[],
  sent: readonly Partial<CatalogProductTabContentPayload | CourseTabContentPatchPayload>[] | undefined,
): (T | NewContent)[] {
  const result: (T | NewContent)[] = [...contents];
  for (const { id, content, course_tab_id } of sent ?? []) {
    const at = id === undefined ? -1 : result.findIndex((each) => each.id === id);
    const found = result[at];
    if (found) {
      result[at] = {
        ...found,
        ...(content !== undefined && { content }),
        ...(course_tab_id !== undefined && { course_tab_id }),
      };
    } else {
      const highest = Math.max(0, ...result.map((each) => each.id));
      result.push({ id: highest + 1, course_tab_id: course_tab_id ?? 1, content: content ?? null });
    }
  }
  return result;
}

function catalogProducts(store: Store): AnyBehaviour {
  const { catalogProducts: records } = store;
  return behaviour<CatalogProduct, never, CatalogProductUpdate>({
    records: () => records,
    written: records,
    filters: {
      published: isPublished,
      search: (text: string) => {
        const wanted = text.toLowerCase();
        return ({ name }) => name.toLowerCase().includes(wanted);
      },
    },
    update: ({ category_id, course_tab_contents_attributes: sent }, product) => {
      if (category_id !== undefined) moved(store, "products_count", product.category_id, category_id);
      return { course_tab_contents: withContents(product.course_tab_contents, sent) };
    },
  });
}

const VARIANTABLE: Readonly<Record<VariantableTypeFilter, string>> = {
  planned_course: "PlannedCourse",
  program_edition: "Program::Edition",
};

function catalogVariants({ catalogVariants: records, plannedCourses }: Store): AnyBehaviour {
  return behaviour<AdminCatalogVariant, never, AdminCatalogVariantUpdate>({
    records: () => records,
    written: records,
    filters: {
      variantable_type: (type: VariantableTypeFilter) => (row) => row.variantable_type === VARIANTABLE[type],
      // Published, and a planned course must be planned or in progress (service description, catalog variants).
      published_public: () => (row) => {
        if (!row.is_published) return false;
        if (row.variantable_type !== "PlannedCourse") return true;
        const status = plannedCourses.peek(row.variantable_id)?.status;
        return status === "planned" || status === "active";
      },
    },
    update: ({ edition_description_section_contents_attributes: contents }) =>
      contents === undefined ? {} : { edition_description_section_contents: [...contents] },
  });
}
