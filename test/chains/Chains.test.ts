import type * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import { chainNames } from "../../src/catalogue/Caip.ts"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import { ethereum } from "../../src/catalogue/evm/ethereum.ts"
import { type ChainFacts, type NetworkFacts, storedAs } from "../../src/catalogue/NetworkFacts.ts"
import { Chain, type Holding, type ReadFailure } from "../../src/chains/Chain.ts"
import { Chains, prefixesOf } from "../../src/chains/Chains.ts"
import type { Balance } from "../../src/domain/Balance.ts"
import { CoinId } from "../../src/domain/CoinId.ts"
import { Portfolio } from "../../src/features/balances/Portfolio.ts"
import { keyOf as balancesKeyOf } from "../../src/features/balances/readAddresses.ts"
import { keyOf as historyKeyOf } from "../../src/features/history/HistoryPages.ts"
import { ContractPrices } from "../../src/features/prices/ContractPrices.ts"
import { ExchangeRates } from "../../src/features/prices/currencies/ExchangeRates.ts"
import { Pricing } from "../../src/features/prices/Pricing.ts"
import { CoinGecko } from "../../src/providers/CoinGecko.ts"
import { TokenRegistry } from "../../src/providers/TokenRegistry.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import { Settings } from "../../src/settings/Settings.ts"
import * as Memory from "../../src/storage/Memory.ts"
import type { Store } from "../../src/storage/Store.ts"
import { Upstreams } from "../../src/upstream/Upstreams.ts"
import { builtNetworks, chainsOf } from "../support/chains.ts"
import { unlimitedSettings } from "../support/counted.ts"
import * as EvmNodes from "../support/EvmNodes.ts"
import { halves } from "../support/halves.ts"
import { byAddress } from "../support/holdings.ts"
import { settled } from "../support/settled.ts"
import { networks } from "../support/tier.ts"
import { assert, describe, it } from "../support/vitest.ts"
import { hostsOf, textsFor } from "./families/FamilyFacts.ts"
import { families } from "./families/index.ts"
import { samples } from "./families/samples.ts"

/** Holdings of an address that holds only the native coin. */
const native = (amount: bigint): Either.Either<ReadonlyArray<Holding>, ReadFailure> =>
  Either.right([{ asset: "native", amount: Either.right(amount) }])

/** Removes the parts of the balance, after asserting that all of them are zero. */
const withoutZeroParts = (read: Either.Either<ReadonlyArray<Holding>, ReadFailure>): typeof read =>
  Either.map(read, (holdings) =>
    holdings.map(({ parts = {}, ...holding }) => {
      for (const [name, amount] of Object.entries(parts)) assert.strictEqual(amount, 0n, name)
      return holding
    })
  )

type Environment = Readonly<Record<string, string>>

const over = <E>(
  networks: Layer.Layer<Chains, E, HttpClient.HttpClient | Store | TokenRegistry | Upstreams | Settings>,
  environment: Environment,
  hosts: Readonly<Record<string, EvmNodes.SimulatedHost>>,
  registry: Layer.Layer<TokenRegistry>
) =>
  Effect.gen(function* () {
    const { layer, seen } = EvmNodes.clientOver(hosts)
    const provided = [layer, registry, Upstreams.layer, Memory.layer(), Settings.layer(environment)] as const
    return { networks: yield* Effect.provide(builtNetworks, Layer.provide(networks, provided)), seen }
  })

const built = (
  environment: Environment,
  hosts: Readonly<Record<string, EvmNodes.SimulatedHost>> = {},
  registry: Layer.Layer<TokenRegistry> = TokenRegistry.layerTest({})
) => over(Chains.layer, environment, hosts, registry)

/** Builds a single network. */
const builtAlone = Effect.fnUntraced(function* (
  id: NetworkFacts["id"],
  hosts: Readonly<Record<string, EvmNodes.SimulatedHost>> = {}
) {
  const { networks, seen } = yield* over(Chains.only([id]), variables, hosts, TokenRegistry.layerTest({}))
  return { network: found(networks, id), networks, seen }
})

const all = <A>(of: (info: NetworkFacts) => Readonly<Record<string, A>>): Readonly<Record<string, A>> =>
  Object.assign({}, ...Catalogue.all.map(of))

const variables = all((info) => families[info.family].variables(info))
const empty = all((info) => families[info.family].empty(info))

/** Variables of the service that networks also read. */
const readAtStart = [
  "COALESCED_RPC_NETWORKS",
  "PRICE_MAX_AGE_MS",
  "REQUEST_DEADLINE_MS",
  "UPSTREAM_CONCURRENCY",
  "UPSTREAM_CONCURRENCY_MAX",
  "UPSTREAM_CONCURRENCY_TOTAL",
  "UPSTREAM_TIMEOUT_MS"
]

/** The variables that a network reads. */
const ownVariables = Effect.fnUntraced(function* (id: NetworkFacts["id"], environment: Environment) {
  const layer = Layer.provide(Chains.only([id]), [
    EvmNodes.clientOver({}).layer,
    TokenRegistry.layerTest({}),
    Layer.fresh(Upstreams.layer),
    Memory.layer()
  ])
  const declared = yield* Effect.zipRight(
    builtNetworks,
    Effect.flatMap(Settings, ({ declared }) => declared)
  ).pipe(Effect.provide(Layer.provideMerge(layer, Settings.layer(environment))))
  return declared.map(({ name }) => name).filter((name) => !readAtStart.includes(name))
})

/** Names that differ from this name by up to two letters. */
const misspellings = (name: string) =>
  Array.from(name).flatMap((letter, index) => {
    const [before, after] = [name.slice(0, index), name.slice(index + 1)]
    return [
      `${before}${after}`,
      `${before}${after.slice(0, 1)}${letter}${after.slice(1)}`,
      `${before}${after.slice(0, -1)}`
    ]
  })

/** Serves this response from every upstream of a network. */
const everywhere = (info: NetworkFacts, answer: EvmNodes.SimulatedHost) =>
  Object.fromEntries(hostsOf(families[info.family], info).map((host) => [host, answer]))

/** Serves this response from every upstream of several networks. */
const allOf = (infos: ReadonlyArray<NetworkFacts>, answer: EvmNodes.SimulatedHost) =>
  Object.assign({}, ...infos.map((info) => everywhere(info, answer))) as Readonly<
    Record<string, EvmNodes.SimulatedHost>
  >

/** One unused address of each network in this test tier. */
const tested = Object.fromEntries(
  networks.map((info) => [info.id, textsFor(families[info.family].unfunded, info).slice(0, 1)])
)

const prices = Layer.merge(
  Pricing.layerTest(all(({ native }) => ({ [native.coinId]: 2 }))),
  ExchangeRates.layerTest({})
)

/** The balance use case over all networks, or over a single network. */
const portfolio = Effect.fnUntraced(function* (
  hosts: Readonly<Record<string, EvmNodes.SimulatedHost>>,
  { deadline = 15_000, id }: { readonly deadline?: number; readonly id?: NetworkFacts["id"] } = {}
) {
  const { networks, seen } = yield* id === undefined ? built(variables, hosts) : builtAlone(id, hosts)
  const layer = Layer.provide(Portfolio.layer, [
    chainsOf(networks.all),
    prices,
    TokenRegistry.layerTest({}),
    ContractPrices.layerTest({}),
    Settings.layer({ REQUEST_DEADLINE_MS: String(deadline) }),
    Layer.fresh(Memory.layer())
  ])
  const { balances } = yield* Effect.map(Layer.build(layer), Context.get(Portfolio))
  return { balances, seen }
})

/** Rows without the time of their price, which is the time of the request. */
const undated = (rows: ReadonlyArray<Balance>) => rows.map(({ updatedAt: _, ...row }) => row)

/** Bodies with HTTP 200 that no upstream returns. */
const wrongShapes = {
  "an empty object": "{}",
  "an empty list": "[]",
  "an HTML page": "<html>welcome</html>",
  "a JSON string": '"fine"'
}

const reasonOf = <A>(read: Either.Either<A, ReadFailure>): string =>
  Either.match(read, { onLeft: ({ reason }) => reason, onRight: () => "a number" })

/** Reasons why a read of two addresses fails, and why a read of one of them fails. */
const unreadable = Effect.fnUntraced(function* (network: Context.Tag.Service<Chain>, step?: Duration.DurationInput) {
  const [item = "", two = ""] = samples(network.facts, 2).map((text) => Either.getOrThrow(network.address(text)))
  const [held, single] = yield* settled(
    Effect.all([network.holdings([item, two]), Effect.either(network.holding(item, Option.none()))]),
    step
  )
  return [held.addresses.map((read) => reasonOf(read)), reasonOf(single)]
})

/** All networks of the sandbox, where addresses hold tokens. The token lists are already loaded. */
const simulated = Chains.layer.pipe(
  Layer.provide(TokenRegistry.layer),
  Layer.provide(CoinGecko.layer),
  Layer.provide(Layer.fresh(Upstreams.layer)),
  Layer.provide(Layer.mergeAll(Sandbox.layer(Catalogue.all), Layer.fresh(Memory.layer()), unlimitedSettings(variables)))
)

const found = (networks: Effect.Effect.Success<typeof builtNetworks>, name: string) =>
  Option.getOrThrow(networks.find(name))

describe("this suite", () => {
  it("simulates each upstream from which balances are read", function* () {
    // Explorers of EVM networks serve histories, Jupiter prices. TonAPI is read if TON Center fails.
    const others = /-testnet-rpc$|-blockscout$|^(routescan|tonapi|jupiter)$/
    const services = Layer.mergeAll(
      EvmNodes.clientOver({}).layer,
      TokenRegistry.layerTest({}),
      Layer.fresh(Upstreams.layer),
      Memory.layer(),
      Settings.layer(variables)
    )
    const built = Effect.zipRight(
      builtNetworks,
      Effect.flatMap(Upstreams, ({ trials }) => trials)
    )
    const hosts = (yield* Effect.provide(built, Layer.provideMerge(Chains.layer, services))).flatMap(
      ({ addresses, name }) => addresses.map(({ host }) => [name, host] as const)
    )
    assert.deepStrictEqual(
      hosts.filter(([name, host]) => !(host in empty || others.test(name))),
      []
    )
  })
})

for (const info of Catalogue.all) {
  const { id } = info
  const facts = families[info.family]
  const malformed = textsFor(facts.malformed, info)
  const unfunded = textsFor(facts.unfunded, info)

  describe(id, () => {
    it("defines all facts of its native coin", () => {
      const { coinId, decimals, name, symbol, thumbnail } = info.native
      for (const text of [info.name, coinId, name, symbol]) assert.match(text, /\S/)
      assert.isTrue(Number.isInteger(decimals) && decimals >= 0 && decimals <= 36)
      assert.match(thumbnail, /^https:\/\//)
    })

    it("reads only variables with its own prefixes, which decide whether it is built at startup", function* () {
      for (const environment of [{}, variables]) {
        const own = yield* ownVariables(id, environment)
        assert.isNotEmpty(own)
        for (const name of own)
          assert.isTrue(
            prefixesOf(info).some((prefix) => name.startsWith(prefix)),
            name
          )
      }
    })

    it("has one canonical form for every spelling of an address", function* () {
      const { network } = yield* builtAlone(id)
      const forms = new Set(unfunded.map((text) => Either.getOrThrow(network.address(text))))
      assert.strictEqual(forms.size, 1)
      for (const form of forms) assert.deepStrictEqual(network.address(form), Either.right(form))
    })

    it("is not built at startup for the usual variables of systems", function* () {
      const usual = "HOSTNAME NODE_VERSION BUN_INSTALL KUBERNETES_PORT DATABASE_URL AWS_ACCESS_KEY_ID SSL_CERT_FILE"
      const environment = Object.fromEntries(usual.split(" ").map((name) => [name, "x"]))
      const isSet = Effect.map(Settings, (settings) => prefixesOf(info).some(settings.isSet))
      assert.isFalse(yield* Effect.provide(isSet, Settings.layer(environment)))
    })

    it("explains what is wrong with a malformed address without calling an upstream", function* () {
      const { network, seen } = yield* builtAlone(id, empty)
      for (const text of malformed) assert.match(Either.getOrThrow(Either.flip(network.address(text))), /\S/)
      assert.deepStrictEqual(seen, [])
    })

    it("returns a zero native balance and no tokens for an unused address", function* () {
      const { network } = yield* builtAlone(id, empty)
      const address = Either.getOrThrow(network.address(unfunded[0] ?? ""))
      assert.deepStrictEqual((yield* settled(byAddress(network).holdings([address]))).map(withoutZeroParts), [
        native(0n)
      ])
      const single = Either.right([yield* settled(network.holding(address, Option.none()))])
      assert.deepStrictEqual(withoutZeroParts(single), native(0n))
    })

    it("returns a reason and a message without host names if its upstreams are down", function* () {
      const { network } = yield* builtAlone(id)
      const address = Either.getOrThrow(network.address(unfunded[0] ?? ""))
      const [held, more, ...none] = yield* settled(byAddress(network).holdings([address, address]))
      assert.deepStrictEqual([held, none], [more, []])
      const single = yield* settled(Effect.flip(network.holding(address, Option.none())))
      for (const unread of [Option.getOrThrow(Option.flatMap(Option.fromNullable(held), Either.getLeft)), single]) {
        assert.strictEqual(unread.reason, "upstream_error")
        assert.match(unread.message, /\S/)
        assert.notInclude(unread.message, ".test")
      }
    })

    it("returns an empty list if no addresses are requested", function* () {
      const { network } = yield* builtAlone(id, empty)
      assert.deepStrictEqual(yield* settled(byAddress(network).holdings([])), [])
    })

    it("reports its abilities", function* () {
      const { network } = yield* builtAlone(id)
      const { balance, tokens } = yield* network.abilities
      assert.isDefined(balance)
      if (balance !== undefined) assert.isNotEmpty(Either.getOrThrow(balance))
      // No token list is loaded in this test, and some networks have no tokens.
      if (tokens !== undefined) assert.match(Option.getOrThrow(Either.getLeft(tokens)), /\S/)
    })

    // The EVM networks differ only in their facts: all of them have these tests in the second tier.
    if (info.family === "evm" && !networks.includes(info)) return

    it("is built at startup if a name may be a misspelling of its variables, which is then suggested", function* () {
      for (const name of yield* ownVariables(id, {}))
        for (const misspelt of misspellings(name)) {
          const isSet = Effect.map(Settings, (settings) => prefixesOf(info).some(settings.isSet))
          assert.isTrue(yield* Effect.provide(isSet, Settings.layer({ [misspelt]: "x" })), misspelt)
        }
    })

    for (const [what, body] of Object.entries(wrongShapes))
      it(`returns the reason bad_answer if its upstreams return ${what}`, function* () {
        const { network } = yield* builtAlone(id, everywhere(info, EvmNodes.always(body)))
        assert.deepStrictEqual(yield* unreadable(network), [["bad_answer", "bad_answer"], "bad_answer"])
      })

    it("returns a reason if its upstreams return HTTP 500 or do not answer", function* () {
      for (const [answer, reason, step] of [
        [EvmNodes.always("{}", { status: 500 }), "upstream_error", "1 second"],
        [EvmNodes.hanging, "timeout", "10 seconds"]
      ] as const) {
        const { network } = yield* builtAlone(id, everywhere(info, answer))
        assert.deepStrictEqual(yield* unreadable(network, step), [[reason, reason], reason])
      }
    })

    it("does not call an upstream during its Retry-After period", function* () {
      const busy = EvmNodes.always("{}", { status: 429, headers: { "retry-after": "300" } })
      const { network, seen } = yield* builtAlone(id, everywhere(info, busy))
      const query = unreadable(network)
      assert.deepStrictEqual(yield* query, [["rate_limited", "rate_limited"], "rate_limited"])
      const requested = seen.length
      assert.isAbove(requested, 0)
      yield* TestClock.adjust("4 minutes")
      assert.deepStrictEqual(yield* query, [["rate_limited", "rate_limited"], "rate_limited"])
      assert.strictEqual(seen.length, requested)
      yield* TestClock.adjust("2 minutes")
      yield* query
      assert.isAbove(seen.length, requested)
    })

    it("is called once for all spellings of an address, and returns a row for every occurrence", function* () {
      const once = yield* portfolio(empty, { id })
      yield* settled(once.balances({ [id]: unfunded.slice(0, 1) }))
      const { balances, seen } = yield* portfolio(empty, { id })
      const texts = [...unfunded, ...unfunded.toReversed()]
      const { rows } = yield* settled(balances({ [id]: texts, [id.toUpperCase()]: unfunded }))
      assert.deepStrictEqual(
        rows.map(({ balance, blockchain, holderAddress, tokenType }) => [
          blockchain,
          holderAddress,
          tokenType,
          balance
        ]),
        [...texts, ...unfunded].map((text) => [id, text, "NATIVE", "0"])
      )
      assert.isNotEmpty(seen)
      assert.deepStrictEqual(seen, once.seen)
    })
  })
}

describe("every network", () => {
  it("is found by its id, its aliases and its chain ids, in any case", function* () {
    const { networks } = yield* built(variables)
    for (const facts of Catalogue.all)
      for (const name of [facts.id, ...facts.aliases, ...chainNames(facts)])
        for (const spelling of [name, name.toUpperCase(), `${name.charAt(0).toUpperCase()}${name.slice(1)}`])
          assert.strictEqual(found(networks, spelling).facts.id, facts.id)
  })

  it("reads account ids of its chain as their addresses, and describes them alike", function* () {
    const { networks } = yield* built(variables)
    for (const facts of Catalogue.all) {
      const { address, addressForm } = found(networks, facts.id)
      const [plain = ""] = samples(facts, 1)
      const text = plain.replace(/^[a-z]+:/, "")
      for (const name of chainNames(facts)) {
        assert.deepStrictEqual(address(`${name}:${text}`), address(text), name)
        assert.deepStrictEqual(addressForm?.(`${name}:${text}`), addressForm?.(text), name)
      }
      assert.deepStrictEqual(
        address(`eip155:77777:${text}`),
        Either.left('the prefix "eip155:77777:" (CAIP-10) is not of this network')
      )
    }
  })

  for (const [index, half] of halves(networks).entries()) {
    const down = (id: string) => half.some((info) => info.id === id)

    it(`returns the same rows while other networks are down (half ${index})`, function* () {
      const before = yield* Effect.flatMap(portfolio(empty), ({ balances }) => settled(balances(tested)))
      for (const { balance } of before.rows) assert.strictEqual(balance, "0")
      const { balances } = yield* portfolio({ ...empty, ...allOf(half, EvmNodes.down) })
      const { rows } = yield* settled(balances(tested))
      assert.strictEqual(rows.length, networks.length)
      assert.deepStrictEqual(
        undated(rows.filter(({ blockchain }) => !down(blockchain))),
        undated(before.rows.filter(({ blockchain }) => !down(blockchain)))
      )
      const own = rows.filter(({ blockchain }) => down(blockchain))
      assert.strictEqual(own.length, half.length)
      for (const row of own)
        assert.deepInclude(row, { balance: null, balanceUsd: null, errorCode: "upstream_error" }, row.blockchain)
    })

    it(`does not wait for other networks that hang (half ${index})`, function* () {
      const { balances } = yield* portfolio({ ...empty, ...allOf(half, EvmNodes.hanging) }, { deadline: 2_000 })
      const fiber = yield* Effect.fork(balances(tested))
      yield* TestClock.adjust("2 seconds")
      const { rows } = Option.getOrThrow(yield* Effect.flatMap(Fiber.poll(fiber), Effect.transposeOption))
      assert.deepStrictEqual(
        rows.map(({ balance, blockchain, errorCode }) => [blockchain, balance, errorCode]),
        networks.map(({ id }) => (down(id) ? [id, null, "timeout"] : [id, "0", undefined]))
      )
    })
  }
})

it.effect("every network returns the native coin first and exactly once, and no token twice", () =>
  Effect.gen(function* () {
    const networks = yield* builtNetworks
    const tokenCounts = new Map<string, number>()
    for (const { address, holdings, facts: info } of networks.all) {
      const { addresses: read } = yield* settled(
        holdings(samples(info, 5).map((text) => Either.getOrThrow(address(text))))
      )
      assert.strictEqual(read.length, 5)
      for (const held of read.map(Either.getOrThrow)) {
        const [first, ...tokens] = held.map(({ asset }) => (asset === "native" ? asset : asset.address))
        assert.strictEqual(first, "native", info.id)
        assert.notInclude(tokens, "native", info.id)
        assert.strictEqual(new Set(tokens).size, tokens.length, info.id)
        tokenCounts.set(info.family, (tokenCounts.get(info.family) ?? 0) + tokens.length)
      }
    }
    // The assertions above would be trivial without token balances in the sandbox.
    for (const family of ["evm", "tron", "solana", "sui", "ton", "ripple", "cardano"])
      assert.isAbove(tokenCounts.get(family) ?? 0, 0, family)
  }).pipe(Effect.provide(simulated))
)

describe("the registry of networks", () => {
  it("contains the EVM networks of the documented API with their ids, aliases and coins", () => {
    const documented = [
      "ethereum | eth | 1 | ethereum | ethereum | 18 | ETH",
      "optimism |  | 10 | optimistic-ethereum | ethereum | 18 | ETH",
      "bsc | bnb | 56 | binance-smart-chain | binancecoin | 18 | BNB",
      "ethereum-classic | etc classic | 61 | ethereum-classic | ethereum-classic | 18 | ETC",
      "polygon | matic | 137 | polygon-pos | polygon-ecosystem-token | 18 | POL",
      "zkevm | polygon-zkevm | 1101 | polygon-zkevm | ethereum | 18 | ETH",
      "sonic |  | 146 | sonic | sonic-3 | 18 | S",
      "base |  | 8453 | base | ethereum | 18 | ETH",
      "arbitrum |  | 42161 | arbitrum-one | ethereum | 18 | ETH",
      "avalanche | avax | 43114 | avalanche | avalanche-2 | 18 | AVAX"
    ]
    const ids = documented.map((line) => line.split(" | ")[0])
    const table = Catalogue.all
      .filter(({ id }) => ids.includes(id))
      .map(({ aliases, chainId, id, native, platform }) =>
        [id, aliases.join(" "), chainId, platform, native.coinId, native.decimals, native.symbol].join(" | ")
      )
    assert.deepStrictEqual(table, documented)
  })

  it("contains no two networks with the same name, chain id, platform or variable prefix", () => {
    const names = Catalogue.all.flatMap(({ aliases, id }) => [id as string, ...aliases])
    const chains = Catalogue.all.flatMap(({ chainId }) => chainId ?? [])
    const platforms = Catalogue.all.flatMap(({ platform }) => platform ?? [])
    const prefixes = names.map((name) => name.toUpperCase().replaceAll("-", "_"))
    for (const values of [names, chains, platforms, prefixes])
      assert.strictEqual(new Set<string | number>(values).size, values.length)
    assert.deepStrictEqual(
      names,
      names.map((name) => name.trim().toLowerCase())
    )
  })

  it("lists the networks in the order of the catalogue", function* () {
    const { networks } = yield* built(variables)
    assert.deepStrictEqual<ReadonlyArray<ChainFacts>>(
      networks.all.map(({ facts: info }) => info),
      Catalogue.all
    )
  })

  it("gives each network the members that its facts declare, and abilities for exactly these members", function* () {
    const { networks } = yield* built(variables)
    const idsOf = (has: (chain: Chain["Type"]) => boolean) =>
      networks.all.filter(has).map(({ facts: info }) => info.id as string)
    // `rawLookupNetworks` and `rawSendNetworks` list our additions last; the networks are in the order of the catalogue.
    const inOrder = (ids: ReadonlyArray<string>) =>
      Catalogue.all.flatMap(({ id }): ReadonlyArray<string> => (ids.includes(id) ? [id] : []))
    assert.deepStrictEqual(
      idsOf(({ rpc }) => rpc !== undefined),
      Catalogue.proxied
    )
    assert.deepStrictEqual(
      idsOf(({ rpc }) => rpc?.testnet !== undefined),
      Catalogue.proxiedTestnets
    )
    assert.deepStrictEqual(
      idsOf(({ rawTransactions }) => rawTransactions !== undefined),
      inOrder(Catalogue.rawLookupNetworks)
    )
    assert.deepStrictEqual(
      idsOf(({ rawTransactions }) => rawTransactions?.prepareSend !== undefined),
      inOrder(Catalogue.rawSendNetworks)
    )
    assert.deepStrictEqual(
      idsOf(({ firstTransaction }) => firstTransaction !== undefined),
      Catalogue.firstTransactions
    )
    for (const network of networks.all) {
      const abilities = yield* network.abilities
      for (const member of ["history", "rawTransactions", "firstTransaction"] as const) {
        const served = abilities[member]
        if (network[member] !== undefined) assert.isDefined(served, `${network.facts.id} ${member}`)
        else assert.isFalse(served !== undefined && Either.isRight(served), `${network.facts.id} ${member}`)
      }
    }
  })

  it("has one canonical form for every spelling of a token", function* () {
    const { networks } = yield* built(variables)
    const issuer = "rMxCKbEDwqr76QuheSUMdEGf4B9xJ8m5De"
    const policy = "29d222ce763455e3d7a09a665ce554f00ac89d2e99a1a83d267170c6"
    const spellings = {
      ripple: [`${issuer}.524C555344${"0".repeat(30)}`, `RLUSD.${issuer}`, `${issuer}:RLUSD`],
      sui: [`0x${"a".padStart(64, "0")}::coin::COIN`, "0xA::coin::COIN", "0x0a::coin::COIN"],
      cardano: [`${policy}4d494e`, `${policy}.4D494E`, `${policy.toUpperCase()}4d494e`],
      polkadot: ["1984"]
    }
    for (const [id, [canonical = "", ...others]] of Object.entries(spellings)) {
      const { address, canonicalToken = (text) => Either.getRight(address(text)) } = found(networks, id)
      for (const text of [canonical, ...others])
        assert.deepStrictEqual(canonicalToken(text), Option.some(canonical), `${id} ${text}`)
      assert.deepStrictEqual(canonicalToken("no token"), Option.none(), id)
    }
  })

  it("does not find unknown names", function* () {
    const { networks } = yield* built(variables)
    for (const name of ["", "ethereumm", "1", "__proto__", "constructor"])
      assert.isTrue(Option.isNone(networks.find(name)), name)
    assert.strictEqual(found(networks, " ETH ").facts.id, "ethereum")
  })

  it("calls no upstream while it is built", function* () {
    const { seen } = yield* built({})
    assert.deepStrictEqual(seen, [])
  })
})

describe("a network that was shut down", () => {
  const address = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"

  it("returns the reason `sunset` without calling an upstream", function* () {
    const { networks, seen } = yield* built({})
    const zkevm = found(networks, "zkevm")
    const sunset = { reason: "sunset", message: "Polygon zkEVM was shut down on 2026-07-01" } as const
    assert.deepStrictEqual(yield* zkevm.holdings([address, address]), {
      addresses: [Either.left(sunset), Either.left(sunset)],
      missing: undefined
    })
    assert.deepStrictEqual(yield* Effect.flip(zkevm.holding(address, Option.none())), sunset)
    assert.deepStrictEqual(yield* Effect.flip(zkevm.holding(address, Option.some(address))), sunset)
    assert.deepStrictEqual(yield* zkevm.abilities, {
      balance: Either.left(sunset.message),
      tokens: Either.left(sunset.message),
      history: Either.left(sunset.message),
      firstTransaction: Either.left(sunset.message),
      fees: Either.left(sunset.message),
      transactionContext: Either.left(sunset.message)
    })
    assert.deepStrictEqual(yield* Effect.flip(zkevm.fees?.current ?? Effect.void), sunset)
    assert.deepStrictEqual(seen, [])
  })

  it("is read if the operator configures a node for it", function* () {
    const { networks } = yield* built(
      { ZKEVM_RPC_URLS: "http://mine.test" },
      { "mine.test": EvmNodes.rpcNode(EvmNodes.chain({ chainId: 1101, native: { [address]: 5n } })) }
    )
    assert.deepStrictEqual(yield* settled(byAddress(found(networks, "zkevm")).holdings([address])), [native(5n)])
  })
})

describe("EXTRA_EVM_NETWORKS", () => {
  const address = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"
  const gnosis = { EXTRA_EVM_NETWORKS: "gnosis:100, celo:42220", GNOSIS_RPC_URLS: "http://gnosis.test" }
  const hosts = { "gnosis.test": EvmNodes.rpcNode(EvmNodes.chain({ chainId: 100, native: { [address]: 3n } })) }

  it("adds networks with viem's facts after the other networks", function* () {
    const { networks } = yield* built(gnosis, hosts)
    assert.deepStrictEqual(
      networks.all.map(({ facts: info }) => info.id as string),
      [...Catalogue.all.map(({ id }) => id), "gnosis", "celo"]
    )
    const { facts: info, ...network } = found(networks, "GNOSIS")
    assert.deepInclude(info, { name: "Gnosis", chainId: 100, family: "evm", aliases: [] })
    assert.deepStrictEqual([info, ethereum].map(storedAs), ["eip155:100", "ethereum"])
    assert.strictEqual(historyKeyOf(found(networks, "gnosis"), address), `eip155:100 ${address}`)
    assert.strictEqual(balancesKeyOf(found(networks, "gnosis"), address), `eip155:100 ${address}`)
    assert.deepInclude(info.native, { symbol: "XDAI", decimals: 18, name: "xDAI" })
    assert.deepStrictEqual(yield* settled(network.holdings([address])), {
      addresses: [native(3n)],
      missing: undefined
    })
  })

  it("takes Multicall3's address from viem if it is not the usual one", function* () {
    const { networks } = yield* built({ EXTRA_EVM_NETWORKS: "zksync:324" })
    assert.propertyVal(found(networks, "zksync").facts, "multicall", "0xF9cda624FBC7e059355ce98a31693d299FACd963")
  })

  it("takes the platform and the coin id from the token registry", function* () {
    const listed = Option.some({ platform: "xdai", native: Option.some(CoinId.make("xdai")) })
    const registry = Layer.mock(TokenRegistry, {
      follow: () => Effect.succeed(Effect.succeedNone),
      chain: (chainId) => Effect.succeed(chainId === 100 ? listed : Option.none())
    })
    const { networks } = yield* built(gnosis, hosts, registry)
    assert.deepInclude(found(networks, "gnosis").facts, { platform: "xdai" })
    assert.strictEqual(found(networks, "gnosis").facts.native.coinId, CoinId.make("xdai"))
    assert.isUndefined(found(networks, "celo").facts.platform)
  })

  const wrong: Readonly<Record<string, RegExp>> = {
    gnosis: /"gnosis" is not allowed/,
    "gnosis:": /"gnosis:" is not allowed/,
    "gnosis:hundred": /"gnosis:hundred" is not allowed/,
    "Gnosis:100": /"Gnosis:100" is not allowed/,
    "100:gnosis": /"100:gnosis" is not allowed/,
    "gnosis:-1": /"gnosis:-1" is not allowed/,
    "nowhere:999999999999999": /viem\/chains has no such chain/,
    "ethereum:100": /another network has this id/,
    "eth:100": /another network has this id/,
    "mainnet:1": /another network has this chain id/,
    "gnosis:100,gnosis:42220": /"gnosis:42220": another network has this id/,
    "gnosis:100,xdai:100": /"xdai:100": another network has this chain id/
  }
  for (const [value, problem] of Object.entries(wrong))
    it(`prevents startup for ${value} with an error that names the variable and the allowed values`, function* () {
      const error = yield* Effect.flip(built({ EXTRA_EVM_NETWORKS: value }))
      assert.strictEqual(error._tag, "SettingError")
      assert.match(error.message, /^EXTRA_EVM_NETWORKS: /)
      assert.match(error.message, problem)
      assert.include(error.message, "id:chainId pairs")
    })

  it("adds ids that COALESCED_RPC_NETWORKS accepts, which rejects ids of other networks", function* () {
    yield* built({ ...gnosis, COALESCED_RPC_NETWORKS: "gnosis,base" }, hosts)
    for (const id of ["bitcoin", "etherium", "nowhere"]) {
      const error = yield* Effect.flip(built({ COALESCED_RPC_NETWORKS: `base,${id}` }))
      assert.strictEqual(error.message, `COALESCED_RPC_NETWORKS: "${id}" is not a known EVM network`)
    }
  })

  it("prevents startup if a node URL is malformed", function* () {
    const error = yield* Effect.flip(built({ ETHEREUM_RPC_URLS: "http://fine.test,not-an-address" }))
    assert.match(error.message, /^ETHEREUM_RPC_URLS: address 2 of 2 is not an http:\/\/ or https:\/\/ address/)
  })
})

it("networks that are built from layers keep their order and are found by alias", function* () {
  const fake = (id: string, aliases: ReadonlyArray<string>) =>
    Layer.mock(Chain, { facts: { ...ethereum, id: id as NetworkFacts["id"], aliases } })
  const networks = yield* Effect.provide(
    builtNetworks,
    Layer.provide(Chains.fromNetworks([fake("b", ["bee"]), fake("a", [])]), [
      Settings.layer({}),
      TokenRegistry.layerTest({})
    ])
  )
  assert.deepStrictEqual(
    networks.all.map((network) => network.facts.id as string),
    ["b", "a"]
  )
  assert.strictEqual(found(networks, "BEE").facts.id as string, "b")
})
