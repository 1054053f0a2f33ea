import type { resourceOf } from "../resources/references.js";

/**
 * Loads the names that lists can join, because few programs need them. Node, Bun and Deno have them at hand, in
 * load-references-server.ts, for the reasons that ../core/lookups/load-lookups.ts gives.
 */
export const loadReferences = async (): Promise<typeof resourceOf> =>
  (await import("../resources/references.js")).resourceOf;
