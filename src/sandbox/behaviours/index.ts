import type { Store } from "../data/store.js";
import type { AnyBehaviour } from "../engine/behaviour.js";
import { catalogBehaviours } from "./catalog.js";
import { environmentBehaviours } from "./environment.js";
import { financeBehaviours } from "./finance.js";
import { organizationBehaviours } from "./organization.js";
import { planningBehaviours } from "./planning.js";
import { relationBehaviours } from "./relations.js";

/** What every resource does, by the name operation ids give it. @internal */
export function createBehaviours(store: Store): Readonly<Record<string, AnyBehaviour>> {
  return {
    ...relationBehaviours(store),
    ...catalogBehaviours(store),
    ...planningBehaviours(store),
    ...financeBehaviours(store),
    ...environmentBehaviours(store),
    ...organizationBehaviours(store),
  };
}
