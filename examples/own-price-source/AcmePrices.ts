// A price source: GET /v1/prices?ids=bitcoin,pebble returns {"bitcoin": {"usd": 60000, "at": 1793450000}}, without unknown coins.
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { Effect, Layer, Schema } from "effect"
import { CoinId, declare, type Price, PriceSource, ResponseDecoder, Upstream } from "wallet-data"

const name = "acme"

const Quotes = Schema.Record({
  key: CoinId,
  value: Schema.Struct({ usd: Schema.Positive, /** UNIX time in seconds. */ at: Schema.Int })
})

const request = (ids: ReadonlyArray<string>) =>
  HttpClientRequest.setUrlParam(HttpClientRequest.get("/v1/prices"), "ids", ids.join(","))

const make = Effect.gen(function* () {
  const url = yield* declare.url({
    name: "ACME_URL",
    default: "https://prices.acme.example",
    meaning: "Base address of Acme's prices"
  })
  const key = yield* declare.secret({ name: "ACME_API_KEY", allowed: "an API key of Acme", meaning: "Acme API key" })
  const api = yield* Upstream.make({
    name,
    urls: [url],
    canary: (endpoint) => endpoint.read(request(["bitcoin"]), ResponseDecoder.fitting(Quotes)),
    ...(key === undefined ? {} : { keys: { "x-api-key": key } })
  })
  return PriceSource.of({
    name,
    batchSize: 100,
    standing: api.standing,
    // Omits unknown coins, so that the next source is queried for them.
    prices: (ids) =>
      Effect.map(api.read(request(ids), Quotes), (quotes) =>
        ids.flatMap((coinId): ReadonlyArray<Price> => {
          const quote = quotes[coinId]
          return quote === undefined ? [] : [{ coinId, usd: quote.usd, updatedAt: quote.at * 1000, source: name }]
        })
      )
  })
})

export const layer = Layer.effect(PriceSource, make)
