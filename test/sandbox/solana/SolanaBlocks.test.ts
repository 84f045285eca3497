import * as Effect from "effect/Effect"
import { solana } from "../../../src/sandbox/solana/solana.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { samples } from "../../chains/families/samples.ts"
import { Solana } from "../../support/networks.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const now = 1_790_000_000_000

/** Calls a new node. */
const calling = () => {
  const [[, node]] = solana({ ...Solana.info, world: World.make() } as typeof Solana.info)
  return (method: string, ...params: ReadonlyArray<unknown>) =>
    Effect.promise(async () => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
      const response = node({ method: "POST", path: "/", query: new URLSearchParams(), body, now })
      const { error, result } = (await response.json()) as {
        readonly result?: never
        readonly error?: { code: number }
      }
      return (error === undefined ? result : error.code) as never
    })
}

interface Row {
  readonly signature: string
  readonly slot: number
  readonly blockTime: number
}

interface Block {
  readonly blockTime: number
  readonly blockhash: string
  readonly previousBlockhash: string
  readonly parentSlot: number
  readonly signatures: ReadonlyArray<string>
  readonly transactions: ReadonlyArray<{
    readonly version: unknown
    readonly transaction: { readonly signatures: ReadonlyArray<string> }
  }>
}

const owner = samples(Solana.info, 20).find((text) => World.native(Solana.info, text) > 0n) ?? assert.fail("no owner")

describe("the blocks of a simulated Solana node", () => {
  it("have the time and the transactions that a list has returned", function* () {
    const call = calling()
    const rows: ReadonlyArray<Row> = yield* call("getSignaturesForAddress", owner)
    assert.isAbove(rows.length, 3)
    for (const { blockTime, signature, slot } of rows) {
      assert.strictEqual(yield* call("getBlockTime", slot), blockTime)
      const options = { maxSupportedTransactionVersion: 1 }
      const block: Block = yield* call("getBlock", slot, options)
      assert.strictEqual(block.blockTime, blockTime)
      assert.deepStrictEqual(
        block.transactions.map(({ transaction }) => transaction.signatures[0]),
        [signature]
      )
      const whole: object = yield* call("getTransaction", signature, options)
      assert.deepStrictEqual({ ...block.transactions[0], slot, blockTime } as object, whole)
      const short: Block = yield* call("getBlock", slot, { transactionDetails: "signatures" })
      assert.deepStrictEqual(short.signatures, [signature])
      assert.notProperty(short, "transactions")
      const before: Block = yield* call("getBlock", block.parentSlot, options)
      assert.deepStrictEqual([before.blockhash, before.transactions], [block.previousBlockhash, []])
      assert.notProperty(yield* call("getBlock", slot, { transactionDetails: "none" }), "signatures")
    }
  })

  it("contain a transaction that was looked up; refuse its version and slots ahead like a node", function* () {
    const [row] = (yield* calling()("getSignaturesForAddress", owner)) as ReadonlyArray<Row>
    const { signature = "", slot = 0 } = row ?? {}
    const call = calling()
    assert.deepStrictEqual(((yield* call("getBlock", slot, {})) as Block).transactions, [])
    yield* call("getTransaction", signature, { maxSupportedTransactionVersion: 1 })
    assert.strictEqual(yield* call("getBlock", slot), -32015)
    const newest: number = yield* call("getSlot", { commitment: "finalized" })
    assert.strictEqual(((yield* call("getBlock", newest)) as Block).parentSlot, newest - 1)
    assert.strictEqual(yield* call("getBlock", newest + 1), -32004)
    assert.strictEqual(yield* call("getBlockTime", newest + 1_000), -32004)
  })
})

describe("the supplies of a simulated Solana node", () => {
  it("are the sum of their parts", function* () {
    const { value } = (yield* calling()("getSupply")) as { readonly value: Record<string, number> }
    assert.strictEqual(value.total, (value.circulating ?? 0) + (value.nonCirculating ?? 0))
  })

  it("have the largest accounts of a mint, with the balances that the accounts have", function* () {
    const call = calling()
    const [usdc] = World.contractsOn("solana").filter(({ coin }) => coin.id === "usd-coin")
    interface Amount {
      readonly address: string
      readonly amount: string
    }
    const { value }: { readonly value: ReadonlyArray<Amount> } = yield* call("getTokenLargestAccounts", usdc?.address)
    assert.lengthOf(value, 20)
    const amounts = value.map(({ amount }) => Number(amount))
    assert.deepStrictEqual(
      amounts,
      amounts.toSorted((a, b) => b - a)
    )
    for (const { address, ...amount } of value.slice(0, 3)) {
      const balance: { readonly value: object } = yield* call("getTokenAccountBalance", address)
      assert.deepStrictEqual(balance.value, amount)
    }
    assert.strictEqual(yield* call("getTokenLargestAccounts", owner), -32602)
  })
})
