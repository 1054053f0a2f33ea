import type { PlannedCourse, PlannedCourseUpdate } from "../../resources/planning/planned-courses.js";
import {
  hasPrice,
  NO_PRICE,
  type Price,
  priceAfter,
  productOf,
  showProduct,
  showVariant,
  variantOf,
} from "../catalog/offers.js";
import { where } from "../data/domain.js";
import type { Store } from "../data/store.js";
import { type Behavior, search } from "../engine/behavior.js";
import { setTeachers } from "../teachers/attendees.js";
import { daysOf, hasPlaces, meetingsOf } from "./participants.js";

export function plannedCourses(store: Store): Behavior<"plannedCourses"> {
  const { plannedCourses: records, courses } = store;
  return {
    included: {
      meetings: ({ id }) => meetingsOf(store, id),
      teachers: ({ id }) => {
        const places = store.teacherEnrollments.filter(where({ planned_course_id: id }));
        return store.teachers.filter((teacher) => places.some(({ teacher_id }) => teacher_id === teacher.id));
      },
      course_variant: ({ course_variant_id: id }) => (id === null ? null : store.courseVariants.get(id)),
      course_location: ({ course_location_id: id }) => (id === null ? null : store.courseLocations.get(id)),
    },
    published: ({ is_published }) => is_published,
    filters: {
      search: search(({ course_id }) => {
        const course = courses.peek(course_id);
        return [course?.name, course?.code];
      }),
      parents_published: () => (row) => courses.peek(row.course_id)?.is_published === true,
      published_public: () => (row) => row.is_published && (row.status === "planned" || row.status === "active"),
      start_date_from: (date: string) => (row) => row.start_date !== null && row.start_date >= date,
      start_date_until: (date: string) => (row) => row.start_date !== null && row.start_date <= date,
    },
    create: (body) => {
      const { type, max_participants = null } = body;
      const dates = datesOf({ start_date: null, end_date: null, type }, body);
      return {
        ...dates,
        duration_in_days: type === "FlexiblePlannedCourse" ? (body.duration ?? null) : daysOf(dates, 0),
        status: "planned",
        availability_state: "open",
        available_places: hasPlaces({ max_participants, current_participants: 0 }),
        ...priceOf(NO_PRICE, body),
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
    after: (kind, planned, { body }) => {
      if (Array.isArray(body.teacher_ids)) setTeachers(store, planned.id, body.teacher_ids);
      showOnVariant(store, planned, kind === "created");
    },
    operations: {
      cancel: (_, one) => {
        const { id, status } = one();
        if (status === "canceled") return records.get(id);
        records.update(id, { status: "canceled" });
        // rule: canceling a planned course cancels its enrollments except completed ones and makes its catalog variant
        // `not_available`; its meetings stay.
        store.enrollments.updateAll(
          (row) => row.planned_course_id === id && row.status !== "completed" && row.status !== "canceled",
          () => ({ status: "canceled" }),
        );
        const planned = records.get(id);
        if (planned) showOnVariant(store, planned);
        return planned;
      },
    },
  };
}

type Dates = Pick<PlannedCourse, "start_date" | "end_date">;

function datesOf(planned: Dates & Pick<PlannedCourse, "type">, sent: PlannedCourseUpdate): Dates {
  // rule: a flexible planned course ignores `start_date` and `end_date`, and a fixed one ignores `duration`; the status
  // does not change as time passes.
  if (planned.type === "FlexiblePlannedCourse") return { start_date: null, end_date: null };
  const { start_date = planned.start_date, end_date = planned.end_date } = sent as Partial<Dates>;
  return { start_date, end_date };
}

function priceOf(before: Price, sent: PlannedCourseUpdate): Price & Pick<PlannedCourse, "payable"> {
  const price = priceAfter(before, sent);
  return { ...price, payable: hasPrice(price.cost_scheme) };
}

// The first planned course of a course also creates the course's catalog product.
function showOnVariant(store: Store, planned: PlannedCourse, isNew = false): void {
  if (!isNew && !variantOf(store, "PlannedCourse", planned.id)) return;
  const { course_id, currency } = planned;
  const course = store.courses.look(course_id);
  const product = productOf(store, "Course", course_id) ?? showProduct(store, "Course", course, currency);
  showVariant(store, "PlannedCourse", planned, { product_id: product.id }, currency);
}
