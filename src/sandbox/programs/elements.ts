import type * as sdk from "../../generated/resources.js";
import type { Store, StoredProgramElement } from "../data/store.js";
import type { World } from "../data/world.js";

type Named = Pick<sdk.Course, "name"> & Partial<Pick<sdk.Course, "credit_definitions">>;
type Planned = Pick<sdk.ProgramElement, "course_id" | "planned_course_id">;

function courseElement(course: Named, { course_id, planned_course_id }: Planned): sdk.ProgramEditionCourseElement {
  const [definition] = course.credit_definitions ?? [];
  const credits = definition ? definition.credits.toFixed(1) : null;
  return { name: course.name, credits, element_type: "CourseElement", course_id, planned_course_id };
}

export function elementOf(
  { store, counts }: World,
  kind: sdk.ProgramEditionElementType,
  { id }: { readonly id: number },
  row: Readonly<Planned>,
): sdk.ProgramEditionElement {
  const course = (courseId: number) => store.courses.look(courseId);
  const { course_id, planned_course_id } = row;
  const planned = { course_id, planned_course_id };
  switch (kind) {
    case "BlockElement": {
      const second = (course_id % counts.courses) + 1;
      return {
        name: "Specialization",
        credits: null,
        element_type: kind,
        elements: [
          courseElement(course(course_id), planned),
          courseElement(course(second), { course_id: second, planned_course_id: null }),
          { name: "Review", credits: null, element_type: "EvaluationElement" },
        ],
      };
    }
    case "ElectiveElement":
      return { name: "Elective", credits: "2.0", element_type: kind };
    case "EvaluationElement":
      return { name: `Evaluation ${id}`, credits: null, element_type: kind };
    case "ThesisElement":
      return { ...courseElement(course(course_id), planned), name: "Thesis", credits: "6.0", element_type: kind };
    default:
      return courseElement(course(course_id), planned);
  }
}

export function elementFrom(store: Store, sent: sdk.ProgramEditionElementPayload): sdk.ProgramEditionElement {
  if (sent.type === "BlockElement") {
    const elements = sent.elements.map((item) => courseFrom(store, item));
    return { name: sent.name, credits: null, element_type: "BlockElement", elements };
  }
  return courseFrom(store, sent);
}

export function courseFrom(
  { courses }: Store,
  sent: { readonly course_id: number; readonly planned_course_id?: number | null | undefined },
): sdk.ProgramEditionCourseElement {
  const { course_id, planned_course_id = null } = sent;
  return courseElement(courses.get(course_id) ?? { name: "" }, { course_id, planned_course_id });
}

export function elementsOf({ programElements }: Store, editionId: number): StoredProgramElement[] {
  return programElements
    .filter(({ edition_id }) => edition_id === editionId)
    .sort((one, other) => one.position - other.position);
}

/** True if an element is a course directly in an edition; only such courses are program elements in the APIs. */
export function isProgramElement({ element }: Readonly<StoredProgramElement>): boolean {
  return element.element_type === "CourseElement";
}
