import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { ethereum } from "../../../src/catalogue/evm/ethereum.ts"
import type { Transaction } from "../../../src/domain/Transaction.ts"
import { Anvil, layer as anvil, withCode, withNative } from "../../support/anvil.ts"
import { type Gaps, listsOf } from "../../support/anvilExplorer.ts"
import { revertsBytecode } from "../../support/contracts/bytecode.ts"
import { explorer, network } from "../../support/EvmHistory.ts"
import { json } from "../../support/http.ts"
import { eventually } from "../../support/process.ts"
import { frozenClock } from "../../support/simulated.ts"
import { isMissing } from "../../support/tools.ts"
import { assert, describe, layer } from "../../support/vitest.ts"

const address = (index: number): `0x${string}` => `0x${index.toString(16).padStart(40, "0")}`
const [alice, bob, carol] = [address(0xa11ce), address(0xb0b), address(0xca401)]
const [token, refunds, reverts, pays, cheats] = [0xa0, 0xa1, 0xa2, 0xa3, 0xa4].map((value) =>
  address(value + 0x1000)
) as [`0x${string}`, `0x${string}`, `0x${string}`, `0x${string}`, `0x${string}`]
const ether = 10n ** 18n
const word = (value: bigint | string) => BigInt(value).toString(16).padStart(64, "0")

const code = {
  /** Logs an ERC-20 transfer from the caller for every call. */
  token:
    "0x602435600052600435337fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef60206000a3600160005260206000f3",
  /** Returns the value to the caller. */
  refunds: "0x600060006000600034335af100",
  /** Self-destructs in favour of the address in the first word of its input. */
  pays: "0x600035ff",
  /** Pays the address in the first word of its input, and then reverts. */
  cheats: "0x6000600060006000346000355af15060006000fd"
} as const

type Node = Context.Tag.Service<Anvil>

const send = (node: Node, transaction: Readonly<Record<string, unknown>>) =>
  Effect.map(node.rpc("eth_sendTransaction", [{ gas: "0x30d40", ...transaction }]), String)

const hex = (value: bigint) => `0x${value.toString(16)}`

/** History of the adapter for the chain as the explorer lists it. */
const readHistory = Effect.fnUntraced(function* (node: Node, now: Clock.Clock, holder: string, gaps?: Gaps) {
  const answer = explorer(yield* listsOf(node, holder, gaps))
  const environment = {
    ETHERSCAN_API_KEY: "key",
    ETHERSCAN_URL: "http://explorer.test",
    ETHEREUM_RPC_URLS: "http://node.test"
  }
  const { requests, history } = yield* network(ethereum, environment, (sent) => {
    if (sent.url.host === "explorer.test") return answer(sent)
    const body = JSON.parse(sent.body)
    const calls = [body].flat() as ReadonlyArray<{ id: number; method: string; params: ReadonlyArray<unknown> }>
    return Effect.flatMap(node.rpcs(calls.map(({ method, params }) => [method, params] as const)), (results) => {
      const rows = results.map((result, index) => ({ jsonrpc: "2.0", id: calls[index]?.id, result }))
      return json(Array.isArray(body) ? rows : rows[0])
    })
  })
  const part = yield* Effect.withClock(history({ address: holder, limit: 100 }), now)
  return { ...part, requests: requests.length }
})

/** Waits for the receipts, because the node returns a hash before it creates the block. */
const mined = (node: Context.Tag.Service<Anvil>, hashes: ReadonlyArray<string>) =>
  Effect.forEach(hashes, (hash) =>
    eventually(Effect.flatMap(node.rpc("eth_getTransactionReceipt", [hash]), Effect.fromNullable))
  )

const change = (holder: string, transactions: ReadonlyArray<Transaction>) =>
  transactions.reduce((sum, { fee, from, to, type }) => {
    const own = (side: Transaction["from"]) =>
      side.reduce(
        (all, movement) => (movement.address === holder && movement.token === undefined ? all + movement.amount : all),
        0n
      )
    return sum + own(to) - own(from) - (type === "Receive" ? 0n : (fee ?? 0n))
  }, 0n)

describe.skipIf(isMissing("anvil"))("histories of a real EVM node", () => {
  layer(anvil, { excludeTestServices: true })((it) => {
    it("contain transfers, tokens, calls, failures, a replacement and a payer that self-destructs", function* () {
      const node = yield* Anvil
      yield* node.rpcs([
        ["anvil_autoImpersonateAccount", [true]],
        withCode(token, code.token),
        withCode(refunds, code.refunds),
        withCode(reverts, revertsBytecode),
        withCode(pays, code.pays),
        withCode(cheats, code.cheats),
        withNative(alice, 10n * ether),
        withNative(bob, 10n * ether),
        withNative(pays, 3n)
      ])
      const receives = yield* send(node, { from: bob, to: alice, value: hex(7n) })
      const sends = yield* send(node, { from: alice, to: bob, value: hex(5n) })
      const input = `0xa9059cbb${word(bob)}${word(9n)}`
      const transfers = yield* send(node, { from: alice, to: token, data: input })
      const gets = yield* send(node, { from: bob, to: token, data: `0xa9059cbb${word(alice)}${word(4n)}` })
      const calls = yield* send(node, { from: alice, to: refunds, value: hex(11n), data: "0x12345678" })
      const fails = yield* send(node, { from: alice, to: reverts, value: hex(13n), data: "0x12345678" })
      const paid = yield* send(node, { from: bob, to: pays, data: `0x${word(alice)}` })
      const cheated = yield* send(node, { from: bob, to: cheats, value: hex(17n), data: `0x${word(alice)}` })
      const makes = yield* send(node, { from: alice, data: "0x6001600c60003960016000f300" })
      // Each transaction is in a separate block before the next blocks are mined by hand.
      yield* mined(node, [receives, sends, transfers, gets, calls, fails, paid, cheated, makes])
      yield* node.rpc("evm_setAutomine", [false])
      const price = ether / 10n ** 8n
      const nonce = yield* node.rpc("eth_getTransactionCount", [alice, "latest"])
      const replaced = yield* send(node, { from: alice, to: carol, value: hex(19n), nonce, gasPrice: hex(price) })
      const dropped = (yield* node.rpc("eth_getTransactionByHash", [replaced])) as never
      const cancels = yield* send(node, { from: alice, to: alice, value: "0x0", nonce, gasPrice: hex(2n * price) })
      yield* node.rpc("evm_mine", [])
      yield* node.rpc("evm_setAutomine", [true])
      yield* mined(node, [cancels])

      const now = frozenClock(yield* Clock.currentTimeMillis)
      const part = yield* readHistory(node, now, alice, { dropped: [dropped] })
      const made = part.transactions.find(({ hash }) => hash === makes)?.to[0]?.address ?? ""
      const expected: Readonly<Record<string, readonly [string, string, Transaction["from"], Transaction["to"]]>> = {
        [replaced]: ["Send", "Failed", [{ address: alice, amount: 0n }], [{ address: carol, amount: 0n }]],
        [cancels]: ["Cancel", "Success", [{ address: alice, amount: 0n }], [{ address: alice, amount: 0n }]],
        [makes]: ["Contract Call", "Success", [{ address: alice, amount: 0n }], [{ address: made, amount: 0n }]],
        // The inner call succeeded, but the whole transaction reverted.
        [cheated]: ["Receive", "Failed", [{ address: cheats, amount: 0n }], [{ address: alice, amount: 0n }]],
        [paid]: ["Receive", "Success", [{ address: pays, amount: 3n }], [{ address: alice, amount: 3n }]],
        [fails]: ["Contract Call", "Failed", [{ address: alice, amount: 0n }], [{ address: reverts, amount: 0n }]],
        [calls]: [
          "Contract Call",
          "Success",
          [
            { address: alice, amount: 11n },
            { address: refunds, amount: 11n }
          ],
          [
            { address: refunds, amount: 11n },
            { address: alice, amount: 11n }
          ]
        ],
        [gets]: ["Receive", "Success", [{ address: bob, amount: 4n, token }], [{ address: alice, amount: 4n, token }]],
        [transfers]: [
          "Send",
          "Success",
          [{ address: alice, amount: 9n, token }],
          [{ address: bob, amount: 9n, token }]
        ],
        [sends]: ["Send", "Success", [{ address: alice, amount: 5n }], [{ address: bob, amount: 5n }]],
        [receives]: ["Receive", "Success", [{ address: bob, amount: 7n }], [{ address: alice, amount: 7n }]]
      }
      const entries: Readonly<Record<string, unknown>> = Object.fromEntries(
        part.transactions.map((transaction) => [
          transaction.hash,
          [transaction.type, transaction.status, transaction.from, transaction.to]
        ])
      )
      assert.deepStrictEqual<unknown>(entries, expected)
      assert.match(made, /^0x[0-9a-f]{40}$/)
      // Three lists, and one node request for the two inner transfers and the transaction that looks pending.
      assert.strictEqual(part.requests, 4)

      const balance = BigInt((yield* node.rpc("eth_getBalance", [alice, "latest"])) as string)
      assert.strictEqual(10n * ether + change(alice, part.transactions), balance)

      // The history is the same if the explorer omits the outcomes, which the node returns.
      const bare = yield* readHistory(node, now, alice, { outcomes: true, dropped: [dropped] })
      assert.deepStrictEqual(
        bare.transactions.map(({ fee, ...one }) => ({ ...one, fee: one.hash === gets ? null : fee })),
        part.transactions.map(({ fee, ...one }) => ({ ...one, fee: one.hash === gets ? null : fee }))
      )
      // The explorer has not indexed the newest block, but the node has its receipts.
      const behind = yield* readHistory(node, now, alice, { newest: true })
      const cancel = behind.transactions.find(({ hash }) => hash === cancels)
      assert.deepStrictEqual(
        [cancel?.status, cancel?.type, cancel?.fee],
        ["Success", "Cancel", part.transactions.find(({ hash }) => hash === cancels)?.fee]
      )
    })
  })
})
