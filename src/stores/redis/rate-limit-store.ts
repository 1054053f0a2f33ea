import type { RateLimitStore } from "../../core/limits/rate-limit-store.js";
import { type RateLimitStoreOptions, rateLimitSettings } from "../options.js";
import { SharedWindows, throughLogs } from "../shared-windows.js";
import type { Append, LogPart } from "../window-log.js";
import { type RedisConnection, scriptsOf } from "./connection.js";

// A window is a list: its base version, the state at that version, and the entries since then. Arguments: the entry;
// the version known to the process; the version and the state of a snapshot; how many milliseconds to keep the window.
const APPEND = `
local key = KEYS[1]
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local known, snapshot = tonumber(ARGV[2]), tonumber(ARGV[3])
local base = tonumber(redis.call('LINDEX', key, 0))
if not base then
  base = now * 1000
  redis.call('RPUSH', key, string.format('%.0f', base), '')
end
local count = redis.call('LLEN', key) - 2
if snapshot > base and snapshot <= base + count then
  redis.call('LTRIM', key, snapshot - base, -1)
  base = snapshot
  redis.call('LSET', key, 0, string.format('%.0f', base))
  redis.call('LSET', key, 1, ARGV[4])
end
if ARGV[1] ~= '' then redis.call('RPUSH', key, string.format('%.0f', now) .. ' ' .. ARGV[1]) end
redis.call('PEXPIRE', key, math.max(redis.call('PTTL', key), tonumber(ARGV[5]), 1))
local first = math.max(base, known - 1)
local state = base > known and redis.call('LINDEX', key, 1) or ''
return { string.format('%.0f', base), state, string.format('%.0f', first), redis.call('LRANGE', key, 2 + first - base, -1) }
`;

/**
 * Shares a rate limit between processes through Redis, with one round trip for all requests made at the same time. The
 * Redis keys expire by themselves. Windows follow Redis's clock. `client.rateLimit` shows the state in Redis's last
 * reply.
 * @throws ConfigurationError if the connection lacks a method or an option is invalid.
 */
export function rateLimitStore(connection: RedisConnection, options: RateLimitStoreOptions = {}): RateLimitStore {
  const { prefix, ...settings } = rateLimitSettings(options);
  const runScript = scriptsOf("rateLimitStore", connection);
  const append = async (window: string, { entry, known, snapshot, keepMs }: Append): Promise<LogPart> => {
    const values = [entry ?? "", known, snapshot?.version ?? 0, snapshot?.state ?? "", keepMs];
    const row = (await runScript(APPEND, [`${prefix}limit:{${window}}`], values)) as [string, string, string, string[]];
    const [base, state, first, entries] = row;
    return { base: Number(base), state: state || null, first: Number(first), entries };
  };
  return new SharedWindows(throughLogs(append, { isPooled: false }), settings);
}
