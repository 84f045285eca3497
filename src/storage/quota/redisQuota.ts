import { maxSkew, type Taken, type Taking } from "./Quota.ts"

/**
 * `Quota.take` inside of Redis, so that nobody takes in between. KEYS: buckets. ARGV: now, units, least, owing (0 or 1), wait,
 * reserve, ahead, used; then capacity, interval, known level and its beginning of each bucket. Returns what is granted, and
 * level, time and beginning of each bucket, as texts: a number would lose its fraction. A level of another form is none.
 */
export const taking = `
local now, units, least, owing, wait, reserve, ahead, used =
  tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == '1',
  tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local tiny = 1e-6
local soon, free = math.huge, math.huge
local filled, at, since = {}, {}, {}
for i = 1, #KEYS do
  local base = 4 + i * 4
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
  filled[i] = math.max(0, math.max(0, before - math.max(0, now - from) / interval) + used)
  at[i] = math.max(from, now)
  local room = math.max(1, capacity * (1 - reserve)) - filled[i] + tiny
  free = math.min(free, room)
  soon = math.min(soon, room + wait / interval)
end
free, soon = math.floor(free), math.floor(soon)
local granted = 0
if soon >= least then
  if owing then granted = units else granted = math.max(0, math.min(units, soon)) end
end
if granted == units then granted = granted + math.max(0, math.min(ahead, free - granted)) end
local result = { string.format('%.0f', granted) }
for i = 1, #KEYS do
  local level = filled[i] + granted
  local interval = tonumber(ARGV[4 + i * 4 + 2])
  redis.call('HSET', KEYS[i], 'filled', string.format('%.17g', level), 'at', string.format('%.0f', at[i]), 'since', since[i])
  redis.call('PEXPIRE', KEYS[i], string.format('%.0f', math.ceil(math.min(level * interval + 600000, 5356800000))))
  result[#result + 1] = string.format('%.17g', level)
  result[#result + 1] = string.format('%.0f', at[i])
  result[#result + 1] = since[i]
end
return result`

/** The arguments of {@link taking}. */
export const argumentsOf = (
  { ahead, buckets, least, owing, reserve, units, used, wait }: Taking,
  now: number
): Array<string> =>
  [
    now,
    units,
    least,
    owing ? 1 : 0,
    wait,
    reserve,
    ahead,
    used,
    ...buckets.flatMap(({ capacity, interval, known }) => [capacity, interval, known.filled, known.since])
  ].map(String)

/** What {@link taking} returns. */
export const takenOf = (returned: unknown, { buckets }: Taking): Taken => {
  const numbers = Array.isArray(returned) ? returned.map(Number) : []
  if (numbers.length !== 1 + 3 * buckets.length || !numbers.every(Number.isFinite))
    throw new Error("Redis returned something else than levels")
  const [granted = 0, ...fields] = numbers
  return {
    granted,
    levels: buckets.map((_, index) => {
      const [filled = 0, at = 0, since = 0] = fields.slice(3 * index, 3 * index + 3)
      return { filled, at, since }
    })
  }
}
