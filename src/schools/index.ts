/** The `./schools` entry: one application, many schools, connected by OAuth. */

export { memoryTokens, type TokenEntry, type TokenFacts, type TokenStore } from "../stores/token-store.js";
export { SchoolError, type SchoolErrorReason } from "./errors.js";
export type { SchoolStatus } from "./record.js";
export { type ConnectedSchool, createSchools, type Schools } from "./schools.js";
export type {
  ConnectingSchool,
  SchoolClientOptions,
  SchoolEvent,
  SchoolObservers,
  SchoolsOptions,
} from "./settings.js";
