import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import type { Holding } from "../../../src/chains/Chain.ts"
import * as Multiplier from "../../../src/domain/Multiplier.ts"
import { numberOf } from "../../../src/domain/units.ts"
import * as EvmNodes from "../../support/EvmNodes.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import {
  bytes,
  chain,
  filterOf,
  key,
  mintAccount,
  network,
  parsed,
  programs,
  scaledBy,
  token,
  valued
} from "./nodes.ts"

const alice = key(1)
const [stock, plain, usdc] = [token(key(101), "stock", 8), token(key(102), "plain"), token(key(100), "usd-coin")]

/** Node on which every address has 150 base units of these mints of Token-2022, with these extensions. */
const withMints = (
  mints: Readonly<Record<string, ReadonlyArray<object> | undefined>>,
  form: "parsed" | "bytes" = "parsed"
) =>
  EvmNodes.rpcNode((call) => {
    const [first] = call.params
    const account = (mint: unknown) =>
      String(mint) in mints ? mintAccount(8, mints[String(mint)]) : mint === usdc.address ? mintAccount(6) : null
    if (call.method === "getAccountInfo") return valued(account(first))
    if (call.method === "getMultipleAccounts" && !(first as ReadonlyArray<string>).includes(alice))
      return valued((first as ReadonlyArray<string>).map(account))
    if (call.method !== "getTokenAccountsByOwner") return chain({})(call)
    const { mint, programId } = filterOf(call)
    if (programId === programs.token) return valued([bytes(usdc.address, 5n)])
    const held = Object.keys(mints).filter((address) => mint === undefined || mint === address)
    // Nodes add the displayed amount as a double.
    return valued(
      held.map((address) => (form === "bytes" ? bytes(address, 150n) : parsed(address, "150", 8, "0.00000150001")))
    )
  })

/** Replies of a chain on which every address has 150 base units of the stock, with this multiplier. */
const withScaled =
  (multiplier: string) =>
  (call: EvmNodes.RpcCall): EvmNodes.Reply => {
    const [first] = call.params
    const account = (mint: unknown) =>
      mint === stock.address ? mintAccount(8, [scaledBy(multiplier)]) : mint === usdc.address ? mintAccount(6) : null
    if (call.method === "getAccountInfo") return valued(account(first))
    if (call.method === "getMultipleAccounts") return valued((first as ReadonlyArray<string>).map(account))
    const isOld = call.method === "getTokenAccountsByOwner" && filterOf(call).programId === programs.token
    return valued(isOld ? [bytes(usdc.address, 5n)] : [parsed(stock.address, "150", 8)])
  }

/** The clock of the chain in the encoding that a call requests. */
const clockAt = (hours: number, { params }: EvmNodes.RpcCall) => {
  const unixTimestamp = hours * 3_600
  if ((params[1] as { readonly encoding: string }).encoding === "jsonParsed")
    return { data: { parsed: { type: "clock", info: { unixTimestamp } } } }
  const time = Buffer.alloc(8)
  time.writeBigInt64LE(BigInt(unixTimestamp))
  return { lamports: 1, data: [time.toString("base64"), "base64"] }
}

const summaryOf = ({ amount, scaling }: Holding) => ({
  amount: Either.match(amount, { onLeft: ({ message }) => message, onRight: String }),
  ...(scaling === undefined ? {} : { multiplier: Multiplier.format(scaling.multiplier) }),
  ...(scaling?.change === undefined
    ? {}
    : { change: [Multiplier.format(scaling.change.multiplier), numberOf(scaling.change.at)] })
})

/** The stock in the balances of an address, which must equal its balance alone. */
const readStock = (extensions: ReadonlyArray<object> | undefined, form?: "parsed" | "bytes") =>
  Effect.gen(function* () {
    const { holding, holdings } = yield* network(withMints({ [stock.address]: extensions }, form), [stock])
    const [read = Either.right([])] = yield* settled(holdings([alice]))
    const one = Either.getOrThrow(read).find(({ asset }) => asset !== "native" && asset.address === stock.address)
    const alone = yield* settled(holding(alice, Option.some(stock.address)))
    assert.deepStrictEqual(one?.amount, alone.amount)
    assert.deepStrictEqual(one?.scaling === undefined, alone.scaling === undefined)
    return summaryOf(alone)
  })

describe("a mint with scaled amounts", () => {
  it("has the stored amount and its multiplier, however the node encodes the accounts", function* () {
    for (const form of ["parsed", "bytes"] as const)
      assert.deepStrictEqual(yield* readStock([scaledBy("5")], form), { amount: "150", multiplier: "5" })
    assert.deepStrictEqual(yield* readStock([scaledBy("1.0032690125398187")]), {
      amount: "150",
      multiplier: "1.0032690125398187"
    })
  })

  it("has the multiplier in force, and the next one until then", function* () {
    const extensions = [scaledBy("1", "10", 1_000)]
    yield* TestClock.setTime(900_000)
    assert.deepStrictEqual(yield* readStock(extensions), {
      amount: "150",
      multiplier: "1",
      change: ["10", 1_000_000]
    })
    yield* TestClock.setTime(1_000_000)
    assert.deepStrictEqual(yield* readStock(extensions), { amount: "150", multiplier: "10" })
  })

  it("has none if the multiplier is 1, or the mint has no such extension", function* () {
    for (const extensions of [undefined, [], [scaledBy("1.0")], [{ extension: "transferHook", state: {} }]])
      assert.deepStrictEqual(yield* readStock(extensions), { amount: "150" })
  })

  it("bears interest at its two rates", function* () {
    yield* TestClock.setTime(3_000_000_000_000)
    const bearing = (more: object) => ({
      extension: "interestBearingConfig",
      state: {
        rateAuthority: null,
        initializationTimestamp: 3_000_000_000 - 3 * 31_556_736,
        lastUpdateTimestamp: 3_000_000_000 - 31_556_736,
        preUpdateAverageRate: 100,
        currentRate: 500,
        ...more
      }
    })
    // Two years at 1 %, one at 5 %.
    const { multiplier } = yield* readStock([bearing({})])
    assert.closeTo(Number(multiplier), Math.exp(0.02) * Math.exp(0.05), 1e-6)
    assert.deepStrictEqual(yield* readStock([bearing({ currentRate: 0 })]), {
      amount: "150",
      multiplier: String(Math.exp(0.02))
    })
    assert.deepStrictEqual(yield* readStock([bearing({ preUpdateAverageRate: 0, currentRate: 0 })]), { amount: "150" })
    // The chain's clock may be ahead.
    assert.deepStrictEqual(
      yield* readStock([bearing({ lastUpdateTimestamp: 3_000_900_000, preUpdateAverageRate: 0 })]),
      { amount: "150" }
    )
  })

  it("has no amount if its multiplier cannot be read", function* () {
    const wrong: ReadonlyArray<object> = [
      { extension: "scaledUiAmountConfig" },
      { extension: "unparseableExtension" },
      { extension: "interestBearingConfig", state: { currentRate: 5 } },
      ...["0", "-1", "inf", "1e30", ""].map((text) => scaledBy("1", text)),
      scaledBy("0", "1", 9_000_000_000)
    ]
    for (const extension of wrong)
      assert.deepStrictEqual(
        yield* readStock([extension]),
        { amount: "the multiplier of this mint cannot be read" },
        JSON.stringify(extension)
      )
  })

  it("is read with every balance, and mints without the extension once", function* () {
    const node = withMints({ [stock.address]: [scaledBy("5")], [plain.address]: [] })
    const { holdings, seen } = yield* network(node, [stock, plain, usdc])
    for (const _ of [1, 2]) {
      const [read = Either.right([])] = yield* settled(holdings([alice]))
      assert.deepStrictEqual(Either.getOrThrow(read).map(summaryOf), [
        { amount: "0" },
        { amount: "5" },
        { amount: "150", multiplier: "5" },
        { amount: "150" }
      ])
    }
    const lists = ["getMultipleAccounts", "getTokenAccountsByOwner", "getTokenAccountsByOwner"]
    assert.deepStrictEqual(
      seen.map(({ methods }) => methods),
      [lists, ["getMultipleAccounts"], lists, ["getAccountInfo", "getMultipleAccounts"]]
    )
  })

  it("costs other amounts nothing if it cannot be read", function* () {
    for (const unparsed of [{ data: ["", "base64"] }, "text", {}]) {
      const node = EvmNodes.rpcNode((call) => {
        if (call.method === "getMultipleAccounts" && (call.params[0] as ReadonlyArray<string>).includes(usdc.address))
          return valued([mintAccount(6), unparsed])
        if (call.method !== "getTokenAccountsByOwner") return chain({})(call)
        return valued(
          filterOf(call).programId === programs.token ? [bytes(usdc.address, 5n)] : [bytes(stock.address, 9n)]
        )
      })
      const { holdings } = yield* network(node, [stock, usdc])
      const [read = Either.right([])] = yield* settled(holdings([alice]))
      assert.deepStrictEqual(Either.getOrThrow(read).map(summaryOf), [
        { amount: "0" },
        { amount: "5" },
        { amount: "the node does not have the mint of this token" }
      ])
    }
  })

  it("is not read from a node whose clock is behind, alone and with other mints", function* () {
    yield* TestClock.adjust("1 day")
    const node = (hours: number, multiplier: string, isNewest: (method: string) => boolean) =>
      EvmNodes.rpcNode((call) => {
        const accounts = call.params[0] as ReadonlyArray<string>
        const at =
          isNewest(call.method) || (call.method === "getMultipleAccounts" && accounts.includes(alice)) ? 24 : hours
        const answer = withScaled(multiplier)(call)
        if (call.method !== "getMultipleAccounts") return answer
        const { value } = (answer as { readonly result: { readonly value: ReadonlyArray<unknown> } }).result
        return valued(accounts.map((text, index) => (text.startsWith("Sysvar") ? clockAt(at, call) : value[index])))
      })
    const stalled = node(1, "1", () => false)
    for (const listed of [[stock], [stock, usdc]]) {
      const { holdings, scalings = () => Effect.dieMessage("none") } = yield* network(
        stalled,
        listed,
        node(24, "10", () => true)
      )
      const [read = Either.right([])] = yield* settled(holdings([alice]))
      assert.deepInclude(Either.getOrThrow(read).map(summaryOf), { amount: "150", multiplier: "10" })
      const found = (yield* settled(scalings([stock.address]))).get(stock.address)
      assert.strictEqual(Multiplier.format(Either.getOrThrow(found ?? assert.fail("none")).multiplier), "10")
    }
    const { holdings } = yield* network(stalled, [stock])
    const [read = Either.right([])] = yield* settled(holdings([alice]))
    assert.deepInclude(Either.getOrThrow(read).map(summaryOf), {
      amount: "solana-rpc: the node is behind the network"
    })
  })
})
