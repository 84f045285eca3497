import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { Chains } from "../../chains/Chains.ts"
import type { CoinId } from "../../domain/CoinId.ts"
import type { Currency } from "../../domain/Currency.ts"
import { zeroAddress } from "../../domain/evmAddress.ts"
import type { Price } from "../../domain/Price.ts"
import { headerOf } from "../../http/response/partialFailures.ts"
import type { CachedResponse } from "../../http/response/ResponseCache.ts"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import { span } from "../../kernel/span.ts"
import { timeoutOption } from "../../kernel/timeout.ts"
import { type RegisteredToken, TokenRegistry } from "../../providers/TokenRegistry.ts"
import { type Rate, rateOf, toRow } from "./CoinPriceHandlers.ts"
import { ExchangeRates } from "./currencies/ExchangeRates.ts"
import { PriceRefresh } from "./PriceRefresh.ts"
import { type PriceMemory, Pricing } from "./Pricing.ts"

/** Time until a response is rechecked, and for client caches, ms. Prices that expire earlier are omitted. */
const recheckAfter = 10_000
const maxAge = recheckAfter / 1000

/** Maximum number of cached texts over all chains and currencies. The size of each depends only on the token lists. */
const maxTexts = 44

/** Bytes of a fragment without its characters, which a list also has as bytes. */
const fragmentBytes = 250

/** Maximum wait of the first request for the largest coins, and of any request for unpriced native coins. */
const longestWait = "3 seconds"

/** The address under which the native coin of a chain is listed. */

const encoder = new TextEncoder()

/** The JSON of one token and the price that it contains. */
interface Fragment {
  readonly price: Price
  readonly text: string
}

/** The JSON of a chain; the same object until its content changes. */
interface ChainText {
  readonly bytes: Uint8Array
  readonly fragments: ReadonlyMap<string, Fragment>
}

type Chain = NetworkFacts & { readonly chainId: number }

/** Writes the JSON of chains; unchanged parts are reused. */
const writing = (memory: PriceMemory, texts: BoundedMap.BoundedMap<string, ChainText>) => {
  return (
    chain: Chain,
    tokens: ReadonlyArray<RegisteredToken>,
    currency: Currency,
    rate: Rate,
    now: number
  ): ChainText => {
    const key = `${chain.chainId} ${currency} ${rate.perUsd} ${rate.perUsdDayAgo}`
    const before = texts.get(key)
    const fragments = new Map<string, Fragment>()
    const validUntil = now + 2 * recheckAfter
    let changed = false
    const add = (address: string, coinId: CoinId, facts: { name: string; symbol: string; image: string }) => {
      const price = memory.current(coinId, validUntil)
      if (price === undefined) return
      const existing = before?.fragments.get(address)
      if (existing?.price === price) fragments.set(address, existing)
      else {
        changed = true
        fragments.set(address, {
          price,
          text: `${JSON.stringify(address)}:${JSON.stringify({ address, ...toRow(price, currency, rate, facts) })}`
        })
      }
    }
    const { native } = chain
    add(zeroAddress, native.coinId, { ...native, image: native.thumbnail })
    for (const token of tokens)
      if (token.address !== zeroAddress) add(token.address, token.coinId, { ...token, image: token.thumbnail })
    if (before !== undefined && !changed && before.fragments.size === fragments.size) return before
    const text = `{${Array.from(fragments.values(), (fragment) => fragment.text).join(",")}}`
    const chainText = { bytes: encoder.encode(text), fragments }
    texts.set(key, chainText)
    return chainText
  }
}

/** A chain id of the request that is skipped in the body. */
const unknownChain = (chain: string) => ({
  chain,
  message: "no network of this service has this chain id",
  errorCode: "unknown_network"
})

/** The responses of GET /price. Encodes a token's JSON once per price, and a chain's JSON once per change. */
export const make = Effect.gen(function* () {
  const { facts } = yield* Chains
  const pricing = yield* Pricing
  const rates = yield* ExchangeRates
  const refresh = yield* PriceRefresh
  const registry = yield* TokenRegistry
  const memory = yield* pricing.memory
  const chains = new Map(
    facts.flatMap((info) => (info.chainId === undefined ? [] : [[String(info.chainId), info as Chain] as const]))
  )
  const texts = BoundedMap.make<string, ChainText>({
    ...(yield* BoundedMap.inMemory("price lists")),
    capacity: maxTexts,
    weigh: (_, { bytes, fragments }) => 2 * bytes.byteLength + fragmentBytes * fragments.size
  })
  const textOf = writing(memory, texts)

  return Effect.fnUntraced(function* (networkIds: ReadonlyArray<string>, currency: Currency) {
    const requested = [...new Set(networkIds)]
      .flatMap((id) => chains.get(String(Number(id))) ?? [])
      .sort((a, b) => a.chainId - b.chainId)
    const first = Effect.gen(function* () {
      yield* refresh.firstPassDone
      const validUntil = (yield* Clock.currentTimeMillis) + 2 * recheckAfter
      // Does not request coins that the refresh keeps current, or every check would be a call.
      const due = requested.flatMap(({ native: { coinId } }) =>
        `${coinId}` === "" || memory.current(coinId, validUntil) !== undefined ? [] : [coinId]
      )
      yield* pricing.prices(due)
    })
    const [rate] = yield* Effect.all([rateOf(rates, currency), timeoutOption(first, longestWait)], {
      concurrency: 2
    })
    const lists = yield* registry.lists
    const now = yield* Clock.currentTimeMillis
    const version = memory.version()
    // In several turns of the event loop: the texts of all chains take a tenth of a second.
    const parts = yield* Effect.forEach(requested, (info, index) =>
      Effect.map(Effect.yieldNow(), () => [
        encoder.encode(`${index === 0 ? "{" : ","}"${info.chainId}":`),
        textOf(info, lists.get(info.platform ?? "")?.tokens ?? [], currency, rate, now).bytes
      ])
    )
    yield* Effect.yieldNow()
    const loading = requested.flatMap(({ chainId, platform }) =>
      platform !== undefined && !(lists.has(platform) && refresh.covers(platform))
        ? [{ chain: String(chainId), message: "prices of its tokens are still being loaded" }]
        : []
    )
    const unknown = [...new Set(networkIds)].filter((id) => !chains.has(String(Number(id)))).map(unknownChain)
    const missing = [...loading, ...unknown].map((full) => ({ full, short: full }))
    return {
      body: Buffer.concat([...parts.flat(), encoder.encode(parts.length === 0 ? "{}" : "}")]),
      headers: headerOf<{ readonly chain: string; readonly message: string }>(missing, (count) => ({
        chain: "*",
        message: `and ${count} more`
      })),
      maxAge,
      isCurrent: (at: number) => at < now + recheckAfter && memory.version() === version
    } satisfies CachedResponse
  }, span("Prices.byChain"))
})
