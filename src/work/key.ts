import type { ApiKey } from "../core/credentials.js";
import { fingerprint } from "../core/fingerprint.js";

/**
 * A mark that tells a client's key from others, for a database or a file. It is the same in every process. A key function returns
 * tokens that change, so it has one mark per session.
 * @param name the caller's name for the key, from which the mark is then made.
 * @param session identifies the caller, such as one mirror.
 */
export function keyOf(apiKey: ApiKey, address: string, name: string | undefined, session: string): string {
  const identity = typeof apiKey === "function" ? ["session", session] : ["key", apiKey ?? ""];
  // The name is hashed too, in case a caller passes the key itself. 32 bits tell a school's keys apart, and fit too many
  // possible keys to reveal the right one.
  return fingerprint(JSON.stringify([address, ...(name === undefined ? identity : ["name", name])])).slice(0, 8);
}
