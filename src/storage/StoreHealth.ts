import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as MetricKey from "effect/MetricKey"
import * as MetricLabel from "effect/MetricLabel"
import { counters } from "../kernel/counters.ts"
import { inStoreTime, Store, StoreError, type StoreState } from "./Store.ts"

/** After this time without an operation the state is unknown, ms; a failing store is probed more often. */
const maxIdle = 5_000
const failingSilence = 250

/** An operation interrupted after this time counts as failed; if earlier, its caller has left, ms. */
const givenUp = 200

const reading = MetricKey.gauge("store_up", { description: "1: the store can be read; 0: it cannot" })
const writing = MetricKey.gauge("store_writable", { description: "1: the store can be written; 0: it cannot" })
const operations = MetricKey.counter("store_operations_total", {
  incremental: true,
  description: "Operations of the store, by operation and outcome"
})

type Operation = StoreError["operation"]
type StoreService = Context.Tag.Service<Store>

const gauge = (key: typeof reading, kind: string) =>
  Metric.fromMetricKey(MetricKey.taggedWithLabels(key, [MetricLabel.make("store", kind)]))

/** Derives the state of the store from its latest operations. */
const stateTracker = (kind: string) => {
  const count = counters(operations, {
    store: [kind],
    operation: StoreError.fields.operation.literals,
    outcome: ["ok", "failed"]
  })
  const [up, writable] = [gauge(reading, kind), gauge(writing, kind)]
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
export const withHealth = (kind: string, store: StoreService) =>
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
        remove: (keys) => observed("remove", entries.remove(keys)),
        clear: observed("clear", entries.clear)
      }
    }

    const probed = open("health", 1)
    const values = new Map([["probe", true]])
    let probing = false
    const probe = Effect.all(
      [inStoreTime(probed.getMany(["probe"])), inStoreTime(probed.setMany(values, "1 minute"))],
      { mode: "either", discard: true }
    ).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          probing = false
        })
      )
    )

    const { take } = store
    return {
      open,
      claim: (name, owner, time) => observed("claim", store.claim(name, owner, time)),
      release: (name, owner) => observed("release", store.release(name, owner)),
      ...(take === undefined ? {} : { take: (taking) => observed("take", take(taking)) }),
      health: {
        kind,
        state: Effect.suspend(() => {
          if (probing || !isSilent(clock.unsafeCurrentTimeMillis())) return Effect.sync(state)
          probing = true
          return Effect.map(Effect.forkIn(probe, scope), state)
        })
      }
    } satisfies StoreService as StoreService
  })

/** {@link withHealth} as a layer. */
export const layer = <E, R>(kind: string, store: Layer.Layer<Store, E, R>) =>
  Layer.scoped(
    Store,
    Effect.flatMap(Store, (service) => withHealth(kind, service))
  ).pipe(Layer.provide(store))
