/**
 * What `lookup`, `getMany`, `with` and `dedupe` do, loaded when one of them is first used: docs/decisions/lookups.md.
 */
export { InFlight } from "./in-flight.js";
export { sendJoined } from "./join.js";
export { lookupOf } from "./lookup.js";
export { manyOf } from "./many.js";
