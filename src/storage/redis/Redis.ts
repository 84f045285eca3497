import { createHash } from "node:crypto"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import type { QuotaRequest, QuotaResult } from "../quota/Quota.ts"
import { type Entries, inStoreTime, Store, type StoreError, StoreOpenError } from "../Store.ts"
import * as Address from "./Address.ts"
import { messageOf } from "./Client.ts"
import * as Servers from "./Servers.ts"
import { changeScript, claiming, releasing, takeScript } from "./scripts.ts"
import { checksum, slotOf } from "./slots.ts"

/** Prefix of all keys of this service. The number is the version of the stored format. */
const prefix = "wallet-data:1"

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

/** Maximum time to live of a key, even if its entry is valid for longer: Redis is a cache and must not fill up. */
const longestValue = Duration.toMillis("90 days")

const keysPerCall = 1_000

const lifeOf = (timeToLive: Duration.DurationInput) => {
  const millis = Duration.toMillis(timeToLive)
  return { millis, stay: String(Math.max(1, Math.ceil(Math.min(millis, longestValue)))) }
}

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

/** Pattern that matches all keys with this prefix; special characters of the prefix are escaped. */
const patternOf = (name: string) => `${name.replace(/[*?[\]\\]/g, "\\$&")}*`

const digests = new Map<string, string>()

const digestOf = (script: string): string => {
  const found = digests.get(script) ?? createHash("sha1").update(script).digest("hex")
  digests.set(script, found)
  return found
}

/** Runs a script by its digest, or by its text if the server does not have it yet. */
const evaluate = (
  send: Servers.SendCommand,
  script: string,
  keys: ReadonlyArray<string>,
  words: ReadonlyArray<string>
) => {
  const rest = [String(keys.length), ...keys, ...words]
  return send("EVALSHA", [digestOf(script), ...rest]).catch((cause: unknown) =>
    String(cause).includes("NOSCRIPT") ? send("EVAL", [script, ...rest]) : Promise.reject(cause)
  )
}

/** Groups of the keys of one name. Commands of many keys then have one slot of a Cluster, and a name has several. */
const groups = 8

const withoutBraces = (text: string) => text.replace(/[{}]/g, "")

/** Keys in portions for one command each: of one slot in a Cluster. */
const portions = (
  { isCluster }: Servers.Servers,
  keys: ReadonlyArray<string>
): ReadonlyArray<readonly [string, ...Array<string>]> => {
  const bySlot = new Map<number, Array<[string, ...Array<string>]>>()
  for (const key of keys) {
    const slot = isCluster() ? slotOf(key) : 0
    const found = bySlot.get(slot) ?? []
    const last = found.at(-1)
    if (last === undefined || last.length >= keysPerCall) found.push([key])
    else last.push(key)
    bySlot.set(slot, found)
  }
  return [...bySlot.values()].flat()
}

const cleared = (
  servers: Servers.Servers,
  server: Servers.RunCommands,
  name: string,
  cursor = "0"
): Effect.Effect<void, StoreError> =>
  Effect.gen(function* () {
    const scan = ["MATCH", patternOf(name), "COUNT", String(keysPerCall)]
    const [next, keys] = yield* server("clear", (send) =>
      send("SCAN", [cursor, ...scan]).then((said) => said as readonly [string, ReadonlyArray<string>])
    )
    yield* Effect.forEach(
      portions(servers, keys),
      (some) => servers.at(some[0])("clear", (send) => send("UNLINK", some)),
      {
        discard: true
      }
    )
    if (next !== "0") yield* cleared(servers, server, name, next)
  })

/** The entries of this name and version. The braces are what decides the slot of a key. */
const entriesOf = (servers: Servers.Servers, name: string): Entries => {
  const beginning = `${prefix}:{${withoutBraces(name)}:`
  const keyOf = (key: string) => `${beginning}${checksum(key) % groups}}:${key}`
  const forPortions = <A>(
    operation: StoreError["operation"],
    keys: Iterable<string>,
    run: (send: Servers.SendCommand, keys: readonly [string, ...Array<string>]) => Promise<A>
  ) =>
    Effect.suspend(() =>
      Effect.forEach(
        portions(servers, Array.from(keys, keyOf)),
        (some) =>
          Effect.map(
            servers.at(some[0])(operation, (send) => run(send, some)),
            (said) => [some, said] as const
          ),
        { concurrency: "unbounded" }
      )
    )
  return {
    getMany: (keys) =>
      Effect.zipWith(
        forPortions("getMany", keys, (send, some) => send("MGET", some)),
        Clock.currentTimeMillis,
        (found, now) => {
          const texts = new Map(
            found.flatMap(([some, said]) =>
              some.map((key, index) => [key, (said as ReadonlyArray<string | null>)[index]] as const)
            )
          )
          const values = new Map<string, unknown>()
          for (const key of keys) {
            const text = texts.get(keyOf(key))
            const value = typeof text === "string" ? read(text, now) : Option.none()
            if (Option.isSome(value)) values.set(key, value.value)
          }
          return values
        }
      ),
    setMany: (entries, timeToLive) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const { millis, stay } = lifeOf(timeToLive)
        const texts = new Map(Array.from(entries, ([key, value]) => [keyOf(key), written(value, now + millis)]))
        return Effect.asVoid(
          forPortions("setMany", entries.keys(), (send, some) =>
            Promise.all(some.map((key) => send("SET", [key, texts.get(key) ?? "", "PX", stay])))
          )
        )
      }),
    changeLists: (keys, { add = [], remove = [] }, timeToLive) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const { millis, stay } = lifeOf(timeToLive)
        const texts = [add, remove].map((list) => JSON.stringify(list))
        const words = [...texts, String(now), String(Math.ceil(now + millis)), stay]
        return Effect.asVoid(
          forPortions("changeLists", keys, (send, some) => evaluate(send, changeScript, some, words))
        )
      }),
    remove: (keys) => Effect.asVoid(forPortions("remove", keys, (send, some) => send("UNLINK", some))),
    clear: Effect.suspend(() =>
      Effect.forEach(servers.all(), (server) => cleared(servers, server, beginning), { discard: true })
    )
  }
}

/** What `INFO memory` says of a server that evicts entries when it is full: its policy. */
const evictionOf = (said: unknown): string | undefined => {
  const [, limit] = /^maxmemory:(\d+)/m.exec(String(said)) ?? []
  const [, policy] = /^maxmemory_policy:([\w-]+)/m.exec(String(said)) ?? []
  return limit === undefined || limit === "0" || policy === "noeviction" ? undefined : policy
}

/** The pause before the next attempt to ask servers that cannot be reached. */
const askAgain = "2 seconds"

/** Whether a server has refused a command: it would do so again. */
const isRefused = (cause: unknown) => /^(NOPERM|ERR) /.test(messageOf(cause))

const memoryOf = (send: Servers.SendCommand): Promise<unknown> =>
  send("INFO", ["memory"]).catch((cause) => (isRefused(cause) ? "" : Promise.reject(cause)))

/**
 * Warns once about a server that may evict counts, as soon as all servers can be reached. Ignores a server that does not
 * say it.
 */
const warnOfEviction = ({ all }: Servers.Servers, variable: string) => {
  const check = Effect.suspend((): Effect.Effect<ReadonlyArray<unknown>, unknown> => {
    const servers = all()
    return servers.length === 0
      ? Effect.fail("no server is known yet")
      : Effect.forEach(servers, (server) => inStoreTime(server("getMany", memoryOf)))
  }).pipe(
    Effect.map((said) => said.map(evictionOf).find((policy) => policy !== undefined)),
    Effect.flatMap((policy) =>
      policy === undefined
        ? Effect.void
        : Effect.logWarning(
            `${variable}: with maxmemory-policy ${policy}, a full server evicts counts of limits and budgets; set REDIS_LIMITS_URL to one with noeviction`
          )
    )
  )
  return Effect.catchAll(check, () => Effect.forkScoped(Effect.retry(Effect.delay(check, askAgain), Schedule.forever)))
}

interface RedisOptions extends Pick<Servers.ServersOptions, "strict" | "tls"> {
  /** The variable with the address, for messages. */
  readonly variable?: string
  /** Whether limits are counted there, so that it should evict nothing. */
  readonly keepsLimits?: boolean
}

/**
 * Store in Redis or Valkey (Redis 6 or newer: the client speaks RESP3), shared by all processes that use it. Each value has
 * a time to live, so all are eventually removed. Redis refuses values beyond `maxmemory`; caches in memory continue. Expiry
 * and leases follow the clock of the process; Redis also removes entries that no process reads.
 */
export const make = (
  url: Redacted.Redacted<string>,
  { keepsLimits = false, variable = "REDIS_URL", ...options }: RedisOptions
) =>
  Effect.gen(function* () {
    const address = yield* Either.mapLeft(
      Address.parse(Redacted.value(url)),
      (problem) => new StoreOpenError({ variable, problem, cause: problem })
    )
    const servers = yield* Servers.connecting({ address, variable, ...options })
    if (keepsLimits) yield* warnOfEviction(servers, variable)
    return storeIn(servers)
  })

/** {@link make} as a layer. */
export const layer = (url: Redacted.Redacted<string>, options: RedisOptions) => Layer.scoped(Store, make(url, options))

const storeIn = (servers: Servers.Servers): Context.Tag.Service<Store> => {
  const lease = (name: string) => `${prefix}:lease:${name}`
  /** Without a place the whole name decides the slot. */
  const bucketsOf = ({ buckets, place }: QuotaRequest) =>
    buckets.map(({ name }) => `${prefix}:quota:${place === undefined ? name : `{${withoutBraces(place)}}${name}`}`)

  return {
    claim: (name, owner, time) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const until = Math.min(Math.ceil(now + Duration.toMillis(time)), Number.MAX_SAFE_INTEGER)
        return servers.at(lease(name))("claim", (send) =>
          evaluate(send, claiming, [lease(name)], [owner, String(now), String(until)])
        )
      }).pipe(Effect.map((granted) => granted === 1)),
    release: (name, owner) =>
      Effect.asVoid(servers.at(lease(name))("release", (send) => evaluate(send, releasing, [lease(name)], [owner]))),
    take: (taking) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const keys = bucketsOf(taking)
        return servers.at(keys[0] ?? "")("take", (send) =>
          evaluate(send, takeScript, keys, argumentsOf(taking, now)).then((returned) => takenOf(returned, taking))
        )
      }),
    open: (name, version) => entriesOf(servers, `${name}@${version}`)
  }
}
