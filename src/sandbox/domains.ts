import { catalog } from "./catalog/index.js";
import { custom } from "./custom/index.js";
import type { Domain, RecordsByName } from "./data/domain.js";
import type { Store } from "./data/store.js";
import type { AnyBehaviour } from "./engine/behaviour.js";
import { finance } from "./finance/index.js";
import { organization } from "./organization/index.js";
import { people } from "./people/index.js";
import { planning } from "./planning/index.js";
import { settings } from "./settings/index.js";

/** The domains whose collections are at the top of the store. @internal */
export const domains = [people, catalog, planning, finance, custom, settings] as const;

const all: readonly Omit<Domain<never>, "seeds">[] = [...domains, organization];

/** What every resource does, by the name operation ids give it. @internal */
export function createBehaviours(store: Store): Readonly<Record<string, AnyBehaviour>> {
  return Object.assign({}, ...all.map((domain) => domain.behaviours(store)));
}

/** Fields of bodies that name records, and where those records must be. @internal */
export function allReferences(): RecordsByName {
  return Object.assign({}, ...all.map(({ references }) => references));
}

/** Collections whose factory is not named as the collection is. @internal */
export function allFactories(): RecordsByName {
  return Object.assign({}, ...all.map(({ factories }) => factories));
}
