import type { Domain } from "../engine/domain.js";
import { customBehaviours } from "./behaviours.js";
import { customSeeds } from "./seed.js";
import type { CustomStore } from "./store.js";

/** The custom domain of the sandbox. @internal */
export const custom: Domain<CustomStore> = {
  seeds: customSeeds,
  behaviours: customBehaviours,
  references: {
    custom_record_ids: ({ customRecords }) => customRecords,
  },
};
