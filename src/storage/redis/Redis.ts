import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as redisQuota from "../quota/redisQuota.ts"
import { Store, type StoreError } from "../Store.ts"
import type { Attempt } from "./RedisConnection.ts"
import * as RedisConnection from "./RedisConnection.ts"

/** Prefix of all keys of this service. The number is the version of the stored format. */
const prefix = "wallet-data:1"

/** Maximum time to live of a key, even if its entry is valid for longer: Redis is a cache and must not fill up. */
const longestStay = Duration.toMillis("90 days")

/** Keys per command. */
const keysPerCall = 1_000

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

/**
 * Store in Redis (6 or newer: the client speaks RESP3), shared by all processes that use it. Each value has a time to
 * live, so all are eventually removed. Redis refuses values beyond `maxmemory`; caches in memory continue. Expiry and
 * leases follow the clock of the process; Redis also removes entries that no process reads.
 */
export const layer = (url: Redacted.Redacted<string>, { strict }: { readonly strict: boolean }) =>
  Layer.scoped(
    Store,
    Effect.map(RedisConnection.make(url, strict), (attempt) => {
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
                  redisQuota.taking,
                  String(taking.buckets.length),
                  ...taking.buckets.map(bucket),
                  ...redisQuota.argumentsOf(taking, now)
                ])
                .then((returned) => redisQuota.takenOf(returned, taking))
            )
          ),
        open: (name, version) => {
          const beginning = `${prefix}:${name}@${version}:`
          const of = (keys: ReadonlyArray<string>) => keys.map((key) => `${beginning}${key}`)
          return {
            getMany: (keys) =>
              Effect.zipWith(
                attempt("getMany", (redis) =>
                  Promise.all(portions(of(keys)).map((some) => redis.mget(...(some as [string]))))
                ),
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
                const millis = Duration.toMillis(timeToLive)
                const stay = String(Math.max(1, Math.ceil(Math.min(millis, longestStay))))
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
            remove: (keys) =>
              Effect.asVoid(
                attempt("remove", (redis) =>
                  Promise.all(portions(of(keys)).map((some) => redis.unlink(...(some as [string]))))
                )
              ),
            clear: cleared(attempt, beginning)
          }
        }
      }
    })
  )
