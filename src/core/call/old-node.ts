import { ConfigurationError } from "../errors.js";

/**
 * Refuses a Node that lacks what the library calls: an import works there, and the first call would end with a `TypeError` that
 * names nothing. One between 22.0 and 22.18 has it; npm warns of it by `engines`.
 * @throws ConfigurationError that names both versions.
 */
export function refuseOldNode(): void {
  if (typeof Promise.withResolvers === "function") return;
  const { process } = globalThis as { process?: { versions?: { node?: string } } };
  throw new ConfigurationError(
    `education-admin-sdk needs Node 22.18 or later; this is ${process?.versions?.node ?? "an older platform"}. ` +
      "Install a newer Node (https://nodejs.org), or choose one with your version manager: nvm install 24",
  );
}
