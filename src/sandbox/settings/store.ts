import type { Department } from "../../resources/settings/departments.js";
import type { Educator } from "../../resources/settings/educators.js";
import type { Collection, Identified } from "../data/collection.js";

/** The sandbox's educator and its departments. */
export interface SettingsStore {
  readonly departments: Collection<Department & Identified>;
  /** Holds exactly one educator. */
  readonly educators: Collection<Educator>;
}
