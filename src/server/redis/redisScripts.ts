/**
 * What runs inside of Redis, each script at one go. They compare, write and tell; what a session's fields mean is not known here.
 *
 * A version is Redis' time in microseconds, made to grow: after a Redis that came back without its last writes no version is given twice,
 * so a comparison never takes another history for the one that it knew.
 */
import { createHash } from "node:crypto"

export interface RedisScript {
  readonly lua: string
  readonly sha: string
}

const script = (lua: string): RedisScript => ({ lua, sha: createHash("sha1").update(lua).digest("hex") })

/** Runs on a Redis that is full, too: what lets sessions end frees memory. */
const WHEN_FULL = "#!lua flags=allow-oom\n"

/** Microseconds since the epoch are exact in Lua's numbers, which have 53 bits. */
const TIME = `
local clock = redis.call('TIME')
local us = clock[1] * 1000000 + clock[2]
local ms = math.floor(us / 1000)
`

/**
 * What a session is now, to one who knows \`life\` and \`version\` of it: same, part (the fields written since, '' for a removed one),
 * whole, or none.
 */
const TELL = `
local function tell(life, version)
  local head = redis.call('HMGET', KEYS[1], 'life', 'version', 'last', 'floor')
  if not head[1] then return {'none'} end
  local kind, fields = 'whole', {}
  if head[1] == life and head[2] == version then
    kind = 'same'
  elseif head[1] == life and tonumber(version) < tonumber(head[2]) and tonumber(version) >= tonumber(head[4]) then
    kind = 'part'
    for _, name in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '(' .. version, '+inf')) do
      if string.sub(name, 1, 2) ~= 'w:' then
        fields[#fields + 1] = name
        fields[#fields + 1] = redis.call('HGET', KEYS[1], name) or ''
      end
    end
  else
    fields = redis.call('HGETALL', KEYS[1])
  end
  return {kind, head[1], head[2], head[3], fields}
end
`

/**
 * KEYS session, log, changes. ARGV life, version (both '' for who knows nothing), the id after which events are wanted or ''.
 * Gives the time in ms, what \`tell\` says, and the events as {id, json} or '' when the log does not reach back so far.
 */
export const READ = script(`${TIME}${TELL}
local told = tell(ARGV[1], ARGV[2])
local after = ARGV[3]
if after == '' or told[1] == 'none' then return {ms, told, {}} end
local function less(a, b)
  local av, ai = string.match(a, '^(%d+)%-(%d+)$')
  local bv, bi = string.match(b, '^(%d+)%-(%d+)$')
  av, ai, bv, bi = tonumber(av), tonumber(ai), tonumber(bv), tonumber(bi)
  return av < bv or (av == bv and ai < bi)
end
local lost = redis.call('HGET', KEYS[1], 'lost')
if less(told[4], after) or less(after, lost) then return {ms, told, ''} end
local events = {}
for _, entry in ipairs(redis.call('XRANGE', KEYS[2], '(' .. after, '+')) do
  events[#events + 1] = {entry[1], entry[2][2]}
end
return {ms, told, events}
`)

/**
 * Compare and set. KEYS session, log, changes, due. ARGV
 * 1 session id, 2 channel, 3 writer, 4 number of the write, 5 life, 6 version (both '' where the session must not be there),
 * 7 '1' when the one who asks may be told a part, 8 check | put | end, 9 now in ms, 10 how far that may be off, 11 when it is due in ms or '',
 * 12 events that the log keeps, 13 what is told on the channel, 14-16 counts; then fields with values, fields to remove, events.
 * Gives the time in ms and: ok, life, version, last event's id | stale, what \`tell\` says | skew.
 */
const COMMIT_LUA = `${TIME}${TELL}
local head = redis.call('HMGET', KEYS[1], 'life', 'version', 'last', 'w:' .. ARGV[3])
local life, version, last = head[1] or '', head[2] or '', head[3] or ''
if head[4] then
  -- This very write, sent again because its answer was lost.
  local write, written, upTo = string.match(head[4], '^(%d+) (%d+) (.*)$')
  if write == ARGV[4] then return {ms, 'ok', life, written, upTo} end
end
if life ~= ARGV[5] or version ~= ARGV[6] then
  return {ms, 'stale', ARGV[7] == '1' and tell(ARGV[5], ARGV[6]) or tell('', '')}
end
local function arm()
  if ARGV[11] == '' then redis.call('ZREM', KEYS[4], ARGV[1]) else redis.call('ZADD', KEYS[4], ARGV[11], ARGV[1]) end
end
if ARGV[8] == 'check' then
  arm()
  return {ms, 'ok', life, version, last}
end
if math.abs(ms - ARGV[9]) > tonumber(ARGV[10]) then return {ms, 'skew'} end
if version ~= '' and us <= tonumber(version) then us = tonumber(version) + 1 end
local made = string.format('%.0f', us)
if ARGV[8] == 'end' then
  redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
  redis.call('ZREM', KEYS[4], ARGV[1])
  redis.call('PUBLISH', ARGV[2], made .. ' - ' .. ARGV[13])
  return {ms, 'ok', '', made, ''}
end
if life == '' then
  life, last = made, '0-0'
  redis.call('HSET', KEYS[1], 'life', made, 'floor', '0', 'lost', '0-0')
end
local at = 17
for _ = 1, tonumber(ARGV[14]) do
  redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1])
  redis.call('ZADD', KEYS[3], made, ARGV[at])
  at = at + 2
end
for _ = 1, tonumber(ARGV[15]) do
  redis.call('HDEL', KEYS[1], ARGV[at])
  redis.call('ZADD', KEYS[3], made, ARGV[at])
  at = at + 1
end
for index = 1, tonumber(ARGV[16]) do
  last = made .. '-' .. index
  redis.call('XADD', KEYS[2], last, 'event', ARGV[at])
  at = at + 1
end
local over = redis.call('XLEN', KEYS[2]) - ARGV[12]
if over > 0 then
  local lost = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', over)
  redis.call('HSET', KEYS[1], 'lost', lost[#lost][1])
  redis.call('XTRIM', KEYS[2], 'MAXLEN', ARGV[12])
end
redis.call('HSET', KEYS[1], 'version', made, 'last', last, 'w:' .. ARGV[3], ARGV[4] .. ' ' .. made .. ' ' .. last)
redis.call('ZADD', KEYS[3], made, 'w:' .. ARGV[3])
-- Removed fields are remembered for those who know an older version, a while; writers that were not heard of for ten minutes are none any more.
if redis.call('ZCARD', KEYS[3]) > redis.call('HLEN', KEYS[1]) + 64 then
  local floor
  for _, name in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do
    local score = redis.call('ZSCORE', KEYS[3], name)
    local isOld = tonumber(score) < us - 600000000
    if string.sub(name, 1, 2) == 'w:' then
      if isOld then
        redis.call('HDEL', KEYS[1], name)
        redis.call('ZREM', KEYS[3], name)
      end
    elseif redis.call('HEXISTS', KEYS[1], name) == 0 then
      redis.call('ZREM', KEYS[3], name)
      floor = score
    end
  end
  if floor then redis.call('HSET', KEYS[1], 'floor', floor) end
end
arm()
redis.call('PUBLISH', ARGV[2], made .. ' ' .. last .. ' ' .. ARGV[13])
return {ms, 'ok', life, made, last}
`

export const COMMIT = script(COMMIT_LUA)

/** The same, for what ends a session. */
export const COMMIT_END = script(`${WHEN_FULL}${COMMIT_LUA}`)

/**
 * KEYS due. ARGV how many at most, how long who takes one has for it in ms. Gives the time in ms, the sessions that are due, and when
 * the next one is, or ''. What is taken is due again later, so that it is not lost with its taker.
 */
export const TAKE_DUE = script(`${WHEN_FULL}${TIME}
local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ms, 'LIMIT', 0, ARGV[1])
for _, id in ipairs(ids) do redis.call('ZADD', KEYS[1], ms + ARGV[2], id) end
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return {ms, ids, first[2] or ''}
`)
