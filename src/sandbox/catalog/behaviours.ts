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
  const { categories } = store;
  return {
    catalogProducts: catalogProducts(),
    catalogVariants: catalogVariants(store),
    categories: behaviour<Category, CategoryCreate, CategoryUpdate>({
      filters: { published: isPublished },
      create: ({ name }) => ({ slug: `${slugOf(name)}-${categories.nextId}`, position: categories.count + 1 }),
      update: ({ parent_id }, { id }) => {
        checkParent(store, id, parent_id);
        return {};
      },
    }),
    courses: courses(store),
  };
}

// assumes: a category below itself is refused (422).
function checkParent({ categories }: Store, id: number, parentId: number | null | undefined): void {
  const seen = new Set<number>();
  for (let at = parentId ?? null; at !== null && !seen.has(at); at = categories.peek(at)?.parent_id ?? null) {
    if (at === id) throw unprocessable("parent_id", "is the category itself or one below it");
    seen.add(at);
  }
}

function courses(store: Store): AnyBehaviour {
  const { courses: records } = store;
  return behaviour<Course, CourseCreate, CourseUpdate>({
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
    update: (body, course) => {
      const { cost = course.cost, cost_scheme = course.cost_scheme, conditions, name } = body;
      if (cost === null && (cost_scheme === "student" || cost_scheme === "order")) {
        throw unprocessable("cost", `is required when cost_scheme is ${cost_scheme}`);
      }
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

function catalogProducts(): AnyBehaviour {
  return behaviour<CatalogProduct, never, CatalogProductUpdate>({
    filters: {
      published: isPublished,
      search: (text: string) => {
        const wanted = text.toLowerCase();
        return ({ name }) => name.toLowerCase().includes(wanted);
      },
    },
    update: ({ course_tab_contents_attributes: sent }, product) => ({
      course_tab_contents: withContents(product.course_tab_contents, sent),
    }),
  });
}

const VARIANTABLE: Readonly<Record<VariantableTypeFilter, string>> = {
  planned_course: "PlannedCourse",
  program_edition: "Program::Edition",
};

function catalogVariants({ plannedCourses }: Store): AnyBehaviour {
  return behaviour<AdminCatalogVariant, never, AdminCatalogVariantUpdate>({
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
