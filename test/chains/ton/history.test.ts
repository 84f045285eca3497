import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import type { HistoryQuery } from "../../../src/domain/Transaction.ts"
import { height, position } from "../../../src/domain/units.ts"
import { type Exchange, fixture, recorded, replay, sample } from "../../support/fixtures.ts"
import { withTexts } from "../../support/gaps.ts"
import { short } from "../../support/histories.ts"
import { json, type Reply, refused, repliesInOrder, type SentRequest } from "../../support/http.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { calls, isOfHead, network, own, sampleMaster, toncenter } from "./ton.ts"

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

/** Rows of the history of an address, read from the transactions of an exchange. */
const tracesOf = (
  exchange: Exchange,
  address: string,
  more: ReadonlyArray<unknown> = [],
  transfers: Reply = jettons()
) => {
  const { transactions } = exchange.response.body as { transactions: ReadonlyArray<{ account: string }> }
  const own = transactions
    .filter(({ account }) => account.toLowerCase() === address)
    // One recording is from before TON Center returned trace ids.
    .map((row) => ("hash" in row ? { trace_id: row.hash, ...row } : row))
  return Effect.map(read(listed(...more, ...own), transfers, { address }), ({ missing, rows }) => {
    assert.deepStrictEqual([...missing], [])
    return rows
  })
}

recorded("recorded TON Center transactions", () => {
  const of = (name: string, address: string, more?: ReadonlyArray<unknown>, transfers?: Reply) =>
    tracesOf(fixture("toncenter-v3", name), address, more, transfers)
  const sender = "0:5a78b3c4cf147040fdb34768d4abe734a47ccd0c9e0e065a4c7d9c62978d1f2f"
  const refuser = "0:35d5f38cf7bf64062c021cc779250a29e4987290a6722a07685b5472b28cf89f"

  it("match the balances before and after: a payment costs the fees and the forwarding fee", function* () {
    const payer = "0:5763e0f7f11c3944c41c8e981664cfaac9f50305085ca8af7d93efb585bcde0f"
    assert.deepStrictEqual(yield* of("tx-transfer-success", payer), [
      `51cc5ddc Send Success 1753968698 fee ${31651604164n - 649223335n - 31000000000n}: 0:5763e0:31000000000 -> 0:59b357:31000000000`
    ])
    const tester = "0:237e5119ffa2a028cc4f95c9ca37566852f1dd4d3ea15704d6f791065507de4a"
    assert.deepStrictEqual(yield* of("testnet-transaction-comment-weird-credit", tester), [
      `cc3c7b12 Send Success 1721063820 fee ${684739799n - 660513014n - 22000000n}: 0:237e51:22000000 -> 0:a1a2dc:22000000`
    ])
  })

  it("show a bounce for the sender and for the recipient", function* () {
    assert.deepStrictEqual(yield* of("tx-bounced", refuser), [
      `2baedf42 Receive Failed 1753890772 fee ${699378912682n - 699378911544n}: 0:5a78b3:0 -> 0:35d5f3:0`
    ])
    const { transactions } = fixture("toncenter-v3", "tx-bounced").response.body as {
      transactions: ReadonlyArray<{ readonly out_msgs: ReadonlyArray<object> }>
    }
    const returned = {
      ...transactions[1],
      hash: hash("2"),
      lt: "59950377000005",
      total_fees: "0",
      in_msg: transactions[0]?.out_msgs[0],
      out_msgs: []
    }
    assert.deepStrictEqual(yield* of("tx-bounced", sender, [returned]), [
      `2baedf42 Send Failed 1753890772 fee ${3199896n + 312536n + 100000000n - 97854000n}: 0:5a78b3:0 -> 0:35d5f3:0`
    ])
  })

  it("show coins received by an account that does not exist yet as a success, although it is aborted", function* () {
    const name = "tx-plain-transfer-to-nonexist-aborted"
    assert.deepStrictEqual(
      [
        ...(yield* of(name, "0:e49681f811bd14cbcb4b8d312ff3f6d24efdfcd18d7ca566074045e242b008a3")),
        ...(yield* of(name, "0:fd72417897def74c2f7ef344790ffa1a39cd0b55ece8b7d8b2bf5a7ffc2679dc"))
      ],
      [
        "6e6db544 Receive Success 1717620783 fee 0: 0:fd7241:3000000000 -> 0:e49681:3000000000",
        "6e6db544 Send Success 1717620738 fee 3729600: 0:fd7241:3000000000 -> 0:e49681:3000000000"
      ]
    )
  })

  it("do not show the gas of a jetton transfer as a payment, even if the transfer has no recipient", function* () {
    const payer = "0:33a14a5a9406979d59b9328898591660b8b1736342b11632efdcc911ab9057cf"
    assert.deepStrictEqual(
      [
        ...(yield* of("tx-jetton-transfer-wallet-side", payer)),
        ...(yield* of("tx-jetton-transfer-to-master-error", payer))
      ],
      [
        "5f6ad04c Send Unknown 1755583247 fee null: 0:33a14a:0 -> 0:2e6904:0",
        "6440bdac Send Unknown 1755582352 fee null: 0:33a14a:0 -> 0:b113a9:0"
      ]
    )
  })

  it("show a complete jetton transfer, and ticks of system contracts from the same block", function* () {
    const payer = "0:2db133f2ad27be6231fefa2e9258de79d8df8ff1b32c6620b81564144a6061c8"
    const sent = jetton({
      source: payer,
      source_wallet: "0:695092b1b9d1f90824c4d609c58959300495b51b4986ec4a5089a2d24074fa2c",
      forward_ton_amount: "1",
      transaction_now: 1_756_245_536,
      trace_id: Buffer.from("3863b0b7".padEnd(64, "0"), "hex").toString("base64")
    })
    const { transactions } = fixture("toncenter-v3", "block-transactions-tick-tock").response.body as {
      transactions: ReadonlyArray<{ account: string; trace_id: string }>
    }
    const trace = transactions.find(({ account }) => account.toLowerCase() === payer)?.trace_id
    assert.deepStrictEqual(
      yield* of("block-transactions-tick-tock", payer, [], jettons({ ...sent, trace_id: trace })),
      [
        "3863b0b7 Send Success 1756245536 fee 6595713: 0:2db133:1 + 0:2db133:5 0:dddddd -> 0:bbbbbb:1 + 0:bbbbbb:5 0:dddddd"
      ]
    )
    const elector = `-1:${"3".repeat(64)}`
    assert.deepStrictEqual(yield* of("block-transactions-tick-tock", elector), [
      "c16c1915 Receive Success 1756245539 fee 0: -1:00000:2717296595 -> -1:33333:2717296595",
      "d2656c6c tick_tock Success 1756245539 fee 0: -1:33333:0 -> "
    ])
  })

  it("are an empty list for an empty response, and an error for the response to another request", function* () {
    const none = yield* read(replay(fixture("toncenter-v3", "testnet-transactions-empty")), jettons())
    assert.deepStrictEqual([none.rows, none.more, none.missing] as unknown, [[], false, []])
    for (const name of ["jetton-wallets", "testnet-masterchain-info", "tx-transfer-success"]) {
      const answer = replay(fixture("toncenter-v3", name))
      const failure = yield* Effect.flip(read(answer, answer, {}, replay(fixture("tonapi", "tx-transfer")), answer))
      assert.strictEqual("reason" in failure ? failure.reason : failure, "bad_answer")
    }
  })
})

/** History of an address from TonAPI with an exchange as its first page, and the cursor of the last requested page. */
const eventsOf = (exchange: Exchange, address: string) => {
  const pages = repliesInOrder(replay(exchange), json({ events: [], next_from: 0 }))
  const tonapi = (request: SentRequest) => (isOfHead(request) ? json({}, { status: 404 }) : pages())
  return Effect.map(read(refused, refused, { address }, tonapi), ({ requests, missing, rows }) => {
    const last = requests.filter((item: SentRequest) => item.url.host === "tonapi.test").at(-1)
    return { rows, missing, before: last?.url.searchParams.get("before_lt") ?? undefined }
  })
}

recorded("recorded TonAPI responses", () => {
  it("contain an event whose `extra` is the additional cost of the account and whose id is the trace", function* () {
    const address = "0:44ca54babd057b310a8c9a5bf6a1ce043a56c5bfbb868ddfcce9d6fd860c00b3"
    const { before, rows } = yield* eventsOf(fixture("tonapi", "account-events"), address)
    assert.deepStrictEqual(rows, [
      "21338486 Receive Success 1720327677 fee 426219: 0:97ad93:100000000 -> 0:44ca54:100000000"
    ])
    assert.strictEqual(before, "47587000000001")
  })
})

describe("sample TON Center transactions", () => {
  const of = (name: string) => sample("toncenter-v3", name)
  const expected: Readonly<Record<string, string>> = {
    "transactions-payment": "11111111 Send Success 1760000001 fee 2181240: 0:1a1a1a:7500000000 -> 0:2b2b2b:7500000000",
    "transactions-test-network": "22222222 Send Success 1760000002 fee 2108056: 0:1a1a1a:41000000 -> 0:2b2b2b:41000000",
    "transactions-bounced": "33333333 Receive Failed 1760000003 fee 0: 0:2b2b2b:0 -> 0:1a1a1a:0",
    "transactions-aborted-credit":
      "44444444 Receive Success 1760000004 fee 0: 0:2b2b2b:4100000000 -> 0:1a1a1a:4100000000",
    "transactions-jetton": "55555555 Send Unknown 1760000005 fee null: 0:1a1a1a:0 -> 0:3c3c3c:0"
  }
  for (const [name, trace] of Object.entries(expected))
    it(name, function* () {
      assert.deepStrictEqual(yield* tracesOf(of(name), own), [trace])
    })

  it("transactions-tick-tock: show no transfer for a tick of a system contract", function* () {
    assert.deepStrictEqual(yield* tracesOf(of("transactions-tick-tock"), `-1:${"3".repeat(64)}`), [
      "66666666 tick_tock Success 1760000006 fee 0: -1:33333:0 -> "
    ])
  })

  it("jetton-transfers: show how much of the gas is a fee", function* () {
    const part = yield* read(replay(of("transactions-jetton")), replay(of("jetton-transfers")), { address: own })
    const [jetton, fee] = [sampleMaster.slice(0, 8), 2_984_001n + 290_011n + 120_000_000n - 1n]
    assert.deepStrictEqual(part.rows, [
      `55555555 Send Success 1760000005 fee ${fee}: 0:1a1a1a:1 + 0:1a1a1a:4200000 ${jetton} -> 0:2b2b2b:1 + 0:2b2b2b:4200000 ${jetton}`
    ])
  })

  it("are an empty list for an empty response, and an error for the response to another request", function* () {
    const none = yield* read(replay(of("transactions-empty")), jettons(), { address: own })
    assert.deepStrictEqual([none.rows, none.more, none.missing] as unknown, [[], false, []])
    for (const name of ["jetton-wallets", "masterchain-info", "transactions-tick-tock"]) {
      const answer = replay(of(name))
      const failure = yield* Effect.flip(
        read(answer, answer, { address: own }, replay(sample("tonapi", "transaction")), answer)
      )
      assert.strictEqual("reason" in failure ? failure.reason : failure, "bad_answer")
    }
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

describe("sample TonAPI events", () => {
  it("have the additional cost of the account as `extra`, and the trace as id", function* () {
    assert.deepStrictEqual<unknown>(yield* eventsOf(sample("tonapi", "events"), own), {
      rows: ["11111111 Receive Success 1760000001 fee 517003: 0:2b2b2b:260000000 -> 0:1a1a1a:260000000"],
      missing: [],
      before: "60000000000001"
    })
  })

  it("report the transfers that an action does not describe as missing", function* () {
    const jetton = sampleMaster.slice(0, 8)
    assert.deepStrictEqual<unknown>(yield* eventsOf(sample("tonapi", "events-exchange"), own), {
      rows: [`22222222 Send Success 1760000002 fee 3000000: 0:1a1a1a:4200000 ${jetton} -> 0:2b2b2b:4200000 ${jetton}`],
      missing: ["transfers of exchanges, stakes and NFTs: tonapi does not return all of them"],
      before: undefined
    })
  })
})

describe("a TON trace with a row that cannot be read", () => {
  it("is left out as a whole: its coins alone would be a wrong payment", function* () {
    const rows = listed(later(rest), transaction(signed, [gas]))
    const odd = yield* read(rows, jettons(jetton({ amount: "1e3" }), jetton({ trace_id: hash("7") })))
    assert.deepStrictEqual(
      [odd.transactions.map((item) => item.hash), odd.missing],
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
      transactions.map((item) => item.hash),
      ["1".repeat(64)]
    )
    assert.include(missing.join(), "1 could not be read")
  })
})
