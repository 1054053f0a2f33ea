import type { InFlight } from "./in-flight.js";
import type { sendJoined } from "./join.js";
import type { lookupOf } from "./lookup.js";
import type { manyOf } from "./many.js";

/** What lookups, joins and `dedupe` do. Not the type of the module: the tool that reports the API cannot read that. */
export interface LookupCode {
  readonly InFlight: typeof InFlight;
  readonly lookupOf: typeof lookupOf;
  readonly manyOf: typeof manyOf;
  readonly sendJoined: typeof sendJoined;
}

/**
 * Loads the code of lookups when it is first used, because few programs need it. Node, Bun and Deno have it at hand, in
 * load-lookups-server.ts: size matters little there, and Jest cannot load modules later unless it was started for ES
 * modules. package.json's `imports` chooses, as `#lookups`.
 */
export const loadLookups = (): Promise<LookupCode> => import("./index.js");
