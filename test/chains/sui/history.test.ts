import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as TestClock from "effect/TestClock"
import * as EvmNodes from "../../support/EvmNodes.ts"
import { faultyHosts } from "../../support/faults.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { alice, bob, carol, change, changesOf, historyOf, hosting, type Row, range, row, usdc } from "./historyHosts.ts"
import { answering, long, network, type Query } from "./hosts.ts"

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

const shown = Effect.fnUntraced(function* (given: Row, holder = alice) {
  const { transactions } = yield* historyOf(yield* network(hosting([row(given)]), []), holder)
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
    const payment = yield* shown({
      sponsor: carol,
      changes: [
        [carol, -40n],
        [alice, -5n],
        [bob, 5n]
      ]
    })
    assert.deepInclude(payment, {
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
    const rebate = yield* shown({ gas: [30, 20, 60], changes: [[alice, 10n]] })
    assert.deepInclude(rebate, { type: "ProgrammableTransaction", fee: 0n, from: [], to: [] })
  })

  it("shows the fee of a failed transaction and an amount of zero", function* () {
    const failed = yield* shown({ status: "FAILURE", changes: [[alice, -40n]] })
    assert.deepInclude(failed, {
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

it("a Sui history is requested by affected address, not by sender", function* () {
  const requests: Array<Query> = []
  yield* historyOf(yield* network(hosting([], requests), []), alice)
  const [{ query, variables } = { query: "", variables: {} }] = requests
  assert.match(query, /balanceChanges\(first: 50\)/)
  assert.isBelow(JSON.stringify(requests[0]).length, 5_000)
  assert.deepInclude(variables, { filter: { affectedAddress: alice }, last: 50 })
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
