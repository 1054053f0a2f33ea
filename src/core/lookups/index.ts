/**
 * What `lookup`, `getMany`, `with` and `dedupe` do. It is loaded when one of them is first used, so that nobody else
 * carries it.
 */
export { InFlight } from "./in-flight.js";
export { sendJoined } from "./join.js";
export { lookupOf } from "./lookup.js";
export { manyOf } from "./many.js";
