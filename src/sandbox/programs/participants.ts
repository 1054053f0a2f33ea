import type { ProgramEnrollment } from "../../resources/programs/program-enrollments.js";
import { showPlaces } from "../catalog/offers.js";
import type { Store } from "../data/store.js";
import type { World } from "../data/world.js";

/** The number of participants that a program edition is seeded with. @internal */
export function seededProgramParticipants(editionId: number, { counts, store }: World): number {
  let participants = 0;
  for (let id = editionId; id <= counts.programEnrollments; id += counts.programEditions) {
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
  const current_participants = Math.max(0, edition.current_participants + by);
  store.programEditions.revise(editionId, { current_participants });
  showPlaces(store, "Program::Edition", { ...edition, current_participants });
}
