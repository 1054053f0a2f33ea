import type { CatalogStore } from "../catalog/store.js";
import type { CustomStore } from "../custom/store.js";
import type { FinanceStore } from "../finance/store.js";
import type { OrganizationStore } from "../organization/store.js";
import type { PeopleStore } from "../people/store.js";
import type { PlanningStore } from "../planning/store.js";
import type { SettingsStore } from "../settings/store.js";

/**
 * Everything a sandbox holds, by resource. What is written here is what the APIs answer, and what is written through
 * the APIs is found here.
 */
export interface Store extends PeopleStore, CatalogStore, PlanningStore, FinanceStore, CustomStore, SettingsStore {
  /** The lists of the Organization API: the same data as it shows it. */
  readonly organization: OrganizationStore;
}
