import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import type { EvmFacts } from "../../../src/catalogue/evm/EvmFacts.ts"
import { ethereum } from "../../../src/catalogue/evm/ethereum.ts"
import { polygon } from "../../../src/catalogue/evm/polygon.ts"
import { Chain } from "../../../src/chains/Chain.ts"
import * as Evm from "../../../src/chains/evm/Evm.ts"
import { Explorers } from "../../../src/chains/evm/providers/connect.ts"
import { variablePrefix } from "../../../src/domain/NetworkId.ts"
import type { Token } from "../../../src/domain/Token.ts"
import { TokenRegistry } from "../../../src/providers/TokenRegistry.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { token as tokenOf } from "../../support/chains.ts"
import * as EvmNodes from "../../support/EvmNodes.ts"
import { byAddress } from "../../support/holdings.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const address = (index: number) => `0x${index.toString(16).padStart(40, "0")}`
const [alice, bob] = [address(1), address(2)]

const token = (index: number, coinId: string, decimals = 18) => tokenOf(address(index), coinId, decimals)

const [held, unheld, broken] = [token(0xa0, "held", 6), token(0xa1, "unheld"), token(0xa2, "broken")]

const ledger: EvmNodes.Ledger = {
  chainId: 1,
  native: { [alice]: 7n },
  tokens: {
    [held.address]: { decimals: 6, held: { [alice]: 5n } },
    [unheld.address]: { decimals: 18, held: {} },
    [broken.address]: "broken",
    [address(0xb0)]: { decimals: 3, held: { [alice]: 9n } }
  }
}

/** A network with two identical nodes. */
const built = Effect.fnUntraced(function* (
  nodes: EvmNodes.SimulatedHost,
  registry: Layer.Layer<TokenRegistry>,
  info: EvmFacts = ethereum,
  environment: Readonly<Record<string, string>> = {
    [`${variablePrefix(info.id)}_RPC_URLS`]: "http://one.test,http://two.test"
  }
) {
  const { layer, seen } = EvmNodes.clientOver({ "one.test": nodes, "two.test": nodes })
  const made = Evm.layer(info).pipe(
    Layer.provide(Explorers.layer),
    Layer.provide([layer, registry, Upstreams.layer, Memory.layer(), Settings.layer(environment)])
  )
  return { ...(yield* Effect.provide(Chain, made)), seen }
})

const network = (...of: Parameters<typeof built>) =>
  Effect.map(built(...of), ({ seen, ...made }) => ({ ...byAddress(made), seen }))

const registry = TokenRegistry.layerTest({ ethereum: [broken, held, unheld] })
const node = EvmNodes.rpcNode(EvmNodes.chain(ledger))

const amountOf = (asset: Token | "native", amount: bigint) => ({ asset, amount: Either.right(amount) })

describe("an EVM network", () => {
  it("returns the native coin, then the registered tokens with a balance or an error", function* () {
    const { holdings, missing } = yield* network(node, registry)
    const read = yield* settled(holdings([bob, alice]))
    const unread = {
      asset: broken,
      amount: Either.left({ reason: "bad_answer", message: "the token's contract returned no balance" })
    }
    assert.deepStrictEqual(read.map(Either.getOrThrow) as unknown, [
      [amountOf("native", 0n), unread],
      [amountOf("native", 7n), amountOf(held, 5n), unread]
    ])
    assert.isUndefined(yield* settled(missing([alice])))
  })

  it("returns only native coins without a token list, and reports that tokens are missing", function* () {
    const { holdings, missing } = yield* network(node, TokenRegistry.layerTest({}))
    const [read] = yield* settled(holdings([alice]))
    assert.deepStrictEqual(read as unknown, Either.right([amountOf("native", 7n)]))
    assert.match((yield* settled(missing([alice]))) ?? "", /native coins only/)
  })

  it("reports missing tokens for a read without the list, even if the list is loaded meanwhile", function* () {
    const release = yield* Deferred.make<void>()
    const listed = yield* Effect.flatMap(TokenRegistry, ({ lists }) => lists).pipe(Effect.provide(registry))
    let requested = 0
    const list = Effect.sync(() => (requested++ === 0 ? Option.none() : Option.fromNullable(listed.get("ethereum"))))
    const held: EvmNodes.SimulatedHost = (body, request) =>
      requested === 1 ? Effect.zipRight(Deferred.await(release), node(body, request)) : node(body, request)
    const { holdings } = yield* built(
      held,
      Layer.mock(TokenRegistry, { setDecimals: () => Effect.void, follow: () => Effect.succeed(list) })
    )
    const first = yield* Effect.fork(holdings([alice]))
    yield* TestClock.adjust("10 millis")
    const second = yield* settled(holdings([alice]))
    yield* Deferred.succeed(release, undefined)
    assert.match((yield* Fiber.join(first)).missing?.message ?? "", /native coins only/)
    assert.isUndefined(second.missing)
    assert.isAbove(Either.getOrThrow(second.addresses[0] ?? Either.right([])).length, 1)
  })

  it("does not count its native coin twice if a contract exposes it as a token", function* () {
    const mirror = token(0x1010, "matic-network")
    const same = token(0xa3, polygon.native.coinId)
    const chain: EvmNodes.Ledger = {
      chainId: 137,
      native: { [alice]: 7n },
      tokens: {
        [mirror.address]: { decimals: 18, held: { [alice]: 7n } },
        [same.address]: { decimals: 18, held: { [alice]: 7n } },
        [held.address]: { decimals: 6, held: { [alice]: 5n } }
      }
    }
    const { holding, holdings } = yield* network(
      EvmNodes.rpcNode(EvmNodes.chain(chain)),
      TokenRegistry.layerTest({ "polygon-pos": [mirror, same, held] }),
      polygon
    )
    const [read] = yield* settled(holdings([alice]))
    assert.deepStrictEqual(read as unknown, Either.right([amountOf("native", 7n), amountOf(held, 5n)]))
    const requested = yield* settled(holding(alice, Option.some(mirror.address)))
    assert.deepStrictEqual(requested as unknown, amountOf(mirror, 7n))
  })

  it("returns the same reason for every address if no node answers", function* () {
    const { holdings } = yield* network(EvmNodes.down, registry)
    const unread = Either.left({ reason: "upstream_error", message: "ethereum-rpc: could not be reached" })
    assert.deepStrictEqual((yield* settled(holdings([alice, bob]))) as unknown, [unread, unread])
  })

  it("names the missing variable if it has no node", function* () {
    const { abilities, holdings, seen } = yield* network(node, registry, { ...ethereum, nodes: [] }, {})
    const message = "Ethereum has no node: set ETHEREUM_RPC_URLS"
    assert.deepStrictEqual((yield* holdings([alice])) as unknown, [Either.left({ reason: "not_configured", message })])
    assert.deepStrictEqual((yield* abilities).balance, Either.left(message))
    assert.deepStrictEqual(seen, [])
  })
})

describe("a single asset of an EVM address", () => {
  const query = Effect.fnUntraced(function* (text: string | undefined, nodes = node) {
    const { holding, seen } = yield* network(nodes, registry)
    const read = yield* settled(Effect.either(holding(alice, Option.fromNullable(text))))
    return { read: read as unknown, seen }
  })

  it("is the native coin unless a token is requested", function* () {
    assert.deepStrictEqual((yield* query(undefined)).read, Either.right(amountOf("native", 7n)))
  })

  it("is a registered token in any spelling of its address, also with a zero balance", function* () {
    const upper = `0x${held.address.slice(2).toUpperCase()}`
    for (const spelling of [held.address, upper])
      assert.deepStrictEqual((yield* query(spelling)).read, Either.right(amountOf(held, 5n)))
    assert.deepStrictEqual((yield* query(unheld.address)).read, Either.right(amountOf(unheld, 0n)))
  })

  it("can be a token outside the registry, with the decimals from its contract, in one request", function* () {
    const stranger = { address: address(0xb0), decimals: 3, name: "", symbol: "", thumbnail: "" }
    const { read, seen } = yield* query(stranger.address)
    assert.deepStrictEqual(read, Either.right(amountOf(stranger, 9n)))
    assert.deepStrictEqual(
      seen.map(({ methods }) => methods),
      [["eth_chainId", "eth_getBlockByNumber", ...Array.from({ length: 6 }, () => "eth_call")]]
    )
  })

  it("has a reason if the contract returns no balance, and no other node is called", function* () {
    for (const contract of [broken.address, address(0xff)]) {
      const { read, seen } = yield* query(contract)
      assert.deepStrictEqual(
        read,
        Either.left({
          reason: "bad_answer",
          message: "ethereum-rpc: no token at this address returns a balance and its decimals"
        })
      )
      assert.strictEqual(seen.length, 1)
    }
  })

  it("is rejected without a call if the token address is malformed", function* () {
    for (const text of ["", "usdc", "0x12", `${held.address}00`]) {
      const { read, seen } = yield* query(text)
      assert.deepStrictEqual(
        read,
        Either.left({
          reason: "invalid_address",
          message: "tokenAddress: an address is 0x and 40 hexadecimal digits"
        })
      )
      assert.deepStrictEqual(seen, [])
    }
  })

  it("is not read from a node that is on another chain or down", function* () {
    const other = EvmNodes.rpcNode(EvmNodes.chain({ ...ledger, chainId: 10 }))
    for (const text of [undefined, held.address, address(0xb0)]) {
      assert.deepStrictEqual(
        (yield* query(text, other)).read,
        Either.left({ reason: "bad_answer", message: "ethereum-rpc: the node is on another chain" })
      )
      assert.deepStrictEqual(
        (yield* query(text, EvmNodes.down)).read,
        Either.left({ reason: "upstream_error", message: "ethereum-rpc: could not be reached" })
      )
    }
  })
})
