import type { CatalogStore } from "../catalog/store.js";
import type { CustomStore } from "../custom/store.js";
import type { FinanceStore } from "../finance/store.js";
import type { OrganizationStore } from "../organization/store.js";
import type { PeopleStore } from "../people/store.js";
import type { PlanningStore } from "../planning/store.js";
import type { ProgramsStore } from "../programs/store.js";
import type { SettingsStore } from "../settings/store.js";
import type { TeachersStore } from "../teachers/store.js";
import type { Collection } from "./collection.js";
import type { Given } from "./given.js";

/**
 * All records of a sandbox, by resource. The APIs return what is written here, and what is written through the APIs can be
 * read here.
 */
export interface Store
  extends PeopleStore,
    CatalogStore,
    PlanningStore,
    FinanceStore,
    CustomStore,
    ProgramsStore,
    SettingsStore,
    TeachersStore {
  /** The lists of the Organization API: the same data in its form. */
  readonly organization: OrganizationStore;
}

/** The name of a collection of {@link Store}. */
export type CollectionName = Exclude<keyof Store, "organization">;

/** Records of your own, by collection: the fields that matter; the others are worked out. */
export type SandboxData = {
  readonly [Name in CollectionName]?: Store[Name] extends Collection<infer T> ? readonly Given<T>[] : never;
};
