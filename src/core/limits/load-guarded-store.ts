import type { GuardedStore } from "./guarded-store.js";

/**
 * Loads what guards a store that processes share, because few programs have one. Node, Bun and Deno have it at hand, in
 * load-guarded-store-server.ts, for the reasons that ../lookups/load-lookups.ts gives.
 */
export const loadGuardedStore = async (): Promise<typeof GuardedStore> =>
  (await import("./guarded-store.js")).GuardedStore;
