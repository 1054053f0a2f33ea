/** An entry of a token store. */
export interface TokenEntry {
  /** The key of a school, such as `school https://school.example`, or of an entry for pending logins. */
  readonly key: string;
  /** Identifies this state of the entry; changes with every write. */
  readonly version: string;
  /** JSON without secrets. A store may keep it in plain text. */
  readonly facts: string;
  /** JSON with tokens. A store keeps it encrypted and returns it unchanged. */
  readonly secret: string;
}

/**
 * Keeps the tokens of schools for all processes. Each method is atomic, and a write that `put` has confirmed survives a
 * crash. The stores of `education-admin-sdk/stores/sqlite`, `/stores/postgres` and `/stores/redis` implement it. The
 * guide to stores links to tests for your own implementation.
 */
export interface TokenStore {
  /** Returns the entry with this key; null if there is none. */
  get(key: string): TokenEntry | null | PromiseLike<TokenEntry | null>;
  /**
   * Writes an entry that replaces the version `replaces`, or a new entry if `replaces` is null. Returns false and
   * changes nothing if another process has written or removed the entry first.
   */
  put(entry: TokenEntry, replaces: string | null): boolean | PromiseLike<boolean>;
  /** Removes the entry with this key and version. Returns false if the entry is gone or has another version. */
  delete(key: string, version: string): boolean | PromiseLike<boolean>;
  /** Lists the entries whose keys begin with a prefix, ordered by key. A store may leave out their secrets. */
  list(prefix: string): readonly TokenFacts[] | PromiseLike<readonly TokenFacts[]>;
}

/** An entry without its secret. */
export type TokenFacts = Omit<TokenEntry, "secret">;

/** Keeps tokens in the memory of this process, unencrypted: for tests. A restart forgets every school. */
export function memoryTokens(): TokenStore {
  const entries = new Map<string, TokenEntry>();
  return {
    get: (key) => entries.get(key) ?? null,
    put(entry, replaces) {
      if ((entries.get(entry.key)?.version ?? null) !== replaces) return false;
      entries.set(entry.key, entry);
      return true;
    },
    delete: (key, version) => entries.get(key)?.version === version && entries.delete(key),
    list: (prefix) =>
      [...entries.values()]
        .filter(({ key }) => key.startsWith(prefix))
        .sort((one, other) => (one.key < other.key ? -1 : 1))
        .map(({ key, version, facts }) => ({ key, version, facts })),
  };
}
