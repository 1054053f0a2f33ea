import * as lookups from "./index.js";
import type { LookupCode } from "./load-lookups.js";

/** The code of lookups, at hand; see load-lookups.ts. */
export const loadLookups = async (): Promise<LookupCode> => lookups;
