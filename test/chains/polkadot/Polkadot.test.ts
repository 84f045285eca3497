import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import type { NetworkFacts } from "../../../src/catalogue/NetworkFacts.ts"
import type { ReadFailure } from "../../../src/chains/Chain.ts"
import { accountKey, holderKey, metadataKey, timestampKey } from "../../../src/chains/polkadot/storage.ts"
import type { RegisteredToken } from "../../../src/providers/TokenRegistry.ts"
import { polkadot } from "../../../src/sandbox/polkadot/polkadot.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import * as AssetHub from "../../support/AssetHub.ts"
import * as EvmNodes from "../../support/EvmNodes.ts"
import { faultyHosts } from "../../support/faults.ts"
import { replyOf, sample } from "../../support/fixtures.ts"
import { Polkadot } from "../../support/networks.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { network, odd, token, usdc, usdt } from "./assetHub.ts"

const account = (index: number) => `0x${index.toString(16).padStart(64, "0")}` as const
const [alice, bob] = [account(0xa11ce), account(0xb0b)]

const storage = {
  [accountKey(alice)]: AssetHub.account(50n, 20n, 45n),
  [holderKey("1984", alice)]: AssetHub.holder(7_000_001n),
  [holderKey("30", alice)]: AssetHub.holder(1n),
  [holderKey("99", alice)]: AssetHub.holder(12n),
  [metadataKey("1984")]: AssetHub.metadata("Tether USD", "USDt", 6),
  [metadataKey("1337")]: AssetHub.metadata("USD Coin", "USDC", 6),
  [metadataKey("99")]: AssetHub.metadata("Ninety-nine", "NN", 3)
}
const hub = AssetHub.node(storage)

const reasonOf = (read: Either.Either<unknown, ReadFailure> | undefined) =>
  Option.getOrThrow(Option.flatMap(Option.fromNullable(read), Either.getLeft))

const holds = (asset: unknown, amount: bigint) => ({ asset, amount: Either.right(amount) })
const withDecimals = (registeredToken: RegisteredToken, decimals: number) => ({ ...registeredToken, decimals })

describe("Polkadot", () => {
  it("fails only for the account that every node returns in an unexpected format", function* () {
    for (const account of ["0x00", AssetHub.account(1n, 0n, 1n << 127n)]) {
      const broken = AssetHub.node({ ...storage, [accountKey(bob)]: account })
      const { holdings } = yield* network({ "one.test": broken, "two.test": broken })
      const [first, second] = yield* settled(holdings([alice, bob]))
      assert.strictEqual(first && Either.getOrThrow(first).length, 2)
      assert.deepInclude(reasonOf(second), { reason: "bad_answer" })
      const { holdings: other } = yield* network({ "one.test": broken, "two.test": hub })
      assert.deepStrictEqual((yield* settled(other([alice, bob]))).map(Either.isRight), [true, true])
    }
  })

  it("returns free and reserved coins, then assets with a balance, with the decimals of the chain", function* () {
    const { holdings, missing } = yield* network({ "hub.test": hub })
    const read = yield* settled(holdings([bob, alice]))
    assert.deepStrictEqual(read.map(Either.getOrThrow) as unknown, [
      [holds("native", 0n)],
      [holds("native", 70n), holds(withDecimals(usdt, 6), 7_000_001n)]
    ])
    assert.isUndefined(yield* settled(missing([alice])))
  })

  it("returns a reason for an asset whose decimals the chain does not return", function* () {
    const { holdings } = yield* network({ "hub.test": hub }, [odd])
    const [read] = yield* settled(holdings([alice]))
    assert.deepStrictEqual(
      read as unknown,
      Either.right([
        holds("native", 70n),
        {
          asset: odd,
          amount: Either.left({ reason: "bad_answer", message: "the asset's balance or its decimals cannot be read" })
        }
      ])
    )
  })

  it("counts the native coin once if it is also listed as an asset", function* () {
    const { holdings } = yield* network({ "hub.test": hub }, [token("1984", "polkadot")])
    const [read] = yield* settled(holdings([alice]))
    assert.deepStrictEqual(read as unknown, Either.right([holds("native", 70n)]))
  })

  it("returns an asset, registered or not, and an error if it does not exist", function* () {
    const { holding } = yield* network({ "hub.test": hub })
    const holdingOf = (asset: string) => settled(holding(alice, Option.some(asset)))
    assert.deepStrictEqual((yield* settled(holding(alice, Option.none()))) as unknown, holds("native", 70n))
    assert.deepStrictEqual((yield* holdingOf("1984")) as unknown, holds(withDecimals(usdt, 6), 7_000_001n))
    assert.deepStrictEqual((yield* holdingOf("1337")) as unknown, holds(withDecimals(usdc, 6), 0n))
    const unregistered = { address: "99", name: "Ninety-nine", symbol: "NN", decimals: 3, thumbnail: "" }
    assert.deepStrictEqual((yield* holdingOf("99")) as unknown, holds(unregistered, 12n))
    assert.deepInclude(yield* Effect.flip(holdingOf("77")), { reason: "bad_answer" })
    for (const wrong of ["", "01984", "4294967296", "-1", "1e3", "0xdac17f958d2ee523a2206206994597c13d831ec7"])
      assert.deepInclude(yield* Effect.flip(holdingOf(wrong)), { reason: "invalid_address" })
  })

  it("is read in one call for 1, 5 and 50 addresses", function* () {
    for (const count of [1, 5, 50]) {
      const { holdings, seen } = yield* network({ "hub.test": hub })
      const read = yield* settled(holdings(Array.from({ length: count }, (_, index) => account(index))))
      assert.strictEqual(read.length, count)
      assert.deepStrictEqual(
        seen.map(({ methods }) => methods),
        [["state_queryStorageAt"]]
      )
    }
  })

  it("is read in several calls if there are very many keys", function* () {
    const { holdings, seen } = yield* network({ "hub.test": hub })
    const many = Array.from({ length: 1_500 }, (_, index) => account(index + 0xa11ce))
    const read = yield* settled(holdings(many))
    assert.strictEqual(read.filter(Either.isRight).length, 1_500)
    assert.deepStrictEqual(
      read[0],
      Either.right([holds("native", 70n), holds(withDecimals(usdt, 6), 7_000_001n)]) as never
    )
    assert.strictEqual(seen.length, 3)
  })

  const relay = AssetHub.node({}, "0x91b171bb158e2d3848fa23a9f1c25182fb8e20313b2c1eb49219da7a70ce90c3")
  const wrong: Readonly<Record<string, EvmNodes.SimulatedHost>> = {
    "a node of the relay chain, whose empty accounts are not zero": relay,
    "a node that leaves out keys": EvmNodes.rpcNode(() => EvmNodes.result([{ block: "0x00", changes: [] }])),
    "a node that returns another format": EvmNodes.rpcNode(() => EvmNodes.result("0x00")),
    "a node with accounts of another layout": AssetHub.node({ [accountKey(alice)]: `0x${"00".repeat(56)}` }),
    "a node that does not return JSON": EvmNodes.always("<html>Bad Gateway</html>")
  }
  for (const [name, node] of Object.entries(wrong))
    it(`rejects ${name}, and reads from the next node`, function* () {
      const alone = yield* network({ "wrong.test": node })
      const [read] = yield* settled(alone.holdings([alice]))
      assert.deepInclude(reasonOf(read), { reason: "bad_answer" })
      const { holdings } = yield* network({ "wrong.test": node, "hub.test": hub })
      const [mended] = yield* settled(holdings([alice]))
      assert.deepStrictEqual(
        mended as unknown,
        Either.right([holds("native", 70n), holds(withDecimals(usdt, 6), 7_000_001n)])
      )
    })

  it("skips a node whose newest block is from the future", function* () {
    const later = { ...storage, [timestampKey]: `0x${AssetHub.le(3_700_000n, 8)}` }
    const { holdings } = yield* network({ "old.test": AssetHub.node(later), "hub.test": AssetHub.node(storage) })
    const [read] = yield* settled(holdings([alice]))
    assert.isTrue(read !== undefined && Either.isRight(read))
    const alone = yield* network({ "old.test": AssetHub.node(later) })
    const [unread] = yield* settled(alone.holdings([alice]))
    assert.deepStrictEqual(
      unread as unknown,
      Either.left({ reason: "bad_answer", message: "polkadot-rpc: the node returned a block from the future" })
    )
  })

  it("skips a node that stopped long ago", function* () {
    yield* TestClock.adjust("2 hours")
    const now = { ...storage, [timestampKey]: `0x${AssetHub.le(7_100_000n, 8)}` }
    const { holdings } = yield* network({ "old.test": AssetHub.node(storage), "hub.test": AssetHub.node(now) })
    const [read] = yield* settled(holdings([alice]))
    assert.isTrue(read !== undefined && Either.isRight(read))
    const alone = yield* network({ "old.test": AssetHub.node(storage) })
    const [unread] = yield* settled(alone.holdings([alice]))
    assert.deepStrictEqual(
      unread as unknown,
      Either.left({ reason: "bad_answer", message: "polkadot-rpc: the node is behind the network" })
    )
  })

  it("reads key by key from a node that does not accept a list of keys", function* () {
    const values: Readonly<Record<string, string>> = { [timestampKey]: "0x0000000000000000", ...storage }
    const node = (specName: string) =>
      EvmNodes.rpcNode(({ method, params }) => {
        if (method === "state_getStorage") return EvmNodes.result(values[String(params[0])] ?? null)
        if (method === "state_getRuntimeVersion") return EvmNodes.result({ specName, apis: [] })
        return EvmNodes.error("RPC call is unsafe to be called externally", -32601)
      })
    const { holdings } = yield* network({ "hub.test": node("statemint") })
    const [read] = yield* settled(holdings([alice]))
    assert.deepStrictEqual(
      read as unknown,
      Either.right([holds("native", 70n), holds(withDecimals(usdt, 6), 7_000_001n)])
    )
    const other = yield* network({ "relay.test": node("polkadot") })
    const [unread] = yield* settled(other.holdings([alice]))
    assert.deepStrictEqual(
      unread as unknown,
      Either.left({
        reason: "bad_answer",
        message: "polkadot-rpc: the node does not serve Polkadot Asset Hub"
      })
    )
  })

  it("returns a reason for each failure, for every address", function* () {
    for (const [node, reason] of [
      ...Object.values(faultyHosts),
      [EvmNodes.always("", { status: 404 }), "upstream_error"],
      [EvmNodes.rpcNode(() => EvmNodes.error("Too many requests", 429)), "rate_limited"]
    ] as const) {
      const { holding, holdings } = yield* network({ "hub.test": node })
      const read = yield* settled(holdings([alice, bob]))
      assert.deepStrictEqual(
        read.map((found) => Option.getOrThrow(Either.getLeft(found)).reason as string),
        [reason, reason]
      )
      assert.strictEqual((yield* Effect.flip(settled(holding(bob, Option.none())))).reason as string, reason)
    }
  })

  it("returns only the native coin if the token list is unavailable", function* () {
    const { abilities, holdings, missing } = yield* network({ "hub.test": hub }, [], false)
    const [read] = yield* settled(holdings([alice]))
    assert.deepStrictEqual(read as unknown, Either.right([holds("native", 70n)]))
    assert.match((yield* settled(missing([alice]))) ?? "", /native coins only/)
    assert.isTrue(Either.isLeft(Option.getOrThrow(Option.fromNullable((yield* abilities).tokens))))
  })

  it("distinguishes its canary from an empty chain", function* () {
    for (const [node, works] of [
      [hub, true],
      [AssetHub.node({}), false],
      [relay, false]
    ] as const) {
      const [trial] = yield* (yield* network({ "hub.test": node })).trials
      const result = yield* settled(Effect.either(trial?.addresses[0]?.try ?? Effect.die("no trial")))
      assert.strictEqual(Either.isRight(result), works)
    }
  })

  it("returns the simulated balances of every address", function* () {
    const info: NetworkFacts = Polkadot.info
    const tokens = World.contractsOn("polkadot").map(({ address, coin }) => token(address, coin.id))
    const hubs = new Map(polkadot(info))
    const simulated: EvmNodes.SimulatedHost = (_, { method, text, url }) =>
      Effect.sync(() => {
        const request = { method, path: url.pathname, query: url.searchParams, body: text, now: 0 }
        return hubs.get("polkadot-rpc")?.(request) ?? new Response()
      })
    const { holdings } = yield* network({ "hub.test": simulated }, tokens)
    const accounts = Array.from({ length: 60 }, (_, index) => account(index))
    const read = yield* settled(holdings(accounts))
    for (const [index, holder] of accounts.entries()) {
      const expected = World.contractsOn("polkadot").flatMap((contract) => {
        const amount = World.tokenBalance(info, contract, holder)
        const listed = tokens.find(({ address }) => address === contract.address)
        return amount === 0n || listed === undefined ? [] : [holds(withDecimals(listed, contract.decimals), amount)]
      })
      assert.deepStrictEqual(
        read[index] as unknown,
        Either.right([holds("native", World.native(info, holder)), ...expected])
      )
    }
  })
})

describe("sample responses of Substrate nodes", () => {
  const of = (name: string) => sample("substrate-rpc", name)
  const reply = (name: string) => replyOf(of(name))

  it("contain many keys at once: coins, and an asset with its decimals from the chain", function* () {
    // The time of the block in the sample.
    yield* TestClock.setTime(0x0199c82cc000)
    const { holdings, seen } = yield* network({ "hub.test": EvmNodes.rpcNode(() => reply("storage")) }, [usdt])
    const [read] = yield* settled(holdings([alice]))
    assert.deepStrictEqual(
      read as unknown,
      Either.right([holds("native", 50_000_000_000_009n), holds(withDecimals(usdt, 6), 18_446_744_073_709_551_619n)])
    )
    assert.lengthOf(seen, 1)
  })

  it("are read key by key if a node does not return several keys in one call", function* () {
    const values = EvmNodes.rpcNode(({ method, params: [key] }) => {
      if (method === "state_queryStorageAt") return reply("storage-refused")
      if (method === "state_getRuntimeVersion") return EvmNodes.result({ specName: "statemint" })
      if (key === timestampKey) return EvmNodes.result(`0x${AssetHub.le(0n, 8)}`)
      return key === accountKey(alice) ? reply("account") : reply("account-null")
    })
    const { holdings } = yield* network({ "hub.test": values }, [])
    assert.deepStrictEqual((yield* settled(holdings([alice, bob]))) as unknown, [
      Either.right([holds("native", 50_000_000_000_009n)]),
      Either.right([holds("native", 0n)])
    ])
  })
})
