import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Price } from "../../domain/Price.ts"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import { span } from "../../kernel/span.ts"
import { timeoutTo } from "../../kernel/timeout.ts"
import { contractKey, DefiLlama, keysPerCall } from "../../providers/DefiLlama.ts"
import { Upstreams } from "../../upstream/Upstreams.ts"
import type { Contract } from "./PriceSource.ts"

/** Maximum calls for the tokens of one request. */
const maxCalls = 3

/** How long a price is kept, ms. */
const lifetime = 60_000

/** Older prices are not current, ms: the time for which its source's prices of listed coins count, too. */
const maxAge = 3_600_000

/** Maximum number of kept prices. */
const capacity = 10_000

/** Prices of tokens that no list has, by their contracts. */
export class ContractPrices extends Context.Tag("features/prices/ContractPrices")<
  ContractPrices,
  {
    /**
     * Current prices of whole tokens by the key of their contracts; of at most 300 contracts, within this time (ms). Cannot
     * fail: a contract without a price, or with one that its source does not trust, is absent.
     */
    readonly of: (contracts: ReadonlyArray<Contract>, within: number) => Effect.Effect<ReadonlyMap<string, Price>>
  }
>() {
  static readonly layer = Layer.effect(
    ContractPrices,
    Effect.gen(function* () {
      const defillama = yield* DefiLlama
      const logFailure = yield* Upstreams.logFailure
      const known = yield* BoundedMap.sized<Price>("prices of contracts", capacity)
      const read = (keys: ReadonlyArray<string>) =>
        defillama.current(keys).pipe(
          Effect.zipWith(Clock.currentTimeMillis, (found, now) => {
            for (const [key, { at, price }] of found) {
              const usable = Math.abs(now - at) <= maxAge ? toPrice(key, price, at) : Option.none()
              if (Option.isSome(usable)) known.set(key, usable.value, now + lifetime)
            }
          }),
          Effect.catchTag("UpstreamError", (error) => logFailure("no prices by contract", error))
        )
      return {
        of: Effect.fnUntraced(function* (contracts, duration) {
          const keys = [...new Set(contracts.map(contractKey))].slice(0, maxCalls * keysPerCall)
          const before = yield* Clock.currentTimeMillis
          const open = keys.filter((key) => known.get(key, before) === undefined)
          yield* Effect.forEach(Arr.chunksOf(open, keysPerCall), read, { discard: true }).pipe(
            timeoutTo({ duration, onTimeout: () => Effect.void })
          )
          const now = yield* Clock.currentTimeMillis
          return new Map(
            keys.flatMap((key) => {
              const price = known.get(key, now)
              return price === undefined ? [] : [[key, price] as const]
            })
          )
        }, span("ContractPrices.of"))
      }
    })
  )

  /** Fixed prices in USD, by the key of contracts. */
  static readonly layerTest = (usd: Readonly<Record<string, number>>) =>
    Layer.succeed(ContractPrices, {
      of: (contracts) =>
        Effect.map(
          Clock.currentTimeMillis,
          (now) =>
            new Map(
              contracts
                .map(contractKey)
                .flatMap((key) => Option.toArray(toPrice(key, usd[key], now)).map((price) => [key, price] as const))
            )
        )
    })
}

const decode = Schema.decodeUnknownOption(Price)

/** The key stands for the coin id that the token does not have. */
const toPrice = (key: string, usd: number | undefined, updatedAt: number): Option.Option<Price> =>
  decode({ coinId: key, usd, updatedAt, source: "defillama" })
