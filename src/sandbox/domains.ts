import { catalog } from "./catalog/index.js";
import { custom } from "./custom/index.js";
import type { RecordsByName, RelatedByName } from "./data/domain.js";
import type { Store } from "./data/store.js";
import type { AnyBehaviour } from "./engine/behaviour.js";
import type { Domain } from "./engine/domain.js";
import { finance } from "./finance/index.js";
import { organization } from "./organization/index.js";
import { people } from "./people/index.js";
import { planning } from "./planning/index.js";
import { programs } from "./programs/index.js";
import { settings } from "./settings/index.js";
import { teachers } from "./teachers/index.js";

/** The domains whose collections are direct properties of the store; what a school is like comes first. @internal */
export const domains = [settings, custom, people, catalog, planning, programs, finance, teachers] as const;

const all: readonly Omit<Domain<never>, "seeds">[] = [...domains, organization];

// The domain of every resource. The first sandbox finds out; it is the same for all.
let homes: ReadonlyMap<string, (typeof all)[number]> | undefined;

/** What a resource does, by its name as in operation ids. Each domain's behaviours are made when one is first needed. @internal */
export function behavioursOf(store: Store): (resource: string) => AnyBehaviour | undefined {
  const made = new Map<(typeof all)[number], Readonly<Record<string, AnyBehaviour>>>();
  return (resource) => {
    homes ??= new Map(all.flatMap((domain) => Object.keys(domain.behaviours(store)).map((name) => [name, domain])));
    const home = homes.get(resource);
    if (!home) return undefined;
    const behaviours = made.get(home) ?? home.behaviours(store);
    made.set(home, behaviours);
    return behaviours[resource];
  };
}

/** Fields that hold identifiers of records, with the collection of those records. @internal */
export function allReferences(): RelatedByName {
  named ??= Object.assign({}, ...all.map(({ references }) => references)) as RelatedByName;
  return named;
}

let named: RelatedByName | undefined;

/** Collections whose factory has another name. @internal */
export function allFactories(): RecordsByName {
  return Object.assign({}, ...all.map(({ factories }) => factories));
}
