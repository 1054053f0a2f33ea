import type { AdminCatalogVariant } from "../../resources/catalog/catalog-variants.js";
import type { ProgramEdition } from "../../resources/programs/program-editions.js";
import type { ProgramEnrollment } from "../../resources/programs/program-enrollments.js";
import { availabilityOf } from "../catalog/seed.js";
import type { Store } from "../data/store.js";
import type { World } from "../data/world.js";
import { programEnrollmentCount } from "./counts.js";

/** The number of participants that a program edition is seeded with. @internal */
export function seededProgramParticipants(editionId: number, { counts, store }: World): number {
  let participants = 0;
  for (let id = editionId; id <= programEnrollmentCount(counts); id += counts.programEditions) {
    if (takesPlace(store.programEnrollments.seeded(id))) participants++;
  }
  return participants;
}

function takesPlace({ state }: Readonly<ProgramEnrollment>): boolean {
  return state !== "canceled";
}

/** Counts the participants of program editions anew when a program enrollment changes. @internal */
export function followProgramEnrollment(
  store: Store,
  after: ProgramEnrollment | undefined,
  before: ProgramEnrollment | undefined,
): void {
  if (before && takesPlace(before)) moveParticipants(store, before.edition_id, -1);
  if (after && takesPlace(after)) moveParticipants(store, after.edition_id, 1);
}

function moveParticipants(store: Store, editionId: number, by: 1 | -1): void {
  const edition = store.programEditions.peek(editionId);
  if (!edition) return;
  const taken = Math.max(0, edition.current_participants + by);
  store.programEditions.revise(editionId, { current_participants: taken });
  const variant = variantOfEdition(store, editionId);
  if (variant) store.catalogVariants.revise(variant.id, placesOf({ ...edition, current_participants: taken }));
}

/** What the catalog variant of a program edition says about its places. @internal */
export function placesOf(
  edition: Pick<ProgramEdition, "max_participants" | "current_participants">,
): Pick<AdminCatalogVariant, "available_places" | "availability"> {
  const { max_participants: most, current_participants: taken } = edition;
  const places = most === null ? null : Math.max(0, most - taken);
  return { available_places: places, availability: availabilityOf(places) };
}

/** The catalog variant that stands for a program edition. @internal */
export function variantOfEdition({ catalogVariants }: Store, editionId: number): AdminCatalogVariant | undefined {
  return catalogVariants.find(
    ({ variantable_type, variantable_id }) => variantable_type === "Program::Edition" && variantable_id === editionId,
  );
}
