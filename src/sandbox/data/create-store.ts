import type { SeededSchool } from "../custom/definitions.js";
import { domains } from "../domains.js";
import { organizationViews } from "../organization/views.js";
import { Collection } from "./collection.js";
import { eventsOf, type Seed } from "./domain.js";
import type { Store } from "./store.js";
import { countsOf, type SandboxSize, type World } from "./world.js";

/** Makes the collections of a sandbox from the seeds of its domains. @internal */
export function createStore(options: {
  seed: number;
  size: SandboxSize;
  empty: boolean;
  school: SeededSchool;
  onEvent: (event: string, record: { readonly id: number }) => void;
}): { store: Store; reset: () => void } {
  const collections: { reset(): void }[] = [];
  function collectionsOf(seeds: object): Record<string, unknown> {
    const made: Record<string, unknown> = {};
    for (const [name, seed] of Object.entries(seeds) as [string, Seed<never>][]) {
      const { count, columns } = seed;
      const collection = new Collection<never>({
        name,
        seed: options.seed,
        // An empty store still has its one educator.
        count: options.empty && name !== "educators" ? 0 : count,
        columns,
        onChange: (kind, record, before) => {
          for (const event of eventsOf(seed, kind, record, before)) options.onEvent(event, record);
          const after = kind === "deleted" ? undefined : record;
          seed.follow?.(after, before);
          for (const related of seed.relatedEvents?.(after, before) ?? [])
            options.onEvent(related.event, related.record);
        },
      });
      collections.push(collection);
      made[name] = collection;
    }
    return made;
  }
  // Columns read the store only when a record is made; by then it is complete.
  const store = {} as Store;
  const world: World = { counts: countsOf(options.size), school: options.school, store };
  for (const domain of domains) Object.assign(store, collectionsOf(domain.seeds(world)));
  Object.assign(store, { organization: organizationViews(store) });
  return {
    store,
    reset: () => {
      for (const each of collections) each.reset();
    },
  };
}
