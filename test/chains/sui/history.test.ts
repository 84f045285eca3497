import { base58 } from "@scure/base"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as TestClock from "effect/TestClock"
import type { Chain } from "../../../src/chains/Chain.ts"
import * as CoinType from "../../../src/chains/sui/CoinType.ts"
import { seconds } from "../../../src/domain/units.ts"
import * as EvmNodes from "../../support/EvmNodes.ts"
import { faultyHosts } from "../../support/faults.ts"
import { fixture, recorded, sample } from "../../support/fixtures.ts"
import { withTexts } from "../../support/gaps.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { answering, long, network, type Query } from "./hosts.ts"

const historyOf = (pick: Pick<Chain["Type"], "history">, address: string, limit = 50, since?: number) =>
  settled(
    Effect.map(
      pick.history?.({ address, limit, ...(since === undefined ? {} : { since: seconds(since) }) }) ??
        Effect.die("no history"),
      withTexts
    )
  )

const [alice, bob, carol] = [long("a11ce"), long("b0b"), long("ca401")]
const usdc = `${long("dba")}::usdc::USDC`

type Change = readonly [owner: string, amount: bigint | string, coinType?: unknown]

const change = ([address, amount, coinType = { repr: CoinType.sui }]: Change) => ({
  owner: { address },
  coinType,
  amount: String(amount)
})

const changesOf = (changes: ReadonlyArray<Change>, endCursor: string | null = null) => ({
  nodes: changes.map(change),
  pageInfo: { hasNextPage: endCursor !== null, endCursor }
})

interface Row {
  readonly digest?: string
  readonly sender?: string | null
  readonly sponsor?: string | null
  readonly kind?: string
  readonly status?: string | null
  readonly timestamp?: string
  readonly checkpoint?: number
  readonly gas?: readonly [computation: number | string, storage: number | string, rebate: number | string] | null
  readonly changes?: ReadonlyArray<Change>
  readonly cursor?: string
}

const row = (item: Row) => ({
  digest: item.digest ?? "x",
  sender: item.sender === null ? null : { address: item.sender ?? alice },
  gasInput: { gasSponsor: item.sponsor === null ? null : { address: item.sponsor ?? item.sender ?? alice } },
  kind: { __typename: item.kind ?? "ProgrammableTransaction" },
  effects: {
    status: item.status === undefined ? "SUCCESS" : item.status,
    timestamp: item.timestamp ?? "2026-01-02T03:04:05.678Z",
    checkpoint: { sequenceNumber: item.checkpoint ?? 7 },
    gasEffects: {
      gasSummary:
        item.gas === null
          ? null
          : {
              computationCost: item.gas?.[0] ?? 30,
              storageCost: item.gas?.[1] ?? 20,
              storageRebate: item.gas?.[2] ?? 10,
              nonRefundableStorageFee: 1
            }
    },
    balanceChanges: changesOf(item.changes ?? [], item.cursor ?? null)
  }
})

const range = (sequenceNumber: number | null) => ({
  availableRange: {
    first: sequenceNumber && { sequenceNumber, timestamp: "2026-08-01T00:00:00Z" },
    ...(sequenceNumber === 0 ? { first: { sequenceNumber, timestamp: null } } : {})
  }
})

/** Host with these transactions, oldest first. */
const hosting = (rows: ReadonlyArray<unknown>, requests: Array<Query> = [], first: number | null = 0) =>
  answering(({ variables }) => {
    const { before, last } = variables as { readonly before: string | null; readonly last: number }
    const end = before === null ? rows.length : Number(before)
    const start = Math.max(end - last, 0)
    return {
      data: {
        chainIdentifier: "35834a8a",
        serviceConfig: range(first),
        transactions: {
          nodes: rows.slice(start, end),
          pageInfo: { hasPreviousPage: start > 0, startCursor: rows.length === 0 ? null : String(start) }
        }
      }
    }
  }, requests)

const second = (index: number) => new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString()

const many = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    row({
      digest: `d${index}`,
      timestamp: second(index),
      checkpoint: index,
      changes: [
        [bob, 5n],
        [alice, -45n]
      ]
    })
  )

const shown = Effect.fnUntraced(function* (item: Row, holder = alice) {
  const { transactions } = yield* historyOf(yield* network(hosting([row(item)]), []), holder)
  const [{ fee, from, status, timestamp, to, type }] = transactions as typeof transactions & [(typeof transactions)[0]]
  return { fee, from, status, timestamp, to, type }
})

describe("Sui history", () => {
  it("lacks a transaction with a coin of no type, and says that a party is not known", function* () {
    const rows = [row({ digest: "a", changes: [[alice, 5n, "text"]] }), row({ digest: "b", changes: [[alice, 5n]] })]
    const [, second = row({})] = rows
    const nameless = { ...change([alice, 5n]), owner: null }
    const balanceChanges = { ...changesOf([]), nodes: [nameless] }
    const odd = { ...second, digest: "c", effects: { ...second.effects, balanceChanges } }
    const { missing, transactions } = yield* historyOf(yield* network(hosting([...rows, odd]), []), alice)
    assert.deepStrictEqual(
      transactions.map(({ hash }) => hash),
      ["c", "b"]
    )
    assert.deepStrictEqual(missing, [
      "1 transactions: sui-graphql returned them in an unexpected format",
      "the parties of some transfers of 1 transactions"
    ])
  })

  it("does not come from a host whose newest checkpoint is old", function* () {
    yield* TestClock.adjust("1 day")
    const at = (hours: number): EvmNodes.SimulatedHost =>
      answering(() => ({
        data: {
          checkpoint: { timestamp: new Date(3_600_000 * hours).toISOString() },
          serviceConfig: range(0),
          transactions: {
            nodes: [row({ digest: `d${hours}` })],
            pageInfo: { hasPreviousPage: false, startCursor: "0" }
          }
        }
      }))
    const { transactions } = yield* historyOf(yield* network(at(1), [], at(24)), alice)
    assert.deepStrictEqual(
      transactions.map(({ hash }) => hash),
      ["d24"]
    )
    const stalled = yield* network(at(1), [])
    for (const _ of [1, 2]) {
      const ended = yield* Effect.either(historyOf(stalled, alice))
      assert.include(Either.isLeft(ended) ? ended.left.message : "", "behind")
      // Not requested again at once.
      assert.lengthOf(stalled.seen, 2)
    }
  })

  it("is not complete if the host does not report since when it has transactions", function* () {
    const silent = yield* network(hosting(many(3), [], null), [])
    const { missing, transactions, unavailable } = yield* historyOf(silent, alice)
    assert.deepStrictEqual([transactions.length, missing], [3, []])
    assert.deepStrictEqual(unavailable, [
      "older transactions: sui-graphql does not report since when it has transactions"
    ])
    assert.isUndefined((yield* historyOf(silent, alice, 2)).unavailable)
    assert.isUndefined((yield* historyOf(yield* network(hosting(many(3)), []), alice)).unavailable)
  })

  it("shows a payment without the fee and with all recipients", function* () {
    const payment: Row = {
      changes: [
        [bob, 500n],
        [carol, 300n],
        [alice, -840n]
      ]
    }
    const expected = {
      fee: 40n,
      status: "Success",
      timestamp: Date.UTC(2026, 0, 2, 3, 4, 5) / 1000,
      from: [{ address: alice, amount: 800n }],
      to: [
        { address: bob, amount: 500n },
        { address: carol, amount: 300n }
      ]
    }
    assert.deepStrictEqual((yield* shown(payment)) as unknown, { ...expected, type: "Send" })
    assert.deepStrictEqual((yield* shown(payment, bob)) as unknown, { ...expected, type: "Receive" })
  })

  it("writes coin types as the registry does", function* () {
    const { from, to } = yield* shown({
      changes: [
        [alice, -40n, "0x2::sui::SUI"],
        [alice, -7n, { repr: "0xdba::usdc::USDC" }],
        [bob, 7n, usdc]
      ]
    })
    assert.deepStrictEqual(
      [from, to],
      [[{ address: alice, amount: 7n, token: usdc }], [{ address: bob, amount: 7n, token: usdc }]]
    )
  })

  it("shows a receipt beside any amount of a coin that a stranger made", function* () {
    const spam = `${long("bad")}::spam::SPAM`
    const { to } = yield* shown({
      sender: bob,
      changes: [
        [bob, -3_000_000_040n],
        [alice, 3_000_000_000n],
        [alice, 2n ** 65n, spam]
      ]
    })
    assert.deepStrictEqual(to, [
      { address: alice, amount: 3_000_000_000n },
      { address: alice, amount: 2n ** 65n, token: spam }
    ])
  })

  it("does not list the sponsor that pays the fee as a sender or recipient", function* () {
    const item = yield* shown({
      sponsor: carol,
      changes: [
        [carol, -40n],
        [alice, -5n],
        [bob, 5n]
      ]
    })
    assert.deepInclude(item, {
      type: "Send",
      fee: 40n,
      from: [{ address: alice, amount: 5n }],
      to: [{ address: bob, amount: 5n }]
    })
    assert.strictEqual(
      (yield* shown({ sponsor: carol, changes: [[carol, -40n]] }, carol)).type,
      "ProgrammableTransaction"
    )
  })

  it("shows a zero fee and no recipient if the storage rebate exceeds the cost", function* () {
    const element = yield* shown({ gas: [30, 20, 60], changes: [[alice, 10n]] })
    assert.deepInclude(element, { type: "ProgrammableTransaction", fee: 0n, from: [], to: [] })
  })

  it("shows the fee of a failed transaction and an amount of zero", function* () {
    const current = yield* shown({ status: "FAILURE", changes: [[alice, -40n]] })
    assert.deepInclude(current, {
      type: "Send",
      status: "Failed",
      fee: 40n,
      from: [{ address: alice, amount: 0n }],
      to: []
    })
  })

  it("shows system transactions without a sender, with their kind as the type", function* () {
    for (const sender of [null, long("0")]) {
      const kind = "ConsensusCommitPrologueTransaction"
      const chain = yield* shown({ sender, sponsor: sender, kind, gas: [0, 0, 0] })
      assert.deepInclude(chain, { type: kind, fee: 0n, from: [], to: [] })
    }
  })

  it("shows `Unknown` if the status is missing", function* () {
    assert.deepInclude(yield* shown({ status: null, changes: [[bob, 5n]] }), { status: "Unknown" })
  })

  it("leaves out a transaction without its gas, whose payer's amount includes the fee", function* () {
    const chain = yield* network(hosting([row({ digest: "y", changes: [[alice, 1n]] }), row({ gas: null })]), [])
    const { missing, transactions } = yield* historyOf(chain, alice)
    assert.deepStrictEqual(
      transactions.map(({ hash }) => hash),
      ["y"]
    )
    assert.deepStrictEqual(missing, ["1 transactions: sui-graphql returned them in an unexpected format"])
  })

  it("takes one query for 50 transactions and ten for 500, newest first and without duplicates", function* () {
    for (const [count, limit, calls] of [
      [0, 50, 1],
      [3, 50, 1],
      [80, 50, 1],
      [600, 500, 10]
    ] as const) {
      const chain = yield* network(hosting(many(count)), [])
      const { missing, more, sources, transactions } = yield* historyOf(chain, alice, limit)
      assert.deepStrictEqual(
        transactions.map(({ hash }) => hash),
        Array.from({ length: Math.min(count, limit) }, (_, index) => `d${count - 1 - index}`)
      )
      assert.deepStrictEqual([more, missing, sources], [count > limit, [], ["sui-graphql"]])
      assert.strictEqual(chain.seen.length, calls)
    }
  })

  it("leaves out a transaction with two changes of the same balance", function* () {
    const twice = row({
      changes: [
        [alice, 1n],
        [alice, 2n]
      ]
    })
    const chain = yield* network(hosting([row({ digest: "y", changes: [[alice, 1n]] }), twice]), [])
    const { missing, transactions } = yield* historyOf(chain, alice)
    assert.deepStrictEqual(
      transactions.map(({ hash }) => hash),
      ["y"]
    )
    assert.deepStrictEqual(missing, ["1 transactions: sui-graphql returned them in an unexpected format"])
  })

  it("stops at the `since` time", function* () {
    const chain = yield* network(hosting(many(300)), [])
    const { more, transactions } = yield* historyOf(chain, alice, 500, Date.UTC(2026, 0, 1) / 1000 + 290)
    assert.deepStrictEqual([transactions.length, more, chain.seen.length], [10, false, 1])
    const fewer = yield* historyOf(chain, alice, 4, Date.UTC(2026, 0, 1) / 1000 + 290)
    assert.deepStrictEqual([fewer.transactions.length, fewer.more], [4, true])
  })

  it("reports the time before which the host has no data", function* () {
    const chain = yield* network(hosting(many(3), [], 99), [])
    assert.deepStrictEqual((yield* historyOf(chain, alice)).missing, [
      "transactions before 2026-08-01T00:00:00Z: sui-graphql does not have them"
    ])
    assert.deepStrictEqual((yield* historyOf(chain, alice, 2)).missing, [])
    assert.deepStrictEqual((yield* historyOf(chain, alice, 50, Date.UTC(2026, 8, 1) / 1000)).missing, [])
  })

  it("reads further balance changes of a large transaction up to a limit, and reports when it is exceeded", function* () {
    for (const [pages, missing] of [
      [3, []],
      [9, ["some transfers of 1 transactions: there are too many of them"]]
    ] as const) {
      const whole = hosting([row({ changes: [[alice, -140n]], cursor: "1" })])
      const node: EvmNodes.SimulatedHost = (body, request) => {
        const { query, variables } = JSON.parse(request.text) as Query
        if (!query.includes("transactionEffects")) return whole(body, request)
        assert.strictEqual(variables.key0, "x")
        const page = Number(variables.after0)
        return Effect.sync(() =>
          Response.json({
            data: {
              p0: { balanceChanges: changesOf([[long(`b${page}`), 50n]], page + 1 < pages ? String(page + 1) : null) }
            }
          })
        )
      }
      const part = yield* historyOf(yield* network(node, []), alice)
      assert.deepStrictEqual(part.missing, missing)
      assert.strictEqual(part.transactions[0]?.to.length, Math.min(pages - 1, 4))
    }
  })

  it("restarts at the next host after a failure, and returns the longest list if no host returns everything", function* () {
    const breaking = (from: number): EvmNodes.SimulatedHost => {
      const whole = hosting(many(200))
      return (body, request) =>
        Number((JSON.parse(request.text) as Query).variables.before ?? 1_000) <= from
          ? EvmNodes.always("<html></html>", { status: 502 })(body, request)
          : whole(body, request)
    }
    const mended = yield* historyOf(yield* network(breaking(100), [], hosting(many(200))), alice, 200)
    assert.deepStrictEqual([mended.transactions.length, mended.more, mended.missing], [200, false, []])
    const { missing, more, transactions } = yield* historyOf(
      yield* network(breaking(100), [], breaking(150)),
      alice,
      200
    )
    assert.deepStrictEqual([transactions.length, more], [100, true])
    assert.deepStrictEqual(missing, ["older transactions: sui-graphql: returned HTTP 502"])
  })

  it("returns the transactions read before the deadline", function* () {
    const whole = hosting(many(200))
    const slow: EvmNodes.SimulatedHost = (body, request) =>
      (JSON.parse(request.text) as Query).variables.before === "150" ? Effect.never : whole(body, request)
    const { missing, transactions } = yield* historyOf(yield* network(slow, []), alice, 200)
    assert.strictEqual(transactions.length, 50)
    assert.match(missing.join(), /^older transactions: sui-graphql: /)
  })

  const broken = [{ ...row({}), effects: null }]
  it("fails with a reason for each failure", function* () {
    for (const [node, reason] of [
      ...Object.values(faultyHosts),
      [
        answering(() => ({
          data: null,
          errors: [{ message: "Request timed out", extensions: { code: "REQUEST_TIMEOUT" } }]
        })),
        "timeout"
      ],
      [answering(() => ({ data: { chainIdentifier: "69WiPg3D", transactions: null } })), "bad_answer"],
      // Rejected as a whole: a list with one row left out would look complete.
      [hosting(broken), "bad_answer"],
      [answering(() => ({ data: { transactions: { nodes: [], pageInfo: { hasPreviousPage: true } } } })), "bad_answer"]
    ] as const) {
      assert.strictEqual((yield* Effect.flip(historyOf(yield* network(node, []), alice))).reason as string, reason)
      const mended = yield* historyOf(yield* network(node, [], hosting(many(2))), alice)
      assert.strictEqual(mended.transactions.length, 2)
    }
  })

  it("is listed as an ability of the network", function* () {
    const { abilities } = yield* network(hosting([]), [])
    assert.deepStrictEqual((yield* abilities).history, Either.right(["sui-graphql"]))
  })
})

/** Converts a transaction that was recorded over JSON-RPC to GraphQL's format. */
const translated = (name: string, sender: string): Row => {
  const { result } = fixture("sui", name).response.body as {
    readonly result: {
      readonly digest: string
      readonly timestampMs: string
      readonly checkpoint: string
      readonly effects: {
        readonly status: { readonly status: string }
        readonly gasUsed: Readonly<Record<"computationCost" | "storageCost" | "storageRebate", string>>
      }
      readonly balanceChanges?: ReadonlyArray<{
        readonly owner: { readonly AddressOwner: string }
        readonly coinType: string
        readonly amount: string
      }>
    }
  }
  const { computationCost, storageCost, storageRebate } = result.effects.gasUsed
  return {
    digest: result.digest,
    sender,
    status: result.effects.status.status.toUpperCase(),
    timestamp: new Date(Number(result.timestampMs)).toISOString(),
    checkpoint: Number(result.checkpoint),
    gas: [computationCost, storageCost, storageRebate],
    changes: (result.balanceChanges ?? []).map(
      ({ amount, coinType, owner }): Change => [owner.AddressOwner, amount, coinType]
    )
  }
}

recorded("recorded Sui transactions", () => {
  it("graphql-balance-changes: shows a payment to two recipients whose coin type is plain text", function* () {
    const { data } = fixture("sui", "graphql-balance-changes").response.body as {
      readonly data: {
        readonly multipleTransferTransaction: {
          readonly balanceChanges: { readonly nodes: ReadonlyArray<{ readonly owner: { readonly address: string } }> }
        }
      }
    }
    const { balanceChanges } = data.multipleTransferTransaction
    const sender = balanceChanges.nodes[2]?.owner.address ?? ""
    const whole = row({ sender, gas: [2_985_880, 0, 0] })
    const node = hosting([{ ...whole, effects: { ...whole.effects, balanceChanges } }])
    const [first] = (yield* historyOf(yield* network(node, []), sender)).transactions
    assert.deepInclude(first, {
      type: "Send",
      fee: 2_985_880n,
      from: [{ address: sender, amount: 800n }],
      to: [
        { address: "0xa7b032703878aa74c3126935789fd1d4d7e111d5911b09247d6963061c312b5a", amount: 500n },
        { address: "0xda83166d01afd7ddcf8af5f844f45aaa53f48548e5117c23f5a2978cfd422244", amount: 300n }
      ]
    })
  })

  const [from93, to9d] = [
    "0x93f65b8c16c263343bbf66cf9f8eef69cb1dbc92d13f0c331b0dcaeb76b4aab6",
    "0x9d6b98b18fd26b5efeec68d020dcf1be7a94c2c315353779bc6b3aed44188ddf"
  ]
  const [from59, toF0] = [
    "0x5987852fa4832e820031fd373d6ec8a2cfe84031a59851b8aca60c79b1aa9c2d",
    "0xf0e295b8e40b4d554f1f0e4ac78d79227f1921ccd3059d017d0225553384c781"
  ]
  const [from7d, toBb] = [
    "0x7d20dcdb2bca4f508ea9613994683eb4e76e9c4ed371169677c1be02aaf0b58e",
    "0xbb8a8269cf96ba2ec27dc9becd79836394dbe7946c7ac211928be4a0b1de66b9"
  ]
  const coin = "0xc060006111016b8a020ad5b33834984a437aaa7d3c74c18e09a95d48aceab08c::coin::COIN"
  const cases: Readonly<Record<string, readonly [sender: string, expected: object]>> = {
    "tx-transfer-sui": [
      from93,
      {
        fee: 1_744_880n,
        status: "Success",
        timestamp: 1_742_168_333,
        type: "Send",
        from: [{ address: from93, amount: 100_000_000n }],
        to: [{ address: to9d, amount: 100_000_000n }]
      }
    ],
    "tx-transfer-token-negative-fee": [
      from59,
      {
        fee: 0n,
        status: "Success",
        timestamp: 1_751_949_450,
        type: "Send",
        from: [{ address: from59, amount: 10_231_646n, token: coin }],
        to: [{ address: toF0, amount: 10_231_646n, token: coin }]
      }
    ],
    "tx-devnet-transfer-with-input": [
      from7d,
      {
        fee: 1_997_880n,
        status: "Success",
        timestamp: 1_683_124_849,
        type: "Send",
        from: [{ address: from7d, amount: 10_000_000_000n }],
        to: [{ address: toBb, amount: 10_000_000_000n }]
      }
    ],
    "tx-failed-insufficient-coin-balance": [
      toBb,
      { fee: 1_079_040n, status: "Failed", type: "Send", from: [{ address: toBb, amount: 0n }], to: [] }
    ]
  }
  for (const [name, [sender, expected]] of Object.entries(cases))
    it(name, function* () {
      assert.deepInclude(yield* shown(translated(name, sender), sender), expected)
    })

  it("grpc-tx-programmable-negative-fee: shows a small fee after the storage rebate", function* () {
    const holder = "0x0feb54a725aa357ff2f5bc6bb023c05b310285bd861275a30521f339a434ebb3"
    const { balanceChanges } = fixture("sui", "grpc-tx-programmable-negative-fee").response.body as {
      readonly balanceChanges: ReadonlyArray<{
        readonly address: string
        readonly amount: string
        readonly coinType: string
      }>
    }
    const item = yield* shown(
      {
        sender: holder,
        gas: [611_220, 40_720_800, 41_299_236],
        changes: balanceChanges.map(({ address, amount, coinType }): Change => [address, amount, coinType])
      },
      holder
    )
    assert.deepInclude(item, { fee: 32_784n, type: "ProgrammableTransaction", from: [], to: [] })
  })

  it("are requested by affected address, not by sender", function* () {
    const requests: Array<Query> = []
    yield* historyOf(yield* network(hosting([], requests), []), alice)
    const [{ query, variables } = { query: "", variables: {} }] = requests
    assert.match(query, /balanceChanges\(first: 50\)/)
    assert.isBelow(JSON.stringify(requests[0]).length, 5_000)
    assert.deepInclude(variables, { filter: { affectedAddress: alice }, last: 50 })
  })
})

describe("sample Sui transactions", () => {
  const [own, peer, third] = ["a1", "b2", "c3"].map((digits) => `0x${digits.repeat(32)}`) as [string, string, string]
  const nothing = { from: [], to: [] }

  /** History from a host that returns this sample, and `more-changes` for further balance changes. */
  const sampled = (name: string) => {
    const requests: Array<Query> = []
    const host = answering(
      ({ query }) => sample("sui", query.includes("transactionEffects") ? "more-changes" : name).response.body,
      requests
    )
    return Effect.map(
      Effect.flatMap(network(host, []), (item) => historyOf(item, own)),
      (part) => ({ ...part, requests })
    )
  }

  const success = { type: "Send", status: "Success" }
  const expected: Readonly<Record<string, object>> = {
    "transactions-payment": {
      ...success,
      fee: 9_298n,
      from: [{ address: own, amount: 1_000n }],
      to: [
        { address: peer, amount: 700n },
        { address: third, amount: 300n }
      ]
    },
    "transactions-rebate": { ...success, type: "ProgrammableTransaction", fee: 0n, paid: -1233n, ...nothing },
    "transactions-failed": { ...success, status: "Failed", fee: 9_099n, from: [{ address: own, amount: 0n }], to: [] },
    "transactions-system": { ...success, type: "ConsensusCommitPrologueTransaction", fee: 0n, ...nothing },
    "transactions-cheap": { ...success, type: "ProgrammableTransaction", fee: 266n, paid: 266n, ...nothing }
  }
  for (const [index, [name, transaction]] of Object.entries(expected).entries())
    it(name, function* () {
      const { missing, more, transactions } = yield* sampled(name)
      assert.deepStrictEqual<unknown>(
        transactions.map(({ order: _, ...rest }) => rest),
        [
          {
            hash: base58.encode(new Uint8Array(32).fill(index + 1)),
            timestamp: Date.UTC(2026, 1, 3, 4, 5, index + 1) / 1000,
            block: 210_000_001 + index,
            ...transaction
          }
        ]
      )
      assert.deepStrictEqual([more, missing], [false, []])
    })

  it("more-changes: further changes are requested with the cursor of the previous page", function* () {
    const { requests } = yield* sampled("transactions-payment")
    const { variables } = sample("sui", "more-changes").request.body as Query
    assert.deepStrictEqual(requests.map((element) => element.variables).slice(1), [variables])
  })

  it("transactions-empty: returns no rows, and reports the time before which the host has no data", function* () {
    const { missing, more, transactions } = yield* sampled("transactions-empty")
    assert.deepStrictEqual([transactions.length, more], [0, false])
    assert.deepStrictEqual(missing, ["transactions before 2025-11-01T00:00:00Z: sui-graphql does not have them"])
  })
})

describe("impossible rows from Sui hosts", () => {
  it("are dropped and reported as missing, and a duplicate row is returned once", function* () {
    const good = row({ digest: "good", changes: [[alice, 5n]] })
    const bad = [
      row({ digest: "\ufffd" }),
      row({ digest: "much", changes: [[alice, 2n ** 64n]] }),
      row({ digest: "dear", gas: ["99999999999999999999", 0, 0] })
    ]
    const { missing, transactions } = yield* historyOf(yield* network(hosting([...bad, good, good]), []), alice)
    assert.deepStrictEqual(
      transactions.map(({ hash }) => hash),
      ["good"]
    )
    assert.deepStrictEqual(missing, ["3 transactions: sui-graphql returned them in an unexpected format"])
    const rows = [
      good,
      row({ digest: "same", changes: [[alice, 5n]] }),
      row({ digest: "same", changes: [[alice, 6n]] })
    ]
    const same = yield* historyOf(yield* network(hosting(rows), []), alice)
    assert.deepStrictEqual(
      [same.transactions.map(({ hash }) => hash), same.missing],
      [["good"], ["2 transactions: sui-graphql returned them in an unexpected format"]]
    )
  })
})
