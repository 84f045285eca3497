import { longestStay, maxSkew, type QuotaRequest, type QuotaResult, slack, tiny } from "./Quota.ts"

/**
 * `Quota.take` as an atomic Redis script. KEYS: buckets. ARGV: now, units, minUnits, wait, reserve; then capacity,
 * interval, known level and its `since` of each bucket. Returns whether the units are granted (1 or 0), and level, time
 * and `since` of each bucket, as strings: a number would lose its fraction. Ignores a stored level of another form.
 */
export const taking = `
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
  filled[i] = math.max(0, before - math.max(0, now - from) / interval)
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

/** The arguments of {@link taking}. */
export const argumentsOf = ({ buckets, minUnits, reserve, units, wait }: QuotaRequest, now: number): Array<string> =>
  [
    now,
    units,
    minUnits,
    wait,
    reserve,
    ...buckets.flatMap(({ capacity, interval, localLevel: { filled, since } }) => [capacity, interval, filled, since])
  ].map(String)

/** Parses the result of {@link taking}. */
export const takenOf = (returned: unknown, { buckets }: QuotaRequest): QuotaResult => {
  const numbers = Array.isArray(returned) ? returned.map(Number) : []
  if (numbers.length !== 1 + 3 * buckets.length || !numbers.every(Number.isFinite))
    throw new Error("Redis did not return levels")
  const [granted, ...fields] = numbers
  return {
    isGranted: granted === 1,
    levels: buckets.map((_, index) => {
      const [filled = 0, at = 0, since = 0] = fields.slice(3 * index, 3 * index + 3)
      return { filled, at, since }
    })
  }
}
