import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { CoinId } from "../domain/CoinId.ts"
import * as BoundedMap from "../kernel/collections/BoundedMap.ts"
import { span } from "../kernel/span.ts"
import * as declare from "../settings/declare.ts"
import * as ResponseDecoder from "../upstream/response/ResponseDecoder.ts"
import type { Standing } from "../upstream/Sources.ts"
import * as Upstream from "../upstream/Upstream.ts"
import type { UpstreamError } from "../upstream/UpstreamError.ts"

// DefiLlama coins API (defillama.com/docs/api): no key, no published limit; a path with about 258 keys fails.

/** The current price of a coin. */
export interface Current {
  /** US dollars, above zero. */
  readonly price: number
  /** ms */
  readonly at: number
  readonly symbol?: string
}

/** The price of a coin at some time. */
export interface Point {
  /** ms */
  readonly at: number
  /** US dollars, above zero. */
  readonly price: number
}

export type Days = 1 | 7 | 30 | 365

/** Prices of coins by CoinGecko id and of tokens by address. */
export class DefiLlama extends Context.Tag("providers/DefiLlama")<
  DefiLlama,
  {
    /**
     * Current prices by key, from {@link coinKey} or {@link contractKey}; at most {@link keysPerCall} keys. Keys are
     * left out if the price is missing or has a low confidence. Unknown keys are not requested again for a day.
     */
    readonly current: (keys: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, Current>, UpstreamError>
    /** Prices over the last days, ascending, in {@link steps}; none if the coin is unknown or has a low confidence. */
    readonly chart: (id: CoinId, days: Days) => Effect.Effect<Option.Option<ReadonlyArray<Point>>, UpstreamError>
    /** Its state and usual latency, to rank it among sources of the same data. */
    readonly standing: Effect.Effect<Standing>
  }
>() {
  static readonly layer = Layer.effect(
    DefiLlama,
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
        // The limit is not published; rotki uses this one.
        rate: { source: "DEFILLAMA", keyless: { perSecond: 1.5, burst: 10, maxWait: 1_000 } },
        canary: (address) => address.read(request("current", [coinKey("bitcoin")]), ResponseDecoder.fitting(Coins))
      })
      const unknown = yield* unknownKeys
      return {
        current: Effect.fnUntraced(function* (keys) {
          const started = yield* Clock.currentTimeMillis
          const wanted = [...new Set(keys)].filter((key) => !unknown.has(key, started))
          if (wanted.length === 0) return new Map()
          const { coins } = yield* upstream.read(request("current", wanted), Coins)
          const now = yield* Clock.currentTimeMillis
          unknown.learn(
            wanted.filter((key) => coins[key] === undefined),
            wanted.filter((key) => coins[key] !== undefined),
            now
          )
          return new Map(
            wanted.flatMap((key) => Option.toArray(Option.map(toCurrent(coins[key]), (price) => [key, price] as const)))
          )
        }, span("DefiLlama.current")),
        chart: Effect.fnUntraced(function* (id, days) {
          const now = yield* Clock.currentTimeMillis
          const { period, points, seconds } = steps[days]
          const key = coinKey(id)
          const { coins } = yield* upstream.read(
            request("chart", [key]).pipe(
              HttpClientRequest.setUrlParams({
                start: String(Math.floor(now / 1000) - (points - 1) * seconds),
                span: String(points),
                period,
                // Half a step on either side; the default range is smaller and would leave out prices.
                searchWidth: String(seconds / 2)
              })
            ),
            Coins
          )
          if (coins[key] === undefined) return Option.none()
          const chart = decodeChart(coins[key])
          if (Option.isNone(chart)) return yield* upstream.fault(ResponseDecoder.notUnderstood)
          const { confidence, prices } = chart.value
          return trusted(confidence) ? Option.some(ascending(Arr.filterMap(prices, toPoint))) : Option.none()
        }, span("DefiLlama.chart")),
        standing: upstream.standing
      }
    })
  )
}

/** Largest number of keys in one call. */
export const keysPerCall = 100

export const coinKey = (id: string) => `coingecko:${id}`

export const contractKey = ({ address, chain }: { readonly chain: string; readonly address: string }) =>
  `${chain}:${address}`

/** As fine as CoinGecko's steps, but with no more points than one call may request. */
const steps: Readonly<Record<Days, { readonly period: string; readonly seconds: number; readonly points: number }>> = {
  1: { period: "5m", seconds: 300, points: 289 },
  7: { period: "1h", seconds: 3_600, points: 169 },
  30: { period: "2h", seconds: 7_200, points: 361 },
  365: { period: "1d", seconds: 86_400, points: 366 }
}

const request = (what: "current" | "chart", keys: ReadonlyArray<string>) =>
  HttpClientRequest.get(`${what === "current" ? "/prices/current" : "/chart"}/${keys.map(inPath).join(",")}`)

/** Encodes commas and slashes, which would end the key, but not colons. */
const inPath = (key: string) => encodeURIComponent(key).replaceAll("%3A", ":")

/** Coins are decoded one by one, so that a malformed coin does not fail the others. */
const Coins = Schema.Struct({ coins: Schema.Record({ key: Schema.String, value: Schema.Unknown }) })

/** Smallest confidence, reported by the source, of a usable price. */
const minConfidence = 0.5

const trusted = (confidence: number | null | undefined) => (confidence ?? 1) >= minConfidence

const Price = Schema.Struct({
  price: Schema.Positive.pipe(Schema.finite()),
  /** Seconds. */
  timestamp: Schema.NonNegative.pipe(Schema.finite())
})

const decodeCurrent = Schema.decodeUnknownOption(
  Schema.Struct({
    ...Price.fields,
    confidence: Schema.NullishOr(Schema.Number),
    symbol: Schema.NullishOr(Schema.String)
  })
)

const decodeChart = Schema.decodeUnknownOption(
  Schema.Struct({ prices: Schema.Array(Schema.Unknown), confidence: Schema.NullishOr(Schema.Number) })
)

const decodePoint = Schema.decodeUnknownOption(Price)

const toCurrent = (coin: unknown): Option.Option<Current> =>
  decodeCurrent(coin).pipe(
    Option.filter(({ confidence }) => trusted(confidence)),
    Option.map(({ price, symbol, timestamp }) => ({
      price,
      at: Math.round(timestamp * 1000),
      ...(symbol == null ? {} : { symbol })
    }))
  )

const toPoint = (point: unknown): Option.Option<Point> =>
  Option.map(decodePoint(point), ({ price, timestamp }) => ({ at: Math.round(timestamp * 1000), price }))

/** Removes duplicate times, because neighbouring steps may have the same price. */
const ascending = (points: ReadonlyArray<Point>): ReadonlyArray<Point> =>
  [...new Map(points.map((point) => [point.at, point])).values()].sort((a, b) => a.at - b.at)

const day = 24 * 60 * 60 * 1000

/** Largest number of remembered keys. */
const capacity = 20_000

/** If a response has none of this many keys, the source is probably faulty. */
const manyKeys = 20

/** Remembers unknown keys for a day. A key that had a price before does not count as unknown. */
const unknownKeys = Effect.gen(function* () {
  const unpriced = yield* BoundedMap.sized<true>("coins that DefiLlama does not know", capacity)
  const priced = yield* BoundedMap.sized<true>("coins that DefiLlama knows", capacity)
  return {
    has: (key: string, now: number) => unpriced.get(key, now) === true,
    learn: (unknown: ReadonlyArray<string>, known: ReadonlyArray<string>, now: number) => {
      for (const key of known) {
        unpriced.delete(key)
        priced.set(key, true)
      }
      if (known.length > 0 || unknown.length < manyKeys)
        for (const key of unknown) if (!priced.has(key)) unpriced.set(key, true, now + day)
    }
  }
})
