import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import type { HistoryQuery } from "../../../src/domain/Transaction.ts"
import { height, position } from "../../../src/domain/units.ts"
import { replay, sample } from "../../support/fixtures.ts"
import { withTexts } from "../../support/gaps.ts"
import { short } from "../../support/histories.ts"
import { json, type Reply, refused, type SentRequest } from "../../support/http.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { calls, isOfHead, network, toncenter } from "./ton.ts"

const alice = `0:${"a".repeat(64)}`
const bob = `0:${"b".repeat(64)}`
const wallet = `0:${"c".repeat(64)}`
const master = `0:${"d".repeat(64)}`
const hash = (digit: string) => Buffer.from(digit.repeat(64), "hex").toString("base64")

const read = Effect.fnUntraced(function* (
  transactions: Reply,
  transfers: Reply,
  query: Partial<HistoryQuery> = {},
  tonapi: Reply | ((request: SentRequest) => Reply) = refused,
  burns: Reply = json({ jetton_burns: [] })
) {
  const handler = toncenter({ transactions, "jetton/transfers": transfers, "jetton/burns": burns })
  const { requests, network: ton } = yield* network({
    "toncenter.test": handler,
    "tonapi.test": typeof tonapi === "function" ? tonapi : () => tonapi
  })
  const part = yield* settled(ton.history?.({ address: alice, limit: 50, ...query }) ?? Effect.die("no history"))
  return { ...withTexts(part), calls: calls(requests), requests, rows: part.transactions.map(short) }
})

const listed = (...rows: ReadonlyArray<unknown>) => json({ transactions: rows, address_book: {} })
const jettons = (...rows: ReadonlyArray<unknown>) => json({ jetton_transfers: rows })

const message = (source: string | null, destination: string | null, value: string | null, more: object = {}) => ({
  source: source?.toUpperCase() ?? null,
  destination: destination?.toUpperCase() ?? null,
  value,
  fwd_fee: value === null ? null : "3",
  ihr_fee: null,
  opcode: null,
  bounced: false,
  ...more
})
const signed = message(null, alice, null)
const from = (source: string, value: string, more: object = {}) => message(source, alice, value, more)
const to = (destination: string, value: string, more: object = {}) => message(alice, destination, value, more)

const transaction = (received: unknown, sent: ReadonlyArray<unknown> = [], more: object = {}) => ({
  account: alice.toUpperCase(),
  hash: hash("1"),
  trace_id: hash("1"),
  lt: "100",
  now: 1_700_000_000,
  total_fees: "10",
  description: { type: "ord", aborted: false },
  in_msg: received,
  out_msgs: sent,
  ...more
})

const later = (received: unknown, more: object = {}) =>
  transaction(received, [], { hash: hash("2"), lt: "105", now: 1_700_000_009, ...more })

const jetton = (more: object = {}) => ({
  source: alice.toUpperCase(),
  destination: bob.toUpperCase(),
  amount: "5",
  source_wallet: wallet.toUpperCase(),
  jetton_master: master.toUpperCase(),
  transaction_hash: hash("9"),
  transaction_lt: "103",
  transaction_now: 1_700_000_005,
  transaction_aborted: false,
  forward_ton_amount: "0",
  trace_id: hash("1"),
  ...more
})

const gas = to(wallet, "1000", { opcode: "0x0f8a7ea5" })
const rest = from(wallet, "900", { opcode: "0xd53276db" })
const bounced = { bounced: true, opcode: "0xffffffff" }

describe("burned jettons on TON", () => {
  const { destination: _, forward_ton_amount: __, source, source_wallet, ...row } = jetton()
  const burn = { ...row, owner: source, jetton_wallet: source_wallet, response_destination: source }
  const requested = to(wallet, "1000", { opcode: "0x595f07bc" })
  const back = from(bob, "970")

  it("are shown without a recipient, in one transaction with the coins that came back for them", function* () {
    const transactions = listed(later(back), transaction(signed, [requested]))
    const burns = (more: object = {}) => json({ jetton_burns: [{ ...burn, ...more }] })
    const { missing, rows } = yield* read(transactions, jettons(), {}, refused, burns())
    assert.deepStrictEqual(rows, [
      "11111111 Send Success 1700000000 fee 1023: 0:bbbbbb:970 + 0:aaaaaa:5 0:dddddd -> 0:aaaaaa:970"
    ])
    assert.deepStrictEqual(missing as unknown, [])
    const foreign = yield* read(transactions, jettons(), {}, refused, burns({ owner: bob }))
    assert.match(foreign.missing.join(), /^jetton burns: /)
  })
})

describe("a TON trace is returned as one transaction:", () => {
  type Rows = ReadonlyArray<unknown>
  /** Transactions of the holder `me`, and their row; also transfers of jettons. */
  const cases: Readonly<Record<string, readonly [transactions: Rows, expected: string, transfers?: Rows]>> = {
    "a payment, with the forwarding fee included in the fee": [
      [transaction(signed, [to(bob, "7")])],
      "Send Success fee 13: me:7 -> bob:7"
    ],
    "payments to several recipients": [
      [transaction(signed, [to(bob, "7"), to(wallet, "2"), to(bob, "1"), message(alice, null, null)])],
      "Send Success fee 19: me:10 -> bob:8 + wallet:2"
    ],
    "a payment to oneself, listed for sending and receiving": [
      [later(from(alice, "7")), transaction(signed, [to(alice, "7")])],
      "Send Success fee 23: me:7 -> me:7"
    ],
    "coins that are received and retained although the contract fails": [
      [transaction(from(bob, "7"), [], { description: { type: "ord", aborted: true } })],
      "Receive Success fee 10: bob:7 -> me:7"
    ],
    "a payment that bounces, whose loss is shown as the fee": [
      [later(from(bob, "90", bounced)), transaction(signed, [to(bob, "100")])],
      "Send Failed fee 33: me:0 -> bob:0"
    ],
    "two payments, one of which bounces": [
      [later(from(bob, "90", bounced)), transaction(signed, [to(bob, "100"), to(wallet, "5")])],
      "Send Success fee 36: me:5 -> wallet:5"
    ],
    "coins that the address sends back by a bounce": [
      [transaction(from(bob, "100"), [to(bob, "87", bounced)], { description: { type: "ord", aborted: true } })],
      "Receive Failed fee 0: bob:0 -> me:0"
    ],
    "a bounce after which the address retains more than the fees, so that the fee is unknown": [
      [transaction(from(bob, "100"), [to(bob, "50", bounced)], { description: { type: "ord", aborted: true } })],
      "Receive Failed fee null: bob:0 -> me:0"
    ],
    "a message that the wallet skipped": [
      [
        transaction(signed, [], {
          description: { type: "ord", aborted: false, action: { success: true, skipped_actions: 1 } }
        })
      ],
      "Send Failed fee 10: me:0 -> "
    ],
    "an action of the wallet that failed": [
      [transaction(signed, [], { description: { type: "ord", aborted: true, action: { success: false } } })],
      "Send Failed fee 10: me:0 -> "
    ],
    "a jetton transfer, without the coins for gas and without the coins that come back": [
      [later(rest), transaction(signed, [gas])],
      "Send Success fee 123: me:5 jetton -> bob:5 jetton",
      [jetton()]
    ],
    "a jetton transfer that is listed twice": [
      [transaction(signed, [gas])],
      "Send Success fee 1013: me:5 jetton -> bob:5 jetton",
      [jetton(), jetton()]
    ],
    "a jetton transfer that forwards coins": [
      [later(rest), transaction(signed, [gas])],
      "Send Success fee 83: me:40 + me:5 jetton -> bob:40 + bob:5 jetton",
      [jetton({ forward_ton_amount: "40" })]
    ],
    "a jetton transfer for which more coins come back than were sent": [
      [later({ ...rest, value: "1200" }), transaction(signed, [gas])],
      "Send Success fee 23: wallet:200 + me:5 jetton -> me:200 + bob:5 jetton",
      [jetton()]
    ],
    "an aborted jetton transfer": [
      [later(from(wallet, "900", bounced)), transaction(signed, [gas])],
      "Send Failed fee 123: me:0 + me:0 jetton -> wallet:0 + bob:0 jetton",
      [jetton({ transaction_aborted: true })]
    ],
    "a jetton transfer that is not listed": [[transaction(signed, [gas])], "Send Unknown fee null: me:0 -> wallet:0"],
    "a jetton transfer and one that is not listed, so that the share of the gas that is a fee is unknown": [
      [transaction(signed, [gas, to(master, "1000", { opcode: "0x0f8a7ea5" })])],
      "Send Success fee null: me:5 jetton -> bob:5 jetton",
      [jetton()]
    ],
    "an exchange of coins for jettons": [
      [transaction(signed, [to(bob, "100")])],
      "Send Success fee 13: me:100 + bob:5 jetton -> bob:100 + me:5 jetton",
      [jetton({ source: bob, destination: alice })]
    ],
    "received jettons with a notification that carries a coin": [
      [transaction(from(wallet, "1", { opcode: "0x7362d09c" }), [], { hash: hash("2") })],
      "Receive Success 1699999999 fee 10: bob:1 + bob:5 jetton -> me:1 + me:5 jetton",
      [jetton({ source: bob, destination: alice, transaction_now: 1_699_999_999 })]
    ],
    "received jettons without a notification": [
      [],
      "Receive Success 1700000005 fee 0: bob:5 jetton -> me:5 jetton",
      [jetton({ source: bob, destination: alice })]
    ],
    "a transaction that is not in a block yet": [
      [transaction(from(bob, "7"), [], { emulated: true })],
      "Receive Pending fee 10: bob:7 -> me:7"
    ],
    "a message without coins": [[transaction(from(bob, "0"))], "Receive Success fee 10: bob:0 -> me:0"]
  }
  for (const [name, [transactions, expected, transfers = []]] of Object.entries(cases))
    it(name, function* () {
      const part = yield* read(listed(...transactions), jettons(...transfers))
      const at = / \d{10} /.test(expected) ? "" : "1700000000 "
      const written = { me: "0:aaaaaa", bob: "0:bbbbbb", wallet: "0:cccccc", jetton: "0:dddddd", fee: `${at}fee` }
      const row = expected.replace(/\b(me|bob|wallet|jetton|fee)\b/g, (word) => written[word as keyof typeof written])
      assert.deepStrictEqual(part.rows, [`11111111 ${row}`])
      assert.deepStrictEqual([part.missing, part.more, part.sources, part.calls] as unknown, [
        [],
        false,
        ["toncenter"],
        { toncenter: 3, tonapi: 0 }
      ])
    })
})

describe("the block of a TON trace", () => {
  it("is the masterchain block of its first transaction", function* () {
    const blocks = Effect.fnUntraced(function* (...rows: ReadonlyArray<unknown>) {
      return (yield* read(listed(...rows), jettons())).transactions.map(({ block }) => block)
    })
    const first = (more: object) => transaction(signed, [to(bob, "7")], more)
    assert.deepStrictEqual(
      yield* blocks(later(from(bob, "2"), { mc_block_seqno: 71 }), first({ mc_block_seqno: 70 })),
      [height(70)]
    )
    assert.deepStrictEqual(yield* blocks(first({ mc_block_seqno: null })), [undefined])
    assert.deepStrictEqual(yield* blocks(first({})), [undefined])
    // It is not stored without its block.
    const provisional = yield* Effect.forEach([{ mc_block_seqno: 70 }, {}], (more) =>
      read(listed(first(more)), jettons())
    )
    assert.deepStrictEqual(
      provisional.map((part) => part.provisional),
      [false, true]
    )
  })
})

describe("a TON Center row without a trace id", () => {
  it("is left out and reported as missing", function* () {
    const { trace_id: _, ...untraced } = later(rest)
    const part = yield* read(listed(untraced, transaction(signed, [gas])), jettons(jetton()))
    assert.deepStrictEqual(part.missing, ["transactions: 1 could not be read"])
  })
})

describe("the history of a TON address", () => {
  it("has the newest transactions from an indexer that is not behind", function* () {
    yield* TestClock.adjust("1 day")
    const center = (hours: number) =>
      toncenter({
        masterchainInfo: json({ last: { gen_utime: String(3_600 * hours), seqno: 5 } }),
        transactions: json({ transactions: [transaction(from(bob, "5"))], address_book: {} }),
        "jetton/transfers": jettons()
      })
    const tonapi = (hours: number) => (request: SentRequest) =>
      isOfHead(request) ? json({ gen_utime: 3_600 * hours, seqno: 5 }) : replay(sample("tonapi", "events"))
    const first = (hours: readonly [number, number], query: Partial<HistoryQuery> = {}) =>
      Effect.gen(function* () {
        const { network: ton } = yield* network({
          "toncenter.test": center(hours[0]),
          "tonapi.test": tonapi(hours[1])
        })
        const part = ton.history?.({ address: alice, limit: 50, ...query }) ?? Effect.die("no history")
        return yield* settled(
          Effect.match(part, { onFailure: ({ message }) => message, onSuccess: ({ sources }) => sources.join() })
        )
      })
    assert.strictEqual(yield* first([24, 24]), "toncenter")
    assert.strictEqual(yield* first([1, 24]), "tonapi")
    assert.strictEqual(yield* first([1, 1]), "tonapi: the node is behind the network")
    const before = { height: position(1_700_000_100), last: "b".repeat(64), returned: 1 }
    assert.strictEqual(yield* first([1, 1], { before }), "toncenter")
  })
})

describe("a TON trace with a row that cannot be read", () => {
  it("is left out as a whole: its coins alone would be a wrong payment", function* () {
    const rows = listed(later(rest), transaction(signed, [gas]))
    const odd = yield* read(rows, jettons(jetton({ amount: "1e3" }), jetton({ trace_id: hash("7") })))
    assert.deepStrictEqual(
      [odd.transactions.map((transaction) => transaction.hash), odd.missing],
      [["7".repeat(64)], ["jetton transfers: 1 could not be read"]]
    )
    assert.lengthOf((yield* read(rows, jettons(jetton()))).transactions, 1)
  })

  it("is read if its sender wrote an impossible amount to forward into a jetton transfer", function* () {
    const odd = yield* read(
      listed(),
      jettons(jetton({ source: bob, destination: alice, forward_ton_amount: String(2n ** 120n - 1n) }))
    )
    assert.deepStrictEqual([odd.transactions.length, odd.missing], [1, []])
  })
})

describe("impossible rows from TON indexers", () => {
  const good = transaction(signed, [to(bob, "5")])
  const other = (more: object) => transaction(signed, [to(bob, "5")], { hash: hash("2"), trace_id: hash("2"), ...more })

  for (const [name, row] of [
    ["of another account", other({ account: bob })],
    ["with an invalid hash", other({ hash: "\ufffd" })],
    ["with more than the total supply", other({ out_msgs: [to(bob, "10000000000000000001")] })],
    ["with a value without a recipient", other({ out_msgs: [{ ...to(bob, "5"), destination: null }] })],
    ["with a recipient without a value", other({ out_msgs: [{ ...to(bob, "5"), value: null }] })],
    ["with a sent message without its fee", other({ out_msgs: [{ ...to(bob, "5"), fwd_fee: null }] })],
    ["without the message that caused it", other({ in_msg: null })]
  ] as const)
    it(`are left out and reported as missing: a transaction ${name}`, function* () {
      const { missing, transactions } = yield* read(listed(good, row), jettons())
      assert.deepStrictEqual([transactions.length, missing], [1, ["transactions: 1 could not be read"]])
    })

  it("are left out and reported as missing: an event of another account", function* () {
    const event = (digit: string, account: string) => ({
      event_id: digit.repeat(64),
      account: { address: account },
      timestamp: 1_700_000_000,
      lt: 1,
      in_progress: false,
      extra: 0,
      actions: [
        {
          type: "TonTransfer",
          status: "ok",
          TonTransfer: { sender: { address: bob }, recipient: { address: alice }, amount: 5 }
        }
      ]
    })
    const tonapi = json({ events: [event("1", alice.toUpperCase()), event("2", bob)] })
    const { missing, transactions } = yield* read(refused, refused, {}, tonapi)
    assert.deepStrictEqual(
      transactions.map((row) => row.hash),
      ["1".repeat(64)]
    )
    assert.include(missing.join(), "1 could not be read")
  })
})
