import type { OrganizationProgramEdition } from "../../resources/organization/program-editions.js";
import type { OrganizationProgramEnrollment } from "../../resources/organization/program-enrollments.js";
import type { Columns } from "../data/collection.js";
import type { Seeds } from "../data/domain.js";
import type { Random } from "../data/random.js";
import type { World } from "../data/world.js";
import type { OrganizationCollections } from "./store.js";

/** The seeds of program editions and program enrollments. @internal */
export function organizationSeeds(world: World): Seeds<OrganizationCollections> {
  const { counts } = world;
  return {
    programEditions: { count: counts.programEditions, columns: programEditionColumns(world) },
    programEnrollments: { count: programEnrollmentCount(counts), columns: programEnrollmentColumns(world) },
  };
}

function programEnrollmentCount({ people }: World["counts"]): number {
  return Math.max(4, Math.ceil(people / 10));
}

/** @internal */
export function programEditionColumns({ counts, store }: World): Columns<OrganizationProgramEdition> {
  const program = (id: number) => counts.courses + ((Math.ceil(id / 2) - 1) % counts.programs) + 1;
  return {
    name: (row) => `${row.program_template_name} ${row.id % 2 === 1 ? 2025 : 2026}`,
    program_template_name: ({ id }) => store.catalogProducts.seeded(program(id)).name,
  };
}

/** @internal */
export function programEnrollmentColumns({ counts }: World): Columns<OrganizationProgramEnrollment> {
  const state = (random: Random) => (random.chance(0.9) ? "confirmed" : "canceled");
  return {
    program_edition_id: ({ id }) => ((id - 1) % counts.programEditions) + 1,
    state: (_, random) => state(random),
    grade: (_, random) => (random.chance(0.4) ? (random.int(55, 100) / 10).toFixed(1) : null),
    graduation_state: ({ grade }) => (grade === null ? "awaiting_judgement" : "passed"),
    contact_id: ({ id }) => ((id * 13) % counts.people) + 1,
  };
}
