import type { Department } from "../../resources/settings/departments.js";
import type { Educator } from "../../resources/settings/educators.js";
import type { Columns, Identified } from "../data/collection.js";
import type { Seeds } from "../data/domain.js";
import { postalAddress } from "../data/words.js";
import type { SettingsStore } from "./store.js";

/** The seeds of the educator and its departments. @internal */
export function settingsSeeds(): Seeds<SettingsStore> {
  return {
    departments: { count: DEPARTMENT_COUNT, columns: departmentColumns },
    educators: { count: 1, columns: educatorColumns, event: "educator" },
  };
}

/** @internal */
export const educatorColumns: Columns<Educator> = {
  slug: () => "sandbox",
  standard_planning_text: () => null,
  default_invoice_vat_multiplier: () => "1.21",
  phone: () => "+44 1632 960000",
  website_url: () => "https://www.example.org",
  signup_default_account_type: () => "personal",
  signup_contact_info: () => "Write to info@example.org.",
  currency: () => "EUR",
  country: () => "NL",
  email: () => "info@example.org",
  time_zone: () => "Europe/Amsterdam",
  name: () => "Sandbox Academy",
  locale: () => "en",
  terms_url: () => "https://www.example.org/terms",
  invoice_address: (_, random) => postalAddress(random, "Sandbox Academy"),
};

const DEPARTMENT_NAMES = ["Open enrollment", "In company", "Online", "Research"] as const;

/** The number of seeded departments. @internal */
export const DEPARTMENT_COUNT = DEPARTMENT_NAMES.length;

/** @internal */
export const departmentColumns: Columns<Department & Identified> = {
  name: ({ id }) => DEPARTMENT_NAMES[(id - 1) % DEPARTMENT_COUNT],
};
