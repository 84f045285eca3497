import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CoinId } from "../../../src/domain/CoinId.ts"
import { PriceSource } from "../../../src/features/prices/PriceSource.ts"
import * as BinancePrices from "../../../src/features/prices/sources/BinancePrices.ts"
import { Binance, type Ticker } from "../../../src/providers/Binance.ts"
import { isAvailable } from "../../../src/upstream/Sources.ts"
import { UpstreamError } from "../../../src/upstream/UpstreamError.ts"
import { standing } from "../../support/standing.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const [bitcoin, snek] = [CoinId.make("bitcoin"), CoinId.make("snek")]

const ticker: Ticker = { id: bitcoin, price: 60_000, change: -120.5, changePercent: -0.2, at: 1_800_000_000_000 }

/** The source over an exchange that trades only bitcoin, and the requested ids. */
const over = (tickers: Effect.Effect<ReadonlyArray<Ticker>, UpstreamError>, ready = true) => {
  const requested: Array<ReadonlyArray<CoinId>> = []
  const exchange = Layer.mock(Binance, {
    trades: (id) => id === bitcoin,
    tickers: (ids) =>
      Effect.suspend(() => {
        requested.push(ids)
        return tickers
      }),
    standing: standing(() => ready)
  })
  return { requested, source: Effect.provide(PriceSource, Layer.provide(BinancePrices.layer, exchange)) }
}

describe("prices of Binance", () => {
  it("include the change over 24 hours and their time", function* () {
    const { prices } = yield* over(Effect.succeed([ticker])).source
    assert.deepStrictEqual(yield* prices([bitcoin]), [
      {
        coinId: bitcoin,
        usd: 60_000,
        updatedAt: 1_800_000_000_000,
        source: "binance",
        change24h: -120.5,
        changePercent24h: -0.2
      }
    ])
  })

  it("are requested only for traded coins", function* () {
    const { requested, source } = over(Effect.succeed([ticker]))
    const { batchSize, name, prices } = yield* source
    yield* prices([snek, bitcoin])
    assert.deepStrictEqual(yield* prices([snek]), [])
    assert.deepStrictEqual(requested, [[bitcoin]])
    assert.deepStrictEqual([name, batchSize], ["binance", 20])
  })

  it("are omitted if they are outside the bounds of any market", function* () {
    for (const price of [0, -1, 1e13, 1e-31, Number.NaN, Number.POSITIVE_INFINITY]) {
      const { prices } = yield* over(Effect.succeed([{ ...ticker, price }])).source
      assert.deepStrictEqual(yield* prices([bitcoin]), [])
    }
  })

  it("fail when the exchange fails, whose availability the source reports", function* () {
    const down = new UpstreamError({ upstream: "binance", reason: "timeout", detail: "late" })
    const { prices, standing } = yield* over(down, false).source
    assert.strictEqual((yield* Effect.flip(prices([bitcoin]))).message, "binance: late")
    assert.isFalse(isAvailable(yield* standing))
  })
})
