import type { ProgramEdition } from "../../resources/programs/program-editions.js";
import { NO_PRICE, priceAfter, productOf, showProduct, showVariant, variantOf } from "../catalog/offers.js";
import { where } from "../data/domain.js";
import { withoutUndefined } from "../data/given.js";
import type { Store } from "../data/store.js";
import type { Behavior, Behaviors } from "../engine/behavior.js";
import { unprocessable } from "../engine/refusal.js";
import { replaceCertificate } from "../planning/behaviors.js";
import { courseFrom, elementFrom, elementsOf, isProgramElement } from "./elements.js";

export function programsBehaviors(store: Store): Behaviors {
  const { programEditions: editions, programEnrollments: enrollments } = store;
  const certifiedEnrollment = (id: number) => ({ certifiable_id: id, certifiable_type: "program_enrollment" }) as const;
  return {
    programEditions: programEditions(store),
    programElements: programElements(store),
    programEnrollments: {
      operations: {
        cancel: (_, one) => {
          const { id, state } = one();
          return state === "canceled" ? enrollments.get(id) : enrollments.update(id, { state: "canceled" });
        },
        awardCertificate: (inquiry, one) => {
          const { id, state, graduation_state, graduation_date } = one();
          if (state === "canceled") throw unprocessable("base", "the enrollment is canceled");
          replaceCertificate(inquiry, certifiedEnrollment(id), inquiry.body.certificate_template_id);
          if (graduation_state === "passed" && graduation_date !== null) return enrollments.get(id);
          return enrollments.update(id, { graduation_state: "passed", graduation_date: inquiry.now.slice(0, 10) });
        },
        deleteCertificate: (_, one) => {
          const { id } = one();
          if (store.certificates.deleteAll(where(certifiedEnrollment(id))) === 0) return enrollments.get(id);
          return enrollments.update(id, { graduation_state: "awaiting_judgement", graduation_date: null });
        },
      },
    },
    programs: {
      create: (body) => priceAfter(NO_PRICE, body),
      update: (body, program) => priceAfter(program, body),
      after: (kind, program) => {
        if (kind !== "deleted") showProduct(store, PROGRAM, program);
        else {
          const product = productOf(store, PROGRAM, program.id);
          if (product) store.catalogProducts.delete(product.id);
        }
      },
      remove: ({ id }) => {
        if (editions.find(where({ program_id: id }))) throw unprocessable("base", "the program has editions");
      },
    },
  };
}

const PROGRAM = "Program::Program";
const EDITION = "Program::Edition";

function programEditions(store: Store): Behavior<"programEditions"> {
  const { programElements: elements, programEnrollments: enrollments } = store;
  return {
    create: (body) => priceAfter(NO_PRICE, body),
    update: (body, edition) => priceAfter(edition, body),
    after: (kind, edition) => {
      if (kind !== "deleted") return showEdition(store, edition);
      const variant = variantOf(store, EDITION, edition.id);
      if (variant) store.catalogVariants.delete(variant.id);
      elements.deleteAll(where({ edition_id: edition.id }));
    },
    remove: ({ id }) => {
      const taken = enrollments.find(({ edition_id, state }) => edition_id === id && state !== "canceled");
      if (taken) throw unprocessable("base", "the edition has enrollments");
    },
    operations: {
      listElements: (_, one) => elementsOf(store, one().id).map(({ element }) => element),
      createElements: ({ body: sent }, one) => {
        const { id } = one();
        if (elementsOf(store, id).length > 0) throw unprocessable("base", "the edition already has elements");
        for (const [index, element] of sent.elements.entries()) {
          const at = `elements[${index}]`;
          if (element.type === "CourseElement") checkPlanned(store, element, at);
          else
            for (const [item, course] of element.elements.entries())
              checkPlanned(store, course, `${at}.elements[${item}]`);
        }
        for (const [index, sentElement] of sent.elements.entries()) {
          const element = elementFrom(store, sentElement);
          const course = element.element_type === "CourseElement" ? element : null;
          elements.insert({
            edition_id: id,
            position: index + 1,
            ...(course && { course_id: course.course_id, planned_course_id: course.planned_course_id }),
            element,
          });
        }
        return elementsOf(store, id).map(({ element }) => element);
      },
    },
  };
}

function showEdition(store: Store, edition: ProgramEdition): void {
  const program = store.programs.get(edition.program_id);
  const product = program && (productOf(store, PROGRAM, program.id) ?? showProduct(store, PROGRAM, program));
  showVariant(store, EDITION, edition, { name: edition.name, ...(product && { product_id: product.id }) });
}

function checkPlanned(
  { plannedCourses }: Store,
  { course_id, planned_course_id: id }: { course_id: number; planned_course_id?: number | null | undefined },
  at = "",
): void {
  if (typeof id !== "number" || plannedCourses.peek(id)?.course_id === course_id) return;
  throw unprocessable(at === "" ? "planned_course_id" : `${at}.planned_course_id`, "belongs to another course");
}

function programElements(store: Store): Behavior<"programElements"> {
  const { programElements: records } = store;
  const lastIn = (editionId: number) => elementsOf(store, editionId).length;
  return {
    // Selects only courses directly in an edition, not courses within blocks.
    scope: () => isProgramElement,
    create: (body) => {
      checkPlanned(store, body);
      return { position: lastIn(body.edition_id) + 1, element: courseFrom(store, body) };
    },
    update: (body, { course_id, edition_id, position, planned_course_id }) => {
      const changed = { course_id, planned_course_id, ...withoutUndefined(body) };
      checkPlanned(store, changed);
      const moves = body.edition_id !== undefined && body.edition_id !== edition_id;
      return {
        position: moves ? lastIn(body.edition_id ?? edition_id) + 1 : position,
        element: courseFrom(store, changed),
      };
    },
    after: (_, { edition_id }) => {
      // Renumber the elements, so that no position is empty.
      for (const [index, { id, position }] of elementsOf(store, edition_id).entries()) {
        if (position !== index + 1) records.revise(id, { position: index + 1 });
      }
    },
  };
}
