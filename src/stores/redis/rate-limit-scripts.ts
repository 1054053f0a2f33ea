import { CATCH_UP, KEY_WINDOWS, LEAST_KEYS, SPACED_PART } from "../turns.js";

// A window is five keys with one hash tag, so that a cluster keeps them together:
// 1 state    hash: shift, seen, blocked, spaced, slots (the last number given), batch (places of batch requests), and the
//            places of each key in `held <key>`
// 2 flight   sorted set of the places in flight, by the end of their lease
// 3 answered sorted set of the answered places, by when they are free
// 4 waiters  hash: `<lane> <key>` -> `<since> <end of its turn>`
// 5 keys     sorted set of the keys of an application, by when they were last seen
// A place is `<lane><number> <key>`; the lane is b for batch, i for interactive.

// The window's own time. It never goes backwards: a date that is set back adds to `shift`.
const NOW = `
local function timeOf(state)
  local time = redis.call('TIME')
  local date = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
  local seen = tonumber(redis.call('HGET', state, 'seen') or 0)
  local now = date + tonumber(redis.call('HGET', state, 'shift') or 0)
  if now < seen then
    now = seen
    redis.call('HSET', state, 'shift', now - date)
  end
  redis.call('HSET', state, 'seen', now)
  return now
end
local function release(state, place)
  if string.sub(place, 1, 1) == 'b' then redis.call('HINCRBY', state, 'batch', -1) end
  local held = 'held ' .. string.sub(place, string.find(place, ' ', 1, true) + 1)
  if redis.call('HINCRBY', state, held, -1) <= 0 then redis.call('HDEL', state, held) end
end
`;

/** Arguments: key, turn (1 when keys share the window), lane, requests, batchRequests, windowMs, leaseMs, pollMs, graceMs. */
export const RESERVE = `${NOW}
local state, flight, answered, waiters, keys = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local key, inTurn, lane = ARGV[1], ARGV[2] == '1', ARGV[3]
local requests, batchRequests, windowMs, leaseMs = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local pollMs, graceMs = tonumber(ARGV[8]), tonumber(ARGV[9])
local isBatch = lane == 'b'
local now = timeOf(state)

for _, set in ipairs({ flight, answered }) do
  local free = redis.call('ZRANGEBYSCORE', set, '-inf', now)
  for _, place in ipairs(free) do release(state, place) end
  if #free > 0 then redis.call('ZREMRANGEBYSCORE', set, '-inf', now) end
end
local used = redis.call('ZCARD', flight) + redis.call('ZCARD', answered)
local batchUsed = tonumber(redis.call('HGET', state, 'batch') or 0)
local next = redis.call('ZRANGE', answered, 0, 0, 'WITHSCORES')[2]
local resetMs = next and tostring(tonumber(next) - now) or false

-- Nothing is left behind: the keys end when every place and block has.
local function keep(ms)
  for _, name in ipairs(KEYS) do
    if redis.call('PTTL', name) < ms then redis.call('PEXPIRE', name, ms) end
  end
end
keep(math.max(leaseMs, windowMs) + windowMs)
if inTurn then keep(${KEY_WINDOWS} * windowMs) end

local blocked = tonumber(redis.call('HGET', state, 'blocked') or 0)
if blocked > now then return { false, blocked - now, 1, used, tostring(blocked - now) } end

local ahead, batchAhead, isSpaced = 0, 0, false
local spacing = windowMs / (math.max(1, requests) * ${SPACED_PART})
local spacedAt = math.max(tonumber(redis.call('HGET', state, 'spaced') or 0), now - windowMs / ${CATCH_UP})
local me = lane .. ' ' .. key
local since = now
if inTurn then
  redis.call('ZADD', keys, now, key)
  redis.call('ZREMRANGEBYSCORE', keys, '-inf', now - ${KEY_WINDOWS} * windowMs)
  local own = tonumber(redis.call('HGET', state, 'held ' .. key) or 0)
  isSpaced = own >= requests / math.max(${LEAST_KEYS}, redis.call('ZCARD', keys))
  local others = {}
  local waiting = redis.call('HGETALL', waiters)
  for at = 1, #waiting, 2 do
    local from, ends = string.match(waiting[at + 1], '^(%S+) (%S+)$')
    if tonumber(ends) <= now then redis.call('HDEL', waiters, waiting[at])
    elseif waiting[at] == me then since = tonumber(from)
    else others[#others + 1] = { waiting[at], tonumber(from) } end
  end
  -- Who goes first: interactive before batch, then who has fewer places, then who waits longer.
  for _, other in ipairs(others) do
    local isFirst
    local theirs = string.sub(other[1], 1, 1)
    if theirs ~= lane then isFirst = isBatch
    else
      local held = tonumber(redis.call('HGET', state, 'held ' .. string.sub(other[1], 3)) or 0)
      isFirst = held < own or (held == own and other[2] < since)
    end
    if isFirst then
      ahead = ahead + 1
      if theirs == 'b' then batchAhead = batchAhead + 1 end
    end
  end
end

local isFree = used < requests - ahead and (not isBatch or batchUsed < batchRequests - batchAhead)
if isFree and not (isSpaced and spacedAt > now) then
  if inTurn then
    redis.call('HSET', state, 'spaced', string.format('%.3f', spacedAt + spacing))
    redis.call('HDEL', waiters, me)
  end
  local place = lane .. redis.call('HINCRBY', state, 'slots', 1)
  redis.call('ZADD', flight, now + leaseMs, place .. ' ' .. key)
  redis.call('HINCRBY', state, 'held ' .. key, 1)
  if isBatch then redis.call('HINCRBY', state, 'batch', 1) end
  keep(math.max(leaseMs, windowMs) + windowMs)
  return { place, 0, 0, used + 1, resetMs }
end

local freeAt = nil
if isFree then freeAt = now
else
  local left, batchLeft = used, batchUsed
  local places = redis.call('ZRANGE', answered, 0, isBatch and -1 or math.max(0, used - (requests - ahead)), 'WITHSCORES')
  for at = 1, #places, 2 do
    left = left - 1
    if string.sub(places[at], 1, 1) == 'b' then batchLeft = batchLeft - 1 end
    if left < requests - ahead and (not isBatch or batchLeft < batchRequests - batchAhead) then
      freeAt = tonumber(places[at + 1])
      break
    end
  end
end
if inTurn then
  freeAt = freeAt or now + pollMs
  -- The keys before this one may not come.
  if used < requests and (not isBatch or batchUsed < batchRequests) then freeAt = math.min(freeAt, now + pollMs) end
  if isSpaced then freeAt = math.max(freeAt, spacedAt + ahead * spacing) end
  freeAt = math.ceil(freeAt)
  redis.call('HSET', waiters, me, string.format('%.0f %.0f', since, freeAt + graceMs))
  keep(windowMs)
end
return { false, freeAt and freeAt - now or false, 0, used, resetMs }
`;

/** Arguments: place, whether it was sent, windowMs. */
export const SETTLE = `${NOW}
local state, flight, answered = KEYS[1], KEYS[2], KEYS[3]
local place, windowMs = ARGV[1], tonumber(ARGV[3])
if redis.call('ZREM', flight, place) == 0 then return end
if ARGV[2] ~= '1' then return release(state, place) end
redis.call('ZADD', answered, timeOf(state) + windowMs, place)
for _, name in ipairs({ state, answered }) do
  if redis.call('PTTL', name) < 2 * windowMs then redis.call('PEXPIRE', name, 2 * windowMs) end
end
`;

/** Arguments: milliseconds. */
export const BLOCK = `${NOW}
local state, ms = KEYS[1], tonumber(ARGV[1])
local until_ = timeOf(state) + ms
if until_ > tonumber(redis.call('HGET', state, 'blocked') or 0) then redis.call('HSET', state, 'blocked', until_) end
if redis.call('PTTL', state) < ms then redis.call('PEXPIRE', state, math.max(1, ms)) end
`;
