import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Catalogue from "../../catalogue/Catalogue.ts"
import type { CoinId } from "../../domain/CoinId.ts"
import type { Price } from "../../domain/Price.ts"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import type { RegisteredToken, TokenList } from "../../providers/TokenRegistry.ts"
import * as Store from "../../storage/Store.ts"

/** Name, symbol and image of a coin. Stored longer than its price, because not every price source returns them. */
const CoinFacts = Schema.Struct({ name: Schema.String, symbol: Schema.String, image: Schema.optional(Schema.String) })
export type CoinFacts = typeof CoinFacts.Type

const capacity = 50_000

const ofNatives = new Map(Catalogue.all.map(({ native }) => [native.coinId, native]))

/** The names of a coin that is a native coin or a listed token. */
export const ofToken = (lists: Iterable<TokenList>, id: CoinId): CoinFacts | undefined => {
  let token: Pick<RegisteredToken, "name" | "symbol" | "thumbnail"> | undefined = ofNatives.get(id)
  for (const { byCoin } of lists) token ??= byCoin.get(id)
  if (token === undefined) return undefined
  const { name, symbol, thumbnail } = token
  return { name, symbol, ...(thumbnail === "" ? {} : { image: thumbnail }) }
}

/** Names change rarely, and CoinGecko then returns the new names. */
const retention = "90 days"

/** The latest names of coins that CoinGecko returned. */
export const make = Effect.gen(function* () {
  const stored = yield* Store.dated("coins", 1, CoinFacts)
  const known = yield* BoundedMap.sized<CoinFacts>("coin names", capacity)
  const scope = yield* Effect.scope

  const learn = Effect.fnUntraced(function* (prices: Iterable<Price>) {
    const at = yield* Clock.currentTimeMillis
    const learned = new Map<string, Store.Dated<CoinFacts>>()
    for (const { coinId, image, name, symbol } of prices) {
      if (name === undefined || symbol === undefined) continue
      const before = known.get(coinId)
      if (before !== undefined && before.name === name && before.symbol === symbol && before.image === image) continue
      const value = { name, symbol, ...(image === undefined ? {} : { image }) }
      known.set(coinId, value)
      learned.set(coinId, { at, value })
    }
    yield* Effect.forkIn(stored.setMany(learned, retention), scope)
  })

  const recall = Effect.fnUntraced(function* (ids: ReadonlyArray<CoinId>) {
    const found = yield* stored.getMany(ids.filter((id) => !known.has(id)))
    for (const [id, { value }] of found) known.set(id, value)
  })

  return {
    /** The names of a coin, if they are in memory. */
    of: (id: CoinId): CoinFacts | undefined => known.get(id),
    /** Loads the names of these coins from the store into memory. */
    recall,
    /** The prices with the names and images in memory; names in the prices are stored. */
    complete: Effect.fnUntraced(function* (prices: ReadonlyArray<Price>) {
      yield* learn(prices)
      yield* recall(prices.flatMap(({ coinId, name }) => (name === undefined ? [coinId] : [])))
      return prices.map((price) => ({ ...known.get(price.coinId), ...price }))
    })
  }
})
