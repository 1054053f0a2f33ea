import { resourceOf } from "../resources/references.js";

/** The names that lists can join, at hand; see load-references.ts. */
export const loadReferences = async (): Promise<typeof resourceOf> => resourceOf;
