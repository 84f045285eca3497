import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as MetricKey from "effect/MetricKey"
import { counters, labelled, measured } from "../kernel/counters.ts"
import * as SingleFlight from "../kernel/SingleFlight.ts"
import { choice, flag, integer, text } from "../settings/declare.ts"
import type { SettingError } from "../settings/Settings.ts"
import { processes } from "../settings/variables.ts"
import * as Memory from "./Memory.ts"
import * as RedisSettings from "./redis/RedisSettings.ts"
import * as Sqlite from "./Sqlite.ts"
import { inStoreTime, Store, StoreError, type StoreOpenError, type StoreState } from "./Store.ts"

/** After this time without an operation the state is unknown, ms; a failing store is probed more often. */
const maxIdle = 5_000
const failingSilence = 250

/** Longest wait of a probe, for which a reader of the metrics waits too. */
const maxProbe = "200 millis"

/** An operation interrupted after this time counts as failed; if earlier, its caller has left, ms. */
const givenUp = 200

const reading = MetricKey.gauge("store_up", { description: "1: the store can be read; 0: it cannot" })
const writing = MetricKey.gauge("store_writable", { description: "1: the store can be written; 0: it cannot" })

type Operation = StoreError["operation"]
type StoreService = Context.Tag.Service<Store>

/** Derives the state of the store from its latest operations. */
const stateTracker = (kind: string) => {
  const count = counters("store_operations_total", "Operations of the store, by operation and outcome", {
    store: [kind],
    operation: StoreError.fields.operation.literals,
    outcome: ["ok", "failed"]
  })
  const [up, writable] = [labelled(reading, { store: kind }), labelled(writing, { store: kind })]
  let reads = true
  let writes = true
  let last = Number.NEGATIVE_INFINITY
  const measure = () => {
    up.unsafeUpdate(reads ? 1 : 0, [])
    writable.unsafeUpdate(writes ? 1 : 0, [])
  }
  measure()
  return {
    ended: (operation: Operation, works: boolean, now: number) => {
      count(1, kind, operation, works ? "ok" : "failed")
      last = now
      const before = operation === "getMany" ? reads : writes
      if (operation === "getMany") reads = works
      else writes = works
      if (before !== works) measure()
    },
    state: (): StoreState => (!reads ? "down" : writes ? "up" : "read-only"),
    isSilent: (now: number) => now - last > (reads && writes ? maxIdle : failingSilence)
  }
}

/** Wraps a store: counts its operations and reports its health. */
const withHealth = (kind: string, store: StoreService) =>
  Effect.gen(function* () {
    const clock = yield* Effect.clock
    const scope = yield* Effect.scope
    const { ended, isSilent, state } = stateTracker(kind)

    const observed = <A>(operation: Operation, effect: Effect.Effect<A, StoreError>): Effect.Effect<A, StoreError> =>
      Effect.suspend(() => {
        const started = clock.unsafeCurrentTimeMillis()
        return Effect.onExit(effect, (exit) =>
          Effect.sync(() => {
            const now = clock.unsafeCurrentTimeMillis()
            if (!Exit.isInterrupted(exit) || now - started >= givenUp) ended(operation, Exit.isSuccess(exit), now)
          })
        )
      })

    const open: StoreService["open"] = (name, version) => {
      const entries = store.open(name, version)
      return {
        getMany: (keys) => observed("getMany", entries.getMany(keys)),
        setMany: (values, timeToLive) => observed("setMany", entries.setMany(values, timeToLive)),
        changeLists: (keys, change, timeToLive) =>
          observed("changeLists", entries.changeLists(keys, change, timeToLive)),
        remove: (keys) => observed("remove", entries.remove(keys)),
        clear: observed("clear", entries.clear)
      }
    }

    const probed = store.open("health", 1)
    const values = new Map([["probe", true]])
    const outcome = (operation: Operation, effect: Effect.Effect<unknown, StoreError>) =>
      Effect.flatMap(Effect.exit(inStoreTime(effect, maxProbe)), (exit) =>
        Effect.sync(() => ended(operation, Exit.isSuccess(exit), clock.unsafeCurrentTimeMillis()))
      )
    const probe = SingleFlight.make<string, void>(scope).join(
      "probe",
      Effect.all(
        [outcome("getMany", probed.getMany(["probe"])), outcome("setMany", probed.setMany(values, "1 minute"))],
        { concurrency: "unbounded", discard: true }
      )
    )
    yield* measured(probe)

    const { take } = store
    return {
      open,
      claim: (name, owner, time) => observed("claim", store.claim(name, owner, time)),
      release: (name, owner) => observed("release", store.release(name, owner)),
      ...(take === undefined ? {} : { take: (taking) => observed("take", take(taking)) }),
      health: {
        kind,
        state: Effect.suspend(() => {
          if (!isSilent(clock.unsafeCurrentTimeMillis())) return Effect.sync(state)
          return Effect.map(Effect.forkIn(probe, scope), state)
        })
      }
    } satisfies StoreService as StoreService
  })

/** {@link withHealth} as a layer. */
export const layerWithHealth = <E, R>(kind: string, store: Layer.Layer<Store, E, R>) =>
  Layer.scoped(
    Store,
    Effect.flatMap(Store, (service) => withHealth(kind, service))
  ).pipe(Layer.provide(store))

type StoreKind = "memory" | "sqlite" | "redis"

const kind = choice<StoreKind>({
  name: "CACHE",
  meaning:
    "where responses are cached: memory (until the process ends), sqlite (a file, see SQLITE_PATH) or redis (see REDIS_URL)",
  default: "sqlite",
  choices: ["memory", "sqlite", "redis"]
})

const path = text({
  name: "SQLITE_PATH",
  meaning: "the file of CACHE=sqlite, created if it is missing",
  allowed: "the path of a file in a folder that exists and can be written",
  default: "wallet-data.sqlite"
})

const megabytes = integer({
  name: "CACHE_MAX_MB",
  meaning:
    "maximum size of the cache in megabytes: the file with its write-ahead log, or memory if CACHE=memory. The entries " +
    "written (in memory: used) longest ago are evicted first",
  default: 256,
  min: 8,
  max: 1_000_000
})

const strict = flag({
  name: "CACHE_STRICT",
  meaning:
    "whether the start fails if the cache file is damaged, locked or cannot be used, or if Redis cannot be reached. " +
    "Otherwise a damaged file is renamed (.damaged and the time are appended to its name) and a new file is created",
  default: false
})

/** The chosen store and the number of processes that share it; does not open the store. */
export const settings = Effect.all({
  processes,
  kind,
  path,
  redis: RedisSettings.settings,
  maxBytes: Effect.map(megabytes, (count) => count * 1024 * 1024),
  strict
})

type Chosen = Effect.Effect.Success<typeof settings>

/** Fails if the chosen store lacks a variable. */
export const requireComplete = Effect.flatMap(settings, ({ kind, redis }) =>
  kind === "redis" ? RedisSettings.addressOf(redis) : Effect.void
)

const layers: Record<StoreKind, (chosen: Chosen) => Layer.Layer<Store, StoreOpenError | SettingError>> = {
  memory: ({ maxBytes }) => Memory.layer({ maxBytes }),
  sqlite: (chosen) => Sqlite.layer(chosen.path, chosen),
  redis: ({ redis, strict }) => RedisSettings.layer(redis, strict)
}

export const layer = Layer.unwrapEffect(
  Effect.map(settings, (chosen) => layerWithHealth(chosen.kind, layers[chosen.kind](chosen)))
)

/** The same store with a separate namespace for each world: values of one world are never returned in another. */
export const namespaced = (world: string) =>
  Layer.effect(
    Store,
    Effect.map(Store, ({ claim, health, open, release, take }) => ({
      ...(health === undefined ? {} : { health }),
      ...(take === undefined
        ? {}
        : {
            take: (taking) =>
              take({
                ...taking,
                buckets: taking.buckets.map((bucket) => ({ ...bucket, name: `${world}/${bucket.name}` }))
              })
          }),
      open: (name, version) => open(`${world}/${name}`, version),
      claim: (name, owner, time) => claim(`${world}/${name}`, owner, time),
      release: (name, owner) => release(`${world}/${name}`, owner)
    }))
  )
