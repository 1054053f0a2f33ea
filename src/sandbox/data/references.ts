import { REFERENCES, resourceOf } from "../../resources/references.js";
import type { Collection, Identified } from "./collection.js";
import type { RelatedByName } from "./domain.js";
import type { CollectionName, Store } from "./store.js";

// References that the `with` option of lists does not support.
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

export function referencesInBodies(): RelatedByName {
  inBodies ??= referencesIn("");
  return inBodies;
}

/** The identifier fields of a resource's records, each with the collection to which it refers. */
export function referencesIn(resource: string): RelatedByName {
  const names = [...Object.keys(REFERENCES), ...Object.keys(OTHERS)];
  const found = names.flatMap((name) => {
    const collection = OTHERS[name] ?? resourceOf(name, resource) ?? "";
    // No field refers to the lists of the Organization API, because they are views of other collections.
    const fields = collection.startsWith("organization.") ? [] : [`${name}_id`, `${name}_ids`];
    return fields.map((field) => [field, collection as CollectionName] as const);
  });
  return byName(Object.fromEntries(found));
}

export function relatedIn(store: Store, name: CollectionName | undefined): Collection<Identified> | undefined {
  return name && (store[name] as unknown as Collection<Identified>);
}

export interface Reference {
  readonly holder: Record<string, unknown>;
  readonly name: string;
  readonly path: string;
  readonly target: CollectionName;
  /** The identifier in the field, or the identifiers if the field is a list. */
  readonly ids: readonly number[];
}

export function* referencesWithin(value: unknown, targets: RelatedByName, at = ""): Generator<Reference> {
  if (typeof value !== "object" || value === null) return;
  const holder = value as Record<string, unknown>;
  for (const [name, field] of Object.entries(holder)) {
    const path = Array.isArray(value) ? `${at}[${name}]` : at === "" ? name : `${at}.${name}`;
    const kind = holder[name.replace(/_id$/, "_type")];
    // An inherited property such as `constructor` is not a reference.
    const named = Object.hasOwn(targets, name) ? targets[name] : undefined;
    const target = named ?? (typeof kind === "string" ? KINDS[kind] : undefined);
    const ids = [field].flat().filter((id) => typeof id === "number");
    if (target && ids.length > 0) yield { holder, name, path, target, ids };
    yield* referencesWithin(field, targets, path);
  }
}

/** The first identifier in a value that refers to no record, with its path; undefined if there is none. */
export function danglingIn(value: unknown, targets: RelatedByName, store: Store, at = "") {
  for (const { path, target, ids } of referencesWithin(value, targets, at)) {
    const records = relatedIn(store, target);
    const id = ids.find((each) => records && !records.peek(each));
    if (id !== undefined) return { path, id };
  }
  return undefined;
}

/**
 * The collection of each kind of record that a field such as `commentable_type` can name. For an unlisted kind,
 * `commentable_id` accepts any identifier.
 */
export const KINDS: RelatedByName = /* @__PURE__ */ byName<CollectionName>({
  Account: "accounts",
  Course: "courses",
  Enrollment: "enrollments",
  Invoice: "invoices",
  Lead: "leads",
  Order: "orders",
  PlannedCourse: "plannedCourses",
  "Program::Edition": "programEditions",
  "Program::Editions::Edition": "programEditions",
  "Program::Enrollment": "programEnrollments",
  "Program::Program": "programs",
  Task: "tasks",
  User: "users",
  course_enrollment: "enrollments",
  program_enrollment: "programEnrollments",
});

/**
 * A copy without a prototype, for lookups by names from a request: a plain object would also have `constructor` and
 * `toString`.
 */
export function byName<T>(values: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.assign(Object.create(null) as Record<string, T>, values);
}
