import * as Effect from "effect/Effect"
import { litecoin } from "../../../src/catalogue/utxo/litecoin.ts"
import { feesTooHigh, ofSources } from "../../../src/chains/kit/fees/comparedFees.ts"
import { eachLevel } from "../../../src/chains/kit/fees/feeLevels.ts"
import type { Fees } from "../../../src/domain/fees/Fees.ts"
import { type Fault, UpstreamError } from "../../../src/upstream/UpstreamError.ts"
import type { SimulatedHost } from "../../support/EvmNodes.ts"
import { networkOf } from "../../support/fees.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"

/** Esplora and Blockbook that return these rates for all levels, in base units per vbyte; undefined means HTTP 404. */
const sources = (rates: { esplora?: number; blockbook?: number }): Readonly<Record<string, SimulatedHost>> => ({
  "litecoinspace.org": () =>
    Effect.sync(() =>
      rates.esplora === undefined
        ? new Response("", { status: 404 })
        : Response.json({ fastestFee: rates.esplora, hourFee: rates.esplora, economyFee: rates.esplora })
    ),
  "blockbook.ltc.zelcore.io": () =>
    Effect.sync(() =>
      rates.blockbook === undefined
        ? new Response("", { status: 404 })
        : Response.json({ result: (rates.blockbook / 1e5).toFixed(8) })
    )
})

describe("fees of two sources", () => {
  const rate = (fees: { readonly current: Effect.Effect<unknown, { readonly message: string }> }) =>
    Effect.match(settled(fees.current, "3 seconds"), {
      onFailure: ({ message }) => message,
      onSuccess: (found) => (found as { levels: { fast: { satPerVbyte: string } } }).levels.fast.satPerVbyte
    })

  it("are compared on the first read, and if they differ from the last fees by more than ten times", function* () {
    const rates: { esplora?: number; blockbook?: number } = { esplora: 30, blockbook: 2 }
    const { fees, seen } = yield* networkOf("litecoin", sources(rates))
    assert.include(yield* rate(fees), "differ by more than ten times")
    rates.blockbook = 3
    assert.strictEqual(yield* rate(fees), "30")
    const calls = seen.length
    rates.esplora = 25
    assert.strictEqual(yield* rate(fees), "25")
    assert.strictEqual(seen.length, calls + 1)
    // The second source is close to the last fees, so its rate is used.
    rates.esplora = 600
    rates.blockbook = 20
    assert.strictEqual(yield* rate(fees), "20")
    rates.blockbook = 500
    assert.strictEqual(yield* rate(fees), "600")
  })

  it("are unknown if they differ from the last fees, and the second source does not respond in time", function* () {
    const rates: { esplora?: number; blockbook?: number } = { esplora: 30, blockbook: 20 }
    let isSlow = false
    const slowly =
      (host: SimulatedHost | undefined): SimulatedHost =>
      (...call) =>
        isSlow ? Effect.never : (host?.(...call) ?? Effect.never)
    const hosts = sources(rates)
    const { fees } = yield* networkOf("litecoin", {
      ...hosts,
      "blockbook.ltc.zelcore.io": slowly(hosts["blockbook.ltc.zelcore.io"])
    })
    assert.strictEqual(yield* rate(fees), "30")
    rates.esplora = 600
    isSlow = true
    assert.include(yield* rate(fees), "second source did not respond")
    isSlow = false
    assert.strictEqual(yield* rate(fees), "20")
  })

  it("come from one source if the other has no fees", function* () {
    const rates: { esplora?: number; blockbook?: number } = { esplora: 30 }
    const { fees } = yield* networkOf("litecoin", sources(rates))
    assert.strictEqual(yield* rate(fees), "30")
  })

  it("are rejected above the maximum of the network", function* () {
    const { fees } = yield* networkOf("litecoin", sources({ esplora: 90_000, blockbook: 2 }))
    assert.strictEqual(yield* rate(fees), "2")
    const { fees: alone } = yield* networkOf("litecoin", sources({ esplora: 90_000 }))
    assert.include(yield* rate(alone), "litecoin-")
  })

  it("are reported by their source if they are above what the network ever charges", function* () {
    const faults: Array<Fault> = []
    const source = {
      standing: Effect.succeed({ state: "works" as const, usual: 0 }),
      fault: (fault: Fault) => {
        faults.push(fault)
        return new UpstreamError({ upstream: "source", ...fault })
      }
    }
    const level = { transferFeeBaseUnits: String(litecoin.maxTransferFee + 1n) }
    const fees = { family: "utxo", levels: eachLevel(() => level) } as unknown as Fees
    const none = { reason: "not_configured", message: "no source" } as const
    const { reason } = yield* Effect.flip(ofSources(litecoin, [source], () => Effect.succeed(fees), { none }))
    assert.deepStrictEqual([reason, faults], ["bad_answer", [feesTooHigh]])
  })
})
