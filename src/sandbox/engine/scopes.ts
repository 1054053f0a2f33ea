import { scopesIn } from "../../core/operation.js";
import { didYouMean } from "../../core/option-checks.js";
import { allOperations } from "../../operations.js";

// The same for all sandboxes.
let known: readonly string[] | undefined;

/** Every scope that an operation needs. */
function knownScopes(): readonly string[] {
  known ??= [...new Set(allOperations.flatMap((row) => row.apis.flatMap((api) => scopesIn(row, api) ?? [])))];
  return known;
}

/**
 * The scopes that a key gets: those that are named, and those that `*:read`, `invoices:*` and `*` stand for.
 * @throws RangeError for one that does not exist. @internal
 */
export function scopesFrom(wanted: readonly string[]): readonly string[] {
  if (!Array.isArray(wanted) || !wanted.every((scope) => typeof scope === "string")) {
    throw new RangeError('createKey.scopes must be a list of texts such as "invoices:read"');
  }
  return [...new Set(wanted.flatMap((scope) => matching(scope)))];
}

function matching(wanted: string): readonly string[] {
  const parts = wanted === "*" ? ["*", "*"] : wanted.split(":");
  const fits = (scope: string) => {
    const given = scope.split(":");
    return given.length === parts.length && parts.every((part, at) => part === "*" || part === given[at]);
  };
  const found = knownScopes().filter(fits);
  if (found.length > 0) return found;
  // A key may have a scope that no operation needs: payments:destroy deletes nothing.
  const isPossible =
    parts.length === 2 && parts.every((part, at) => knownScopes().some((scope) => scope.split(":")[at] === part));
  if (isPossible) return [wanted];
  throw new RangeError(`createKey.scopes: there is no scope "${wanted}"${didYouMean(wanted, knownScopes())}`);
}
