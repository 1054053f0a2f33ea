import type { RecordsByName, RelatedByName, Seeds } from "../data/domain.js";
import type { Store } from "../data/store.js";
import type { World } from "../data/world.js";
import type { AnyBehaviour } from "./behaviour.js";

/**
 * One group of resources of the sandbox. A new resource is added to its domain's store, seeds and behaviours; the engine
 * needs no change.
 * @internal
 */
export interface Domain<S> {
  seeds(world: World): Seeds<S>;
  /** What its resources do beyond plain operations, by resource name as in operation ids. */
  behaviours(store: Store): Readonly<Record<string, AnyBehaviour>>;
  /** Fields of bodies and records that hold the identifier of one of its records, or several. */
  readonly references?: RelatedByName;
  /** Collections whose factory has another name: `contact` for `organization.contacts`. */
  readonly factories?: RecordsByName;
}
