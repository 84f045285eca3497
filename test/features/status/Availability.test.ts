import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/TestClock"
import type { NetworkDescription } from "../../../src/contract/StatusApi.ts"
import { Availability } from "../../../src/features/status/Availability.ts"
import { NetworkList } from "../../../src/features/status/NetworkList.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { Store, StoreError } from "../../../src/storage/Store.ts"
import { UpstreamError } from "../../../src/upstream/UpstreamError.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const day = 86_400_000
const start = Date.parse("2026-11-20T12:00:00Z")

const ability = { available: true, upstreams: [{ name: "koios", keyed: false, state: "up", circuits: [] }] } as const
const noAbility = { available: false, upstreams: [] }
const cardano: NetworkDescription = {
  id: "cardano",
  aliases: [],
  family: "cardano",
  chainId: null,
  caip2: null,
  name: "Cardano",
  nativeCoin: { coinId: "cardano", symbol: "ADA", decimals: 6 },
  abilities: {
    balance: ability,
    tokens: ability,
    history: {
      ...ability,
      upstreams: [...ability.upstreams, { name: "blockfrost", keyed: true, state: "unknown", circuits: [] }]
    },
    export: noAbility,
    rpc: noAbility,
    rawTransactions: noAbility,
    firstTransaction: noAbility,
    fees: noAbility,
    transactionContext: noAbility
  }
}

/** A process with its own counts over a store. */
const processOver = Effect.fnUntraced(function* (store: Context.Tag.Service<Store>) {
  const context = yield* Layer.build(
    Availability.layer.pipe(
      Layer.provideMerge(Upstreams.layerUnlimited),
      Layer.provide(
        Layer.merge(Layer.succeed(Store, store), Layer.succeed(NetworkList, { networks: Effect.succeed([cardano]) }))
      )
    )
  )
  const upstreams = Context.get(context, Upstreams)
  const { keepStored, report } = Context.get(context, Availability)
  for (const name of ["koios", "blockfrost"]) yield* upstreams.register({ name, keyed: false, addresses: [] })
  yield* Effect.forkScoped(keepStored)
  return {
    report,
    call: (outcome: "ok" | "failed" | "rejected" | "interrupted", upstream = "koios") =>
      Effect.clockWith((clock) =>
        Effect.sync(() => {
          const error = new UpstreamError({
            upstream,
            reason: "upstream_error",
            detail: "",
            ...(outcome === "rejected" ? { final: true } : {})
          })
          upstreams.ended({
            upstream,
            outcome: outcome === "ok" || outcome === "interrupted" ? outcome : error,
            at: clock.unsafeCurrentTimeMillis(),
            ms: 1
          })
        })
      )
  }
})

/** Captures the log lines about availability. */
const capturing = () => {
  const logged: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    if (`${message}`.startsWith("availability: ")) logged.push(`${logLevel.label} ${message}`)
  })
  return { logged, logging: Effect.provide(Logger.replace(Logger.defaultLogger, logger)) }
}

const memory = Effect.map(Layer.build(Memory.layer()), (context) => Context.get(context, Store))

describe("the availability of sources", () => {
  it("counts calls and failures by day, and has null for days and sources without a call", function* () {
    yield* TestClock.setTime(start)
    const { call, report } = yield* processOver(yield* memory)
    assert.deepStrictEqual(yield* report, {
      days: ["2026-11-20"],
      networks: { cardano: ["koios", "blockfrost"] },
      sources: { koios: null, blockfrost: null }
    })
    for (const outcome of ["ok", "failed", "rejected", "interrupted"] as const) yield* call(outcome)
    yield* TestClock.adjust("2 days")
    yield* call("failed")
    assert.deepStrictEqual(yield* report, {
      days: ["2026-11-20", "2026-11-21", "2026-11-22"],
      networks: { cardano: ["koios", "blockfrost"] },
      sources: {
        koios: [{ day: "2026-11-20", calls: 3, failed: 1 }, null, { day: "2026-11-22", calls: 1, failed: 1 }],
        blockfrost: null
      }
    })
    yield* TestClock.adjust(89 * day)
    const { days, sources } = yield* report
    assert.deepStrictEqual([days[0], days.length], ["2026-11-22", 90])
    assert.deepStrictEqual(sources.koios?.[0], { day: "2026-11-22", calls: 1, failed: 1 })
    yield* TestClock.adjust(day)
    assert.deepStrictEqual((yield* report).sources, { koios: null, blockfrost: null })
  })

  it("sums the counts of all processes that share the store", function* () {
    yield* TestClock.setTime(start)
    const store = yield* memory
    const [one, other] = [yield* processOver(store), yield* processOver(store)]
    yield* one.call("ok")
    yield* other.call("failed")
    assert.deepStrictEqual((yield* one.report).sources.koios, [{ day: "2026-11-20", calls: 1, failed: 0 }])
    yield* TestClock.adjust("2 minutes")
    for (const { report } of [one, other])
      assert.deepStrictEqual((yield* report).sources.koios, [{ day: "2026-11-20", calls: 2, failed: 1 }])
  })

  it("keeps its counts while the store fails, and stores them later, each once", function* () {
    yield* TestClock.setTime(start)
    const store = yield* memory
    let fault: "none" | "reads" | "writes" | "lost responses" = "none"
    const down = (operation: "getMany" | "setMany") => new StoreError({ operation, cause: new Error("down") })
    const failing: Context.Tag.Service<Store> = {
      ...store,
      open: (name, version) => {
        const { getMany, setMany, ...entries } = store.open(name, version)
        return {
          ...entries,
          getMany: (keys) => (fault === "reads" ? down("getMany") : getMany(keys)),
          setMany: (values, timeToLive) =>
            fault === "writes"
              ? down("setMany")
              : Effect.zipLeft(
                  setMany(values, timeToLive),
                  fault === "lost responses" ? Effect.fail(down("setMany")) : Effect.void
                )
        }
      }
    }
    const { logged, logging } = capturing()
    const { call, report } = yield* logging(processOver(failing))
    let calls = 0
    for (const next of ["reads", "writes", "lost responses", "none"] as const) {
      fault = next
      yield* call("ok")
      calls++
      // A report is reused for ten seconds.
      yield* TestClock.adjust("11 seconds")
      assert.deepStrictEqual((yield* report).sources.koios, [{ day: "2026-11-20", calls, failed: 0 }], next)
      // Two saves: the first repeats the one that failed before.
      for (let minute = 0; minute < 3; minute++) {
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual((yield* report).sources.koios, [{ day: "2026-11-20", calls, failed: 0 }], next)
      }
    }
    assert.deepStrictEqual(
      logged.map((line) => line.split(",")[0]),
      ["WARN availability: counts stay in memory", "INFO availability: counts are stored again"]
    )
    yield* call("failed")
    yield* TestClock.adjust("2 minutes")
    yield* call("failed")
    yield* TestClock.adjust("2 minutes")
    const other = yield* processOver(store)
    assert.deepStrictEqual((yield* other.report).sources.koios, [{ day: "2026-11-20", calls: 6, failed: 2 }])
  })

  it("waits for another process that stores its counts", function* () {
    yield* TestClock.setTime(start)
    const store = yield* memory
    const { logged, logging } = capturing()
    const { call } = yield* logging(processOver(store))
    const { report } = yield* processOver(store)
    yield* store.claim("availability", "another process", "1 hour")
    yield* call("ok")
    yield* TestClock.adjust("2 minutes")
    assert.isNull((yield* report).sources.koios)
    assert.deepStrictEqual(logged, [])
    yield* store.release("availability", "another process")
    yield* call("ok")
    yield* TestClock.adjust("2 minutes")
    assert.deepStrictEqual((yield* report).sources.koios, [{ day: "2026-11-20", calls: 2, failed: 0 }])
  })

  it("stores its counts when the process ends", function* () {
    yield* TestClock.setTime(start)
    const store = yield* memory
    yield* Effect.scoped(Effect.flatMap(processOver(store), ({ call }) => call("failed")))
    const { report } = yield* processOver(store)
    assert.deepStrictEqual((yield* report).sources.koios, [{ day: "2026-11-20", calls: 1, failed: 1 }])
  })

  it("ignores stored values that are not counts, and sources that it does not have", function* () {
    yield* TestClock.setTime(start)
    const store = yield* memory
    const today = Math.floor(start / day)
    const counts = (koios: unknown, batches: unknown = []) => ({ batches, upstreams: { koios } })
    const hostile = [
      null,
      [],
      "counts",
      {},
      counts(5),
      counts({ calls: -1, failed: 0 }),
      counts({ calls: 1.5, failed: 0 }),
      counts({ calls: 1, failed: 2 }),
      counts({ calls: Number.MAX_VALUE, failed: 0 }),
      counts({ calls: "1", failed: "0" }),
      counts({ calls: 1, failed: 0 }, "batches"),
      counts({ calls: 1, failed: 0 }, ["x".repeat(37)]),
      counts({ calls: 1, failed: 0 }, Array(201).fill("x")),
      {
        batches: [],
        upstreams: {
          koios: { calls: 1, failed: 0 },
          ...Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [index, { calls: 1, failed: 0 }]))
        }
      }
    ]
    for (const value of hostile) {
      yield* store.open("availability", 1).setMany(new Map([[String(today), value]]), "1 day")
      const { report } = yield* processOver(store)
      assert.isNull((yield* report).sources.koios, JSON.stringify(value).slice(0, 100))
    }
    const upstreams = JSON.parse('{"__proto__":{"calls":1,"failed":0},"koios":{"calls":2,"failed":1}}')
    yield* store.open("availability", 1).setMany(new Map([[String(today), { batches: [], upstreams }]]), "1 day")
    const { report } = yield* processOver(store)
    assert.deepStrictEqual((yield* report).sources, {
      koios: [{ day: "2026-11-20", calls: 2, failed: 1 }],
      blockfrost: null
    })
  })

  it("writes older days again, so that a full store does not evict them", function* () {
    yield* TestClock.setTime(start)
    const store = yield* memory
    const written = new Set<string>()
    const { call } = yield* processOver({
      ...store,
      open: (name, version) => {
        const entries = store.open(name, version)
        return {
          ...entries,
          setMany: (values, timeToLive) => {
            for (const key of values.keys()) written.add(key)
            return entries.setMany(values, timeToLive)
          }
        }
      }
    })
    const dates = Array.from({ length: 90 }, (_, index) => String(Math.floor(start / day) - index))
    const counts = { batches: [], upstreams: { koios: { calls: 1, failed: 0 } } }
    yield* store.open("availability", 1).setMany(new Map(dates.map((date) => [date, counts])), "1 day")
    for (let minute = 0; minute < 89; minute++) {
      yield* call("ok")
      yield* TestClock.adjust("1 minute")
    }
    assert.sameMembers([...written], dates)
  })
})
