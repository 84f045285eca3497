import * as Arr from "effect/Array"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { solana } from "../../../../catalogue/solana.ts"
import { toNumber } from "../../../../domain/Multiplier.ts"
import { Price } from "../../../../domain/Price.ts"
import { distance, type Millis, now, numberOf } from "../../../../domain/units.ts"
import * as BoundedMap from "../../../../kernel/collections/BoundedMap.ts"
import { continuing } from "../../../../kernel/continuing.ts"
import { each } from "../../../../kernel/each.ts"
import { timeoutOption } from "../../../../kernel/timeout.ts"
import * as declare from "../../../../settings/declare.ts"
import { priceMaxAge } from "../../../../settings/variables.ts"
import * as Call from "../../../../upstream/Call.ts"
import * as Upstream from "../../../../upstream/Upstream.ts"
import type { NewestBlock, ReadFailure, ScaledToken } from "../../../Chain.ts"
import { unread } from "../../../kit/holdings/tokenList.ts"
import { wrappedSol } from "../../programs.ts"
import * as calls from "./calls.ts"

const decodeRow = Schema.decodeUnknownOption(calls.Row)
const decodePrice = Schema.decodeUnknownOption(Price)

/** How long a price is served without another request, ms. */
const lifetime = 60_000

/** The time limit for the prices of one request, ms. */
const readWithin = 2_000

/** Maximum number of mints whose prices are cached. */
const capacity = 5_000

/** Largest relative difference between the multiplier of the mint and that of the two prices. */
const tolerance = 0.001

/** A price as the API returned it, and when its slot was, ms. */
interface SlottedPrice {
  readonly row: typeof calls.Row.Type
  readonly at: number
}

/** A row with its time, by the newest slot of the network. None without a price whose unit is known. */
const slotted = (row: unknown, { at, height }: NewestBlock): Option.Option<SlottedPrice> =>
  Option.flatMap(decodeRow(row), (known) =>
    at === undefined
      ? Option.none()
      : Option.some({
          row: known,
          at: 1000 * numberOf(at) - Math.max(0, distance(known.blockId, height)) * solana.proxy.blockTime
        })
  )

/** None if the two prices do not differ by the multiplier, so that the unit of the price is not certain, or if it is old. */
const priceOf = (
  { coinId, multiplier }: ScaledToken,
  { at, row: { priceChange24h, scaledUiConfig, usdPrice } }: SlottedPrice,
  oldest: number
): Option.Option<Price> =>
  at < oldest || Math.abs(scaledUiConfig.usdPricePrescaled / usdPrice / toNumber(multiplier) - 1) > tolerance
    ? Option.none()
    : decodePrice({
        coinId,
        usd: usdPrice,
        updatedAt: at,
        source: "jupiter",
        ...(priceChange24h == null ? {} : { changePercent24h: priceChange24h })
      })

const connect = Effect.gen(function* () {
  const url = yield* declare.url({
    name: "JUPITER_URL",
    default: "https://api.jup.ag",
    meaning: "Base address of Jupiter, which serves /price/v3: prices of tokens on solana with a multiplier"
  })
  const key = yield* declare.secret({
    name: "JUPITER_API_KEY",
    allowed: "a key of portal.jup.ag",
    meaning: "Jupiter API key"
  })
  return yield* Upstream.make({
    name: "jupiter",
    urls: [url],
    calls,
    // Per minute: 30 calls without a key, 60 with a free key.
    rate: { source: "JUPITER", keyless: { perSecond: 0.5, burst: 5 }, keyed: { perSecond: 1, burst: 5 } },
    canary: (address) => Call.readAt(address, calls.prices, { mints: [wrappedSol] }),
    ...(key === undefined ? {} : { keys: { "x-api-key": key } })
  })
})

/** Reads prices of mints per displayed unit. `head` reads the newest slot. See `displayedPrices` of {@link Chain}. */
export const make = (head: Effect.Effect<NewestBlock, ReadFailure>) =>
  Effect.gen(function* () {
    const upstream = yield* connect
    const maxAge = yield* priceMaxAge
    const known = yield* BoundedMap.sized<Option.Option<SlottedPrice>>("jupiter-prices", capacity)

    /** A mint without a price is not requested again at once, either. */
    const read = (mints: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const [rows, newest] = yield* Effect.all(
          [Effect.mapError(Call.reading(upstream)(calls.prices, { mints }), unread), head],
          { concurrency: 2 }
        )
        const clock = numberOf(yield* now)
        for (const mint of mints) known.set(mint, slotted(rows[mint], newest), clock + lifetime)
      })

    const start = continuing((mints) =>
      each(Arr.chunksOf(mints, calls.mintsPerCall), (chunk) =>
        Effect.catchAll(read(chunk), ({ message }) => Effect.logDebug(`prices of scaled tokens: ${message}`))
      )
    )

    return (tokens: ReadonlyArray<ScaledToken>): Effect.Effect<ReadonlyMap<string, Price>> =>
      Effect.gen(function* () {
        const clock: Millis = yield* now
        const current = (mint: string) => known.get(mint, numberOf(clock))
        const open = tokens.flatMap(({ address }) => (current(address) === undefined ? [address] : []))
        yield* timeoutOption(
          Effect.flatMap(start([...new Set(open)]), (readings) => Effect.forEach(readings, Deferred.await)),
          readWithin
        )
        const oldest = numberOf(clock) - maxAge
        return new Map(
          tokens.flatMap((token) =>
            Option.match(
              Option.flatMap(current(token.address) ?? Option.none(), (found) => priceOf(token, found, oldest)),
              { onNone: () => [], onSome: (price) => [[token.address, price] as const] }
            )
          )
        )
      })
  })
