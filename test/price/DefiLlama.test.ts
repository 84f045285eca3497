import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { plain, price } from "../../src/domain/Amount.ts"
import { CoinId } from "../../src/domain/CoinId.ts"
import { PriceSource } from "../../src/price/PriceSource.ts"
import * as Source from "../../src/price/sources/DefiLlama.ts"
import { fixture, recorded, replay } from "../support/fixtures.ts"
import { answering, json, type Reply, text } from "../support/http.ts"
import { around, run } from "../support/upstream.ts"

const ids = (...all: ReadonlyArray<string>) => all.map((id) => CoinId.make(id))

const over = (reply: Reply) => {
  const outside = answering(() => reply)
  return {
    asked: outside.asked,
    prices: (wanted: ReadonlyArray<CoinId>) =>
      Effect.flatMap(PriceSource, (source) => run(source.prices(wanted))).pipe(
        Effect.provide(Layer.provide(Source.layer, around(outside)))
      )
  }
}

const coins = (all: Readonly<Record<string, unknown>>) => json({ coins: all })
const dai = { symbol: "DAI", price: 0.99972, timestamp: 1_741_276_617, confidence: 0.99 }
const daiPrice = {
  coinId: CoinId.make("dai"),
  usd: 0.99972,
  updatedAt: 1_741_276_617_000,
  source: "defillama",
  symbol: "DAI"
}

describe("prices of DefiLlama", () => {
  it.scoped("are asked for at most 100 at a time", () =>
    Effect.gen(function* () {
      const { asked, prices } = over(coins({}))
      yield* prices(ids(...Array.from({ length: 250 }, (_, index) => `coin-${index}`)))
      assert.deepStrictEqual(
        asked.map(({ url }) => url.pathname.split(",").length),
        [100, 100, 50]
      )
    })
  )

  it.scoped("are asked for by ids that cannot break the path", () =>
    Effect.gen(function* () {
      const { asked, prices } = over(coins({}))
      yield* prices(ids("../x?y#z", "ü"))
      assert.strictEqual(
        asked[0]?.url.href,
        "https://coins.llama.fi/prices/current/coingecko:..%2Fx%3Fy%23z,coingecko:%C3%BC"
      )
    })
  )

  it.scoped("are not asked for where there are no ids", () =>
    Effect.gen(function* () {
      const { asked, prices } = over(coins({}))
      assert.deepStrictEqual(yield* prices([]), Either.right([]))
      assert.strictEqual(asked.length, 0)
    })
  )

  const unusable: Readonly<Record<string, unknown>> = {
    "a price of null": { ...dai, price: null },
    "a price of zero": { ...dai, price: 0 },
    "a negative price": { ...dai, price: -1 },
    "a price as text": { ...dai, price: "1" },
    "no price": { ...dai, price: undefined },
    "no time": { ...dai, timestamp: undefined },
    "little confidence": { ...dai, confidence: 0.3 },
    nothing: null
  }
  for (const [name, coin] of Object.entries(unusable))
    it.scoped(`are left out with ${name}, and the others kept`, () =>
      Effect.gen(function* () {
        const outcome = yield* over(coins({ "coingecko:odd": coin, "coingecko:dai": dai })).prices(ids("odd", "dai"))
        assert.deepStrictEqual(outcome, Either.right([daiPrice]))
      })
    )

  it.scoped("need neither symbol nor confidence", () =>
    Effect.gen(function* () {
      const { price: usd, timestamp } = dai
      const outcome = yield* over(coins({ "coingecko:dai": { price: usd, timestamp } })).prices(ids("dai"))
      const { symbol: _, ...bare } = daiPrice
      assert.deepStrictEqual(outcome, Either.right([bare]))
    })
  )

  it.scoped("are of coins and not of addresses", () =>
    Effect.gen(function* () {
      const outcome = yield* over(coins({ "ethereum:0x01": dai, "coingecko:dai": dai, dai })).prices(ids("dai"))
      assert.deepStrictEqual(outcome, Either.right([daiPrice]))
    })
  )

  it.scoped("are left out where the number is beyond all numbers", () =>
    Effect.gen(function* () {
      const body = '{"coins":{"coingecko:dai":{"price":1e999,"timestamp":1741276617}}}'
      assert.deepStrictEqual(yield* over(text(body)).prices(ids("dai")), Either.right([]))
    })
  )

  for (const [name, reply, reason] of [
    ["a body of another form", json({}), "bad_answer"],
    ["HTTP 413, as for too many ids", text("Too large", { status: 413 }), "upstream_error"],
    ["HTTP 429", text("", { status: 429 }), "rate_limited"]
  ] as const)
    it.scoped(`fail as a whole with ${name}`, () =>
      Effect.gen(function* () {
        const outcome = yield* over(reply).prices(ids("dai"))
        assert.strictEqual(Either.isLeft(outcome) && outcome.left.reason, reason)
        assert.strictEqual(Either.isLeft(outcome) && outcome.left.upstream, "defillama")
      })
    )
})

recorded("recorded answers of DefiLlama", () => {
  const recording = (name: string) => fixture("defillama", name)

  it.scoped("give prices in any order, their times in seconds", () =>
    Effect.gen(function* () {
      const exchange = recording("prices-current-three-coins")
      const { asked, prices } = over(replay(exchange))
      const outcome = yield* prices(ids("chainlink", "arbitrum", "dai"))
      assert.deepStrictEqual(
        asked[0]?.url.pathname.replace("/prices/current/", "").split(",").sort(),
        exchange.request.path.replace("/prices/current/", "").split(",").sort()
      )
      assert.deepStrictEqual(Either.getOrThrow(outcome), [
        {
          coinId: CoinId.make("chainlink"),
          usd: 17.22,
          updatedAt: 1_741_276_615_000,
          source: "defillama",
          symbol: "LINK"
        },
        daiPrice,
        {
          coinId: CoinId.make("arbitrum"),
          usd: 0.415488,
          updatedAt: 1_741_276_623_000,
          source: "defillama",
          symbol: "ARB"
        }
      ])
    })
  )

  it.scoped("give prices of 16 digits, and need no decimals", () =>
    Effect.gen(function* () {
      const outcome = yield* over(replay(recording("prices-current-without-decimals"))).prices(ids("bitcoin"))
      const prices = Either.getOrThrow(outcome)
      assert.deepStrictEqual(
        prices.map(({ coinId, updatedAt, usd }) => [
          coinId,
          Option.getOrThrow(Option.map(price(usd), plain)),
          updatedAt
        ]),
        [
          ["bitcoin", "60580.28121336298", 1_782_315_604_000],
          ["ethereum", "1631.5124365600311", 1_782_315_604_000]
        ]
      )
    })
  )

  it.scoped("give nothing for what is unknown, which is no error", () =>
    Effect.gen(function* () {
      const outcome = yield* over(replay(recording("prices-current-unknown-token-empty"))).prices(ids("nothing"))
      assert.deepStrictEqual(outcome, Either.right([]))
    })
  )

  it.scoped("may give a price in the millions, but not for an address", () =>
    Effect.gen(function* () {
      const exchange = recording("prices-current-lp-token-13-million")
      assert.deepStrictEqual(yield* over(replay(exchange)).prices(ids("lp")), Either.right([]))
      const { coins: byAddress } = exchange.response.body as { readonly coins: Readonly<Record<string, unknown>> }
      const outcome = yield* over(coins({ "coingecko:lp": Object.values(byAddress)[0] })).prices(ids("lp"))
      assert.deepStrictEqual(
        Either.getOrThrow(outcome).map(({ usd }) => usd),
        [13_146_300.613692524]
      )
    })
  )
})
