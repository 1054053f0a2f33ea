import { encryptSecrets, type TokenStoreOptions, tokenSettings } from "../sealing.js";
import type { TokenEntry, TokenStore } from "../token-store.js";
import { type RedisConnection, scriptsOf } from "./connection.js";

// A hash that maps the key of an entry to its version, facts and secret, as JSON. Arguments: the key, the expected
// version ('' for no entry), and the new entry ('' to remove it).
const CHANGE = `
local found = redis.call('HGET', KEYS[1], ARGV[1])
local version = found and cjson.decode(found)[1] or ''
if version ~= ARGV[2] then return 0 end
if ARGV[3] == '' then redis.call('HDEL', KEYS[1], ARGV[1]) else redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end
return 1`;
const GET = `return redis.call('HGET', KEYS[1], ARGV[1])`;
const ALL = `return redis.call('HGETALL', KEYS[1])`;

type Kept = readonly [version: string, facts: string, secret: string];

/**
 * Keeps the tokens of `education-admin-sdk/schools` in Redis, encrypted. Any number of processes may share them.
 * Configure Redis to write each change to disk (`appendonly yes`, `appendfsync always`): losing a refreshed token
 * disconnects its school.
 * @throws ConfigurationError if the connection lacks a method or an option is invalid.
 */
export function redisTokens(connection: RedisConnection, options: TokenStoreOptions): TokenStore {
  const { prefix, keys } = tokenSettings("redisTokens", options);
  const runScript = scriptsOf("redisTokens", connection);
  const hash = [`${prefix}tokens`];
  const change = async (key: string, replaces: string, text: string) =>
    Number(await runScript(CHANGE, hash, [key, replaces, text])) === 1;
  const entries = {
    get: async (key: string) => {
      const text = (await runScript(GET, hash, [key])) as string | null;
      return text === null ? null : entryIn(key, text);
    },
    put: ({ key, version, facts, secret }: TokenEntry, replaces: string | null) =>
      change(key, replaces ?? "", JSON.stringify([version, facts, secret])),
    delete: (key: string, version: string) => change(key, version, ""),
    list: async (start: string) => {
      const all = (await runScript(ALL, hash, [])) as string[];
      return all
        .flatMap((key, at) => (at % 2 === 0 && key.startsWith(start) ? [entryIn(key, all[at + 1] as string)] : []))
        .sort((one, other) => (one.key < other.key ? -1 : 1))
        .map(({ key, version, facts }) => ({ key, version, facts }));
    },
  };
  return encryptSecrets("redisTokens", entries, keys);
}

function entryIn(key: string, text: string): TokenEntry {
  const [version, facts, secret] = JSON.parse(text) as Kept;
  return { key, version, facts, secret };
}
