import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import { ethereum } from "../../../src/catalogue/evm/ethereum.ts"
import { Chain, type Holding } from "../../../src/chains/Chain.ts"
import * as Evm from "../../../src/chains/evm/Evm.ts"
import { Explorers } from "../../../src/chains/evm/providers/connect.ts"
import * as Multiplier from "../../../src/domain/Multiplier.ts"
import { numberOf } from "../../../src/domain/units.ts"
import { TokenRegistry } from "../../../src/providers/TokenRegistry.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { token as tokenOf } from "../../support/chains.ts"
import * as EvmNodes from "../../support/EvmNodes.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const address = (index: number) => `0x${index.toString(16).padStart(40, "0")}`
const alice = address(1)
const [share, plain] = [tokenOf(address(0xa1), "share", 18), tokenOf(address(0xa2), "plain", 6)]
const unit = 10n ** 18n

const [current, effectiveAt, next, pending] = ["0xa60bf13d", "0x97a4064f", "0xdc767007", "0x6fe968a3"] as const

const ledger = (others: Readonly<Record<string, bigint>>): EvmNodes.Ledger => ({
  chainId: 1,
  tokens: {
    [share.address]: { decimals: 18, held: { [alice]: 7n * unit }, others },
    [plain.address]: { decimals: 6, held: { [alice]: 5n } }
  }
})

const network = Effect.fnUntraced(function* (node: EvmNodes.SimulatedHost) {
  const { layer, seen } = EvmNodes.clientOver({ "one.test": node })
  const built = Evm.layer(ethereum).pipe(
    Layer.provide(Layer.fresh(Explorers.layer)),
    Layer.provide([
      layer,
      Layer.fresh(Upstreams.layer),
      Memory.layer(),
      Settings.layer({ ETHEREUM_RPC_URLS: "http://one.test", UPSTREAM_TIMEOUT_MS: "5000" }),
      TokenRegistry.layerTest({ ethereum: [share, plain] })
    ])
  )
  const chain = Context.get(yield* Layer.buildWithScope(built, yield* Effect.scope), Chain)
  return { chain, seen }
})

const summaryOf = ({ amount, scaling }: Holding) => [
  Either.match(amount, { onLeft: ({ message }) => message, onRight: String }),
  ...(scaling === undefined ? [] : [Multiplier.format(scaling.multiplier)]),
  ...(scaling?.change === undefined ? [] : [Multiplier.format(scaling.change.multiplier), numberOf(scaling.change.at)])
]

/** The share in the balances of an address, which must equal its balance alone and its multiplier in histories. */
const readShare = (node: EvmNodes.SimulatedHost) =>
  Effect.gen(function* () {
    const { chain } = yield* network(node)
    const { addresses } = yield* settled(chain.holdings([alice]))
    const [, all = { asset: share, amount: Either.right(0n) }] = Either.getOrThrow(addresses[0] ?? Either.right([]))
    const alone = yield* settled(chain.holding(alice, Option.some(share.address)))
    assert.deepStrictEqual(summaryOf(alone), summaryOf(all))
    const { scalings = () => Effect.dieMessage("no multipliers") } = chain
    const scaling = (yield* settled(scalings([share.address, plain.address]))).get(share.address)
    if (all.scaling !== undefined) assert.deepStrictEqual(scaling, Either.right(all.scaling))
    return summaryOf(all)
  })

const node = (others: Readonly<Record<string, bigint>>) => EvmNodes.rpcNode(EvmNodes.chain(ledger(others)))

describe("a token of an EVM network with a multiplier", () => {
  it("has the stored amount and the multiplier in force", function* () {
    assert.deepStrictEqual(yield* readShare(node({ [current]: 4n * unit })), [String(7n * unit), "4"])
    assert.deepStrictEqual(yield* readShare(node({ [current]: 1_021_500_000_000_000_000n, [effectiveAt]: 5n })), [
      String(7n * unit),
      "1.0215"
    ])
  })

  it("has the announced multiplier of either standard, until its time has come", function* () {
    yield* TestClock.setTime(1_000_000_000)
    for (const selector of [next, pending])
      assert.deepStrictEqual(
        yield* readShare(node({ [current]: unit, [selector]: 10n * unit, [effectiveAt]: 2_000_000n })),
        [String(7n * unit), "1", "10", 2_000_000_000]
      )
    // The time stays after the change.
    assert.deepStrictEqual(
      yield* readShare(node({ [current]: 10n * unit, [next]: 10n * unit, [effectiveAt]: 900_000n })),
      [String(7n * unit), "10"]
    )
  })

  it("has none if it is 1, or if the contract only seems to have the function", function* () {
    for (const others of [
      {},
      { [current]: unit },
      { [current]: 0n },
      { [current]: 2n ** 255n },
      { [current]: 5n, [effectiveAt]: 5n, [next]: 5n }
    ])
      assert.deepStrictEqual(yield* readShare(node(others)), [String(7n * unit)])
  })

  it("is read with every balance; other tokens cost no call after the one that confirms their decimals", function* () {
    const { chain, seen } = yield* network(node({ [current]: 4n * unit }))
    for (const _ of [1, 2, 3]) yield* settled(chain.holdings([alice]))
    const calls = seen.map(({ methods }) => methods.filter((method) => method !== "eth_chainId").sort())
    const four = ["eth_call", "eth_call", "eth_call", "eth_call", "eth_getBlockByNumber"]
    assert.deepStrictEqual(calls.slice(-4), [["scan"], four, ["scan"], four])
  })

  it("is found if another token uses up the gas of their common call", function* () {
    const full = EvmNodes.chain(ledger({ [current]: 4n * unit }))
    const probes = (call: EvmNodes.RpcCall) => JSON.stringify(call.params).includes(current.slice(2))
    const greedy = EvmNodes.rpcNode((call, now) =>
      EvmNodes.callKindOf(call) === "aggregate" && probes(call) ? EvmNodes.error("out of gas") : full(call, now)
    )
    assert.deepStrictEqual(yield* readShare(greedy), [String(7n * unit), "4"])
  })

  it("has no amount if its multiplier could not be read", function* () {
    const full = EvmNodes.chain(ledger({ [current]: 4n * unit }))
    let fails = false
    const { chain } = yield* network(
      EvmNodes.rpcNode((call, now) =>
        fails && EvmNodes.callKindOf(call) === "eth_call" ? EvmNodes.error("execution reverted", 3) : full(call, now)
      )
    )
    const read = Effect.map(settled(chain.holdings([alice])), ({ addresses: [first] }) =>
      Either.getOrThrow(first ?? Either.right([])).map(summaryOf)
    )
    assert.deepStrictEqual(yield* read, [["0"], [String(7n * unit), "4"], ["5"]])
    fails = true
    assert.deepStrictEqual(yield* read, [["0"], ["the multiplier of the token cannot be read"], ["5"]])
  })

  it("is not taken to be 1 because a node is busy", function* () {
    const full = EvmNodes.chain(ledger({ [current]: 4n * unit }))
    let isBusy = true
    const { chain } = yield* network(
      EvmNodes.rpcNode((call, now) =>
        isBusy && JSON.stringify(call.params).includes(current.slice(2))
          ? EvmNodes.error("server is busy, try again later")
          : full(call, now)
      )
    )
    const amount = Effect.map(settled(chain.holdings([alice])), ({ addresses: [first] }) =>
      summaryOf(
        (Either.getOrThrow(first ?? Either.right([]))[1] ?? { asset: share, amount: Either.right(0n) }) as Holding
      )
    )
    assert.deepStrictEqual(yield* amount, ["the multiplier of the token cannot be read"])
    isBusy = false
    assert.deepStrictEqual(yield* amount, [String(7n * unit), "4"])
  })

  it("is not read from a node that is behind the network", function* () {
    yield* TestClock.setTime(86_400_000)
    const [stale, current_] = [0, undefined].map((timestamp) =>
      EvmNodes.chain({
        ...ledger({ [current]: timestamp === undefined ? 4n * unit : unit }),
        ...(timestamp === undefined ? {} : { timestamp })
      })
    )
    let isStale = false
    const { chain } = yield* network(
      EvmNodes.rpcNode((call, now) => (isStale ? stale : current_)?.(call, now) ?? EvmNodes.error("no"))
    )
    const { scalings = () => Effect.dieMessage("no multipliers") } = chain
    const read = Effect.map(settled(scalings([share.address])), (found) => found.get(share.address))
    assert.strictEqual((yield* read)?._tag, "Right")
    isStale = true
    assert.deepStrictEqual(Either.flip((yield* read) ?? Either.right(undefined)).pipe(Either.getOrUndefined), {
      reason: "bad_answer",
      message: "ethereum-rpc: the node is behind the network"
    })
  })

  it("is not assumed in histories without nodes, unless the token had one", function* () {
    let isDown = true
    const { chain } = yield* network((...request) =>
      isDown ? EvmNodes.down(...request) : node({ [current]: 4n * unit })(...request)
    )
    const { scalings = () => Effect.dieMessage("no multipliers") } = chain
    const read = Effect.map(settled(scalings([share.address])), (found) => found.get(share.address)?._tag)
    assert.isUndefined(yield* read)
    isDown = false
    assert.strictEqual(yield* read, "Right")
    isDown = true
    assert.strictEqual(yield* read, "Left")
  })
})
