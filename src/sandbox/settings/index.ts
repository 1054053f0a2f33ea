import type { Domain } from "../engine/domain.js";
import { settingsBehaviours } from "./behaviours.js";
import { settingsSeeds } from "./seed.js";
import type { SettingsStore } from "./store.js";

/** The settings domain of the sandbox. @internal */
export const settings: Domain<SettingsStore> = {
  seeds: settingsSeeds,
  behaviours: settingsBehaviours,
  references: {
    webhook_id: ({ webhooks }) => webhooks,
  },
};
