import type { ApiKey } from "../core/credentials.js";
import { fingerprint } from "../core/fingerprint.js";

/**
 * Fingerprints a client's key for storage: a key gives the same text in every process. A key function returns changing
 * tokens, so the session is used instead.
 * @param name the caller's name for the key; if given, it replaces the key in the fingerprint.
 * @param session identifies the caller, such as one mirror.
 */
export function keyOf(apiKey: ApiKey, address: string, name: string | undefined, session: string): string {
  const identity = typeof apiKey === "function" ? ["session", session] : ["key", apiKey ?? ""];
  // The name is hashed too, in case a caller passes the key itself as the name. 32 bits are enough to distinguish a
  // school's keys, and too few to recover one.
  return fingerprint(JSON.stringify([address, ...(name === undefined ? identity : ["name", name])])).slice(0, 8);
}
