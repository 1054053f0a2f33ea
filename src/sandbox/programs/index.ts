import type { Domain } from "../engine/domain.js";
import { programsBehaviours } from "./behaviours.js";
import { programsSeeds } from "./seed.js";
import type { ProgramsStore } from "./store.js";

/** The programs domain of the sandbox. @internal */
export const programs: Domain<ProgramsStore> = {
  seeds: programsSeeds,
  behaviours: programsBehaviours,
  references: {
    edition_id: ({ programEditions }) => programEditions,
    program_id: ({ programs }) => programs,
  },
  factories: {
    thesis: ({ theses }) => theses,
  },
};
