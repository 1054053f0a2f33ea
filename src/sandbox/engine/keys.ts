import { type Operation, scopesIn } from "../../core/operation.js";
import { didYouMean, type Fail, group, type Names, oneOf } from "../../core/option-checks.js";
import { allOperations } from "../../operations.js";

/** The rights of a key. */
export interface SandboxKeyOptions {
  /**
   * The API to which the key gives access, in addition to the Organization API. Default: both. If an operation differs
   * between Main and Admin, a request with a key for both is treated as a Main request, unless only Admin accepts it.
   */
  readonly api?: "main" | "admin" | undefined;
  /**
   * The scopes of the key, as docs/operations.md lists them: `relations:read`, `invoices:modify`. `*:read` matches
   * every scope that ends in `:read`, `invoices:*` every scope that begins with `invoices:`, `*` every scope.
   * Operations whose scopes are not documented are open to every key. Default: every scope.
   */
  readonly scopes?: readonly (`${string}:${string}` | "*")[] | undefined;
}

const OPTIONS: Names<SandboxKeyOptions> = { api: 1, scopes: 1 };

const fail: Fail = (option, rule) => new RangeError(`${option} ${rule}`);

/** @internal */
export interface Key {
  readonly api: "main" | "admin" | "both";
  readonly scopes: readonly string[] | null;
  /** Expiry time in milliseconds since the epoch; absent if the key does not expire. */
  readonly endsAt?: number;
  /** The OAuth application whose request budget the key uses. */
  readonly application?: string;
}

/** @internal */
export class Keys {
  readonly #keys = new Map<string, Key>();
  readonly #permanent = new Map<string, Key>();

  add(
    options: SandboxKeyOptions,
    key: string = randomText("sandbox_"),
    more: Pick<Key, "endsAt" | "application"> = {},
  ): string {
    const { api, scopes } = group("createKey", options, OPTIONS, fail);
    if (api !== undefined) oneOf("main", "admin")("createKey.api", api, fail);
    this.#keys.set(key, { api: api ?? "both", scopes: scopes === undefined ? null : scopesFrom(scopes), ...more });
    return key;
  }

  /** Adds one of the sandbox's own keys, which a reset restores if it was revoked. */
  addPermanent(options: SandboxKeyOptions, key = `sandbox_${uniqueText()}`): string {
    const added = this.add(options, key);
    this.#permanent.set(added, this.#keys.get(added) as Key);
    return added;
  }

  state(): readonly (readonly [key: string, key: Key])[] {
    return [...this.#keys];
  }

  /** Restores earlier keys; the sandbox's own keys stay. */
  restore(keys: readonly (readonly [key: string, key: Key])[]): void {
    this.#keys.clear();
    for (const [text, key] of keys) this.#keys.set(text, key);
    this.reset();
  }

  reset(): void {
    for (const [text, key] of this.#permanent) this.#keys.set(text, key);
  }

  end(key: string, endsAt: number): void {
    const known = this.#keys.get(key);
    if (known) this.#keys.set(key, { ...known, endsAt });
  }

  delete(key: string): boolean {
    return this.#keys.delete(key);
  }

  /** The key in an `Authorization` header; null for a missing or unknown key. */
  read(authorization: string | null): { key: Key; token: string } | null {
    const token = /^bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
    const key = token === undefined ? undefined : this.#keys.get(token);
    return key && token !== undefined ? { key, token } : null;
  }
}

/** @internal */
export function permits({ scopes, api }: Key, row: Operation): boolean {
  if (!scopes) return true;
  const has = (scope: string) => scopes.includes(scope);
  return row.apis
    .filter((candidate) => api === "both" || candidate === "organization" || candidate === api)
    .some((candidate) => {
      // rule: an operation whose scopes are not documented is open to every key.
      const needed = scopesIn(row, candidate) ?? [];
      return needed.length === 0 || (row.anyScope ? needed.some(has) : needed.every(has));
    });
}

let known: readonly string[] | undefined;

function knownScopes(): readonly string[] {
  known ??= [...new Set(allOperations.flatMap((row) => row.apis.flatMap((api) => scopesIn(row, api) ?? [])))];
  return known;
}

/** Resolves the patterns `*:read`, `invoices:*` and `*` to scopes. @throws RangeError for an unknown scope. */
function scopesFrom(wanted: readonly string[]): readonly string[] {
  if (!Array.isArray(wanted) || !wanted.every((scope) => typeof scope === "string")) {
    throw new RangeError('createKey.scopes must be a list of strings such as "invoices:read"');
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
  // A key may have a scope that no operation needs, such as `payments:destroy`.
  const isPossible =
    parts.length === 2 && parts.every((part, at) => knownScopes().some((scope) => scope.split(":")[at] === part));
  if (isPossible) return [wanted];
  throw new RangeError(`createKey.scopes: there is no scope "${wanted}"${didYouMean(wanted, knownScopes())}`);
}

let texts = 0;

/**
 * A string unique to one sandbox, even across processes, so that sandboxes share neither a rate budget nor an address.
 * Uses no random numbers or dates: Workers refuse them while modules load, and frameworks while they prerender.
 * @internal
 */
export function uniqueText(): string {
  const { timeOrigin } = performance;
  return [timeOrigin, performance.now(), ++texts].map((number) => Math.floor(number * 1_000).toString(36)).join("");
}

/** @internal */
export function randomText(prefix: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(9));
  return prefix + Array.from(bytes, (byte) => byte.toString(36).padStart(2, "0")).join("");
}

/** Encodes bytes for use in a URL: base64url without padding (RFC 4648, 5). @internal */
export function urlText(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .replace(/=+$/, "");
}
