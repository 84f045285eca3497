import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { CoinId } from "../../../domain/CoinId.ts"
import { Price } from "../../../domain/Price.ts"
import { span } from "../../../kernel/span.ts"
import { type Current, coinKey, contractKey, DefiLlama, keysPerCall } from "../../../providers/DefiLlama.ts"
import { Upstreams } from "../../../upstream/Upstreams.ts"
import { type Contract, PriceSource } from "../PriceSource.ts"

/** `/prices/current` by coin id, then by chain and address for coins unknown by id: price and time only. */
export const layer = Layer.effect(
  PriceSource,
  Effect.zipWith(DefiLlama, Upstreams.logFailure, (defillama, logFailure) => ({
    name: "defillama",
    // 40 % of its recorded prices are older than 15 minutes.
    maxAge: 3_600_000,
    batchSize: keysPerCall,
    prices: Effect.fnUntraced(function* (ids, contractsOf) {
      if (ids.length === 0) return []
      const byId = yield* defillama.current(ids.map(coinKey))
      const found = pricesOf(
        ids.map((id) => [id, coinKey(id)] as const),
        byId
      )
      const priced = new Set(found.map(({ coinId }) => coinId))
      const left =
        contractsOf === undefined
          ? []
          : byContract(
              ids.filter((id) => !priced.has(id)),
              contractsOf
            )
      if (left.length === 0) return found
      const more = yield* defillama.current(left.map(([, key]) => key)).pipe(
        Effect.map((byKey) => pricesOf(left, byKey)),
        // Returns the prices found by id even if this call fails.
        Effect.catchTag("UpstreamError", (error) =>
          found.length === 0 ? error : Effect.as(logFailure("no prices by address", error), [])
        )
      )
      return [...found, ...more]
    }, span("DefiLlama.prices")),
    standing: defillama.standing
  }))
)

type LlamaQuery = readonly [id: CoinId, key: string]

/** Maximum characters of the keys in one call: they must fit into a URL. */
const longestList = 6_000

/** The first contract of each coin, then the second contracts, up to the limit of one call. */
const byContract = (
  ids: ReadonlyArray<CoinId>,
  contractsOf: (id: CoinId) => ReadonlyArray<Contract>
): ReadonlyArray<LlamaQuery> => {
  const ranked = ids.flatMap((id) =>
    contractsOf(id).map((contract, rank) => ({ id, key: contractKey(contract), rank }))
  )
  let length = 0
  return ranked
    .sort((a, b) => a.rank - b.rank)
    .slice(0, keysPerCall)
    .flatMap(({ id, key }): ReadonlyArray<LlamaQuery> => {
      length += key.length + 1
      return length > longestList ? [] : [[id, key]]
    })
}

const pricesOf = (queries: ReadonlyArray<LlamaQuery>, currents: ReadonlyMap<string, Current>): ReadonlyArray<Price> => {
  const prices = new Map<CoinId, Price>()
  for (const [id, key] of queries) {
    const price = Option.flatMap(Option.fromNullable(currents.get(key)), (listed) => toPrice(id, listed))
    if (Option.isSome(price) && !prices.has(id)) prices.set(id, price.value)
  }
  return [...prices.values()]
}

const decode = Schema.decodeUnknownOption(Price)

const toPrice = (coinId: CoinId, { at, price, symbol }: Current): Option.Option<Price> =>
  decode({ coinId, usd: price, updatedAt: at, source: "defillama", ...(symbol === undefined ? {} : { symbol }) })
