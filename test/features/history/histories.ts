import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import type { NewestBlock, ReadFailure } from "../../../src/chains/Chain.ts"
import { CoinId } from "../../../src/domain/CoinId.ts"
import type { HistoryPart, HistoryQuery, Transaction } from "../../../src/domain/Transaction.ts"
import { numberOf, seconds, shift, toMillis } from "../../../src/domain/units.ts"
import { NewestBlocks } from "../../../src/features/blocks/NewestBlocks.ts"
import { History } from "../../../src/features/history/History.ts"
import { Pricing } from "../../../src/features/prices/Pricing.ts"
import { type RegisteredToken, TokenRegistry } from "../../../src/providers/TokenRegistry.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import { chainsOf } from "../../support/chains.ts"
import { gapsOf } from "../../support/gaps.ts"

export const second = seconds(1_793_000_000)

/** The same time, ms. */
export const clock = numberOf(toMillis(second))

export const holder = "0xaaaa000000000000000000000000000000000001"
export const friend = "0xbbbb00000000000000000000000000000000beef"

export const dai: RegisteredToken = {
  address: "0xdddd000000000000000000000000000000000da1",
  coinId: CoinId.make("dai"),
  name: "Dai",
  symbol: "DAI",
  decimals: 18,
  thumbnail: "https://icons.example/dai.png"
}

/** A transaction of this age in seconds; its hash is derived from the age unless one is passed. */
export const transaction = (ago: number, more: Partial<Transaction> = {}): Transaction => ({
  hash: `0x${ago}`,
  type: "Receive",
  fee: 21n,
  status: "Success",
  timestamp: shift(second, -ago),
  order: 0,
  from: [{ address: friend, amount: 5n }],
  to: [{ address: holder, amount: 5n }],
  ...more
})

interface PartOptions extends Partial<HistoryPart> {
  readonly missing?: ReadonlyArray<string>
  readonly unavailable?: ReadonlyArray<string>
}

/** A part of a history; `missing` and `unavailable` are the texts of its gaps. */
export const part = (
  transactions: ReadonlyArray<Transaction>,
  { missing, unavailable, ...more }: PartOptions = {}
): HistoryPart => ({
  transactions,
  more: false,
  sources: ["explorer"],
  gaps: gapsOf(missing ?? [], unavailable),
  ...more
})

type Answer = (query: HistoryQuery) => Effect.Effect<HistoryPart, ReadFailure>

/**
 * A network whose history and newest block, if any, a test defines; `queries` lists the queries that it received.
 */
export const network = (id: string, answer: Answer, newestBlock?: Effect.Effect<NewestBlock, ReadFailure>) => {
  const info = Catalogue.all.find((anyFacts) => anyFacts.id === id)
  const queries: Array<HistoryQuery> = []
  const state = { answer }
  return {
    queries,
    state,
    service: {
      facts: info,
      address: (text: string) =>
        text.startsWith("0x") ? Either.right(text.toLowerCase()) : Either.left("an address starts with 0x"),
      newestBlock,
      history: (query: HistoryQuery) =>
        Effect.suspend(() => {
          queries.push(query)
          return state.answer(query)
        })
    }
  }
}

export type FakeNetwork = ReturnType<typeof network>

/** All transactions of a chain as an explorer returns them: newest first, from `since` on, at most `limit`. */
export const chain =
  (all: () => ReadonlyArray<Transaction>): Answer =>
  ({ before, limit, since = seconds(0) }) =>
    Effect.sync(() => {
      const max = seconds(before === undefined ? Number.POSITIVE_INFINITY : numberOf(before.height))
      const wanted = all().filter(({ timestamp }) => timestamp >= since && timestamp <= max)
      return part(wanted.slice(0, limit), { more: wanted.length > limit })
    })

export const registryOfDai = TokenRegistry.layerTest({ ethereum: [dai] })

/** The History use case over these networks, with one token of Ethereum and its price. Requires a store. */
export const over = (...networks: ReadonlyArray<FakeNetwork>) => overWith(registryOfDai, ...networks)

/** As {@link over}, with these token lists. */
export const overWith = (registry: typeof registryOfDai, ...networks: ReadonlyArray<FakeNetwork>) =>
  History.layer.pipe(
    Layer.provide(NewestBlocks.layer),
    Layer.provide([
      chainsOf(networks.map(({ service }) => service)),
      Pricing.layerTest({ dai: 1.01 }),
      registry,
      Settings.layer({})
    ]),
    Layer.fresh
  )
