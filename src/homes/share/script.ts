import { MAX_SHARED_EVENTS } from "../../contract/index.ts";

/*
 * The server-side script that stores changes. It compares the revisions of all documents of a step with those in the store,
 * and stores either all changes or none. Redis and Valkey run a script without interruption.
 *
 * A document is a hash of parts. The members `#rev` (revision), `#life` (changes when the project is reset) and `#base` (the
 * first revision from which on the changed parts are known) describe it. A sorted set has the revision of the last change of
 * each part since `#base`.
 */

/** The keys before those of the documents. */
const SHARED_KEYS = 3;

/** The bytes that a reset or a closed project may need in a full store, in addition to those that it frees. */
const SLACK = 16_384;

/**
 * The number of names of changed parts beyond which the older half is forgotten, in addition to the number of parts.
 * Processes at an earlier revision then load the whole document.
 */
const SPARE_NAMES = 1000;

/** The life of a document whose key has another type, as another program has written it. Its only part is the type. */
export const DAMAGED = "damaged";

/** The events whose last time a document keeps, in the members `#ended` and `#cleared` (see Mark). */
export const marks = ["ended", "cleared"] as const;

/** What the script returned, by its first member. */
export const outcomes = { stale: 0, stored: 1, tooManyProjects: 2, leased: 3 } as const;

/**
 * Returns statements that set the id before the first event. It is the time in microseconds, so ids are above those of
 * events that the store has lost.
 */
export function startEvents(counters: string): string {
  return `
local now = redis.call('TIME')
local start = string.format('%.0f', now[1] * 1000000 + now[2])
redis.call('HSET', ${counters}, 'firstEvent', start, 'event', start)
`;
}

/**
 * KEYS: the index of projects, the counters, the stream of events; then for each document its hash, its revisions, its
 * lease and its parts that were written before, in portions. ARGV: see `commit` in store.ts.
 *
 * A process whose step was stale several times takes a lease on its documents: until it has stored its changes, or the
 * lease ends, the changes of other processes wait. All leases of a step are taken together, so processes never wait for
 * each other in a circle.
 */
export const commitScript = `
local position = 0
local function arg() position = position + 1; return ARGV[position] end
local function number() return tonumber(arg()) end
local function list()
  local items = {}
  for i = 1, number() do items[i] = arg() end
  return items
end

-- Deletes a key of another type, which holds nothing of this mock. Returns whether it has.
local function deleteOther(type, key)
  local found = redis.call('TYPE', key).ok
  return found ~= type and found ~= 'none' and redis.call('DEL', key) == 1
end
for i, type in ipairs({ 'zset', 'hash', 'stream' }) do deleteOther(type, KEYS[i]) end

local time = redis.call('TIME')
-- Text, as Lua would write a long number with an exponent.
local now = string.format('%.0f', time[1] * 1000000 + time[2])
local marks = { ${marks.map((mark) => `'${mark}'`).join(", ")} }

local ttl, most, channel, owner, leaseMs = number(), number(), arg(), arg(), number()
local events = list()
local stale, docs, changes, leased = {}, {}, false, 0

for d = 1, number() do
  local first = ${SHARED_KEYS} + 4 * (d - 1)
  local doc = {
    hash = KEYS[first + 1], revisions = KEYS[first + 2], lease = KEYS[first + 3], staged = KEYS[first + 4],
    project = arg(), revision = number(), life = arg(), kind = arg(), set = {}, deleted = {}, marks = {}, times = {}
  }
  if doc.kind ~= 'read' then
    doc.nextLife, doc.isStaged, doc.set, doc.deleted, doc.marks = arg(), arg() == '1', list(), list(), list()
    changes = true
  end
  docs[d] = doc
  deleteOther('string', doc.lease)
  if doc.kind ~= 'read' or leaseMs > 0 then
    local holder = redis.call('GET', doc.lease)
    if holder and holder ~= owner then leased = math.max(leased, redis.call('PTTL', doc.lease), 1) end
  end
  local found = redis.pcall('HMGET', doc.hash, '#rev', '#life', '#base', ${marks.map((mark) => `'#${mark}'`).join(", ")})
  local isDamaged = found.err ~= nil
  if isDamaged then found = { '1', '${DAMAGED}', '1' } end
  local revision, life = tonumber(found[1] or '0'), found[2] or ''
  doc.base = tonumber(found[3] or '0')
  for m, mark in ipairs(marks) do doc.times[mark] = found[3 + m] end
  if deleteOther('zset', doc.revisions) and revision > 0 and not isDamaged then
    doc.base = revision
    redis.call('HSET', doc.hash, '#base', revision)
  end
  if revision ~= doc.revision or life ~= doc.life then
    local whole = life ~= doc.life or doc.revision < doc.base
    local parts = {}
    if isDamaged then
      parts = { '', redis.call('TYPE', doc.hash).ok }
    elseif revision > 0 and whole then
      parts = redis.call('HGETALL', doc.hash)
    elseif revision > 0 then
      local names = redis.call('ZRANGEBYSCORE', doc.revisions, '(' .. doc.revision, '+inf')
      for i = 1, #names do
        parts[#parts + 1] = names[i]
        parts[#parts + 1] = redis.call('HGET', doc.hash, names[i])
      end
    end
    stale[#stale + 1] = { d, revision, life, whole and 1 or 0, parts, { found[4] or '', found[5] or '' } }
  end
end
if leased > 0 then return { ${outcomes.leased}, leased, now } end
if leaseMs > 0 and #stale > 0 then
  for _, doc in ipairs(docs) do redis.call('SET', doc.lease, owner, 'PX', leaseMs) end
end
if #stale > 0 then return { ${outcomes.stale}, stale, now } end
for _, doc in ipairs(docs) do
  if doc.isStaged and redis.call('EXISTS', doc.staged) == 0 then return redis.error_reply('EXPIRED portions') end
end

-- A full store rejects the first write of a script, and no further ones. Changes that free memory go on.
local function usage(key) return redis.call('MEMORY', 'USAGE', key, 'SAMPLES', 0) or 0 end
local function growth(doc)
  local bytes = 0
  for i = 1, #doc.set, 2 do bytes = bytes + #doc.set[i + 1] end
  if doc.kind == 'close' or (doc.kind == 'whole' and (doc.revision > 0 or doc.project == '')) then
    return bytes - usage(doc.hash) - ${SLACK}
  end
  for i = 1, #doc.set, 2 do bytes = bytes - redis.call('HSTRLEN', doc.hash, doc.set[i]) end
  for i = 1, #doc.deleted do bytes = bytes - redis.call('HSTRLEN', doc.hash, doc.deleted[i]) end
  return bytes
end
if changes then
  -- Writes nothing, and fails in a full store as a command that needs memory.
  local room = redis.pcall('SETRANGE', docs[1].lease, 0, '')
  if type(room) == 'table' and room.err then
    local bytes = 0
    for _, doc in ipairs(docs) do bytes = bytes + growth(doc) end
    if bytes > 0 then return room end
    redis.call('HDEL', KEYS[2], '#none')
  end
end

for _, doc in ipairs(docs) do
  local isKept = doc.kind == 'whole' or doc.kind == 'parts'
  if isKept and doc.project ~= '' and not redis.call('ZSCORE', KEYS[1], doc.project) then
    if redis.call('ZCARD', KEYS[1]) >= most then
      local start = string.sub(doc.hash, 1, #doc.hash - #doc.project)
      for _, project in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
        if redis.call('EXISTS', start .. project) == 0 then redis.call('ZREM', KEYS[1], project) end
      end
    end
    if redis.call('ZCARD', KEYS[1]) >= most then return { ${outcomes.tooManyProjects}, redis.call('ZCARD', KEYS[1]), now } end
    redis.call('ZADD', KEYS[1], redis.call('HINCRBY', KEYS[2], 'created', 1), doc.project)
  end
end
for _, doc in ipairs(docs) do
  if doc.kind ~= 'read' then
    local revision = doc.revision + 1
    if doc.kind == 'whole' or doc.kind == 'close' then
      redis.call('DEL', doc.hash, doc.revisions)
      if doc.isStaged then redis.call('RENAME', doc.staged, doc.hash) end
      redis.call('HSET', doc.hash, '#life', doc.nextLife, '#base', revision)
      if doc.kind == 'close' then redis.call('ZREM', KEYS[1], doc.project) end
      doc.base = revision
    end
    redis.call('HSET', doc.hash, '#rev', revision)
    for _, mark in ipairs(doc.marks) do doc.times[mark] = now end
    for _, mark in ipairs(doc.kind == 'parts' and doc.marks or marks) do
      if doc.times[mark] then redis.call('HSET', doc.hash, '#' .. mark, doc.times[mark]) end
    end
    for i = 1, #doc.set, 2 do
      redis.call('HSET', doc.hash, doc.set[i], doc.set[i + 1])
      if doc.kind == 'parts' then redis.call('ZADD', doc.revisions, revision, doc.set[i]) end
    end
    for i = 1, #doc.deleted do
      redis.call('HDEL', doc.hash, doc.deleted[i])
      redis.call('ZADD', doc.revisions, revision, doc.deleted[i])
    end
    if redis.call('ZCARD', doc.revisions) > redis.call('HLEN', doc.hash) + ${SPARE_NAMES} then
      local base = math.floor((doc.base + revision) / 2)
      redis.call('ZREMRANGEBYSCORE', doc.revisions, '-inf', base)
      redis.call('HSET', doc.hash, '#base', base)
    end
  end
  redis.call('PEXPIRE', doc.hash, ttl)
  redis.call('PEXPIRE', doc.revisions, ttl)
  if doc.kind ~= 'read' then redis.call('PUBLISH', channel, doc.project) end
  if leaseMs > 0 then redis.call('DEL', doc.lease) end
end
if #events > 0 then
  local last = redis.call('HINCRBY', KEYS[2], 'event', #events)
  if last == #events then
    ${startEvents("KEYS[2]")}
    last = redis.call('HINCRBY', KEYS[2], 'event', #events)
  end
  for i = 1, #events do
    -- Lua would write a long number with an exponent.
    local id = string.format('%.0f', last - #events + i)
    redis.call('XADD', KEYS[3], 'MAXLEN', '~', ${MAX_SHARED_EVENTS}, id .. '-0', 'event', events[i])
  end
  redis.call('PEXPIRE', KEYS[3], ttl)
end
return { ${outcomes.stored}, {}, now }
`;
