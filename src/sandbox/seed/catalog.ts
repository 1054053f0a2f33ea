import type { Category } from "../../resources/categories.js";
import type { Course } from "../../resources/courses.js";
import type { Columns } from "../collection.js";
import { courseName } from "./words.js";
import { amount, slugOf, timestamps, type World } from "./world.js";

const CATEGORY_NAMES = ["Safety", "Languages", "Management", "Technology", "Crafts", "Health", "Finance"] as const;

/** @internal */
export function categoryColumns({ counts }: World): Columns<Category> {
  const children = (id: number) => Math.max(0, Math.floor((counts.categories - id) / CATEGORY_NAMES.length));
  const courses = (id: number) => Math.floor((counts.courses + counts.categories - id) / counts.categories);
  return {
    name: ({ id }) => {
      const name = CATEGORY_NAMES[(id - 1) % CATEGORY_NAMES.length] as string;
      return id > CATEGORY_NAMES.length ? `${name} ${Math.ceil(id / CATEGORY_NAMES.length)}` : name;
    },
    position: ({ id }) => id,
    avatar: () => null,
    avatar_url: () => null,
    products_count: ({ id }) => courses(id),
    courses_count: ({ id }) => courses(id),
    children_count: ({ id }) => (id <= CATEGORY_NAMES.length ? children(id) : 0),
    slug: ({ id, name }) => `${slugOf(name)}-${id}`,
    description: ({ name }, random) => (random.chance(0.7) ? `Everything about ${name.toLowerCase()}.` : null),
    is_published: (_, random) => random.chance(0.9),
    meta_title: ({ name }) => name,
    meta_description: () => null,
    parent_id: ({ id }) => (id > CATEGORY_NAMES.length ? ((id - 1) % CATEGORY_NAMES.length) + 1 : null),
    ...timestamps(counts.categories),
  };
}

/** The category the course with this identifier is in. @internal */
export function categoryOf(courseId: number, { counts }: World): number {
  return ((courseId - 1) % counts.categories) + 1;
}

/** @internal */
export function courseColumns(world: World): Columns<Course> {
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
    conditions_or_default: () => "The conditions of the provider apply.",
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
    cost: ({ cost_scheme }, random) =>
      cost_scheme === "student" || cost_scheme === "order" ? amount(random.int(5, 150) * 1_000) : null,
    cost_scheme: (_, random) => random.pick(["student", "student", "student", "order", "tbd", "free"]),
    is_published: (_, random) => random.chance(0.85),
    ...timestamps(counts.courses),
    custom: (_, random) => ({ language: random.pick(["en", "nl", "de"]) }),
    course_tab_contents: ({ id, name }) =>
      [1, 2].map((tab) => ({
        id: (id - 1) * 2 + tab,
        course_tab_id: tab,
        content: tab === 1 ? `${name}: what you will learn.` : "Bring a notebook.",
        course_tab: { id: tab, name: tab === 1 ? "Contents" : "Practical", position: tab },
      })),
    credit_definitions: ({ id }) =>
      id % 3 === 0 ? [{ id, credits: 2, type: { id: 1, name: "Professional credit" } }] : [],
  };
}
