import { catalogBehaviours } from "./catalog/behaviours.js";
import { catalogSeeds } from "./catalog/seed.js";
import { customBehaviours } from "./custom/fields.js";
import { customSeeds } from "./custom/seed.js";
import { Collection, type Records } from "./data/collection.js";
import type { Seeds } from "./data/domain.js";
import type { Store } from "./data/store.js";
import type { World } from "./data/world.js";
import type { AnyBehaviour, AnyRecord, WholeBehaviour } from "./engine/behaviour.js";
import { financeBehaviours } from "./finance/behaviours.js";
import { financeSeeds } from "./finance/seed.js";
import { organizationBehaviours } from "./organization/views.js";
import { peopleBehaviours } from "./people/behaviours.js";
import { organizationsBehaviours } from "./people/behaviours-organizations.js";
import { peopleSeeds } from "./people/seed.js";
import { organizationsSeeds } from "./people/seed-organizations.js";
import { planningBehaviours } from "./planning/behaviours.js";
import { planningSeeds } from "./planning/seed.js";
import { programsBehaviours } from "./programs/behaviours.js";
import { programsSeeds } from "./programs/seed.js";
import { settingsSeeds } from "./settings/seed.js";
import { settingsBehaviours } from "./settings/webhooks.js";
import { teachersBehaviours } from "./teachers/behaviours.js";
import { teachersSeeds } from "./teachers/seed.js";

/** The seeds of every collection, beginning with the school's own definitions. */
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

/** Returns a function that finds a resource's behavior by its name in operation ids. */
export function behavioursOf(store: Store): (resource: string) => WholeBehaviour {
  let behaviours: Readonly<Record<string, AnyBehaviour>> | undefined;
  return (resource) => {
    behaviours ??= {
      ...settingsBehaviours(store),
      ...customBehaviours(store),
      ...peopleBehaviours(store),
      ...organizationsBehaviours(store),
      ...catalogBehaviours(store),
      ...planningBehaviours(store),
      ...programsBehaviours(store),
      ...financeBehaviours(store),
      ...teachersBehaviours(store),
      ...organizationBehaviours(),
    } as Readonly<Record<string, AnyBehaviour>>;
    const stored = recordsOf(resource, store);
    const records = () => {
      if (!stored) throw new Error(`the sandbox has no records of ${resource}`);
      return stored;
    };
    return { records, written: stored instanceof Collection ? stored : undefined, ...behaviours[resource] };
  };
}

/** The records of a resource, by its name in operation ids, such as `accounts` or `organization.contacts`. */
export function recordsOf(resource: string, store: Store): Records<AnyRecord> | undefined {
  let found: unknown = store;
  for (const name of resource.split(".")) found = (found as Readonly<Record<string, unknown>> | undefined)?.[name];
  return found as Records<AnyRecord> | undefined;
}
