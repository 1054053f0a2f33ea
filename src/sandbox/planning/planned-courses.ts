import type {
  PlannedCourse,
  PlannedCourseCreate,
  PlannedCourseUpdate,
} from "../../resources/planning/planned-courses.js";
import type { Store } from "../data/store.js";
import { amount } from "../data/world.js";
import { type AnyBehaviour, behaviour } from "../engine/behaviour.js";
import { one } from "../engine/plain.js";
import { notFound, unprocessable } from "../engine/refusal.js";
import { setTeachers } from "../teachers/set-teachers.js";
import { daysOf, hasPlaces, meetingsOf, placesOf, variantOf } from "./participants.js";

/** The behaviour of planned courses, each of which has a catalog variant. @internal */
export function plannedCourses(store: Store): AnyBehaviour {
  const { plannedCourses: records, courses } = store;
  return behaviour<PlannedCourse, PlannedCourseCreate, PlannedCourseUpdate>({
    scope: ({ params }) => {
      const course = params.course_id as number | undefined;
      if (course === undefined) return () => true;
      if (!courses.peek(course)) throw notFound();
      return (row) => row.course_id === course;
    },
    filters: {
      search: (text: string) => {
        const wanted = text.toLowerCase();
        return ({ course_id }) => {
          const course = courses.peek(course_id);
          return course !== undefined && `${course.name}\n${course.code}`.toLowerCase().includes(wanted);
        };
      },
      parents_published:
        () =>
        ({ course_id }) =>
          courses.peek(course_id)?.is_published === true,
      published_public:
        () =>
        ({ is_published, status }) =>
          is_published && (status === "planned" || status === "active"),
      start_date_from: (date: string) => (row) => row.start_date !== null && row.start_date >= date,
      start_date_until: (date: string) => (row) => row.start_date !== null && row.start_date <= date,
    },
    create: (body) => {
      const { type, max_participants = null, cost_scheme = "student" } = body;
      const dates = datesOf({ start_date: null, end_date: null, type }, body);
      return {
        ...dates,
        duration_in_days: type === "FlexiblePlannedCourse" ? (body.duration ?? null) : daysOf(dates, 0),
        status: "planned",
        availability_state: "open",
        available_places: hasPlaces({ max_participants, current_participants: 0 }),
        currency: store.educators.at(0)?.currency ?? "EUR",
        ...priceOf({ cost: null, cost_scheme }, body),
      };
    },
    update: (body, planned) => {
      const dates = datesOf(planned, body);
      const days =
        planned.type === "FlexiblePlannedCourse"
          ? (body.duration ?? planned.duration_in_days)
          : daysOf(dates, meetingsOf(store, planned.id).length);
      const { max_participants = planned.max_participants } = body;
      return {
        ...dates,
        duration_in_days: days,
        available_places: hasPlaces({ ...planned, max_participants }),
        ...priceOf(planned, body),
      };
    },
    after: (kind, planned, { body, now }) => {
      if (Array.isArray(body.teacher_ids)) setTeachers(store, planned.id, body.teacher_ids, now);
      if (kind === "created") addVariant(store, planned);
      else showOnVariant(store, planned);
    },
    operations: {
      cancel: (inquiry) => {
        const { id, status } = one(inquiry) as unknown as PlannedCourse;
        if (status === "canceled") return records.get(id);
        records.update(id, { status: "canceled" });
        // assumes: canceling a planned course cancels its enrollments except completed ones and makes its catalog variant
        // `not_available`; its meetings stay.
        cancelEnrollments(store, id);
        const planned = records.get(id);
        if (planned) showOnVariant(store, planned);
        return planned;
      },
    },
  });
}

type Dates = Pick<PlannedCourse, "start_date" | "end_date">;

// Only fixed planned courses have dates.
function datesOf(planned: Dates & Pick<PlannedCourse, "type">, sent: PlannedCourseUpdate): Dates {
  // assumes: a flexible planned course ignores `start_date` and `end_date`, a fixed one `duration`; the status does not follow
  // the clock.
  if (planned.type === "FlexiblePlannedCourse") return { start_date: null, end_date: null };
  const { start_date = planned.start_date, end_date = planned.end_date } = sent as Partial<Dates>;
  return { start_date, end_date };
}

type Price = Pick<PlannedCourse, "cost" | "cost_scheme">;

// The price comes as a number and is stored as text.
function priceOf(planned: Price, sent: PlannedCourseUpdate): Price & Pick<PlannedCourse, "payable"> {
  const { cost_scheme = planned.cost_scheme } = sent;
  const cost = typeof sent.cost === "number" ? amount(sent.cost * 100) : sent.cost === null ? null : planned.cost;
  const payable = cost_scheme === "student" || cost_scheme === "order";
  if (payable && cost === null) throw unprocessable("cost", `is required when cost_scheme is ${cost_scheme}`);
  return { cost, cost_scheme, payable };
}

// What has been completed stays so.
function cancelEnrollments({ enrollments }: Store, plannedCourseId: number): void {
  const open = enrollments.filter(
    ({ planned_course_id, status }) =>
      planned_course_id === plannedCourseId && status !== "completed" && status !== "canceled",
  );
  for (const { id } of open) enrollments.update(id, { status: "canceled" });
}

function addVariant(store: Store, planned: PlannedCourse): void {
  store.catalogVariants.insert({
    variantable_type: "PlannedCourse",
    variantable_id: planned.id,
    currency: planned.currency,
    show_on_website: planned.is_published,
    custom: {},
    custom_associations: {},
    edition_description_section_contents: [],
    created_at: planned.created_at,
    updated_at: planned.updated_at,
    ...shownOf(store, planned),
  });
}

function showOnVariant(store: Store, planned: PlannedCourse): void {
  const variant = variantOf(store, planned.id);
  if (variant) store.catalogVariants.update(variant.id, shownOf(store, planned));
}

function shownOf(store: Store, planned: PlannedCourse): object {
  const { is_published, cost, cost_scheme } = planned;
  return { product_id: productOf(store, planned), is_published, cost, cost_scheme, ...placesOf(planned) };
}

// The catalog product of the course; a course that was never planned before has none yet.
function productOf({ catalogProducts, courses }: Store, planned: PlannedCourse): number {
  const { course_id: productable_id, currency, created_at, updated_at } = planned;
  const found = catalogProducts.find(
    (row) => row.productable_type === "Course" && row.productable_id === productable_id,
  );
  if (found) return found.id;
  const course = courses.get(productable_id);
  const { name, slug, category_id, cost, cost_scheme, is_published } = course ?? {};
  const alike = { name, slug, category_id, cost, cost_scheme, is_published, show_on_website: is_published };
  const product = { ...alike, productable_type: "Course", productable_id, currency, created_at, updated_at };
  return catalogProducts.insert({ ...(product as object), label_ids: [], custom: {}, custom_associations: {} }).id;
}
