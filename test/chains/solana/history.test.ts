import { base58 } from "@scure/base"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import type { Transaction } from "../../../src/domain/Transaction.ts"
import { height, position, seconds } from "../../../src/domain/units.ts"
import { solana } from "../../../src/sandbox/solana/solana.ts"
import { ledger } from "../../../src/sandbox/world/ledger.ts"
import * as EvmNodes from "../../support/EvmNodes.ts"
import { faultyHosts } from "../../support/faults.ts"
import { Solana } from "../../support/networks.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { samples } from "../families/samples.ts"
import { historyOf, listed, type Network, nodeWith, transfer } from "./historyNodes.ts"
import { built, bytes, key, keys, network, token } from "./nodes.ts"

const many = (count: number, from = 0) => {
  const names = Array.from({ length: count }, (_, index) => `s${from + count - index}`)
  return {
    list: names.map((name, index) => listed(name, 10_000 - index, 1_700_000_000 - index)),
    all: Object.fromEntries(names.map((name) => [name, { ...transfer(key(2), key(1), 7), blockTime: null }]))
  }
}

const methodsOf = ({ seen }: Network) => seen.map(({ methods }) => methods.map((method) => method.replace(/^get/, "")))

describe("Solana history", () => {
  it("is empty for an address that was never used, after one request", function* () {
    const unused = yield* network(nodeWith({}, {}), [])
    assert.deepStrictEqual(yield* historyOf(unused, key(1)), {
      transactions: [],
      more: false,
      sources: ["solana-rpc"],
      missing: []
    })
    assert.deepStrictEqual(methodsOf(unused), [
      [
        "FirstAvailableBlock",
        "SignaturesForAddress",
        "TokenAccountsByOwner",
        "TokenAccountsByOwner",
        "MultipleAccounts"
      ]
    ])
  })

  it("comes from the next node if the first has only the newest blocks, or reports what is missing", function* () {
    const { all, list } = many(30)
    const slot = list[3]?.slot ?? 0
    const short = nodeWith(all, { [key(1)]: list.slice(0, 4) }, [], slot)
    const whole = yield* network(short, [], nodeWith(all, { [key(1)]: list }))
    const { missing, more, transactions } = yield* historyOf(whole, key(1))
    assert.deepStrictEqual([transactions.length, more, [...missing]] as unknown, [30, false, []])
    const why = `transactions before slot ${slot}: solana-rpc: the node does not have the older blocks`
    for (const second of [short, EvmNodes.down, nodeWith(all, {}, [], slot)]) {
      const part = yield* historyOf(yield* network(short, [], second), key(1))
      assert.deepStrictEqual([part.transactions.length, [...part.missing]] as unknown, [4, [why]])
    }
    const unused = yield* historyOf(yield* network(nodeWith({}, {}, [], slot), []), key(1))
    assert.deepStrictEqual([...unused.missing], [why])
    // The requested range is newer than the missing blocks.
    const recent = yield* network(short, [])
    assert.deepStrictEqual([...(yield* historyOf(recent, key(1), 3)).missing], [])
    const since = (list[2]?.blockTime ?? 0) as number
    assert.deepStrictEqual([...(yield* historyOf(recent, key(1), 50, since)).missing], [])
  })

  it("is not complete if no node reports which blocks it has, which a retry changes only if the call has failed", function* () {
    const { all, list } = many(30)
    const lists = { [key(1)]: list.slice(0, 4) }
    const answering = (reply: EvmNodes.Reply) => nodeWith(all, lists, [], reply)
    const text = "transactions before the oldest: solana-rpc: the node does not report which blocks it has"
    for (const [reply, missing, unavailable] of [
      [EvmNodes.error("Method not found", -32601), [], [text]],
      [EvmNodes.result(null), [], [text]],
      [EvmNodes.error("Invalid params", -32602), [text], undefined]
    ] as const) {
      const part = yield* historyOf(yield* network(answering(reply), []), key(1))
      assert.deepStrictEqual([part.transactions.length, part.missing, part.unavailable] as unknown, [
        4,
        missing,
        unavailable
      ])
      const enough = yield* historyOf(yield* network(answering(reply), []), key(1), 3)
      assert.deepStrictEqual([enough.missing, enough.unavailable] as unknown, [[], undefined])
      const whole = yield* network(answering(reply), [], nodeWith(all, { [key(1)]: list }))
      const { transactions, unavailable: none } = yield* historyOf(whole, key(1))
      assert.deepStrictEqual([transactions.length, none], [30, undefined])
    }
  })

  it("does not come from a node whose newest block is old, unless it is a later page", function* () {
    yield* TestClock.adjust("1 day")
    const at = (hours: number) => {
      const name = `at${hours}`
      const time = Buffer.alloc(8)
      time.writeBigInt64LE(BigInt(hours * 3_600))
      const clock = { lamports: 1, data: [time.toString("base64"), "base64"] }
      return nodeWith({ [name]: transfer(key(2), key(1), 7) }, { [key(1)]: [listed(name)] }, [], 0, clock)
    }
    const { transactions } = yield* historyOf(yield* network(at(1), [], at(24)), key(1))
    assert.deepStrictEqual(
      transactions.map(({ hash }) => hash),
      ["at24"]
    )
    const stalled = yield* network(at(1), [])
    const ended = yield* Effect.either(historyOf(stalled, key(1)))
    const before = { height: position(1), last: "at1", returned: 1 }
    const later = yield* settled(stalled.history?.({ address: key(1), limit: 1, before }) ?? Effect.die("no history"))
    assert.strictEqual(later.transactions.length, 1)
    assert.include(Either.isLeft(ended) ? ended.left.message : "", "behind")
  })

  it("takes two requests for small addresses, and six for the largest query", function* () {
    for (const [count, limit, calls] of [
      [3, 50, 2],
      [600, 500, 6]
    ] as const) {
      const { all, list } = many(count)
      const element = yield* network(nodeWith(all, { [key(1)]: list }), [])
      const { missing, more, transactions } = yield* historyOf(element, key(1), limit)
      assert.strictEqual(transactions.length, Math.min(count, limit))
      assert.strictEqual(new Set(transactions.map(({ hash }) => hash)).size, transactions.length)
      assert.deepStrictEqual([more, missing], [count > limit, []])
      assert.strictEqual(element.seen.length, calls)
    }
  })

  it("reads further pages after 1000 signatures", function* () {
    const { all, list } = many(1_500)
    const current = yield* network(nodeWith(all, { [key(1)]: list }), [])
    const { more, transactions } = yield* historyOf(current, key(1), 1_200)
    assert.deepStrictEqual([transactions.length, more], [1_200, true])
  })

  it("returns the requested range, and reports whether it has more transactions than the limit", function* () {
    const { all, list } = many(20)
    const solana = yield* network(nodeWith(all, { [key(1)]: list }), [])
    const { more, transactions } = yield* historyOf(solana, key(1), 50, 1_700_000_000 - 4)
    assert.deepStrictEqual([transactions.length, more], [5, false])
    const fewer = yield* historyOf(solana, key(1), 3, 1_700_000_000 - 4)
    assert.deepStrictEqual([fewer.transactions.length, fewer.more], [3, true])
  })

  it("requests only signatures after a known one, which takes few bytes", function* () {
    const { all, list } = many(500)
    const accounts = keys(20, 100)
    const lists = Object.fromEntries([key(1), ...accounts].map((account) => [account, list]))
    const owned = accounts.map((pubkey) => ({ pubkey, account: bytes(key(30), 3n).account }))
    const sizes: Array<number> = []
    const node = nodeWith(all, lists, owned)
    const solana = yield* network((body, request) => {
      const reply = node(body, request)
      return Effect.tap(reply, (response) =>
        Effect.promise(async () => {
          sizes.push((await response.clone().arrayBuffer()).byteLength)
        })
      )
    }, [])
    const [newest, second] = list
    const since = seconds(newest?.blockTime ?? 0)
    const query = { address: key(1), limit: 500, since, after: second?.signature ?? "" }
    const part = yield* settled(solana.history?.(query) ?? Effect.die("no history"))
    assert.deepStrictEqual([part.transactions.length, part.more, part.gaps] as unknown, [1, false, []])
    assert.isBelow(
      sizes.reduce((sum, size) => sum + size, 0),
      50_000
    )
  })

  it("is complete from a node without older blocks if it has those that are requested", function* () {
    const { all, list } = many(30)
    const slot = list[3]?.slot ?? 0
    const short = nodeWith(all, { [key(1)]: list.slice(0, 4) }, [], slot)
    const since = (age: number) => 1_700_000_000 - age
    // Its first block is as old as its oldest transaction.
    for (const [age, missing] of [
      [3, 0],
      [4, 1]
    ] as const) {
      const part = yield* historyOf(yield* network(short, []), key(1), 50, since(age))
      assert.deepStrictEqual([part.transactions.length, part.missing.length], [4, missing])
    }
    // Nothing is newer than its first block.
    const empty = nodeWith({}, { [key(2)]: list }, [], slot)
    assert.deepStrictEqual((yield* historyOf(yield* network(empty, []), key(1), 50, since(3))).missing, [])
  })

  it("reads the transactions of an address together with the signatures of its token accounts", function* () {
    const ata = key(20)
    const node = nodeWith(
      { own: transfer(key(2), key(1), 7) },
      { [key(1)]: [listed("own", 5)], [ata]: [listed("own", 5)] },
      [{ ...bytes(key(30), 3n), pubkey: ata }].map(({ account: { data }, pubkey }) => ({ pubkey, account: { data } }))
    )
    const solana = yield* network(node, [])
    const { transactions } = yield* historyOf(solana, key(1))
    assert.deepStrictEqual(
      transactions.map(({ hash }) => hash),
      ["own"]
    )
    assert.deepStrictEqual(methodsOf(solana), [
      [
        "FirstAvailableBlock",
        "SignaturesForAddress",
        "TokenAccountsByOwner",
        "TokenAccountsByOwner",
        "MultipleAccounts"
      ],
      ["SignaturesForAddress", "Transaction"]
    ])
  })

  it("finds incoming tokens at the token accounts, each transaction once and in order", function* () {
    const [ata, other] = [key(20), key(21)]
    const mint = key(30)
    const incoming = {
      blockTime: 1_700_000_500,
      meta: {
        err: null,
        fee: 5,
        preBalances: [105, 9, 9],
        postBalances: [100, 9, 9],
        preTokenBalances: [
          {
            accountIndex: 1,
            mint,
            owner: key(2),
            uiTokenAmount: { amount: "18446744073709551615", uiAmount: 1.8e13 }
          }
        ],
        postTokenBalances: [
          { accountIndex: 1, mint, owner: key(2), uiTokenAmount: { amount: "5" } },
          { accountIndex: 2, mint, owner: key(1), uiTokenAmount: { amount: "18446744073709551610" } }
        ]
      },
      transaction: { message: { accountKeys: [key(2), other, ata], instructions: [] } }
    }
    const node = nodeWith(
      { incoming, both: transfer(key(2), key(1), 7) },
      {
        [key(1)]: [listed("both", 5, 1_700_000_000)],
        [ata]: [listed("incoming", 9, 1_700_000_500), listed("both", 5, 1_700_000_000)]
      },
      [{ ...bytes(mint, 3n), pubkey: ata }].map(({ account: { data }, pubkey }) => ({ pubkey, account: { data } }))
    )
    const solana = yield* network(node, [])
    const { transactions } = yield* historyOf(solana, key(1))
    const amount = 18_446_744_073_709_551_610n
    assert.deepStrictEqual(
      transactions.map(({ order: _, ...rest }) => rest),
      [
        {
          hash: "incoming",
          type: "Receive",
          fee: 5n,
          status: "Success",
          timestamp: seconds(1_700_000_500),
          block: height(9),
          from: [{ address: key(2), amount, token: mint }],
          to: [{ address: key(1), amount, token: mint }]
        },
        {
          hash: "both",
          type: "Receive",
          fee: 5n,
          status: "Success",
          timestamp: seconds(1_700_000_000),
          block: height(5),
          from: [{ address: key(2), amount: 7n }],
          to: [{ address: key(1), amount: 7n }]
        }
      ] satisfies ReadonlyArray<Omit<Transaction, "order">>
    )
    assert.strictEqual(solana.seen.length, 3)
  })

  it("reads 200 token accounts, registered tokens first, and reports how many are not read", function* () {
    const accounts = keys(215, 1).map((mint) => bytes(mint, 1n))
    const last = key(215)
    const solana = yield* network(
      nodeWith({ late: transfer(key(2), key(1), 7) }, { [last]: [listed("late")] }, accounts),
      [token(last, "last")]
    )
    const { missing, transactions } = yield* historyOf(solana, key(1))
    assert.deepStrictEqual(missing, ["incoming transfers to 15 further token accounts: there are too many of them"])
    assert.strictEqual(transactions.length, 1)
  })

  it("finds incoming transfers to closed token accounts, or reports that they are missing", function* () {
    const [ata, mint] = [key(20), key(30)]
    const balance = (accountIndex: number, owner: string, amount: string) => ({
      accountIndex,
      mint,
      owner,
      uiTokenAmount: { amount }
    })
    const moved = (blockTime: number, balances: object) => ({
      ...transfer(key(2), ata, 7),
      blockTime,
      meta: { err: null, fee: 5, preBalances: [105, 9, 9], postBalances: [100, 9, 9], ...balances },
      transaction: { message: { accountKeys: [key(2), ata, key(21)], instructions: [] } }
    })
    const all = {
      closed: moved(1_700_000_900, {
        postBalances: [109, 0, 9],
        preTokenBalances: [balance(1, key(1), "5"), balance(2, key(2), "0")],
        postTokenBalances: [balance(2, key(2), "5")]
      }),
      incoming: moved(1_700_000_500, {
        preTokenBalances: [balance(1, key(1), "0"), balance(2, key(2), "5")],
        postTokenBalances: [balance(1, key(1), "5"), balance(2, key(2), "0")]
      })
    }
    const closing = listed("closed", 9, 1_700_000_900)
    const whole = nodeWith(all, { [key(1)]: [closing], [ata]: [closing, listed("incoming", 5, 1_700_000_500)] })
    const solana = yield* network(whole, [])
    const read = yield* historyOf(solana, key(1))
    assert.deepStrictEqual(
      read.transactions.map(({ hash, type }) => [hash, type]),
      [
        ["closed", "Send"],
        ["incoming", "Receive"]
      ]
    )
    assert.deepStrictEqual([solana.seen.length, read.more, read.missing], [4, false, []])
    const open = { ...bytes(mint, 3n), pubkey: key(22) }
    const withOpen = yield* network(
      nodeWith(all, { [key(1)]: [closing], [ata]: [closing] }, [
        { pubkey: open.pubkey, account: { data: open.account.data } }
      ]),
      []
    )
    assert.deepStrictEqual((yield* historyOf(withOpen, key(1))).accounts, [ata, key(22)])
    // The transaction that closed the account is on an earlier page.
    const before = { height: position(5), last: "incoming", above: "closed", returned: 2, accounts: [ata] }
    const later = yield* settled(solana.history?.({ address: key(1), limit: 2, before }) ?? Effect.die("no history"))
    assert.deepStrictEqual(
      later.transactions.map(({ hash }) => hash),
      ["incoming"]
    )
    const silent: EvmNodes.SimulatedHost = (body, request) =>
      request.text.includes("getSignaturesForAddress") && !request.text.includes(key(1))
        ? Effect.succeed(new Response("", { status: 503 }))
        : whole(body, request)
    const { missing, transactions } = yield* historyOf(yield* network(silent, []), key(1))
    assert.strictEqual(transactions.length, 1)
    assert.match(missing.join(), /^incoming transfers to 1 closed token accounts: solana-rpc: /)
  })

  it("leaves out transactions that name the owners of some tokens only", function* () {
    const tokens = (owner?: string) => [
      { accountIndex: 1, mint: key(30), owner: key(1), uiTokenAmount: { amount: "5" } },
      { accountIndex: 2, mint: key(30), owner, uiTokenAmount: { amount: "5" } }
    ]
    const sent = transfer(key(2), key(1), 7)
    const read = (owner?: string) =>
      Effect.flatMap(
        network(
          nodeWith(
            { sent: { ...sent, meta: { ...sent.meta, postTokenBalances: tokens(owner) } }, other: sent },
            { [key(1)]: [listed("sent", 2), listed("other")] }
          ),
          []
        ),
        (solana) => historyOf(solana, key(1))
      )
    assert.lengthOf((yield* read(key(3))).transactions, 2)
    const { missing, transactions } = yield* read()
    assert.deepStrictEqual([transactions.map(({ hash }) => hash), missing.length], [["other"], 1])
  })

  it("leaves out transactions with two balances of a token account", function* () {
    const balance = { accountIndex: 1, mint: key(30), owner: key(1), uiTokenAmount: { amount: "5" } }
    const sent = transfer(key(2), key(1), 7)
    const twice = { ...sent, meta: { ...sent.meta, postTokenBalances: [balance, balance] } }
    const solana = yield* network(
      nodeWith({ twice, other: sent }, { [key(1)]: [listed("twice", 2), listed("other")] }),
      []
    )
    const { missing, transactions } = yield* historyOf(solana, key(1))
    assert.deepStrictEqual([transactions.map(({ hash }) => hash), missing.length], [["other"], 1])
  })

  it("leaves out transactions that lack a balance of a token account which they neither open nor close", function* () {
    const balance = { accountIndex: 1, mint: key(30), owner: key(1), uiTokenAmount: { amount: "5" } }
    const of = (before: number, after: number, meta: object) => ({
      ...transfer(key(2), key(1), 7),
      meta: { err: null, fee: 5, preBalances: [9, before, 1], postBalances: [4, after, 1], ...meta }
    })
    const [less, deposit] = [2_039_279, 2_039_280]
    const all = {
      opened: of(less, deposit, { postTokenBalances: [balance] }),
      closed: of(deposit, less, { preTokenBalances: [balance] }),
      failed: of(deposit, deposit, { err: {}, preTokenBalances: [balance] }),
      lost: of(deposit, deposit, { postTokenBalances: [balance] }),
      late: of(deposit, deposit, { preTokenBalances: [balance] })
    }
    const list = Object.keys(all).map((name, index) => listed(name, 9 - index))
    const solana = yield* network(nodeWith(all, { [key(1)]: list }), [])
    const { missing, transactions } = yield* historyOf(solana, key(1))
    assert.deepStrictEqual(
      transactions.map(({ hash }) => hash),
      ["opened", "closed", "failed"]
    )
    assert.match(missing.join(), /^2 of 5 /)
  })

  it("leaves out transactions whose accounts are not in the order of their balances", function* () {
    const system = "11111111111111111111111111111111"
    const keys = [
      { pubkey: key(2), signer: true, writable: true },
      { pubkey: key(1), signer: false, writable: true },
      { pubkey: system, signer: false, writable: false }
    ]
    const [payer, recipient, program] = keys
    const of = (accountKeys: ReadonlyArray<unknown>) => ({
      ...transfer(key(2), key(1), 7),
      transaction: { message: { accountKeys, instructions: [] } }
    })
    const all = {
      right: of(keys),
      later: of([recipient, payer, program]),
      apart: of([payer, { ...recipient, writable: false }, program]),
      unsigned: of([{ ...payer, signer: false }, recipient, program]),
      swapped: of([payer, program, recipient])
    }
    const list = Object.keys(all).map((name, index) => listed(name, 9 - index))
    const solana = yield* network(nodeWith(all, { [key(1)]: list }), [])
    const { missing, transactions } = yield* historyOf(solana, key(1))
    assert.deepStrictEqual(
      transactions.map(({ hash }) => hash),
      ["right"]
    )
    assert.match(missing.join(), /4 /)
  })

  it("returns the rest in time if token accounts are slow", function* () {
    const { all, list } = many(3)
    const whole = nodeWith(all, { [key(1)]: list }, [bytes(key(30), 1n)])
    const slow: EvmNodes.SimulatedHost = (body, request) =>
      request.text.includes("getSignaturesForAddress") && !request.text.includes(key(1))
        ? Effect.never
        : whole(body, request)
    const solana = yield* network(slow, [])
    const { missing, transactions } = yield* historyOf(solana, key(1))
    assert.strictEqual(transactions.length, 3)
    assert.deepStrictEqual(missing, [
      "incoming token transfers: solana-rpc: timed out before the full history was read"
    ])
  })

  it("reports that token accounts are missing, and returns the rest", function* () {
    for (const code of [-32601, 429]) {
      const { all, list } = many(3)
      const whole = nodeWith(all, { [key(1)]: list })
      const node: EvmNodes.SimulatedHost = (body, request) =>
        Effect.flatMap(whole(body, request), (answer) =>
          Effect.map(
            Effect.promise(() => answer.json() as Promise<ReadonlyArray<unknown>>),
            (answers) => {
              const refused = (call: EvmNodes.RpcCall, index: number) =>
                call.method === "getTokenAccountsByOwner"
                  ? { jsonrpc: "2.0", id: call.id, error: { code, message: "no" } }
                  : answers[index]
              return Response.json(Array.isArray(body) ? body.map(refused) : answers)
            }
          )
        )
      const solana = yield* network(node, [])
      const { missing, transactions } = yield* historyOf(solana, key(1))
      assert.strictEqual(transactions.length, 3)
      assert.match(missing.join(), /^incoming token transfers: solana-rpc: /)
    }
  })

  it("is read with single calls if a node has no batches", function* () {
    const { all, list } = many(3)
    const whole = nodeWith(all, { [key(1)]: list })
    const node: EvmNodes.SimulatedHost = (body, request) =>
      Array.isArray(body)
        ? Effect.sync(() => Response.json({ jsonrpc: "2.0", id: null, error: { code: -32600, message: "no batches" } }))
        : whole(body, request)
    const solana = yield* network(node, [])
    const { missing, transactions } = yield* historyOf(solana, key(1))
    assert.deepStrictEqual([transactions.length, missing], [3, []])
  })

  it("reads transactions that one node does not have from the next, and counts those that no node has", function* () {
    const { all, list } = many(4)
    const { s1: _, s3: __, ...some } = all
    const { s3, s2 } = all
    const solana = yield* network(nodeWith(some, { [key(1)]: list }), [], nodeWith({ s2, s3 }, { [key(1)]: list }))
    const { missing, more, transactions } = yield* historyOf(solana, key(1))
    assert.deepStrictEqual(
      transactions.map(({ hash }) => hash),
      ["s4", "s3", "s2"]
    )
    assert.isTrue(more)
    assert.match(missing.join(), /^1 of 4 transactions: solana-rpc: /)
    const fresh = yield* historyOf(solana, key(1), 50, 1)
    assert.deepStrictEqual([fresh.more, fresh.missing], [false, missing], "the range has no other transactions")
  })

  it("uses the time of a neighbouring block for a block without a time", function* () {
    const list = [listed("a", 9, null), listed("b", 8, 1_700_000_000), listed("c", 7, null), listed("d", 6, null)]
    const all = Object.fromEntries(
      "abcd".split("").map((name) => [name, { ...transfer(key(2), key(1), 7), blockTime: null }])
    )
    const solana = yield* network(nodeWith(all, { [key(1)]: list }), [])
    const { transactions } = yield* historyOf(solana, key(1))
    assert.deepStrictEqual(
      transactions.map(({ hash, timestamp }) => [hash, timestamp]),
      "abcd".split("").map((name) => [name, seconds(1_700_000_000)])
    )
    const alone = yield* network(nodeWith(all, { [key(1)]: [listed("a", 9, null)] }), [])
    assert.deepInclude(yield* Effect.flip(historyOf(alone, key(1))), { reason: "bad_answer" })
  })

  it("preserves the order within a slot", function* () {
    const list = ["a", "b", "c"].map((name) => listed(name, 9))
    const all = Object.fromEntries(["a", "b", "c"].map((name) => [name, transfer(key(2), key(1), 7)]))
    const solana = yield* network(nodeWith(all, { [key(1)]: list }), [])
    const { transactions } = yield* historyOf(solana, key(1))
    assert.deepStrictEqual(
      [...transactions].sort((a, b) => b.order - a.order).map(({ hash }) => hash),
      ["a", "b", "c"]
    )
  })

  it("shows wrapping as coins sent and tokens received, without the rent", function* () {
    const mint = "So11111111111111111111111111111111111111112"
    const wrap = {
      blockTime: 1_700_000_000,
      meta: {
        err: null,
        fee: 5,
        preBalances: [10_000_005, 0],
        postBalances: [6_960_720, 3_039_280],
        postTokenBalances: [{ accountIndex: 1, mint, owner: key(1), uiTokenAmount: { amount: "1000000" } }]
      },
      transaction: { message: { accountKeys: [key(1), key(9)], instructions: [] } }
    }
    const solana = yield* network(nodeWith({ wrap }, { [key(1)]: [listed("wrap")] }), [])
    const [first] = (yield* historyOf(solana, key(1))).transactions
    assert.deepInclude(first, {
      type: "Send",
      from: [{ address: key(1), amount: 1_000_000n }],
      to: [{ address: key(1), amount: 1_000_000n, token: mint }]
    })
  })

  it("has the type of the first parsed instruction for a call, or `Contract Call`", function* () {
    const still = { err: null, fee: 5, preBalances: [105, 1], postBalances: [100, 1] }
    const call = (instructions: ReadonlyArray<unknown>) => ({
      blockTime: 1,
      meta: still,
      transaction: { message: { accountKeys: [key(1), key(9)], instructions } }
    })
    const all = {
      a: call([{ programId: key(9), data: "" }, { parsed: { type: "delegate", info: { stakeAccount: key(9) } } }]),
      b: call([{ parsed: "a memo" }, { programId: key(9), data: "" }])
    }
    const solana = yield* network(nodeWith(all, { [key(1)]: [listed("a", 9), listed("b", 8)] }), [])
    const { transactions } = yield* historyOf(solana, key(1))
    assert.deepStrictEqual(
      transactions.map(({ fee, from, to, type }) => ({ fee, from, to, type })),
      [
        { fee: 5n, from: [], to: [], type: "delegate" },
        { fee: 5n, from: [], to: [], type: "Contract Call" }
      ]
    )
  })

  it("fails with a reason for each failure, after it has tried the next node", function* () {
    const { all, list } = many(2)
    for (const [node, reason] of [
      ...Object.values(faultyHosts),
      [EvmNodes.rpcNode(() => EvmNodes.error("Too many requests", 429)), "rate_limited"],
      [EvmNodes.rpcNode(() => EvmNodes.error("Transaction history is not available", -32011)), "upstream_error"]
    ] as const) {
      const alone = yield* network(node, [])
      assert.strictEqual((yield* Effect.flip(historyOf(alone, key(1)))).reason as string, reason)
      const mended = yield* network(node, [], nodeWith(all, { [key(1)]: list }))
      assert.strictEqual((yield* historyOf(mended, key(1))).transactions.length, 2)
    }
  })

  it("returns the transactions read before the deadline", function* () {
    const { all, list } = many(300)
    const whole = nodeWith(all, { [key(1)]: list })
    const slow: EvmNodes.SimulatedHost = (body, request) =>
      request.text.includes("s42") ? Effect.never : whole(body, request)
    const solana = yield* network(slow, [])
    const { missing, more, transactions } = yield* historyOf(solana, key(1), 300)
    assert.deepStrictEqual([transactions.length, more], [200, true])
    assert.deepStrictEqual(missing, ["100 of 300 transactions: solana-rpc: timed out after 5000 ms"])
  })

  it("is refused by a simulated node in the same cases as by a real node", async () => {
    const node = Option.getOrThrow(Option.fromNullable(solana(Solana.info)[0]))[1]
    const errorCode = async (method: string, params: ReadonlyArray<unknown>): Promise<unknown> => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
      const request = { method: "POST", path: "/", query: new URLSearchParams(), now: 0, body }
      const answer = await node(request).json()
      return (answer as { readonly error?: { readonly code: number } }).error?.code
    }
    const holder = samples(Solana.info, 1)[0] ?? ""
    assert.strictEqual(await errorCode("getSignaturesForAddress", [holder, { limit: 1001 }]), -32602)
    assert.strictEqual(await errorCode("getTransaction", ["x"]), -32602)
    const newest = ledger(Solana.info, holder).find(({ id }) => Number.parseInt(id.slice(0, 1), 16) % 2 === 1)?.id ?? ""
    const signature = base58.encode(Uint8Array.of(...Buffer.from(newest, "hex"), ...base58.decode(holder)))
    assert.strictEqual(await errorCode("getTransaction", [signature, { maxSupportedTransactionVersion: 0 }]), -32015)
    assert.isUndefined(await errorCode("getTransaction", [signature, { maxSupportedTransactionVersion: 1 }]))
  })

  it("is read in smaller batches from public nodes", function* () {
    const { all, list } = many(600)
    const { layer, seen } = EvmNodes.clientOver({ "solana-rpc.publicnode.com": nodeWith(all, { [key(1)]: list }) })
    const solana = yield* built(layer, [], {})
    const { missing, transactions } = yield* historyOf({ ...solana, seen }, key(1), 500)
    assert.deepStrictEqual([transactions.length, missing], [500, []])
    // If it would have to wait for a permit, another node is called first.
    assert.strictEqual(seen.filter(({ host }) => host === "solana-rpc.publicnode.com").length, 21)
  })
})

it("a Solana history declares the newest transaction version, because nodes refuse transactions above the declared one", function* () {
  const versions: Array<unknown> = []
  const node = nodeWith({ x: transfer(key(2), key(1), 7, { version: 1 }) }, { [key(1)]: [listed("x")] })
  const solanaNetwork = yield* network((body, request) => {
    const call = JSON.parse(request.text)
    if (call.method === "getTransaction") versions.push(call.params[1].maxSupportedTransactionVersion)
    return node(body, request)
  }, [])
  yield* historyOf(solanaNetwork, key(1))
  assert.deepStrictEqual(versions, [1])
  assert.deepStrictEqual((yield* solanaNetwork.abilities).history, Either.right(["solana-rpc"]))
})

describe("impossible rows from Solana nodes", () => {
  it("are left out and reported as missing: an invalid signature, a transaction of other addresses", function* () {
    const own = transfer(key(1), key(2), 7)
    const all = { mine: own, others: transfer(key(8), key(9), 7) }
    const lists = { [key(1)]: [listed("mine", 9), listed("\ufffd\ufffd", 8), listed("others", 7)] }
    const { missing, transactions } = yield* historyOf(yield* network(nodeWith(all, lists), []), key(1))
    assert.deepStrictEqual(
      transactions.map(({ hash }) => hash),
      ["mine"]
    )
    assert.match(
      missing.join(),
      /^1 transactions: with a signature in an unexpected format, or in two slots,1 of 2 transactions: /
    )
  })

  it("are left out and reported as missing: rows that cannot be read, unless the next node has them", function* () {
    const all = Object.fromEntries("abcd".split("").map((name) => [name, transfer(key(1), key(2), 7)]))
    const rows = [listed("a", 9), listed("b", 8), listed("c", 7), listed("d", 6)]
    const whole = nodeWith(all, { [key(1)]: rows })
    for (const [odd, others] of [
      [{ ...rows[1], slot: "8" }, ["a", "c", "d"]],
      [{ ...rows[1], signature: 8 }, ["a", "c", "d"]]
    ] as const) {
      const lists = { [key(1)]: rows.map((row, index) => (index === 1 ? (odd as never) : row)) }
      const wrong = nodeWith(all, lists)
      const { missing, transactions } = yield* historyOf(yield* network(wrong, []), key(1))
      assert.deepStrictEqual(
        transactions.map(({ hash }) => hash),
        [...others]
      )
      assert.deepStrictEqual(missing, ["1 transactions: with a signature in an unexpected format, or in two slots"])
      const both = yield* historyOf(yield* network(wrong, [], whole), key(1))
      assert.deepStrictEqual([both.transactions.length, both.missing], [4, []])
    }
    const broken = { [key(1)]: [{ ...rows[0], blockTime: "x" }] as never }
    const ended = yield* Effect.either(historyOf(yield* network(nodeWith(all, broken), []), key(1)))
    assert.isTrue(Either.isLeft(ended))
  })

  it("are left out and reported as missing: a signature in two slots", function* () {
    const all = { mine: transfer(key(1), key(2), 7), other: transfer(key(1), key(2), 8) }
    const lists = { [key(1)]: [listed("mine", 9), listed("other", 8), listed("other", 7)] }
    const { missing, transactions } = yield* historyOf(yield* network(nodeWith(all, lists), []), key(1))
    assert.deepStrictEqual(
      transactions.map(({ hash }) => hash),
      ["mine"]
    )
    assert.deepStrictEqual(missing, ["1 transactions: with a signature in an unexpected format, or in two slots"])
  })

  it("are left out: a transaction with another signature", function* () {
    const own = transfer(key(1), key(2), 7)
    const other = { ...own, transaction: { ...own.transaction, signatures: ["another"] } }
    const lists = { [key(1)]: [listed("mine", 9), listed("wrong", 8)] }
    const { transactions } = yield* historyOf(yield* network(nodeWith({ mine: own, wrong: other }, lists), []), key(1))
    assert.deepStrictEqual(
      transactions.map(({ hash }) => hash),
      ["mine"]
    )
  })
})
