import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { Chains } from "../../chains/Chains.ts"
import type { CoinId } from "../../domain/CoinId.ts"
import type { Price } from "../../domain/Price.ts"
import { asciiJson } from "../../kernel/ascii.ts"
import * as BoundedMap from "../../kernel/BoundedMap.ts"
import { partialFailures } from "../../kernel/partialFailures.ts"
import { span } from "../../kernel/span.ts"
import { timeoutOption } from "../../kernel/timeout.ts"
import { type RegisteredToken, TokenRegistry } from "../../providers/TokenRegistry.ts"
import { rateOf } from "./CoinPriceHandlers.ts"
import { ExchangeRates } from "./ExchangeRates.ts"
import { answered } from "./lastResponse.ts"
import { PriceRefresh } from "./PriceRefresh.ts"
import { Pricing } from "./Pricing.ts"
import { toRow } from "./toWire.ts"

/** An answer is looked over after this time, ms, and a client may keep it so long: prices that end before are left out. */
const lookedOver = 10_000
const maxAge = lookedOver / 1000

/** Chains whose text is kept, over all currencies. How long each is depends on the token lists alone. */
const keptChains = 44

/** A first request waits for the largest coins after a start, and any for native coins without a price; but no longer. */
const longestWait = "3 seconds"

/** Under which the native coin of a chain stands. */
const zeroAddress = "0x0000000000000000000000000000000000000000"

/** The text of one token, and what it was made of. */
interface Fragment {
  readonly price: Price
  readonly text: string
}

/** The text of a chain; it stays the same object for as long as nothing in it changes. */
interface ChainText {
  readonly text: string
  readonly fragments: ReadonlyMap<string, Fragment>
}

type Chain = NetworkFacts & { readonly chainId: number }

/** The answers of GET /price: the text of a token is made once for each of its prices, that of a chain once for each change. */
export const make = Effect.gen(function* () {
  const { all } = yield* Chains
  const pricing = yield* Pricing
  const rates = yield* ExchangeRates
  const refresh = yield* PriceRefresh
  const registry = yield* TokenRegistry
  const memory = yield* pricing.memory
  const chains = new Map(
    all.flatMap(({ facts: info }) =>
      info.chainId === undefined ? [] : [[String(info.chainId), info as Chain] as const]
    )
  )
  const texts = BoundedMap.make<string, ChainText>({ capacity: keptChains })
  const answer = answered(same, ({ gathering, parts }: Material) => ({
    body: new TextEncoder().encode(`{${parts.map(({ chain, text }) => `"${chain}":${text.text}`).join(",")}}`),
    headers: gathering.length === 0 ? {} : { [partialFailures]: asciiJson(gathering) },
    maxAge
  }))

  const textOf = (info: Chain, tokens: ReadonlyArray<RegisteredToken>, currency: string, rate: number, now: number) => {
    const key = `${info.chainId} ${currency} ${rate}`
    const before = texts.get(key)
    const fragments = new Map<string, Fragment>()
    const good = now + 2 * lookedOver
    let changed = false
    const add = (address: string, coinId: CoinId, facts: { name: string; symbol: string; image: string }) => {
      const price = memory.held(coinId, good)
      if (price === undefined) return
      const known = before?.fragments.get(address)
      if (known?.price === price) fragments.set(address, known)
      else {
        changed = true
        fragments.set(address, {
          price,
          text: `${JSON.stringify(address)}:${JSON.stringify({ address, ...toRow(price, rate, facts) })}`
        })
      }
    }
    const { native } = info
    add(zeroAddress, native.coinId, { ...native, image: native.thumbnail })
    for (const token of tokens)
      if (token.address !== zeroAddress) add(token.address, token.coinId, { ...token, image: token.thumbnail })
    if (before !== undefined && !changed && before.fragments.size === fragments.size) return before
    const text = `{${Array.from(fragments.values(), (fragment) => fragment.text).join(",")}}`
    const made = { text, fragments }
    texts.set(key, made)
    return made
  }

  return Effect.fnUntraced(function* (asked: ReadonlyArray<string>, currency: string) {
    const wanted = [...new Set(asked)]
      .flatMap((id) => chains.get(String(Number(id))) ?? [])
      .sort((a, b) => a.chainId - b.chainId)
    const first = Effect.gen(function* () {
      yield* refresh.begun
      const good = (yield* Clock.currentTimeMillis) + 2 * lookedOver
      // Those that the refresh keeps current are not asked for again, or each look would be a call.
      const lacking = wanted.flatMap(({ native: { coinId } }) =>
        `${coinId}` === "" || memory.held(coinId, good) !== undefined ? [] : [coinId]
      )
      yield* pricing.prices(lacking)
    })
    const [rate] = yield* Effect.all([rateOf(rates, currency), timeoutOption(first, longestWait)], {
      concurrency: 2
    })
    const lists = yield* registry.lists
    const now = yield* Clock.currentTimeMillis
    const version = memory.version()
    const parts = wanted.map((info) => ({
      chain: String(info.chainId),
      text: textOf(info, lists.get(info.platform ?? "")?.tokens ?? [], currency, rate, now)
    }))
    const gathering = wanted.flatMap(({ chainId, platform }) =>
      platform !== undefined && !(lists.has(platform) && refresh.covers(platform))
        ? [{ chain: String(chainId), message: "prices of its tokens are still being loaded" }]
        : []
    )
    return answer(`${currency} ${parts.map(({ chain }) => chain).join(",")}`, {
      parts,
      gathering,
      isCurrent: (at) => at < now + lookedOver && memory.version() === version
    })
  }, span("chainAnswers"))
})

/** What an answer is made of. */
interface Material {
  readonly parts: ReadonlyArray<{ readonly chain: string; readonly text: ChainText }>
  readonly gathering: ReadonlyArray<{ readonly chain: string; readonly message: string }>
  readonly isCurrent: (now: number) => boolean
}

const same = (material: Material, other: Material): boolean =>
  material.parts.every(({ text }, index) => text === other.parts[index]?.text) &&
  asciiJson(material.gathering) === asciiJson(other.gathering)
