import type * as sdk from "../../generated/resources.js";
import { withoutUndefined } from "../data/given.js";
import type { Store } from "../data/store.js";
import { slugOf } from "../data/world.js";
import { type Behavior, type Behaviors, search } from "../engine/behavior.js";
import { redirect, unprocessable } from "../engine/refusal.js";
import { priceAfter } from "./offers.js";

const isPublished = (row: { readonly is_published: boolean }): boolean => row.is_published;

export function catalogBehaviors(store: Store): Behaviors {
  const { categories, plannedCourses } = store;
  return {
    catalogProducts: {
      published: isPublished,
      filters: { published: () => isPublished, search: search(({ name }) => [name]) },
      update: ({ course_tab_contents_attributes: sent }, product) => ({
        course_tab_contents: withContents(product.course_tab_contents, sent),
      }),
    },
    catalogVariants: {
      published: isPublished,
      filters: {
        variantable_type: (type: sdk.VariantableTypeFilter) => (row) => row.variantable_type === VARIANTABLE[type],
        // A variant is public if it is published and, for a planned course, if the course is planned or in progress
        // (service description, catalog variants).
        published_public: () => (row) => {
          if (!row.is_published) return false;
          if (row.variantable_type !== "PlannedCourse") return true;
          const status = plannedCourses.peek(row.variantable_id)?.status;
          return status === "planned" || status === "active";
        },
      },
      update: ({ edition_description_section_contents_attributes: contents }: sdk.AdminCatalogVariantUpdate) =>
        contents === undefined ? {} : { edition_description_section_contents: [...contents] },
    },
    categories: {
      published: isPublished,
      filters: { published: () => isPublished },
      check: ({ parent_id }, category) => checkParent(store, category?.id, parent_id),
      create: () => ({ position: categories.count + 1 }),
    },
    courses: courses(store),
  };
}

// rule: a category cannot have itself or a category below it as its parent (422).
function checkParent({ categories }: Store, id: number | undefined, parentId: number | null | undefined): void {
  const seen = new Set<number>();
  for (let at = parentId ?? null; at !== null && !seen.has(at); at = categories.peek(at)?.parent_id ?? null) {
    if (at === id) throw unprocessable("parent_id", "is the category itself or one below it");
    seen.add(at);
  }
}

function courses(store: Store): Behavior<"courses"> {
  const { courses: records } = store;
  return {
    published: isPublished,
    idOf: (slug) => {
      const found = records.find((course) => course.slug === slug);
      const course = found ?? records.find(({ slug_history }) => slug_history.includes(slug));
      // rule: a request with a former slug of a course is redirected (302) to its current slug.
      if (course && !found) throw redirect(encodeURIComponent(course.slug));
      return found?.id;
    },
    filters: {
      published: () => isPublished,
      id: (ids: readonly number[]) => (row) => ids.includes(row.id),
    },
    create: ({ cost, cost_scheme = "student", conditions, course_tab_contents_attributes: contents }) => ({
      position: records.count + 1,
      cost_scheme,
      starting_price: cost ?? null,
      conditions_or_default: conditions ?? "The provider's terms and conditions apply.",
      course_tab_contents: withContents([], contents),
    }),
    update: (body, course) => {
      const { conditions, name } = body;
      return {
        starting_price: priceAfter(course, body).cost,
        ...(name !== undefined && name !== course.name && slugAfterRename(name, course)),
        ...(conditions !== undefined && { conditions_or_default: conditions }),
        course_tab_contents: withContents(course.course_tab_contents ?? [], body.course_tab_contents_attributes),
      };
    },
  };
}

function slugAfterRename(name: string, { id, slug, slug_history }: sdk.Course) {
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

// An item with the id of existing content changes it; any other item is added as new content.
function withContents<T extends TabContent>(
  contents: readonly T[],
  sent: readonly Partial<sdk.CatalogProductTabContentPayload | sdk.CourseTabContentPatchPayload>[] | undefined,
): (T | NewContent)[] {
  const result: (T | NewContent)[] = [...contents];
  for (const { id, content, course_tab_id } of sent ?? []) {
    const at = id === undefined ? -1 : result.findIndex((each) => each.id === id);
    const found = result[at];
    if (found) {
      result[at] = { ...found, ...withoutUndefined({ content, course_tab_id }) };
    } else {
      const highest = Math.max(0, ...result.map((each) => each.id));
      result.push({ id: highest + 1, course_tab_id: course_tab_id ?? 1, content: content ?? null });
    }
  }
  return result;
}

const VARIANTABLE: Readonly<Record<sdk.VariantableTypeFilter, string>> = {
  planned_course: "PlannedCourse",
  program_edition: "Program::Edition",
};
