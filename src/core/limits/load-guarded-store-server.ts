import { GuardedStore } from "./guarded-store.js";

/** What guards a store that processes share, at hand; see load-guarded-store.ts. */
export const loadGuardedStore = async (): Promise<typeof GuardedStore> => GuardedStore;
