import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { NetworkFacts } from "../../src/catalogue/NetworkFacts.ts"
import { Chain } from "../../src/chains/Chain.ts"
import * as IssuedToken from "../../src/chains/ripple/IssuedToken.ts"
import * as CoinType from "../../src/chains/sui/CoinType.ts"
import { elector } from "../../src/chains/ton/Provider.ts"
import * as TonAddress from "../../src/chains/ton/TonAddress.ts"
import { CoinId } from "../../src/domain/CoinId.ts"
import type { HistoryQuery, Movement } from "../../src/domain/Transaction.ts"
import { seconds, shift } from "../../src/domain/units.ts"
import { TokenRegistry } from "../../src/providers/TokenRegistry.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import { ledger } from "../../src/sandbox/world/ledger.ts"
import * as World from "../../src/sandbox/world/World.ts"
import * as Memory from "../../src/storage/Memory.ts"
import { CurrentUpstream } from "../../src/upstream/CurrentUpstream.ts"
import { Upstreams } from "../../src/upstream/Upstreams.ts"
import { samples } from "../chains/families/samples.ts"
import { payment, stake, withBlockfrostKey } from "../support/cardano.ts"
import { unlimitedSettings } from "../support/counted.ts"
import { withTexts } from "../support/gaps.ts"
import { sums } from "../support/histories.ts"
import { byAddress } from "../support/holdings.ts"
import { Cardano, Ripple, Solana, Sui, Ton, Tron } from "../support/networks.ts"
import { settled } from "../support/settled.ts"
import { assert, describe, it, layer } from "../support/vitest.ts"

interface Family {
  readonly info: NetworkFacts
  readonly layer: typeof Ton.layer | typeof Tron.layer
  /** Canonical address of a simulated token; by default the address itself. */
  readonly keyOf?: (address: string) => string
  /** The addresses to read, by default 30 samples. */
  readonly holders?: ReadonlyArray<string>
  readonly environment?: Readonly<Record<string, string>>
  /** Upstreams whose connections fail. */
  readonly down?: ReadonlyArray<string>
}

const tonAddress = (text: string) => Either.getOrThrow(TonAddress.parse(text))

const ton: Family = { ...Ton, keyOf: tonAddress }
const tonApi: Family = { ...ton, down: ["toncenter"] }
const tron: Family = Tron
const ripple: Family = {
  ...Ripple,
  keyOf: (text) => IssuedToken.keyOf(Either.getOrThrow(IssuedToken.parse(text)))
}
const solana: Family = { ...Solana, environment: { SOLANA_RPC_URLS: "http://anywhere.test" } }
const sui: Family = {
  ...Sui,
  keyOf: (text) => Option.getOrThrow(CoinType.canonical(text)),
  environment: { SUI_GRAPHQL_URLS: "http://anywhere.test" }
}
const cardano: Family = {
  ...Cardano,
  holders: [
    ...Array.from({ length: 20 }, (_, index) => payment(index + 1)),
    ...Array.from({ length: 10 }, (_, index) => stake(index + 1)),
    "DdzFFzCqrhstmqBkaU98vdHu6PdqjqotmgudToWYEeRmQKDrn4cAgGv9EZKtu1DevLrMA1pdVazufUCK4zhFkUcQZ5Gm88mVHnrwmXvT"
  ]
}
const blockfrost: Family = { ...cardano, environment: withBlockfrostKey, down: ["koios"] }

/** A family over the sandbox; without a token list, decimals come from the contracts. */
const simulated = ({ down = [], environment = {}, info, keyOf = (text) => text, layer }: Family, isListed = true) => {
  const tokens = World.contractsOn(info.platform).map(({ address, coin, decimals }) => ({
    address: keyOf(address),
    coinId: CoinId.make(coin.id),
    name: coin.name,
    symbol: coin.symbol,
    decimals,
    thumbnail: ""
  }))
  const client = Layer.map(Sandbox.layer([info]), (context) =>
    Context.make(
      HttpClient.HttpClient,
      HttpClient.tapRequest(Context.get(context, HttpClient.HttpClient), (request) =>
        Effect.flatMap(CurrentUpstream, ({ name }) =>
          down.includes(name) ? new HttpClientError.RequestError({ request, reason: "Transport" }) : Effect.void
        )
      )
    )
  )
  const registry = TokenRegistry.layerTest(isListed ? { [info.platform ?? ""]: tokens } : {})
  const network = Layer.provide(layer, [client, registry, Memory.layer(), unlimitedSettings(environment)])
  return { tokens, network: Layer.fresh(Layer.provideMerge(network, Upstreams.layer)) }
}

const holdersOf = ({ holders, info }: Family, address: (text: string) => Either.Either<string, unknown>) =>
  (holders ?? samples(info, 30)).map((text) => Either.getOrThrow(address(text)))

/** The simulated balances of an address that are not zero, and that of the native coin. */
const inWorld = ({ info, keyOf = (text) => text }: Family, address: string) => [
  ["native", World.native(info, address)] as const,
  ...World.contractsOn(info.platform).flatMap((contract) => {
    const amount = World.tokenBalance(info, contract, address)
    return amount === 0n ? [] : [[keyOf(contract.address), amount] as const]
  })
]

describe("the balances of the simulated world", () => {
  for (const [name, family] of Object.entries({ solana, sui, ripple, tron, ton, tonApi })) {
    const { network, tokens } = simulated(family)
    layer(network)((it) =>
      it(`are those that its nodes return: ${name}`, function* () {
        const { address, holding, holdings } = byAddress(yield* Chain)
        const addresses = holdersOf(family, address)
        for (const holder of addresses) assert.deepStrictEqual(address(holder), Either.right(holder))
        const expected = addresses.map((holder) => inWorld(family, holder))
        const read = (yield* settled(holdings(addresses))).map(Either.getOrThrow)
        // Solana lists token accounts in the order of their addresses.
        const ordered = <A>(list: ReadonlyArray<A>) => (family === solana ? list.toSorted() : list)
        const amounts = read.map((held) =>
          held.map(({ amount, asset }) => [asset === "native" ? asset : asset.address, Either.getOrThrow(amount)])
        )
        assert.isTrue(amounts.every(([native]) => native?.[0] === "native"))
        assert.deepStrictEqual(amounts.map(ordered) as unknown, expected.map(ordered))
        assert.isTrue(expected.some(([native]) => native?.[1] === 0n))
        assert.isAbove(expected.filter(({ length }) => length > 1).length, 5)
        for (const holder of addresses.slice(0, 5)) {
          const native = yield* settled(holding(holder, Option.none()))
          assert.deepStrictEqual(native.amount, Either.right(World.native(family.info, holder)))
          for (const [index, contract] of World.contractsOn(family.info.platform).entries())
            assert.deepStrictEqual(yield* settled(holding(holder, Option.some(contract.address))), {
              asset: tokens[index] ?? "native",
              amount: Either.right(World.tokenBalance(family.info, contract, holder))
            })
        }
      })
    )
  }

  // A jetton is known not to exist only if both indexers say so.
  for (const [name, family, unknown, reason] of [
    ["solana", solana, samples(Solana.info, 1, 90)[0], "bad_answer"],
    ["sui", sui, "0x9::no::COIN", "bad_answer"],
    ["tron", tron, samples(Tron.info, 1, 90)[0], "bad_answer"],
    ["ton", ton, samples(Ton.info, 1)[0], "bad_answer"],
    ["tonApi", tonApi, samples(Ton.info, 1)[0], "upstream_error"]
  ] as const)
    layer(simulated(family, false).network)((it) =>
      it(`have the decimals of their contracts, and none of an unknown token: ${name}`, function* () {
        const { address, holding } = yield* Chain
        const [holder = ""] = holdersOf(family, address)
        for (const contract of World.contractsOn(family.info.platform)) {
          const { asset } = yield* settled(holding(holder, Option.some(contract.address)))
          assert.strictEqual(asset === "native" ? -1 : asset.decimals, contract.decimals)
        }
        const error = yield* settled(Effect.flip(holding(holder, Option.fromNullable(unknown))))
        assert.strictEqual(error.reason, reason)
      })
    )

  for (const [name, family] of Object.entries({ ton, tonApi }))
    layer(simulated(family).network)((it) =>
      it(`include that of the elector: ${name}`, function* () {
        const { amount } = yield* settled((yield* Chain).holding(elector, Option.none()))
        assert.isTrue(Either.getOrThrow(amount) > 0n)
      })
    )

  for (const { info, layer: family } of [Solana, Sui])
    layer(simulated({ info, layer: family }).network)((it) =>
      it(`come from nodes that pass the canary of ${info.name}`, function* () {
        const [trial] = yield* (yield* Upstreams).trials
        yield* settled(Effect.all((trial?.addresses ?? []).map((address) => address.try)))
        assert.strictEqual(trial?.addresses.length, 2)
      })
    )

  it("have no more digits than the XRP Ledger allows", () => {
    for (const address of samples(Ripple.info, 60))
      for (const contract of World.contractsOn("xrp"))
        assert.isAtMost(`${World.tokenBalance(Ripple.info, contract, address)}`.length, 16)
  })
})

const historyOf = (query: HistoryQuery) =>
  Effect.flatMap(Chain, ({ history }) => settled(Effect.map(history?.(query) ?? Effect.die("no history"), withTexts)))

/** Sum of a token's movements. */
const total = (parties: ReadonlyArray<Movement>, token: string | undefined) =>
  parties.reduce((sum, party) => (party.token === token ? sum + party.amount : sum), 0n)

describe("the histories of the simulated world", () => {
  const histories = [
    ["koios", cardano, ["Receive Success", "Send Failed", "Send Success"]],
    ["blockfrost", blockfrost, ["Receive Success", "Send Failed", "Send Success"]],
    ["solana-rpc", solana, ["Receive Success", "Send Failed", "Send Success"]],
    ["sui-graphql", sui, ["Receive Success", "Send Failed", "Send Success"]],
    ["ripple-rpc", ripple, ["OfferCreate Success", "Receive Success", "Send Failed", "Send Success"]],
    ["toncenter", ton, ["Receive Success", "Send Failed", "Send Success"]],
    ["tonapi", tonApi, ["Receive Success", "Send Failed", "Send Success"]],
    [
      "trongrid",
      tron,
      [
        "Contract Call Failed",
        "Contract Call Success",
        "Receive Pending",
        "Receive Success",
        "Receive Success no fee",
        "Send Success"
      ]
    ]
  ] as const

  for (const [source, family, expected] of histories)
    layer(simulated(family).network)((it) => {
      it(`add up to the balance of every asset: ${source}`, function* () {
        const { address } = yield* Chain
        const kinds = new Set<string>()
        let [failed, minted] = [0, 0]
        for (const holder of holdersOf(family, address)) {
          const { more, missing, sources, transactions: listed } = yield* historyOf({ address: holder, limit: 500 })
          assert.deepStrictEqual({ more, sources, missing }, { more: false, sources: [source], missing: [] })
          // Balances and the ledger do not include pending transfers.
          const transactions = listed.filter(({ status }) => status !== "Pending")
          assert.deepStrictEqual(sums(holder, transactions), new Map(inWorld(family, holder)))
          const moves = ledger(family.info, holder).toReversed()
          assert.deepStrictEqual(
            transactions.map(({ timestamp }) => timestamp),
            moves.map(({ at }) => seconds(at))
          )
          assert.strictEqual(new Set(listed.map(({ hash }) => hash)).size, listed.length)
          // The hashes of other networks are computed from the content of a transaction.
          if (family.info.family === "ton")
            assert.deepStrictEqual(
              transactions.map(({ hash }) => hash),
              moves.map(({ id }) => id)
            )
          for (const { fee, from, status, to, type } of listed) {
            kinds.add(`${type} ${status}${fee === null && status !== "Pending" ? " no fee" : ""}`)
            if (status === "Failed") failed++
            for (const token of new Set([...from, ...to].map((party) => party.token)))
              if (token !== undefined && total(from, token) === 0n) minted++
              else assert.strictEqual(total(from, token), total(to, token))
          }
        }
        assert.isAbove(failed, 10)
        assert.strictEqual(minted > 0, ["cardano", "solana", "sui"].includes(family.info.family))
        assert.deepStrictEqual([...kinds].sort(), expected as unknown)
      })

      it(`respect a limit and a start time: ${source}`, function* () {
        const { address } = yield* Chain
        const all = yield* Effect.forEach(holdersOf(family, address).slice(0, 5), (holder) =>
          Effect.map(historyOf({ address: holder, limit: 500 }), ({ transactions }) => ({ holder, transactions }))
        )
        const long = all.filter(({ transactions }) => transactions.length > 6)
        assert.isNotEmpty(long)
        for (const { holder, transactions } of long) {
          const some = yield* historyOf({ address: holder, limit: 4 })
          assert.deepStrictEqual([some.transactions, some.more], [transactions.slice(0, 4), true])
          const since = transactions[2]?.timestamp ?? seconds(0)
          const newer = yield* historyOf({ address: holder, limit: 500, since })
          assert.deepStrictEqual([newer.transactions, newer.more], [transactions.slice(0, 3), false])
          const none = yield* historyOf({ address: holder, limit: 500, since: shift(since, 10 ** 9) })
          assert.deepStrictEqual(none.transactions, [])
        }
      })
    })

  it("are the same from both sources of Cardano", function* () {
    const [one, other] = yield* Effect.forEach([cardano, blockfrost], (family) =>
      Effect.gen(function* () {
        const holders = holdersOf(family, (yield* Chain).address).slice(20)
        const read = Effect.forEach(holders, (address) => historyOf({ address, limit: 50 }))
        return Array.from(yield* read, ({ transactions }) => transactions)
      }).pipe(Effect.provide(simulated(family).network))
    )
    assert.deepStrictEqual(one, other)
  })
})
