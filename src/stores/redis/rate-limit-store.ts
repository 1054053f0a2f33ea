import type { RateLimitStore } from "../../core/limits/rate-limit-store.js";
import { type RateLimitStoreOptions, rateLimitSettings } from "../options.js";
import { SharedWindows } from "../shared-windows.js";
import { type RedisConnection, scriptsOf } from "./connection.js";

// A window is `<version> <state>`.
const READ = `
local time = redis.call('TIME')
return { redis.call('GET', KEYS[1]), tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) }
`;

// Arguments: the known version, the next one, its state, and for how many milliseconds it matters.
const SWAP = `
local found = redis.call('GET', KEYS[1])
local version = found and string.match(found, '^%d+') or '0'
if version ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2] .. ' ' .. ARGV[3], 'PX', ARGV[4])
return 1
`;

/**
 * Shares a rate limit between processes through Redis: two round trips for a place, and keys that end by themselves. It goes
 * by Redis's clock; the `now` of requests is only used to answer in the clock of the caller. `client.rateLimit` shows what
 * Redis said last.
 * @throws ConfigurationError when the connection lacks a method or an option makes no sense.
 */
export function rateLimitStore(connection: RedisConnection, options: RateLimitStoreOptions = {}): RateLimitStore {
  const { prefix, ...settings } = rateLimitSettings(options);
  const run = scriptsOf("rateLimitStore", connection);
  const keyOf = (window: string) => [`${prefix}limit:{${window}}`];
  return new SharedWindows(
    {
      async read(window) {
        const [found, now] = (await run(READ, keyOf(window), [])) as [string | null, number];
        const space = found?.indexOf(" ") ?? 0;
        return { state: found?.slice(space + 1) ?? null, version: Number(found?.slice(0, space) ?? 0), now };
      },
      async swap(window, version, next, keepMs) {
        return (await run(SWAP, keyOf(window), [version, next.version, next.state ?? "", keepMs])) === 1;
      },
    },
    settings,
  );
}
