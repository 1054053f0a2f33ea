import { catalogBehaviors } from "./catalog/behaviors.js";
import { catalogSeeds } from "./catalog/seed.js";
import { customBehaviors } from "./custom/fields.js";
import { customSeeds } from "./custom/seed.js";
import { Collection, type Records } from "./data/collection.js";
import type { Seeds } from "./data/domain.js";
import type { Store } from "./data/store.js";
import type { World } from "./data/world.js";
import type { AnyBehavior, AnyRecord, WholeBehavior } from "./engine/behavior.js";
import { financeBehaviors } from "./finance/behaviors.js";
import { financeSeeds } from "./finance/seed.js";
import { organizationBehaviors } from "./organization/views.js";
import { peopleBehaviors } from "./people/behaviors.js";
import { organizationsBehaviors } from "./people/behaviors-organizations.js";
import { peopleSeeds } from "./people/seed.js";
import { organizationsSeeds } from "./people/seed-organizations.js";
import { planningBehaviors } from "./planning/behaviors.js";
import { planningSeeds } from "./planning/seed.js";
import { programsBehaviors } from "./programs/behaviors.js";
import { programsSeeds } from "./programs/seed.js";
import { settingsSeeds } from "./settings/seed.js";
import { settingsBehaviors } from "./settings/webhooks.js";
import { teachersBehaviors } from "./teachers/behaviors.js";
import { teachersSeeds } from "./teachers/seed.js";

export function seedsOf(world: World): Seeds {
  return {
    ...settingsSeeds(world),
    ...customSeeds(world),
    ...peopleSeeds(world),
    ...organizationsSeeds(world),
    ...catalogSeeds(world),
    ...planningSeeds(world),
    ...programsSeeds(world),
    ...financeSeeds(world),
    ...teachersSeeds(world),
  };
}

/** Returns a function that finds the behavior of a resource, named as in operation ids. */
export function behaviorsOf(store: Store): (resource: string) => WholeBehavior {
  let behaviors: Readonly<Record<string, AnyBehavior>> | undefined;
  return (resource) => {
    behaviors ??= {
      ...settingsBehaviors(store),
      ...customBehaviors(store),
      ...peopleBehaviors(store),
      ...organizationsBehaviors(store),
      ...catalogBehaviors(store),
      ...planningBehaviors(store),
      ...programsBehaviors(store),
      ...financeBehaviors(store),
      ...teachersBehaviors(store),
      ...organizationBehaviors(),
    } as Readonly<Record<string, AnyBehavior>>;
    const stored = recordsOf(resource, store);
    const records = () => {
      if (!stored) throw new Error(`the sandbox has no records of ${resource}`);
      return stored;
    };
    return { records, written: stored instanceof Collection ? stored : undefined, ...behaviors[resource] };
  };
}

/** The records of a resource, by its name in operation ids, such as `accounts` or `organization.contacts`. */
export function recordsOf(resource: string, store: Store): Records<AnyRecord> | undefined {
  let found: unknown = store;
  for (const name of resource.split(".")) found = (found as Readonly<Record<string, unknown>> | undefined)?.[name];
  return found as Records<AnyRecord> | undefined;
}
