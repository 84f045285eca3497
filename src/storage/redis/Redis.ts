import { RedisClient } from "bun"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import { timeoutOption } from "../../kernel/timeout.ts"
import { longestStay, maxSkew, type QuotaRequest, type QuotaResult, slack, tiny } from "../quota/Quota.ts"
import { type Entries, maxTexts, Store, StoreError, StoreOpenError } from "../Store.ts"

/** Timeout for the connection at the start, and for each later attempt. */
const maxWait = "1 second"
const maxTry = "750 millis"

/** Timeout for the ping that checks whether a failed client works. */
const maxPing = "250 millis"

/** The pause between two attempts to connect. */
const pause = "250 millis"

/**
 * A command interrupted after this time makes its client suspect; if earlier, its caller has left, ms. Somewhat less than
 * the shortest time limit, that of a probe: clocks differ.
 */
const givenUp = 190

/** Commands fail immediately without a connection. This module replaces clients, so they never reconnect themselves. */
const options = {
  connectionTimeout: 2_000,
  enableOfflineQueue: false,
  enableAutoPipelining: true,
  autoReconnect: false
} as const

/** How long a client that may not write is used before a new one is tried. */
const demotedPause = "1 second"

/** Whether Redis refused a command over a working connection: it is full, or accepts no writes. */
const isRefusal = (cause: unknown) => /^(OOM|MISCONF|BUSY) /.test(messageOf(cause))

/** Whether the server became a replica: a new connection may lead to the new primary. */
const isDemoted = (cause: unknown) => messageOf(cause).startsWith("READONLY ")

const messageOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))

/** Connects a client and waits for its first response; returns the cause if that fails. */
const connect = (
  url: Redacted.Redacted<string>,
  wait: Duration.DurationInput
): Effect.Effect<Either.Either<RedisClient, unknown>> =>
  Effect.suspend(() => {
    const client = new RedisClient(Redacted.value(url), options)
    const connected = Effect.tryPromise({
      try: () => client.connect().then(() => client.ping()),
      catch: (cause) => cause
    })
    return timeoutOption(Effect.as(connected, client), wait).pipe(
      Effect.flatMap(Effect.mapError(() => "no response" as unknown)),
      Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.sync(() => client.close()))),
      Effect.either
    )
  })

const respondsToPing = (client: RedisClient) =>
  Effect.isSuccess(
    Effect.flatten(
      timeoutOption(
        Effect.tryPromise(() => client.ping()),
        maxPing
      )
    )
  )

/** Runs commands of an operation with the current client. */
type Attempt = <A>(
  operation: StoreError["operation"],
  run: (redis: RedisClient) => Promise<A>
) => Effect.Effect<A, StoreError>

/**
 * Connects to Redis at the start, with a short timeout. An unavailable Redis is used once it is available, unless
 * `strict`. A client that fails or does not respond is replaced as soon as a new client can connect: Redis may have
 * refused it because of a temporary state.
 */
const connecting = (url: Redacted.Redacted<string>, strict: boolean) =>
  Effect.gen(function* () {
    const checkRequests = yield* Queue.sliding<void>(1)
    let current: RedisClient | undefined
    let demoted: RedisClient | undefined
    yield* Effect.addFinalizer(() => Effect.sync(() => current?.close()))

    /** Replaces the client if it does not work; returns whether a client works now. */
    const renew = Effect.gen(function* () {
      if (current !== undefined && current === demoted) yield* Effect.sleep(demotedPause)
      else if (current !== undefined && (yield* respondsToPing(current))) return true
      const found = yield* connect(url, maxTry)
      if (Either.isLeft(found)) return false
      current?.close()
      current = found.right
      return true
    })

    const first = yield* connect(url, maxWait)
    if (Either.isRight(first)) current = first.right
    else {
      const problem = `Redis cannot be reached: ${messageOf(first.left)}`
      if (strict) return yield* new StoreOpenError({ variable: "REDIS_URL", problem, cause: first.left })
      yield* Effect.logWarning(`REDIS_URL: ${problem}; the service continues without it until it is available`)
      yield* Queue.offer(checkRequests, undefined)
    }
    yield* Queue.take(checkRequests).pipe(
      Effect.zipRight(Effect.repeat(Effect.zipLeft(renew, Effect.sleep(pause)), { until: (works) => works })),
      Effect.forever,
      Effect.forkScoped
    )

    const attempt: Attempt = (operation, run) =>
      Effect.flatMap(Clock.currentTimeMillis, (started) => {
        const client = current
        if (client === undefined) return new StoreError({ operation, cause: new Error("Redis is not connected") })
        const suspect = Effect.sync(() => {
          if (client === current) Queue.unsafeOffer(checkRequests, undefined)
        })
        return Effect.tryPromise({
          try: () => run(client),
          catch: (cause) => new StoreError({ operation, cause })
        }).pipe(
          Effect.tapError(({ cause }) => {
            if (isDemoted(cause)) demoted = client
            return isRefusal(cause) ? Effect.void : suspect
          }),
          Effect.onInterrupt(() =>
            Effect.flatMap(Clock.currentTimeMillis, (now) => (now - started >= givenUp ? suspect : Effect.void))
          )
        )
      })
    return attempt
  })

/**
 * `Quota.take` as an atomic Redis script. KEYS: buckets. ARGV: now, units, minUnits, wait, reserve; then capacity,
 * interval, known level and its `since` of each bucket. Returns whether the units are granted (1 or 0), and level, time
 * and `since` of each bucket, as strings: a number would lose its fraction. Ignores a stored level of another form.
 */
const takeScript = `
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

/** The arguments of {@link takeScript}. */
const argumentsOf = ({ buckets, minUnits, reserve, units, wait }: QuotaRequest, now: number): Array<string> =>
  [
    now,
    units,
    minUnits,
    wait,
    reserve,
    ...buckets.flatMap(({ capacity, interval, localLevel: { filled, since } }) => [capacity, interval, filled, since])
  ].map(String)

/** Parses the result of {@link takeScript}. */
const takenOf = (returned: unknown, { buckets }: QuotaRequest): QuotaResult => {
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

/** Prefix of all keys of this service. The number is the version of the stored format. */
const prefix = "wallet-data:1"

/** Maximum time to live of a key, even if its entry is valid for longer: Redis is a cache and must not fill up. */
const longestValue = Duration.toMillis("90 days")

const keysPerCall = 1_000

const lifeOf = (timeToLive: Duration.DurationInput) => {
  const millis = Duration.toMillis(timeToLive)
  return { millis, stay: String(Math.max(1, Math.ceil(Math.min(millis, longestValue)))) }
}

/** Takes a lease that has no owner at this time, or renews that of this owner. KEYS: lease. ARGV: owner, now, until. */
const claiming = `
local owner = redis.call('HGET', KEYS[1], 'owner')
if owner and owner ~= ARGV[1] and tonumber(redis.call('HGET', KEYS[1], 'until')) > tonumber(ARGV[2]) then return 0 end
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'until', ARGV[3])
redis.call('PEXPIRE', KEYS[1], math.max(1, ARGV[3] - ARGV[2]))
return 1`

/** Releases a lease if this owner has it. KEYS: lease. ARGV: owner. */
const releasing = `
if redis.call('HGET', KEYS[1], 'owner') == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`

/** An entry in its stored form: JSON of its expiry (ms; null: never) and its value. */
const written = (value: unknown, expires: number) => JSON.stringify([Number.isFinite(expires) ? expires : null, value])

/**
 * `changedList` as an atomic Redis script, for entries as in {@link written}. KEYS: lists. ARGV: JSON of the added and
 * of the removed texts, now, expiry and time to live.
 */
const changeScript = `
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

/** The value of a stored entry; `none` if it has expired by this clock or has another form. */
const read = (text: string, now: number): Option.Option<unknown> =>
  Option.liftThrowable((): unknown => JSON.parse(text))().pipe(
    Option.filter((entry) => Array.isArray(entry) && entry.length === 2),
    Option.flatMap((entry) => {
      const [expires, value] = entry as readonly [unknown, unknown]
      return expires === null || (typeof expires === "number" && expires > now) ? Option.some(value) : Option.none()
    })
  )

const portions = (keys: ReadonlyArray<string>) =>
  Array.from({ length: Math.ceil(keys.length / keysPerCall) }, (_, index) =>
    keys.slice(index * keysPerCall, (index + 1) * keysPerCall)
  )

/** Pattern that matches all keys with this prefix; special characters of the prefix are escaped. */
const patternOf = (name: string) => `${name.replace(/[*?[\]\\]/g, "\\$&")}*`

const cleared = (attempt: Attempt, name: string, cursor = "0"): Effect.Effect<void, StoreError> =>
  Effect.gen(function* () {
    const [next, keys] = yield* attempt("clear", (redis) =>
      redis.scan(cursor, "MATCH", patternOf(name), "COUNT", keysPerCall)
    )
    if (keys.length > 0) yield* attempt("clear", (redis) => redis.unlink(...(keys as [string, ...Array<string>])))
    if (next !== "0") yield* cleared(attempt, name, next)
  })

/** The entries whose keys in Redis have this beginning. */
const entriesOf = (attempt: Attempt, beginning: string): Entries => {
  const of = (keys: ReadonlyArray<string>) => keys.map((key) => `${beginning}${key}`)
  return {
    getMany: (keys) =>
      Effect.zipWith(
        attempt("getMany", (redis) => Promise.all(portions(of(keys)).map((some) => redis.mget(...(some as [string]))))),
        Clock.currentTimeMillis,
        (texts, now) => {
          const values = new Map<string, unknown>()
          texts.flat().forEach((text, index) => {
            const value = text === null ? Option.none() : read(text, now)
            if (Option.isSome(value)) values.set(keys[index] ?? "", value.value)
          })
          return values
        }
      ),
    setMany: (entries, timeToLive) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const { millis, stay } = lifeOf(timeToLive)
        return Effect.asVoid(
          attempt("setMany", (redis) =>
            Promise.all(
              Array.from(entries, ([key, value]) =>
                redis.set(`${beginning}${key}`, written(value, now + millis), "PX", stay)
              )
            )
          )
        )
      }),
    changeLists: (keys, { add = [], remove = [] }, timeToLive) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const { millis, stay } = lifeOf(timeToLive)
        const texts = [add, remove].map((list) => JSON.stringify(list))
        const expires = String(Math.ceil(now + millis))
        return Effect.asVoid(
          attempt("changeLists", (redis) =>
            redis.send("EVAL", [changeScript, String(keys.length), ...of(keys), ...texts, String(now), expires, stay])
          )
        )
      }),
    remove: (keys) =>
      Effect.asVoid(
        attempt("remove", (redis) => Promise.all(portions(of(keys)).map((some) => redis.unlink(...(some as [string])))))
      ),
    clear: cleared(attempt, beginning)
  }
}

/**
 * Store in Redis (6 or newer: the client speaks RESP3), shared by all processes that use it. Each value has a time to
 * live, so all are eventually removed. Redis refuses values beyond `maxmemory`; caches in memory continue. Expiry and
 * leases follow the clock of the process; Redis also removes entries that no process reads.
 */
export const layer = (url: Redacted.Redacted<string>, { strict }: { readonly strict: boolean }) =>
  Layer.scoped(
    Store,
    Effect.map(connecting(url, strict), (attempt) => {
      const lease = (name: string) => `${prefix}:lease:${name}`
      const bucket = ({ name }: { readonly name: string }) => `${prefix}:quota:${name}`

      return {
        claim: (name, owner, time) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            const until = Math.min(Math.ceil(now + Duration.toMillis(time)), Number.MAX_SAFE_INTEGER)
            return attempt("claim", (redis) =>
              redis.send("EVAL", [claiming, "1", lease(name), owner, String(now), String(until)])
            )
          }).pipe(Effect.map((granted) => granted === 1)),
        release: (name, owner) =>
          Effect.asVoid(attempt("release", (redis) => redis.send("EVAL", [releasing, "1", lease(name), owner]))),
        take: (taking) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            attempt("take", (redis) =>
              redis
                .send("EVAL", [
                  takeScript,
                  String(taking.buckets.length),
                  ...taking.buckets.map(bucket),
                  ...argumentsOf(taking, now)
                ])
                .then((returned) => takenOf(returned, taking))
            )
          ),
        open: (name, version) => entriesOf(attempt, `${prefix}:${name}@${version}:`)
      }
    })
  )
