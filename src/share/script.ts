/*
 * The server-side script that stores changes. It compares the revisions of all documents of a step with those in the store,
 * and stores either all changes or none. Redis and Valkey run a script without interruption.
 *
 * A document is a hash of parts. The members `#rev` (revision), `#life` (changes when the project is reset), `#base` (the
 * revision at which the whole document was replaced) and `#at` (the number of requests that were ever added to the journal)
 * describe it. A sorted set has the revision of the last change of each part. A list has the requests of the journal.
 */

/** The keys before those of the documents. */
export const SHARED_KEYS = 4;

/** The bytes that a reset or a closed project may need in a full store, in addition to those that it frees. */
const SLACK = 16_384;

/** The number of names of deleted parts beyond which they are forgotten, in addition to twice the number of parts. */
const SPARE_NAMES = 1000;

/** What the script returned, by its first member. */
export const outcomes = { stale: 0, stored: 1, needsEvents: 2, tooManyProjects: 3, leased: 4 } as const;

/**
 * KEYS: the index of projects, the counters, the stream of events, the mark of event readers; then for each document its
 * hash, its revisions, its journal and its lease. ARGV: see `commit` in store.ts.
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

local ttl, most, sends, channel, owner, leaseMs = number(), number(), arg(), arg(), arg(), number()
local events = list()
local listening = redis.call('EXISTS', KEYS[4])
local stale, docs, changes, leased = {}, {}, false, 0

for d = 1, number() do
  local doc = {
    hash = KEYS[${SHARED_KEYS} + 4 * d - 3], revisions = KEYS[${SHARED_KEYS} + 4 * d - 2],
    journal = KEYS[${SHARED_KEYS} + 4 * d - 1], lease = KEYS[${SHARED_KEYS} + 4 * d],
    project = arg(), revision = number(), life = arg(), at = number(), refresh = arg(), kind = arg(),
    set = {}, deleted = {}, entries = {}
  }
  if doc.kind ~= 'read' then
    doc.nextLife, doc.kept, doc.set, doc.deleted, doc.entries, doc.cleared = arg(), number(), list(), list(), list(), arg()
  end
  docs[d] = doc
  if doc.kind ~= 'read' or leaseMs > 0 then
    local holder = redis.call('GET', doc.lease)
    if holder and holder ~= owner then leased = math.max(leased, redis.call('PTTL', doc.lease), 1) end
  end
  local found = redis.call('HMGET', doc.hash, '#rev', '#life', '#base', '#at')
  local revision, life = tonumber(found[1] or '0'), found[2] or ''
  doc.storedAt = tonumber(found[4] or '0')
  if doc.kind ~= 'read' then changes = true end
  if revision ~= doc.revision or life ~= doc.life then
    local whole = life ~= doc.life or doc.revision < tonumber(found[3] or '0')
    local parts, requests = {}, {}
    if revision > 0 and whole then
      parts = redis.call('HGETALL', doc.hash)
      requests = redis.call('LRANGE', doc.journal, 0, -1)
    elseif revision > 0 then
      local names = redis.call('ZRANGEBYSCORE', doc.revisions, '(' .. doc.revision, '+inf')
      for i = 1, #doc.set, 2 do names[#names + 1] = doc.set[i] end
      for i = 1, #doc.deleted do names[#names + 1] = doc.deleted[i] end
      for i = 1, #names do
        parts[#parts + 1] = names[i]
        parts[#parts + 1] = redis.call('HGET', doc.hash, names[i])
      end
      local added = doc.storedAt - doc.at
      if added > 0 then requests = redis.call('LRANGE', doc.journal, -added, -1) end
    end
    stale[#stale + 1] = { d, revision, life, whole and 1 or 0, doc.storedAt, parts, requests }
  end
end
if leased > 0 then return { ${outcomes.leased}, listening, leased } end
if leaseMs > 0 and #stale > 0 then
  for d = 1, #docs do redis.call('SET', docs[d].lease, owner, 'PX', leaseMs) end
end
if #stale > 0 then return { ${outcomes.stale}, listening, stale } end
if changes and listening == 1 and sends == '0' then return { ${outcomes.needsEvents}, 1, {} } end

-- A full store rejects the first write of a script, and no further ones. Changes that free memory go on.
local function usage(key) return redis.call('MEMORY', 'USAGE', key, 'SAMPLES', 0) or 0 end
local function growth(doc)
  local bytes = 0
  for i = 1, #doc.set, 2 do bytes = bytes + #doc.set[i + 1] end
  for i = 1, #doc.entries do bytes = bytes + #doc.entries[i] end
  if doc.kind == 'close' or (doc.kind == 'whole' and (doc.revision > 0 or doc.project == '')) then
    return bytes - usage(doc.hash) - usage(doc.journal) - ${SLACK}
  end
  for i = 1, #doc.set, 2 do bytes = bytes - redis.call('HSTRLEN', doc.hash, doc.set[i]) end
  for i = 1, #doc.deleted do bytes = bytes - redis.call('HSTRLEN', doc.hash, doc.deleted[i]) end
  if doc.cleared == '1' then bytes = bytes - usage(doc.journal) end
  return bytes
end
if changes then
  -- Writes nothing, and fails in a full store as a command that needs memory.
  local room = redis.pcall('SETRANGE', KEYS[4], 0, '')
  if type(room) == 'table' and room.err then
    local bytes = 0
    for d = 1, #docs do bytes = bytes + growth(docs[d]) end
    if bytes > 0 then return room end
    redis.call('HDEL', docs[1].hash, '#none')
  end
end

for d = 1, #docs do
  local doc = docs[d]
  if doc.kind == 'whole' and doc.project ~= '' and not redis.call('ZSCORE', KEYS[1], doc.project) then
    if redis.call('ZCARD', KEYS[1]) >= most then
      local start = string.sub(doc.hash, 1, #doc.hash - #doc.project)
      for _, project in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
        if redis.call('EXISTS', start .. project) == 0 then redis.call('ZREM', KEYS[1], project) end
      end
    end
    if redis.call('ZCARD', KEYS[1]) >= most then return { ${outcomes.tooManyProjects}, listening, redis.call('ZCARD', KEYS[1]) } end
    redis.call('ZADD', KEYS[1], redis.call('HINCRBY', KEYS[2], 'created', 1), doc.project)
  end
end
for d = 1, #docs do
  local doc = docs[d]
  if doc.kind ~= 'read' then
    local revision = doc.revision + 1
    if doc.kind == 'whole' or doc.kind == 'close' then
      redis.call('DEL', doc.hash, doc.revisions, doc.journal)
      redis.call('HSET', doc.hash, '#life', doc.nextLife, '#base', revision)
      if doc.kind == 'close' then redis.call('ZREM', KEYS[1], doc.project) end
    end
    redis.call('HSET', doc.hash, '#rev', revision, '#at', doc.storedAt + #doc.entries)
    for i = 1, #doc.set, 2 do
      redis.call('HSET', doc.hash, doc.set[i], doc.set[i + 1])
      redis.call('ZADD', doc.revisions, revision, doc.set[i])
    end
    for i = 1, #doc.deleted do
      redis.call('HDEL', doc.hash, doc.deleted[i])
      redis.call('ZADD', doc.revisions, revision, doc.deleted[i])
    end
    -- The names of deleted parts must not grow without limit. Processes at an earlier revision load the whole document.
    if #doc.deleted > 0 and redis.call('ZCARD', doc.revisions) > 2 * redis.call('HLEN', doc.hash) + ${SPARE_NAMES} then
      redis.call('ZREMRANGEBYSCORE', doc.revisions, '-inf', doc.revision)
      redis.call('HSET', doc.hash, '#base', revision)
    end
    if doc.cleared == '1' then redis.call('DEL', doc.journal) end
    for i = 1, #doc.entries do redis.call('RPUSH', doc.journal, doc.entries[i]) end
    if doc.kept > 0 then redis.call('LTRIM', doc.journal, -doc.kept, -1) else redis.call('DEL', doc.journal) end
  end
  if doc.refresh == '1' or doc.kind == 'whole' or doc.kind == 'close' then
    redis.call('PEXPIRE', doc.hash, ttl)
    redis.call('PEXPIRE', doc.revisions, ttl)
  end
  if doc.refresh == '1' or #doc.entries > 0 then redis.call('PEXPIRE', doc.journal, ttl) end
  if doc.kind ~= 'read' then redis.call('PUBLISH', channel, doc.project) end
  if leaseMs > 0 then redis.call('DEL', doc.lease) end
end
if listening == 1 then
  for i = 1, #events do
    -- Lua would write a long number with an exponent.
    local id = string.format('%.0f', redis.call('HINCRBY', KEYS[2], 'event', 1))
    redis.call('XADD', KEYS[3], 'MAXLEN', '~', 10000, id .. '-0', 'event', events[i])
  end
  if #events > 0 then redis.call('PEXPIRE', KEYS[3], redis.call('PTTL', KEYS[4])) end
end
return { ${outcomes.stored}, listening, {} }
`;
