import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import type { Address } from "viem"
import { formatUnits, getAddress } from "viem/utils"
import { Chains } from "../../../src/chains/Chains.ts"
import { CoinId } from "../../../src/domain/CoinId.ts"
import { Portfolio } from "../../../src/features/balances/Portfolio.ts"
import { ContractPrices } from "../../../src/features/prices/ContractPrices.ts"
import { ExchangeRates } from "../../../src/features/prices/currencies/ExchangeRates.ts"
import { Pricing } from "../../../src/features/prices/Pricing.ts"
import { type RegisteredToken, TokenRegistry } from "../../../src/providers/TokenRegistry.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import * as FetchClient from "../../../src/upstream/FetchClient.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import * as Node from "../../support/anvil.ts"
import * as Contracts from "../../support/contracts/bytecode.ts"
import { isMissing } from "../../support/tools.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { summaryOf } from "./portfolio.ts"

const address = (index: number): Address => `0x${"ab".repeat(18)}${index.toString(16).padStart(4, "0")}`
const [alice, bob, nobody] = [address(1), address(2), address(3)]

const listed = (index: number, symbol: string, decimals: number) => ({
  address: address(index),
  coinId: CoinId.make(symbol.toLowerCase()),
  name: symbol,
  symbol,
  decimals,
  thumbnail: ""
})
const [dollar, coin, dust, broken] = [
  listed(16, "USD", 6),
  listed(17, "COIN", 18),
  listed(18, "DUST", 36),
  listed(19, "BROKEN", 18)
] as const satisfies ReadonlyArray<RegisteredToken>
const stranger = address(20)

const world = [
  Node.withNative(alice, 1_500_000_000_000_000_000n),
  Node.withNative(bob, 1n),
  ...[dollar, coin, dust].flatMap(({ address, decimals }) => [
    Node.withCode(address, Contracts.tokenBytecode),
    Node.withDecimals(address, decimals)
  ]),
  Node.withCode(broken.address, Contracts.revertsBytecode),
  Node.withCode(stranger, Contracts.tokenBytecode),
  Node.withDecimals(stranger, 2),
  Node.withBalance(stranger, alice, 12_345n),
  Node.withBalance(dollar.address, alice, 25_000_000n),
  Node.withBalance(coin.address, alice, 2n * 10n ** 18n),
  Node.withBalance(dust.address, alice, 1n),
  Node.withBalance(dollar.address, bob, 2n ** 255n)
]

/** Starts a node with the state of `world`, and returns it with an effect that stops it. */
const node = Effect.gen(function* () {
  const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.sequential)
  const anvil = Context.get(yield* Layer.buildWithScope(Layer.fresh(Node.layer), scope), Node.Anvil)
  yield* anvil.rpcs(world)
  return { ...anvil, stop: Scope.close(scope, Exit.void) }
})

const portfolio = (urls: ReadonlyArray<string>) =>
  Layer.build(
    Layer.provide(
      Portfolio.layer,
      Layer.mergeAll(
        Chains.layer,
        Pricing.layerTest({ ethereum: 3_000, usd: 1, coin: 20.5 }),
        ExchangeRates.layerTest({}),
        ContractPrices.layerTest({})
      ).pipe(
        Layer.provideMerge(
          Layer.mergeAll(
            TokenRegistry.layerTest({ ethereum: [dust, dollar, broken, coin] }),
            Upstreams.layer,
            FetchClient.layer,
            Layer.fresh(Memory.layer()),
            Settings.layer({ ETHEREUM_RPC_URLS: urls.join(",") })
          )
        )
      )
    )
  ).pipe(Effect.map((context) => Context.get(context, Portfolio)))

const rowsOfAlice = (spelling: string) => [
  `ethereum ${spelling} ETH 1.5 4500`,
  `ethereum ${spelling} COIN 2 41`,
  `ethereum ${spelling} USD 25 25`,
  `ethereum ${spelling} DUST 0.000000000000000000000000000000000001  no_price`,
  `ethereum ${spelling} BROKEN   bad_answer`
]

describe.skipIf(isMissing("anvil"))("balances on a real node", () => {
  it.scopedLive("are correct for each holder in 1,000 concurrent requests", function* () {
    const { rpcs, url } = yield* node
    const holders = Array.from({ length: 1_000 }, (_, index) => address(1_000 + index))
    yield* rpcs(
      holders.flatMap((holder, index) => [
        Node.withNative(holder, BigInt(index)),
        Node.withBalance(dollar.address, holder, BigInt(2 * index))
      ])
    )
    const { balances } = yield* portfolio([url])
    const answers = yield* Effect.forEach(holders, (holder) => balances({ ethereum: [holder] }), {
      concurrency: "unbounded"
    })
    for (const [index, { rows }] of answers.entries()) {
      const owned = rows.map(({ balance, holderAddress, tokenSymbol }) => `${holderAddress} ${tokenSymbol} ${balance}`)
      const holder = holders[index]
      const dollars = index === 0 ? [] : [`${holder} USD ${formatUnits(BigInt(2 * index), 6)}`]
      assert.deepStrictEqual(owned, [
        `${holder} ETH ${formatUnits(BigInt(index), 18)}`,
        ...dollars,
        `${holder} BROKEN null`
      ])
    }
  })

  it.scopedLive("are returned for several holders, in any spelling", function* () {
    const { url } = yield* node
    const { balances, token } = yield* portfolio([url])
    const spelt = getAddress(alice)
    const { omissions, rows } = yield* balances({ ETH: [bob, spelt], ethereum: [nobody, "0xnothing", alice] })
    assert.deepStrictEqual(rows.map(summaryOf), [
      `ethereum ${bob} ETH 0.000000000000000001 0.000000000000003`,
      `ethereum ${bob} USD ${2n ** 255n / 10n ** 6n}.819968 ${2n ** 255n / 10n ** 6n}.819968`,
      `ethereum ${bob} BROKEN   bad_answer`,
      ...rowsOfAlice(spelt),
      `ethereum ${nobody} ETH 0 0`,
      `ethereum ${nobody} BROKEN   bad_answer`,
      "ethereum 0xnothing ETH   invalid_address",
      ...rowsOfAlice(alice)
    ])
    assert.deepStrictEqual(omissions, [])
    assert.deepStrictEqual(
      yield* token("eth", spelt, Option.some(getAddress(coin.address))),
      Option.some({ balance: "2", balanceUsd: "41", price: "20.5" })
    )
    assert.deepInclude(Option.getOrThrow(yield* token("eth", alice, Option.some(stranger))), {
      balance: "123.45",
      balanceUsd: null,
      errorCode: "no_price"
    })
    assert.deepInclude(Option.getOrThrow(yield* token("eth", alice, Option.some(nobody))), {
      balance: null,
      errorCode: "bad_answer"
    })
  })

  it.scopedLive("are null, with the reason and the last known balance, after the node has stopped", function* () {
    const { stop, url } = yield* node
    const { balances } = yield* portfolio([url])
    const before = (yield* balances({ ethereum: [alice] })).rows
    yield* stop
    const { rows } = yield* balances({ ethereum: [alice, nobody] })
    assert.deepStrictEqual(rows.map(summaryOf), [
      ...["ETH", "COIN", "USD", "DUST"].map((symbol) => `ethereum ${alice} ${symbol}   upstream_error`),
      `ethereum ${nobody} ETH   upstream_error`
    ])
    assert.deepStrictEqual(
      rows.map(({ lastKnown }) => lastKnown && [lastKnown.balance, lastKnown.balanceUsd]),
      [...before.slice(0, 4).map(({ balance, balanceUsd }) => [balance, balanceUsd]), undefined]
    )
  })

  it.scopedLive("are read from the second node when the first is down", function* () {
    const [first, second] = [yield* node, yield* node]
    yield* second.rpcs([Node.withNative(bob, 10n ** 18n)])
    const { balances } = yield* portfolio([first.url, second.url])
    const query = Effect.map(balances({ ethereum: [bob] }), ({ rows }) => rows[0]?.balance)
    assert.strictEqual(yield* query, "0.000000000000000001")
    yield* first.stop
    assert.strictEqual(yield* query, "1")
    yield* second.stop
    assert.isNull(yield* query)
  })
})
