import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Price } from "../../domain/Price.ts"
import * as declare from "../../settings/declare.ts"
import * as Answer from "../../upstreams/Answer.ts"
import * as Upstream from "../../upstreams/Upstream.ts"
import { PriceSource } from "../PriceSource.ts"

// DefiLlama coins API (defillama.com/docs/api): no key, no published limit; about 258 ids in a path are too many.

const idsPerCall = 100

/** Below this the source itself does not trust its price. */
const leastConfidence = 0.5

const prefix = "coingecko:"

/** Coins are decoded one by one: an odd one must not cost the others. */
const Current = Schema.Struct({ coins: Schema.Record({ key: Schema.String, value: Schema.Unknown }) })

const Coin = Schema.Struct({
  price: Schema.Number,
  /** Seconds. */
  timestamp: Schema.Number,
  confidence: Schema.NullishOr(Schema.Number),
  symbol: Schema.NullishOr(Schema.String)
})

/** `/prices/current` by coin id: price and time only. */
export const layer = Layer.effect(
  PriceSource,
  Effect.gen(function* () {
    const upstream = yield* Upstream.make({
      name: "defillama",
      urls: [
        yield* declare.url({
          name: "DEFILLAMA_URL",
          default: "https://coins.llama.fi",
          meaning: "Base address of DefiLlama's coins API"
        })
      ],
      concurrency: 4,
      // Not published; what rotki keeps to.
      rate: { source: "DEFILLAMA", keyless: { perSecond: 1.5, burst: 10 } },
      canary: (address) => address.ask(question(["bitcoin"]), Answer.fitting(Current))
    })
    return {
      name: "defillama",
      most: idsPerCall,
      prices: Effect.fn("DefiLlama.prices")(function* (ids) {
        const { coins } = yield* upstream.read(question(ids), Current)
        return Object.entries(coins).flatMap(([key, coin]) => Option.toArray(toPrice(key, coin)))
      }),
      ready: upstream.ready
    }
  })
)

const question = (ids: ReadonlyArray<string>) =>
  HttpClientRequest.get(`/prices/current/${ids.map((id) => prefix + encodeURIComponent(id)).join(",")}`)

const decodeCoin = Schema.decodeUnknownOption(Coin)
const decode = Schema.decodeUnknownOption(Price)

const toPrice = (key: string, value: unknown): Option.Option<Price> =>
  Option.flatMap(key.startsWith(prefix) ? decodeCoin(value) : Option.none(), (coin) =>
    (coin.confidence ?? 1) < leastConfidence
      ? Option.none()
      : decode({
          coinId: key.slice(prefix.length),
          usd: coin.price,
          updatedAt: Math.round(coin.timestamp * 1000),
          source: "defillama",
          ...(coin.symbol == null ? {} : { symbol: coin.symbol })
        })
  )
