import * as Effect from "effect/Effect"
import { parseGwei, type TransactionSerializable } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { base } from "../../../src/catalogue/evm/base.ts"
import { evmNode } from "../../../src/sandbox/evm/evmNode.ts"
import { ledger } from "../../../src/sandbox/world/ledger.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const start = Date.UTC(2026, 10, 20)

/** A time after the next block. */
const later = start + 2_000

interface Answer {
  readonly result?: never
  readonly error?: { readonly code: number; readonly message: string }
}

/** Creates a node. Returns a function that sends a call at a given time. */
const node = () => {
  const world = World.make()
  const simulated = evmNode({ ...base, world })
  return (method: string, params: ReadonlyArray<unknown>, now = start): Effect.Effect<never> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    world.state.settleDue(Math.floor(now / 1000))
    const response = simulated({ method: "POST", path: "/", query: new URLSearchParams(), body, now })
    return Effect.promise(() => response.json() as Promise<Answer>).pipe(
      Effect.map(({ error, result }) => (error === undefined ? result : `${error.code} ${error.message}`) as never)
    )
  }
}

const account = (() => {
  for (;;) {
    const item = privateKeyToAccount(generatePrivateKey())
    if (World.native(base, item.address.toLowerCase()) > 10n ** 16n) return item
  }
})()

const first = ledger(base, account.address.toLowerCase()).filter(({ direction }) => direction === "out").length

const signed = (nonce: number, more: Partial<TransactionSerializable> = {}) =>
  Effect.promise(() =>
    account.signTransaction({
      chainId: base.chainId,
      type: "eip1559",
      to: account.address,
      gas: 21_000n,
      maxFeePerGas: parseGwei("2"),
      maxPriorityFeePerGas: parseGwei("1"),
      nonce,
      ...more
    } as TransactionSerializable)
  )

describe("the transactions sent to a simulated EVM node", () => {
  it("are reported once to a filter of pending transactions, also after their block", function* () {
    const ask = node()
    const early = yield* ask("eth_newPendingTransactionFilter", [])
    const late = yield* ask("eth_newPendingTransactionFilter", [])
    const hash = yield* ask("eth_sendRawTransaction", [yield* signed(first)])
    const changes = (filter: string, now: number) => ask("eth_getFilterChanges", [filter], now)
    assert.deepStrictEqual(yield* changes(early, start), [hash])
    assert.deepStrictEqual(yield* changes(early, later), [])
    assert.deepStrictEqual(yield* changes(late, later), [hash])
    assert.deepStrictEqual(yield* changes(late, later), [])
  })

  it("are accepted in the order of their nonces, and rejected after a missing nonce", function* () {
    const ask = node()
    const count = (tag: string, now?: number) => ask("eth_getTransactionCount", [account.address, tag], now)
    const raw = yield* signed(first + 1)
    assert.include(yield* ask("eth_sendRawTransaction", [raw]), "-32000 nonce too high")
    assert.strictEqual(Number(yield* count("pending")), first)
    assert.isString(yield* ask("eth_sendRawTransaction", [yield* signed(first)]))
    const second = yield* ask("eth_sendRawTransaction", [raw])
    assert.isNull(yield* ask("eth_getTransactionReceipt", [second]))
    assert.strictEqual(Number(yield* count("latest")), first)
    assert.strictEqual(Number(yield* count("pending")), first + 2)
    assert.strictEqual(Number(yield* count("latest", later)), first + 2)
    const receipt: { readonly status: string; readonly cumulativeGasUsed: string } = yield* ask(
      "eth_getTransactionReceipt",
      [second],
      later
    )
    assert.strictEqual(receipt.status, "0x1")
    assert.strictEqual(Number(receipt.cumulativeGasUsed), 42_000)
  })

  it("are already known when sent again, and are replaced by a transaction with a higher fee", function* () {
    const ask = node()
    const raw = yield* signed(first)
    const hash = yield* ask("eth_sendRawTransaction", [raw])
    assert.strictEqual(yield* ask("eth_sendRawTransaction", [raw]), "-32000 already known" as never)
    assert.strictEqual(
      yield* ask("eth_sendRawTransaction", [yield* signed(first, { value: 1n })]),
      "-32000 replacement transaction underpriced" as never
    )
    const dearer = { maxFeePerGas: parseGwei("3"), maxPriorityFeePerGas: parseGwei("2") }
    const other = yield* ask("eth_sendRawTransaction", [yield* signed(first, dearer)])
    assert.isNull(yield* ask("eth_getTransactionByHash", [hash], later))
    assert.isNotNull(yield* ask("eth_getTransactionReceipt", [other], later))
    assert.strictEqual(
      yield* ask("eth_sendRawTransaction", [raw], later),
      `-32000 nonce too low: next nonce ${first + 1}, tx nonce ${first}` as never
    )
  })

  it("are rejected with the error messages of a real node", function* () {
    const ask = node()
    const refusals: ReadonlyArray<readonly [Partial<TransactionSerializable>, string]> = [
      [{ gas: 20_000n }, "-32000 intrinsic gas too low"],
      [{ gas: 40_000_000n }, "-32000 exceeds block gas limit"],
      [{ chainId: 1 }, "-32000 invalid sender: invalid chain id for signer: have 1 want 8453"],
      [{ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }, "-32000 max fee per gas less than block base fee"],
      [{ value: 10n ** 30n }, "-32000 insufficient funds for gas * price + value"]
    ]
    for (const [more, words] of refusals)
      assert.include(yield* ask("eth_sendRawTransaction", [yield* signed(first, more)]), words)
    assert.include(yield* ask("eth_sendRawTransaction", ["0x12"]), "-32000 ")
    assert.include(yield* ask("eth_sendRawTransaction", ["12"]), "-32602 invalid argument 0")
    assert.include(yield* ask("eth_sendRawTransaction", []), "-32602 invalid argument 0")
  })

  it("are in the pending block and then in the next block", function* () {
    const ask = node()
    const hash = yield* ask("eth_sendRawTransaction", [yield* signed(first)])
    interface Block {
      readonly hash: string
      readonly transactions: ReadonlyArray<{ readonly hash: string; readonly blockHash: string }>
    }
    const pending: Block = yield* ask("eth_getBlockByNumber", ["pending", true])
    const mined: Block = yield* ask("eth_getBlockByNumber", ["latest", true], later)
    assert.strictEqual(mined.hash, pending.hash)
    assert.deepStrictEqual(
      mined.transactions.map((transaction) => [transaction.hash, transaction.blockHash]),
      [[hash, mined.hash]]
    )
    assert.isNull(yield* ask("eth_getBlockByNumber", ["0xffffffffff", false]))
    assert.include(yield* ask("eth_getBlockByNumber", ["newest", false]), "-32602")
  })
})
