import type { PersonalProgramElement } from "../../resources/programs/personal-program-elements.js";
import type { ProgramEditionElement } from "../../resources/programs/program-edition-elements.js";
import type { ProgramEdition } from "../../resources/programs/program-editions.js";
import type { ProgramElement } from "../../resources/programs/program-elements.js";
import type { ProgramEnrollment } from "../../resources/programs/program-enrollments.js";
import type { Program } from "../../resources/programs/programs.js";
import type { Thesis } from "../../resources/programs/theses.js";
import type { Collection } from "../data/collection.js";

/** An element directly in a program edition, of any kind. The APIs return those that are courses as program elements. */
export interface StoredProgramElement extends ProgramElement {
  /** The element as the list of an edition's elements shows it. */
  element: ProgramEditionElement;
}

/** The sandbox's programs, their editions with elements and enrollments, and theses. */
export interface ProgramsStore {
  readonly personalProgramElements: Collection<PersonalProgramElement>;
  /** Program editions; the Organization API lists them too. */
  readonly programEditions: Collection<ProgramEdition>;
  /** Elements directly in program editions, of every kind. */
  readonly programElements: Collection<StoredProgramElement>;
  /** Program enrollments; the Organization API lists them too. */
  readonly programEnrollments: Collection<ProgramEnrollment>;
  readonly programs: Collection<Program>;
  readonly theses: Collection<Thesis>;
}
