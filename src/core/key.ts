import type { ApiKey } from "./credentials.js";
import { fingerprint } from "./fingerprint.js";

/**
 * What tells a client's key from others in a database or beside a file. A key is the same one in every process. A key function
 * gives tokens that change, so it counts as one key for as long as the session lasts.
 * @param name what the caller calls the key: then that is what it is known by.
 * @param session names who asks, such as one mirror.
 */
export function keyOf(apiKey: ApiKey, address: string, name: string | undefined, session: string): string {
  const own = typeof apiKey === "function" ? ["session", session] : ["key", apiKey ?? ""];
  // A name is hashed too, in case somebody takes it for the key. 32 bits tell a school's keys apart, and leave too many
  // possible keys for anybody to find the right one.
  return fingerprint(JSON.stringify([address, ...(name === undefined ? own : ["name", name])])).slice(0, 8);
}
