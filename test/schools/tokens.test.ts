import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import Database from "better-sqlite3";
import { afterAll, describe, expect, it, test } from "vitest";
import { memoryTokens, type TokenEntry, type TokenStore } from "../../src/schools/index.js";
import { postgresTokens } from "../../src/stores/postgres/index.js";
import { redisTokens } from "../../src/stores/redis/index.js";
import { type EncryptionKey, type SqliteConnection, sqliteTokens } from "../../src/stores/sqlite/index.js";
import { tokenStoreTests } from "../stores/suite/index.ts";
import { resultsOf } from "../stores/support/suite-results.ts";
import { World } from "./support/world.js";

const folder = mkdtempSync(join(tmpdir(), "tokens-"));
afterAll(() => rmSync(folder, { recursive: true }));

const key = () => randomBytes(32).toString("base64");
const entry = (name: string, secret: string, version = "1"): TokenEntry => ({
  key: name,
  version,
  facts: "{}",
  secret,
});
const inMemory = (encryptionKey: EncryptionKey | readonly EncryptionKey[], database = new DatabaseSync(":memory:")) =>
  sqliteTokens(database, { encryptionKey });

describe("tokens in memory", () => {
  tokenStoreTests({ test, create: () => memoryTokens() });
});

describe.each<[string, (path: string) => SqliteConnection]>([
  ["node:sqlite", (path) => new DatabaseSync(path)],
  ["better-sqlite3", (path) => new Database(path)],
])("tokens in SQLite through %s", (name, open) => {
  let files = 0;
  const encryptionKey = key();
  tokenStoreTests({
    test,
    create: () => sqliteTokens(open(join(folder, `${name.replace(/\W/g, "-")}-${++files}.sqlite`)), { encryptionKey }),
  });
});

describe("an encrypted store", () => {
  it("never uses a nonce again, because two texts with one nonce reveal each other", async () => {
    const database = new DatabaseSync(":memory:");
    const store = inMemory(key(), database);
    for (let at = 0; at < 20; at++) await store.put(entry(`school ${at}`, "the same text"), null);
    const [{ name }] = database.prepare("SELECT name FROM sqlite_master WHERE name LIKE '%tokens'").all() as [
      { name: string },
    ];
    const rows = database.prepare(`SELECT secret FROM ${name}`).all() as { secret: string }[];
    expect(new Set(rows.map(({ secret }) => secret.split(".")[2])).size).toBe(20);
  });

  it("leaves no secret in the file", async () => {
    const path = join(folder, "secrets.sqlite");
    const store = sqliteTokens(new DatabaseSync(path), { encryptionKey: key() });
    await store.put(entry("school a", "the-refresh-token"), null);
    await store.put(entry("school a", "another-refresh-token", "2"), "1");
    const written = readdirSync(folder)
      .filter((file) => file.startsWith("secrets"))
      .map((file) => readFileSync(join(folder, file), "latin1"))
      .join();
    expect(written).toContain("school a");
    expect(written).not.toContain("refresh-token");
    expect(written).not.toContain(Buffer.from("refresh-token").toString("base64").slice(1, 15));
  });

  it("never encrypts to the same text twice", async () => {
    const database = new DatabaseSync(":memory:");
    const store = inMemory(key(), database);
    for (const name of ["a", "b"]) await store.put(entry(name, "same"), null);
    const rows = database.prepare("SELECT secret FROM education_admin_tokens").all() as { secret: string }[];
    expect(new Set(rows.map(({ secret }) => secret)).size).toBe(2);
  });

  it("decrypts with any of its keys and encrypts with the first", async () => {
    const [before, after] = [key(), randomBytes(32)];
    const database = new DatabaseSync(":memory:");
    await inMemory(before, database).put(entry("a", "old"), null);
    const both = inMemory([after, before], database);
    expect((await both.get("a"))?.secret).toBe("old");
    await expect(Promise.resolve(inMemory(after, database).get("a"))).rejects.toThrow(
      'sqliteTokens: "a" was encrypted with a key that encryptionKey does not have',
    );
    await both.put(entry("a", "new", "2"), "1");
    expect((await inMemory(after, database).get("a"))?.secret).toBe("new");
    await expect(Promise.resolve(inMemory(before, database).get("a"))).rejects.toThrow("does not have");
  });

  it("can be refilled after the loss of its key: its schools are connected again, or forgotten", async () => {
    const world = new World(2);
    const database = new DatabaseSync(":memory:");
    const before = world.schools({ tokens: inMemory(key(), database) });
    for (const school of [1, 2]) await world.connect(before, school);
    const schools = world.schools({ tokens: inMemory(key(), database) });
    await expect(schools.client("https://school-1.example")).rejects.toThrow("does not have");
    const school = await world.connect(schools, 1);
    expect((await (await schools.client(school)).accounts.get(1)).id).toBe(1);
    expect(await schools.disconnect("https://school-2.example")).toBe(true);
    expect(await schools.list()).toMatchObject([{ school, state: "connected" }]);
  });

  it.each([
    [
      "the secret of another entry",
      "UPDATE education_admin_tokens SET secret = (SELECT secret FROM education_admin_tokens WHERE key = 'b') WHERE key = 'a'",
    ],
    [
      "other facts",
      "UPDATE education_admin_tokens SET facts = '{\"school\":\"https://attacker.example\"}' WHERE key = 'a'",
    ],
    ["another version", "UPDATE education_admin_tokens SET version = '7' WHERE key = 'a'"],
    ["another key", "UPDATE education_admin_tokens SET key = 'a' WHERE key = 'b'"],
    [
      "a changed text",
      "UPDATE education_admin_tokens SET secret = substr(secret, 1, length(secret) - 2) || 'AA' WHERE key = 'a'",
    ],
  ])("refuses an entry changed in the database: %s", async (_, change) => {
    const database = new DatabaseSync(":memory:");
    const store = inMemory(key(), database);
    await store.put(entry("b", "of b"), null);
    if (change.includes("SET key")) {
      database.exec(change);
    } else {
      await store.put(entry("a", "of a"), null);
      database.exec(change);
    }
    await expect(Promise.resolve(store.get("a"))).rejects.toThrow(
      'sqliteTokens: "a" was changed by something other than this library',
    );
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["no keys", []],
    ["an empty variable", ""],
    ["a short key", randomBytes(16)],
    ["a short text", randomBytes(31).toString("base64")],
    ["a password", "correct horse battery staple correct horse!"],
    ["one wrong key of two", [key(), "wrong"]],
  ])("is refused with %s as its key, and the error does not contain it", (_, encryptionKey) => {
    for (const [name, make] of [
      ["sqliteTokens", () => inMemory(encryptionKey as string)],
      [
        "postgresTokens",
        () => postgresTokens({ query: async () => ({ rows: [] }) }, { encryptionKey: encryptionKey as string }),
      ],
      ["redisTokens", () => redisTokens({ eval: async () => null }, { encryptionKey: encryptionKey as string })],
    ] as const) {
      const problem = encryptionKey === "" ? "is empty (is its variable set?); it must be" : "must be";
      expect(make).toThrow(`${name}: encryptionKey ${problem} 32 bytes or their base64 (openssl rand -base64 32)`);
    }
  });

  it("accepts base64 in both alphabets, and bytes that the caller may overwrite", async () => {
    const bytes = new Uint8Array(32).fill(255);
    const database = new DatabaseSync(":memory:");
    const store = inMemory(bytes, database);
    bytes.fill(0);
    await store.put(entry("a", "secret"), null);
    for (const text of [`${"/".repeat(42)}8=`, `${"_".repeat(42)}8`]) {
      expect((await inMemory(text, database).get("a"))?.secret).toBe("secret");
    }
  });
});

describe("the tests of token stores", () => {
  const failures = async (change: (right: TokenStore) => Partial<TokenStore>) => {
    const create = () => {
      const right = memoryTokens();
      return { ...right, ...change(right) };
    };
    const results = await resultsOf((run) => tokenStoreTests({ test: run, create }));
    return Object.values(results).filter((message) => message !== null);
  };

  it("pass a correct store", async () => {
    expect(await failures(() => ({}))).toEqual([]);
  });

  it.each<[string, (right: TokenStore) => Partial<TokenStore>]>([
    [
      "writes whatever is there",
      (right) => ({
        put: async (entry) => right.put(entry, (await right.get(entry.key))?.version ?? null),
      }),
    ],
    ["writes nothing and says it did", () => ({ put: () => true })],
    [
      "reads before it writes",
      (right) => ({
        put: async (entry, replaces) => {
          const before = (await right.get(entry.key))?.version ?? null;
          await Promise.resolve();
          return before === replaces && right.put(entry, (right.get(entry.key) as TokenEntry | null)?.version ?? null);
        },
      }),
    ],
    [
      "removes any version",
      (right) => ({
        delete: async (key) => right.delete(key, (await right.get(key))?.version ?? ""),
      }),
    ],
    [
      "says it removed what was gone",
      (right) => ({
        delete: (key, version) => {
          right.delete(key, version);
          return true;
        },
      }),
    ],
    ["keeps what was removed", () => ({ delete: () => true })],
    [
      "trims secrets",
      (right) => ({
        put: (entry, replaces) => right.put({ ...entry, secret: entry.secret.replace("ü", "u") }, replaces),
      }),
    ],
    ["lists everything", (right) => ({ list: () => right.list("") })],
    ["lists in no order", (right) => ({ list: async (start) => [...(await right.list(start))].reverse() })],
    [
      "lists without facts",
      (right) => ({
        list: async (start) => (await right.list(start)).map((entry) => ({ ...entry, facts: "" })),
      }),
    ],
  ])("detect a store that %s", async (_, change) => {
    expect((await failures(change)).length).toBeGreaterThan(0);
  });
});
