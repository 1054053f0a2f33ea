import type { FeatureFlag } from "../../core/operation.js";
import type { RouteOverride } from "../../core/options.js";
import type { RelatedByName } from "../data/domain.js";
import type { SandboxManners } from "../data/manners.js";
import type { Store } from "../data/store.js";
import type { WholeBehaviour } from "./behaviour.js";
import type { RecordedRequest } from "./calls.js";
import type { SandboxClock } from "./clock.js";
import type { Faults } from "./faults.js";
import type { Values } from "./input.js";
import type { Keys } from "./keys.js";
import type { SandboxLatency } from "./latency.js";
import type { OAuth } from "./oauth.js";
import type { RateWindow } from "./rate-window.js";

/** The parts of an engine. @internal */
export interface EngineParts {
  /** Carries out writes of the sandbox's own. */
  readonly within: <R>(write: () => R) => R;
  readonly store: Store;
  readonly manners: SandboxManners;
  /** The service's time in milliseconds since the epoch. */
  readonly now: () => number;
  /** Increases with every change of any record. */
  readonly version: () => number;
  /** What a resource does, by its name as in operation ids. */
  readonly behaviourOf: (resource: string) => WholeBehaviour;
  /** Body fields that hold identifiers of records, with the collection of those records. */
  readonly references: RelatedByName;
  /** The body with its custom fields. @throws Refusal for one that does not exist or has another value. */
  readonly withCustom: (body: Values, resource: string) => Values;
  readonly clock: SandboxClock;
  readonly faults: Faults;
  readonly keys: Keys;
  readonly oauth: OAuth;
  readonly window: RateWindow | null;
  readonly routes: Readonly<Record<string, RouteOverride>>;
  readonly disabledFeatures: readonly FeatureFlag[];
  readonly baseUrl: string;
  readonly latency: SandboxLatency;
  readonly onRequest: ((request: RecordedRequest) => void) | undefined;
}
