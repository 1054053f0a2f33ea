import { REFERENCES, resourceOf } from "../../resources/references.js";
import type { Related, RelatedByName } from "./domain.js";
import type { CollectionName, Store } from "./store.js";

// What fields name beside the references that lists can join.
const OTHERS: Readonly<Record<string, CollectionName>> = {
  course_tab: "courseTabs",
  custom_record: "customRecords",
  edition_description_section: "editionDescriptionSections",
  grader: "users",
  label: "labels",
  planning_meeting_location: "meetingLocations",
  teacher_label: "labels",
  webhook: "webhooks",
};

let inBodies: RelatedByName | undefined;

/** Those of bodies, which are the same in every sandbox. @internal */
export function referencesInBodies(): RelatedByName {
  inBodies ??= referencesIn("");
  return inBodies;
}

/** Fields of a resource's records that hold identifiers, with the collection of the records they name. @internal */
export function referencesIn(resource: string): RelatedByName {
  const names = [...Object.keys(REFERENCES), ...Object.keys(OTHERS)];
  return Object.fromEntries(
    names.flatMap((name) => {
      const collection = OTHERS[name] ?? resourceOf(name, resource) ?? "";
      const related = (store: Store) => store[collection as CollectionName] as Related;
      // The lists of the Organization API show records of other collections, which nothing is written to.
      const fields = collection.startsWith("organization.") ? [] : [`${name}_id`, `${name}_ids`];
      return fields.map((field) => [field, related] as const);
    }),
  );
}
