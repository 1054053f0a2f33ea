import type { TokenEntry, TokenStore } from "education-admin-sdk/schools";
import { check, type TestFunction } from "./check.ts";

/** Options of `tokenStoreTests`. */
export interface TokenStoreTests {
  /** Registers a test: `test` of Vitest, Jest, Bun or `node:test`. */
  readonly test: TestFunction;
  /** Makes an empty store. Called once for each test. */
  readonly create: () => TokenStore | PromiseLike<TokenStore>;
}

/**
 * Registers the tests that every token store must pass.
 * @example
 * import { test } from "node:test";
 * import { memoryTokens } from "education-admin-sdk/schools";
 *
 * tokenStoreTests({ test, create: () => memoryTokens() });
 */
export function tokenStoreTests({ test, create }: TokenStoreTests): void {
  const define = (name: string, run: (store: TokenStore) => Promise<void>) =>
    test(`token store: ${name}`, async () => run(await create()));

  define("returns an entry as it was given", async (store) => {
    check((await store.get("school a")) === null, "there is none at first");
    const given = { ...entry("school a", "1"), facts: '{"ü":"\'\\n"}', secret: '{"token":"ü\' \\u0000"}' };
    check(await store.put(given, null), "a new entry is written");
    await same(store, given);
  });

  define("writes a new entry once, however many do so at the same time", async (store) => {
    const versions = Array.from({ length: 10 }, (_, at) => `version ${at}`);
    const written = await Promise.all(versions.map((version) => store.put(entry("school a", version), null)));
    check(written.filter(Boolean).length === 1, "one of ten is written", written);
    await same(store, entry("school a", versions[written.indexOf(true)] as string));
  });

  define("replaces an entry of the version that was read only", async (store) => {
    await store.put(entry("school a", "1"), null);
    check(!(await store.put(entry("school a", "2"), "0")), "another version is not replaced");
    check(!(await store.put(entry("school a", "2"), null)), "nor is it there anew");
    check(!(await store.put(entry("school b", "2"), "1")), "nor the one with another key");
    await same(store, entry("school a", "1"));
    const replacements = ["2", "3", "4"].map((version) => store.put(entry("school a", version), "1"));
    const replaced = await Promise.all(replacements);
    check(replaced.filter(Boolean).length === 1, "one of three replaces it", replaced);
  });

  define("removes an entry once, and of one version only", async (store) => {
    await store.put(entry("login a", "1"), null);
    check(!(await store.delete("login a", "2")), "another version is not removed");
    check(!(await store.delete("login b", "1")), "nor another entry");
    const removed = await Promise.all([1, 2, 3].map(() => store.delete("login a", "1")));
    check(removed.filter(Boolean).length === 1, "one of three removes it", removed);
    check((await store.get("login a")) === null, "it is gone");
    check(await store.put(entry("login a", "3"), null), "it can be written anew");
  });

  define("lists what begins with a text, in the order of the keys", async (store) => {
    for (const key of ["school b", "login c", "school a", "school A", "school_"]) {
      check(await store.put(entry(key, "1"), null), "it is written");
    }
    const listed = await store.list("school ");
    check(listed.map(({ key }) => key).join() === "school A,school a,school b", "they are three", listed.length);
    check(listed[1]?.version === "1" && listed[1]?.facts === entry("school a", "1").facts, "with their facts");
    check((await store.list("other")).length === 0, "and none of another beginning");
  });
}

function entry(key: string, version: string): TokenEntry {
  return { key, version, facts: JSON.stringify({ of: key, version }), secret: JSON.stringify({ token: version }) };
}

async function same(store: TokenStore, expected: TokenEntry): Promise<void> {
  const found = await store.get(expected.key);
  for (const field of ["key", "version", "facts", "secret"] as const) {
    check(found?.[field] === expected[field], `its ${field} is as it was given`);
  }
}
