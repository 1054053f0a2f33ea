import type { Category, CategoryCreate } from "../../resources/categories.js";
import type { Course, CourseCreate, CourseUpdate } from "../../resources/courses.js";
import { type AnyBehaviour, behaviour } from "../behaviour.js";
import { unprocessable } from "../refusal.js";
import { slugOf } from "../seed/world.js";
import type { Store } from "../store.js";

const isPublished = () => (row: { readonly is_published: boolean }) => row.is_published;

/** Categories, courses and the catalog made of them. @internal */
export function catalogBehaviours({ categories, courses }: Store): Record<string, AnyBehaviour> {
  return {
    categories: behaviour<Category, CategoryCreate>({
      records: () => categories,
      written: categories,
      filters: { published: isPublished },
      create: ({ name }) => ({ slug: slugOf(name), position: categories.count + 1 }),
    }),
    courses: behaviour<Course, CourseCreate, CourseUpdate>({
      records: () => courses,
      written: courses,
      filters: {
        published: isPublished,
        id: (ids: readonly number[]) => (row) => ids.includes(row.id),
      },
      create: ({ name, cost, cost_scheme = "student", conditions }) => ({
        slug: slugOf(name),
        position: courses.count + 1,
        cost_scheme,
        starting_price: cost ?? null,
        conditions_or_default: conditions ?? "The conditions of the provider apply.",
      }),
      update: (body, course) => {
        const { cost = course.cost, cost_scheme = course.cost_scheme, conditions } = body;
        if (cost === null && (cost_scheme === "student" || cost_scheme === "order")) {
          throw unprocessable("cost", `is required when cost_scheme is ${cost_scheme}`);
        }
        return { starting_price: cost, ...(conditions !== undefined && { conditions_or_default: conditions }) };
      },
    }),
  };
}
