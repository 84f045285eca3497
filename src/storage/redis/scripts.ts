import { longestStay, maxSkew, slack, tiny } from "../quota/Quota.ts"
import { maxTexts } from "../Store.ts"

// Each script names keys of one slot.

/**
 * `Quota.take` as an atomic Redis script. KEYS: buckets. ARGV: now, units, minUnits, wait, reserve; then capacity,
 * interval, known level and its `since` of each bucket. Returns whether the units are granted (1 or 0), and level, time
 * and `since` of each bucket, as strings: a number would lose its fraction. Ignores a stored level of another form.
 */
export const takeScript = `
local now, units, minUnits, wait, reserve =
  tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local granted = true
local filled, at, since = {}, {}, {}
for i = 1, #KEYS do
  local base = 1 + i * 4
  local capacity, interval = tonumber(ARGV[base + 1]), tonumber(ARGV[base + 2])
  local kind = redis.call('TYPE', KEYS[i]).ok
  if kind ~= 'hash' and kind ~= 'none' then redis.call('DEL', KEYS[i]) end
  local stored = redis.call('HMGET', KEYS[i], 'filled', 'at', 'since')
  local before, from = tonumber(ARGV[base + 3]), now
  since[i] = ARGV[base + 4]
  if tonumber(stored[1] or '') and tonumber(stored[2] or '') and tonumber(stored[3] or '') then
    before, from, since[i] = tonumber(stored[1]), tonumber(stored[2]), stored[3]
  end
  if from > now + ${maxSkew} then from = now end
  filled[i] = math.max(0, before - math.max(0, now - from) / interval, tonumber(ARGV[base + 3]))
  at[i] = math.max(from, now)
  if math.max(1, capacity * (1 - reserve)) + wait / interval - filled[i] + ${tiny} < minUnits then granted = false end
end
local result = { granted and '1' or '0' }
for i = 1, #KEYS do
  local level = filled[i] + (granted and units or 0)
  local interval = tonumber(ARGV[1 + i * 4 + 2])
  redis.call('HSET', KEYS[i], 'filled', string.format('%.17g', level), 'at', string.format('%.0f', at[i]), 'since', since[i])
  redis.call('PEXPIRE', KEYS[i], string.format('%.0f', math.ceil(math.min(level * interval + ${slack}, ${longestStay}))))
  result[#result + 1] = string.format('%.17g', level)
  result[#result + 1] = string.format('%.0f', at[i])
  result[#result + 1] = since[i]
end
return result`

/**
 * Takes a lease that has no owner at this time, or renews that of this owner. One whose end is no time, or is later than a
 * clock can have written, has no owner. KEYS: lease. ARGV: owner, now, until.
 */
export const claiming = `
local owner = redis.call('HGET', KEYS[1], 'owner')
local held = tonumber(redis.call('HGET', KEYS[1], 'until') or '')
if owner and owner ~= ARGV[1] and held and held > tonumber(ARGV[2]) and held <= ARGV[3] + ${maxSkew} then return 0 end
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'until', ARGV[3])
redis.call('PEXPIRE', KEYS[1], math.max(1, ARGV[3] - ARGV[2]))
return 1`

/** Releases a lease if this owner has it. KEYS: lease. ARGV: owner. */
export const releasing = `
if redis.call('HGET', KEYS[1], 'owner') == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`

/**
 * `changedList` as an atomic Redis script, for entries as in {@link written}. KEYS: lists. ARGV: JSON of the added and
 * of the removed texts, now, expiry and time to live.
 */
export const changeScript = `
local added, removed, now = cjson.decode(ARGV[1]), cjson.decode(ARGV[2]), tonumber(ARGV[3])
local moved = {}
for _, text in ipairs(added) do moved[text] = true end
for _, text in ipairs(removed) do moved[text] = true end
for _, key in ipairs(KEYS) do
  local texts = {}
  local isText, entry = redis.call('TYPE', key).ok == 'string', nil
  if isText then isText, entry = pcall(cjson.decode, redis.call('GET', key)) end
  if isText and type(entry) == 'table' and type(entry[2]) == 'table' and (tonumber(entry[1]) or 0) > now then
    for _, text in ipairs(entry[2]) do
      if type(text) == 'string' and not moved[text] then texts[#texts + 1] = text end
    end
  end
  for _, text in ipairs(added) do texts[#texts + 1] = text end
  while #texts > ${maxTexts} do table.remove(texts, 1) end
  local list = #texts == 0 and '[]' or cjson.encode(texts)
  redis.call('SET', key, '[' .. ARGV[4] .. ',' .. list .. ']', 'PX', ARGV[5])
end
return 1`
