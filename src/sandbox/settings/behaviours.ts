import type { Store } from "../data/store.js";
import { type AnyBehaviour, behaviour } from "../engine/behaviour.js";

/** Behaviours of the educator and its departments. @internal */
export function settingsBehaviours({ departments, educators }: Store): Record<string, AnyBehaviour> {
  return {
    departments: behaviour({ records: () => departments }),
    educators: behaviour({
      records: () => educators,
      operations: { get: () => educators.at(0) },
    }),
  };
}
