import { catalog } from "./catalog/index.js";
import { custom } from "./custom/index.js";
import type { Domain, RecordsByName, RelatedByName } from "./data/domain.js";
import type { Store } from "./data/store.js";
import type { AnyBehaviour } from "./engine/behaviour.js";
import { finance } from "./finance/index.js";
import { organization } from "./organization/index.js";
import { people } from "./people/index.js";
import { planning } from "./planning/index.js";
import { programs } from "./programs/index.js";
import { settings } from "./settings/index.js";
import { teachers } from "./teachers/index.js";

/** The domains whose collections are direct properties of the store. @internal */
export const domains = [people, catalog, planning, programs, finance, custom, settings, teachers] as const;

const all: readonly Omit<Domain<never>, "seeds">[] = [...domains, organization];

/** What every resource does, by resource name as in operation ids. @internal */
export function createBehaviours(store: Store): Readonly<Record<string, AnyBehaviour>> {
  return Object.assign({}, ...all.map((domain) => domain.behaviours(store)));
}

/** Fields that hold identifiers of records, with the collection of those records. @internal */
export function allReferences(): RelatedByName {
  return Object.assign({}, ...all.map(({ references }) => references));
}

/** Collections whose factory has another name. @internal */
export function allFactories(): RecordsByName {
  return Object.assign({}, ...all.map(({ factories }) => factories));
}
