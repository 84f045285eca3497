import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import type { NetworkDescription } from "../../../src/contract/StatusApi.ts"
import { Availability } from "../../../src/features/status/Availability.ts"
import { NetworkList } from "../../../src/features/status/NetworkList.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { Store } from "../../../src/storage/Store.ts"
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
const processOver = (store: Context.Tag.Service<Store>) =>
  Effect.gen(function* () {
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

const memory = Effect.map(Layer.build(Memory.layer()), (context) => Context.get(context, Store))

describe("the availability of sources", () => {
  it.scoped("counts calls and failures by day, and has null for days and sources without a call", function* () {
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

  it.scoped("sums the counts of all processes that share the store", function* () {
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
})
