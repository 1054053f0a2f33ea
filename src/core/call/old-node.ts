import { ConfigurationError } from "../errors.js";

/**
 * Refuses a Node version that lacks functions the library calls: the import succeeds there, but the first call would
 * fail with an unhelpful `TypeError`. Versions between 22.0 and 22.18 have these functions; npm warns about them
 * because of `engines`.
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
