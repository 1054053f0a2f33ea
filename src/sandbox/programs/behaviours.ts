import type { ProgramEditionCreateElements } from "../../resources/programs/program-edition-elements.js";
import type {
  AdminProgramEditionCreate,
  AdminProgramEditionUpdate,
  ProgramEdition,
} from "../../resources/programs/program-editions.js";
import type { ProgramElementCreate, ProgramElementUpdate } from "../../resources/programs/program-elements.js";
import type {
  ProgramEnrollment,
  ProgramEnrollmentAwardCertificate,
} from "../../resources/programs/program-enrollments.js";
import type { Program, ProgramCreate, ProgramUpdate } from "../../resources/programs/programs.js";
import type { Store } from "../data/store.js";
import { amount, slugOf } from "../data/world.js";
import { type AnyBehaviour, behaviour } from "../engine/behaviour.js";
import { one } from "../engine/plain.js";
import { checkReferences } from "../engine/references.js";
import { unprocessable } from "../engine/refusal.js";
import { deleteCertificates, replaceCertificate } from "../planning/certificates.js";
import { hideEdition, hideProgram, showEdition, showProgram } from "./catalog.js";
import { courseFrom, elementFrom, elementsOf, isProgramElement } from "./elements.js";
import type { StoredProgramElement } from "./store.js";

/** Behaviours of programs, their editions, elements and enrollments, and of theses. @internal */
export function programsBehaviours(store: Store): Record<string, AnyBehaviour> {
  return {
    programEditions: programEditions(store),
    programElements: programElements(store),
    programEnrollments: programEnrollments(store),
    programs: programs(store),
  };
}

type Price = Pick<Program, "cost" | "cost_scheme">;

// A price can come as a number and is stored as text.
function priceOf(
  before: Price,
  sent: { cost?: number | string | null | undefined },
  scheme: Price["cost_scheme"],
): Price {
  const cost =
    typeof sent.cost === "number" ? amount(sent.cost * 100) : sent.cost === undefined ? before.cost : sent.cost;
  if (cost === null && (scheme === "student" || scheme === "order")) {
    throw unprocessable("cost", `is required when cost_scheme is ${scheme}`);
  }
  return { cost, cost_scheme: scheme };
}

const NO_PRICE: Price = { cost: null, cost_scheme: "student" };

function programs(store: Store): AnyBehaviour {
  const { programs: records, programEditions: editions } = store;
  return behaviour<Program, ProgramCreate, ProgramUpdate>({
    create: (body) => ({
      slug: body.slug ?? `${slugOf(body.name)}-${records.nextId}`,
      ...priceOf(NO_PRICE, body, body.cost_scheme),
    }),
    update: (body, program) => priceOf(program, body, body.cost_scheme ?? program.cost_scheme),
    after: (kind, program, { now }) => {
      if (kind === "deleted") hideProgram(store, program.id);
      else showProgram(store, program, now);
    },
    remove: ({ id }) => {
      if (editions.find(({ program_id }) => program_id === id)) throw unprocessable("base", "the program has editions");
    },
  });
}

function programEditions(store: Store): AnyBehaviour {
  const { programElements: elements, programEnrollments: enrollments } = store;
  return behaviour<ProgramEdition, AdminProgramEditionCreate, AdminProgramEditionUpdate>({
    create: (body) => priceOf(NO_PRICE, body, body.cost_scheme ?? "student"),
    update: (body, edition) => priceOf(edition, body, body.cost_scheme ?? edition.cost_scheme),
    after: (kind, edition, { now }) => {
      if (kind !== "deleted") return showEdition(store, edition, now);
      hideEdition(store, edition.id);
      for (const { id } of elementsOf(store, edition.id)) elements.delete(id);
    },
    remove: ({ id }) => {
      const taken = enrollments.find(({ edition_id, state }) => edition_id === id && state !== "canceled");
      if (taken) throw unprocessable("base", "the edition has enrollments");
    },
    operations: {
      listElements: (inquiry) => elementsOf(store, one(inquiry).id).map(({ element }) => element),
      createElements: (inquiry) => {
        const { id } = one(inquiry);
        const sent = inquiry.body as unknown as ProgramEditionCreateElements;
        checkReferences(inquiry.body, inquiry);
        if (elementsOf(store, id).length > 0) throw unprocessable("base", "the edition has elements already");
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
  });
}

function given<T extends object>(body: T): Partial<T> {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as Partial<T>;
}

function checkPlanned(
  { plannedCourses }: Store,
  { course_id, planned_course_id: id }: { course_id: number; planned_course_id?: number | null | undefined },
  at = "",
): void {
  if (typeof id !== "number" || plannedCourses.peek(id)?.course_id === course_id) return;
  throw unprocessable(at === "" ? "planned_course_id" : `${at}.planned_course_id`, "belongs to another course");
}

function programElements(store: Store): AnyBehaviour {
  const { programElements: records } = store;
  const lastIn = (editionId: number) => elementsOf(store, editionId).length;
  return behaviour<StoredProgramElement, ProgramElementCreate, ProgramElementUpdate>({
    // Never those within blocks, nor elements of other kinds.
    scope: () => isProgramElement,
    create: (body) => {
      checkPlanned(store, body);
      return { position: lastIn(body.edition_id) + 1, element: courseFrom(store, body) };
    },
    update: (body, { course_id, edition_id, position, planned_course_id }) => {
      const changed = { course_id, planned_course_id, ...given(body) };
      checkPlanned(store, changed);
      const moves = body.edition_id !== undefined && body.edition_id !== edition_id;
      return {
        position: moves ? lastIn(body.edition_id ?? edition_id) + 1 : position,
        element: courseFrom(store, changed),
      };
    },
    after: (_, { edition_id }) => {
      // No place stays empty.
      for (const [index, { id, position }] of elementsOf(store, edition_id).entries()) {
        if (position !== index + 1) records.revise(id, { position: index + 1 });
      }
    },
  });
}

function programEnrollments(store: Store): AnyBehaviour {
  const { programEnrollments: records } = store;
  const certified = (id: number) => ({ certifiable_id: id, certifiable_type: "program_enrollment" }) as const;
  return behaviour<ProgramEnrollment>({
    operations: {
      cancel: (inquiry) => {
        const { id, state } = one(inquiry);
        return state === "canceled" ? records.get(id) : records.update(id, { state: "canceled" });
      },
      // Who gets the certificate has passed; who loses it has to be judged again.
      awardCertificate: (inquiry) => {
        const { id, state } = one(inquiry);
        if (state === "canceled") throw unprocessable("base", "the enrollment is canceled");
        const { certificate_template_id } = inquiry.body as unknown as ProgramEnrollmentAwardCertificate;
        replaceCertificate(inquiry, certified(id), certificate_template_id);
        const { graduation_state, graduation_date } = records.get(id) ?? {};
        if (graduation_state === "passed" && graduation_date !== null) return records.get(id);
        return records.update(id, { graduation_state: "passed", graduation_date: inquiry.now.slice(0, 10) });
      },
      deleteCertificate: (inquiry) => {
        const { id } = one(inquiry);
        if (deleteCertificates(store, certified(id)) === 0) return records.get(id);
        return records.update(id, { graduation_state: "awaiting_judgement", graduation_date: null });
      },
    },
  });
}
