import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import type { Chain } from "../../../src/chains/Chain.ts"
import type { HistoryQuery } from "../../../src/domain/Transaction.ts"
import { height, position } from "../../../src/domain/units.ts"
import { withTexts } from "../../support/gaps.ts"
import { short } from "../../support/histories.ts"
import { json, type Reply, type SentRequest } from "../../support/http.ts"
import { settled } from "../../support/settled.ts"
import * as TronNodes from "../../support/TronNodes.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { alice, bob, headless, isOfHead, network, usdt } from "./tron.ts"

const empty = { success: true, data: [], meta: { at: 1, page_size: 0 } }
const isTransfers = ({ url }: SentRequest) => url.pathname.endsWith("/trc20")

const read = Effect.fnUntraced(function* (handler: (request: SentRequest) => Reply, query: Partial<HistoryQuery> = {}) {
  const tron: Pick<Chain["Type"], "history"> & { readonly requests: ReadonlyArray<SentRequest> } = yield* network(
    headless(handler)
  )
  const part = yield* settled(tron.history?.({ address: alice, limit: 50, ...query }) ?? Effect.die("no history"))
  return {
    ...withTexts(part),
    requests: tron.requests.filter((request) => !isOfHead(request)),
    rows: part.transactions.map(short)
  }
})

const rows = (data: ReadonlyArray<unknown>) => json({ ...empty, data })

/** TronGrid with one page per list. */
const grid =
  (transactions: ReadonlyArray<unknown>, transfers: ReadonlyArray<unknown> = []) =>
  (request: SentRequest): Reply =>
    rows(isTransfers(request) ? transfers : transactions)

const hash = (digit: string) => digit.repeat(64)
const hexAlice = "412e1d447fa4169390cf5f5b3d12d380decfbfe20f"
const hexBob = "4139fec4d95bb59f45a727f9234020adaf2cec9e20"
const hexUsdt = "41a614f803b6fd780986a42c78ec9c7f77e6ded13c"

const transaction = (type: string, value: object, more: object = {}) => ({
  txID: hash("a"),
  block_timestamp: 1_700_000_000_999,
  blockNumber: 5,
  ret: [{ contractRet: "SUCCESS", fee: 7 }],
  raw_data: { contract: [{ type, parameter: { value: { owner_address: hexAlice, ...value } } }] },
  ...more
})

const transfer = (more: object = {}) => ({
  transaction_id: hash("a"),
  block_timestamp: 1_700_000_000_999,
  type: "Transfer",
  from: alice,
  to: bob,
  value: "5",
  token_info: { address: usdt.address },
  ...more
})

const call = (to: string, amount: number) =>
  `a9059cbb${to.slice(2).padStart(64, "0")}${amount.toString(16).padStart(64, "0")}`

describe("the history of a Tron address", () => {
  const sent = (more: object = {}) => transaction("TransferContract", { to_address: hexBob, amount: 3 }, more)
  const called = (value: object, more: object = {}) => transaction("TriggerSmartContract", value, more)

  it("orders transactions of a block by their hashes, however they arrive and however many are read", function* () {
    const block = ["b", "c", "a"].map((digit) => sent({ txID: hash(digit) }))
    for (const arrived of [block, block.toReversed()]) {
      const { transactions } = yield* read(grid(arrived))
      assert.deepStrictEqual(
        transactions.map((own) => own.hash),
        ["a", "b", "c"].map(hash)
      )
      const { transactions: cut } = yield* read(grid(arrived), { limit: 2 })
      assert.deepStrictEqual(
        cut.map((own) => own.hash),
        ["a", "b"].map(hash)
      )
    }
  })

  /** Rows of TronGrid, and how the history lists them: the holder is `me`. */
  const cases: Readonly<Record<string, readonly [row: unknown, expected: string, isPart?: true]>> = {
    "an outgoing transfer": [sent(), "Send Success fee 7: me:3 -> bob:3"],
    "an incoming transfer": [
      transaction("TransferContract", { owner_address: hexBob, to_address: hexAlice, amount: 3 }),
      "Receive Success fee 7: bob:3 -> me:3"
    ],
    "a TRC-10 token by its id": [
      transaction("TransferAssetContract", { to_address: hexBob, amount: 3, asset_name: "1002000" }),
      "Send Success fee 7: me:3 1002000 -> bob:3 1002000"
    ],
    "a TRC-10 token by its id in hex": [
      transaction("TransferAssetContract", { to_address: hexBob, amount: 3, asset_name: "31303032303030" }),
      "Send Success fee 7: me:3 1002000 -> bob:3 1002000"
    ],
    "a TRC-10 token with a name instead of an id as Unknown": [
      transaction("TransferAssetContract", { to_address: hexBob, amount: 3, asset_name: "SEED" }),
      "Send Success fee 7: me:3 Unknown -> bob:3 Unknown"
    ],
    "a contract call with coins": [
      called({ contract_address: hexBob, call_value: 3, data: "d0e30db0" }),
      "Contract Call Success fee 7: me:3 -> bob:3"
    ],
    "a contract call with a TRC-10 token": [
      called({
        contract_address: hexBob,
        call_token_value: 3,
        token_id: 1002000,
        data: "00"
      }),
      "Contract Call Success fee 7: me:3 1002000 -> bob:3 1002000"
    ],
    "an approval as a call with a zero amount": [
      called({ contract_address: hexUsdt, data: `095ea7b3${"0".repeat(128)}` }),
      "Contract Call Success fee 7: me:0 -> usdt:0"
    ],
    "a token transfer that is missing in the transfer list": [
      called({ contract_address: hexUsdt, data: call(hexBob, 9) }),
      "Send Success fee 7: me:9 usdt -> bob:9 usdt"
    ],
    "a failed token transfer with a zero amount": [
      called({ contract_address: hexUsdt, data: call(hexBob, 9) }, { ret: [{ contractRet: "OUT_OF_ENERGY", fee: 7 }] }),
      "Send Failed fee 7: me:0 usdt -> bob:0 usdt"
    ],
    "a stake, which leaves the balance": [
      transaction("FreezeBalanceV2Contract", { frozen_balance: 3 }),
      "FreezeBalanceV2 Success fee 7: me:3 -> "
    ],
    "the withdrawal of an unstaked amount": [
      transaction("WithdrawExpireUnfreezeContract", {}, { withdraw_expire_amount: 3 }),
      "WithdrawExpireUnfreeze Success fee 7:  -> me:3"
    ],
    "a reward": [
      transaction("WithdrawBalanceContract", {}, { withdraw_amount: 3 }),
      "WithdrawBalance Success fee 7:  -> me:3"
    ],
    "a vote": [transaction("VoteWitnessContract", { votes: [] }), "VoteWitness Success fee 7: me:0 -> "],
    "a delegation": [
      transaction("DelegateResourceContract", { receiver_address: hexBob, balance: 4 }),
      "DelegateResource Success fee 7: me:0 -> bob:0"
    ],
    "a new contract": [
      transaction("CreateSmartContract", { new_contract: {} }),
      "CreateSmartContract Success fee 7: me:0 -> "
    ],
    "a new contract with coins and tokens": [
      transaction("CreateSmartContract", { new_contract: { call_value: 3 }, call_token_value: 4, token_id: 1002000 }),
      "CreateSmartContract Success fee 7: me:3 + me:4 1002000 -> "
    ],
    "a purchase in a token sale": [
      transaction("ParticipateAssetIssueContract", { to_address: hexBob, amount: 3, asset_name: "31303032303030" }),
      "ParticipateAssetIssue Success fee 7: me:3 -> bob:3",
      true
    ],
    "an order that sells TRX": [
      transaction("MarketSellAssetContract", {
        sell_token_id: "5f",
        sell_token_quantity: 3,
        buy_token_id: "31303032303030",
        buy_token_quantity: 9
      }),
      "MarketSellAsset Success fee 7: me:3 -> ",
      true
    ],
    "a trade of TRX for a token at an exchange": [
      transaction("ExchangeTransactionContract", { exchange_id: 9, token_id: "_", quant: 3, expected: 1 }),
      "ExchangeTransaction Success fee 7: me:3 -> ",
      true
    ],
    "a trade of a token for TRX at an exchange": [
      transaction("ExchangeTransactionContract", { exchange_id: 9, token_id: "31303032303030", quant: 3 }),
      "ExchangeTransaction Success fee 7: me:3 1002000 -> ",
      true
    ],
    "a deposit into an exchange": [
      transaction("ExchangeInjectContract", { exchange_id: 9, token_id: "5f", quant: 3 }),
      "ExchangeInject Success fee 7: me:3 -> ",
      true
    ],
    "a withdrawal from an exchange": [
      transaction("ExchangeWithdrawContract", { exchange_id: 9, token_id: "5f", quant: 3 }),
      "ExchangeWithdraw Success fee 7:  -> me:3",
      true
    ],
    "a new exchange": [
      transaction("ExchangeCreateContract", {
        first_token_id: "31303032303030",
        first_token_balance: 4,
        second_token_id: "5f",
        second_token_balance: 3
      }),
      "ExchangeCreate Success fee 7: me:4 1002000 + me:3 -> "
    ],
    "a new account": [
      transaction("AccountCreateContract", { account_address: hexBob }),
      "AccountCreate Success fee 7: me:0 -> bob:0"
    ],
    "a transfer without a receipt as Pending": [
      sent({ ret: [{ contractRet: "SUCCESS" }] }),
      "Send Pending fee null: me:3 -> bob:3"
    ],
    "an unconfirmed transfer without a block as Pending": [
      sent({ blockNumber: undefined, ret: undefined, _unconfirmed: true }),
      "Send Pending fee null: me:3 -> bob:3"
    ],
    "a failed call without a block number as Failed": [
      called(
        { contract_address: hexBob, data: "deadbeef" },
        { blockNumber: undefined, ret: [{ contractRet: "REVERT", fee: 7 }], _unconfirmed: true }
      ),
      "Contract Call Failed fee 7: me:0 -> bob:0"
    ],
    "an unconfirmed transfer as Pending": [sent({ _unconfirmed: true }), "Send Pending fee 7: me:3 -> bob:3"],
    "a fee that is given in parts as their sum": [
      sent({ ret: [{ code: "SUCESS" }], net_fee: 2, energy_fee: 3 }),
      "Send Success fee 5: me:3 -> bob:3"
    ]
  }
  for (const [name, [row, expected, isPart]] of Object.entries(cases))
    it(`lists ${name}`, function* () {
      const { missing, more, sources, rows, unavailable } = yield* read(grid([row]))
      const written = { me: "TEB39Rt6", bob: "TFFriedw", usdt: "TR7NHqje", fee: "1700000000 fee" }
      const line = expected.replace(/\b(me|bob|usdt|fee)\b/g, (word) => written[word as keyof typeof written])
      assert.deepStrictEqual(rows, [`aaaaaaaa ${line}`])
      const returned = "proceeds of trades on Tron's built-in exchanges and of token sales"
      assert.deepStrictEqual(unavailable ?? [], isPart ? [returned] : [])
      assert.deepStrictEqual([missing, more, sources] as unknown, [[], false, ["trongrid"]])
    })

  it("has the block of a confirmed transaction, which rows of tokens do not have", function* () {
    const blocks = Effect.fnUntraced(function* (handler: (request: SentRequest) => Reply) {
      return (yield* read(handler)).transactions.map(({ block }) => block)
    })
    assert.deepStrictEqual(yield* blocks(grid([sent()], [transfer()])), [height(5)])
    assert.deepStrictEqual(yield* blocks(grid([sent({ _unconfirmed: true })])), [undefined])
    assert.deepStrictEqual(yield* blocks(grid([], [transfer()])), [undefined])
  })

  const message = (more: object = {}) => ({
    internal_tx_id: hash("1"),
    from_address: hexBob,
    to_address: hexAlice,
    data: { note: "63616c6c", rejected: false, call_value: { _: 4 } },
    ...more
  })

  it("joins the coins and tokens of a call, each transfer once, and omits transfers between others", function* () {
    const others = message({ internal_tx_id: hash("2"), to_address: hexBob })
    const rejected = message({ internal_tx_id: hash("3"), data: { rejected: true, call_value: { _: 9 } } })
    const swap = transaction(
      "TriggerSmartContract",
      { contract_address: hexBob, call_value: 10, data: "deadbeef" },
      { internal_transactions: [message(), others, rejected] }
    )
    const internalRow = { ...message(), tx_id: hash("a"), block_timestamp: 1_700_000_000_999 }
    const got = transfer({ from: bob, to: alice })
    const { rows } = yield* read(grid([swap, internalRow], [got]))
    assert.deepStrictEqual(rows, [
      "aaaaaaaa Contract Call Success 1700000000 fee 7: TEB39Rt6:10 + TFFriedw:5 TR7NHqje + TFFriedw:4 -> TFFriedw:10 + TEB39Rt6:5 TR7NHqje + TEB39Rt6:4"
    ])
  })

  it("is left out if an internal transaction is listed twice, with different amounts", function* () {
    const swap = transaction("TriggerSmartContract", { data: "deadbeef" }, { internal_transactions: [message()] })
    const other = {
      ...message({ data: { call_value: { _: 5 } } }),
      tx_id: hash("a"),
      block_timestamp: 1_700_000_000_999
    }
    const { missing, rows } = yield* read(grid([swap, other]))
    assert.deepStrictEqual(rows, [])
    assert.deepStrictEqual(missing, ["1 transactions: trongrid returned them twice, with different values"])
  })

  it("contains transfers in transactions of other accounts, with an unknown fee", function* () {
    const at = { tx_id: hash("b"), block_timestamp: 1_700_000_002_000 }
    const failure = { internal_tx_id: hash("3"), data: { rejected: true, call_value: { _: 4 } } }
    const rejected = { ...message(failure), ...at, tx_id: hash("d") }
    const token = message({ internal_tx_id: hash("2"), data: { call_value: { "1002000": 4 } } })
    const { rows } = yield* read(
      grid(
        [{ ...message(), ...at }, { ...token, ...at, tx_id: hash("c") }, rejected],
        [transfer({ from: bob, to: alice }), transfer({ transaction_id: hash("e"), from: alice, to: bob })]
      )
    )
    assert.deepStrictEqual(rows, [
      "bbbbbbbb Receive Success 1700000002 fee null: TFFriedw:4 -> TEB39Rt6:4",
      "cccccccc Receive Success 1700000002 fee null: TFFriedw:4 1002000 -> TEB39Rt6:4 1002000",
      "dddddddd Receive Failed 1700000002 fee null:  -> ",
      "aaaaaaaa Receive Success 1700000000 fee null: TFFriedw:5 TR7NHqje -> TEB39Rt6:5 TR7NHqje",
      "eeeeeeee Send Success 1700000000 fee null: TEB39Rt6:5 TR7NHqje -> TFFriedw:5 TR7NHqje"
    ])
  })

  it("omits approvals, and lists spam tokens and transfers of zero", function* () {
    const { rows } = yield* read(
      grid(
        [],
        [
          transfer({ type: "Approval", value: "9".repeat(78) }),
          transfer({ transaction_id: hash("b"), from: bob, to: alice, value: "0" }),
          transfer({ transaction_id: hash("c"), from: bob, to: alice, token_info: {} })
        ]
      )
    )
    assert.deepStrictEqual(rows, [
      "bbbbbbbb Receive Success 1700000000 fee null: TFFriedw:0 TR7NHqje -> TEB39Rt6:0 TR7NHqje",
      "cccccccc Receive Success 1700000000 fee null: TFFriedw:5 Unknown -> TEB39Rt6:5 Unknown"
    ])
  })

  it("reports a row of a message without an amount, unless it was rejected", function* () {
    const at = { tx_id: hash("b"), block_timestamp: 1_700_000_002_000 }
    const odd = [
      { data: undefined },
      { data: { rejected: false } },
      { data: { call_value: {} } },
      { data: { call_value: { a: 4 } } }
    ]
    for (const more of odd) {
      const { missing } = yield* read(
        grid([
          { ...message(), ...at, tx_id: hash("c") },
          { ...message(more), ...at }
        ])
      )
      assert.deepStrictEqual([...missing], ["transactions: 1 could not be read"])
    }
  })

  it("counts unreadable rows, and reports the list as missing if every row is unreadable", function* () {
    const good = transaction("TransferContract", { to_address: hexBob, amount: 3 })
    const { missing, rows } = yield* read(grid([good, { txID: "odd" }, null]))
    assert.strictEqual(rows.length, 1)
    assert.deepStrictEqual([...missing], ["transactions: 2 could not be read"])
    const sent = { to_address: hexBob, amount: 3 }
    const others = [transaction("TransferContract", { ...sent, owner_address: "-7" }), { ...good, block_timestamp: -7 }]
    for (const other of others) {
      const odd = yield* read(grid([good, { ...other, txID: hash("c") }]))
      assert.deepStrictEqual([odd.rows.length, ...odd.missing], [1, "transactions: 1 could not be read"])
    }
    // Two transactions with the same hash.
    const twice = yield* read(grid([good, { ...good, net_fee: 8 }, { ...good, txID: hash("c") }]))
    assert.deepStrictEqual([twice.rows.length, ...twice.missing], [1, "transactions: 2 could not be read"])
    const { missing: without } = yield* read(grid([{ txID: "odd" }]))
    assert.deepStrictEqual([...without], ["transactions: trongrid: returned transactions in an unexpected format"])
  })
})

/** Serves these pages of transactions, repeats the last page, and serves no token transfers. */
describe("the first page of a Tron history", () => {
  it("comes from a host that is not behind, and takes no further call after its balances", function* () {
    const nodes = TronNodes.speaking({ trx: { [alice]: 7n } })
    const lists = grid([transaction("TransferContract", { to_address: hexBob, amount: 3 })])
    const of = Effect.fnUntraced(function* (lag: number, query: Partial<HistoryQuery> = {}, afterBalances = false) {
      const stalled = lag === 0 ? nodes : TronNodes.speaking({ trx: { [alice]: 7n }, lag })
      const { history, holdings, requests } = yield* network(
        (request) => (request.url.pathname.startsWith("/v1/") ? lists(request) : stalled(request)),
        []
      )
      if (afterBalances) yield* settled(holdings([alice]))
      const part = history?.({ address: alice, limit: 50, ...query }) ?? Effect.die("no history")
      const found = yield* settled(
        Effect.match(part, {
          onFailure: ({ message }) => message,
          onSuccess: ({ transactions }) => transactions.length
        })
      )
      return [found, requests.filter(isOfHead).length]
    })
    yield* TestClock.adjust("1 hour")
    assert.deepStrictEqual(yield* of(0), [1, 1])
    assert.deepStrictEqual(yield* of(0, {}, true), [1, 0])
    assert.deepStrictEqual(yield* of(600), ["trongrid: the node is behind the network", 1])
    const before = { height: position(1_700_000_001_000), last: hash("b"), returned: 1 }
    assert.deepStrictEqual(yield* of(600, { before }), [1, 0])
  })
})

describe("an implausible row from TronGrid", () => {
  const good = transaction("TransferContract", { to_address: hexBob, amount: 3 })
  const others = { owner_address: hexBob, to_address: hexUsdt, amount: 3 }

  for (const [name, row] of [
    ["of other accounts", transaction("TransferContract", others, { txID: hash("b") })],
    ["without a block number and not marked as unconfirmed", { ...good, txID: hash("c"), blockNumber: undefined }],
    ["with a malformed hash", { ...good, txID: "\ufffd".repeat(64) }],
    [
      "with an amount that no account can hold",
      transaction("TransferContract", { to_address: hexBob, amount: 2 ** 64 }, { txID: hash("d") })
    ]
  ] as const)
    it(`${name} is omitted and reported as missing`, function* () {
      const { missing, transactions } = yield* read(grid([good, row]))
      assert.deepStrictEqual([transactions.length, missing], [1, ["transactions: 1 could not be read"]])
    })

  it("is omitted if it is a token transfer between other accounts or exceeds 256 bits", function* () {
    const wrong = [{ from: usdt.address }, { value: String(2n ** 256n) }].map((more, index) =>
      transfer({ transaction_id: hash(String(index)), ...more })
    )
    const { missing } = yield* read(grid([good], [transfer(), ...wrong]))
    assert.deepStrictEqual(missing, ["token transfers: 2 could not be read"])
  })

  it("takes the other rows of its transaction with it, which alone would be wrong, and no others", function* () {
    const call = transaction("TriggerSmartContract", { contract_address: hexUsdt, data: "00" })
    const other = { ...call, txID: hash("b") }
    for (const change of [{ value: {} }, { from: null }, { from: usdt.address }, { block_timestamp: "now" }]) {
      const { missing, transactions } = yield* read(
        grid([call, other], [transfer(change), transfer({ transaction_id: hash("c") })])
      )
      assert.deepStrictEqual(
        transactions.map((own) => own.hash),
        [hash("b"), hash("c")]
      )
      assert.deepStrictEqual(missing, ["token transfers: 1 could not be read"])
    }
  })
})
