import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as TestClock from "effect/TestClock"
import { position } from "../../../src/domain/units.ts"
import { faults } from "../../support/faults.ts"
import { byHost, json, neverResponds, type Reply, refused, type SentRequest, text } from "../../support/http.ts"
import { failed, ledger } from "../../support/RippleNodes.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { hashOf, node, read, row, timeOf } from "./historyNodes.ts"
import { alice, bob, isForHead, network } from "./ripple.ts"

const right = <A>(either: Either.Either<A, unknown>) => Either.getOrThrow(either)

const hashes = (from: number, count: number) => Array.from({ length: count }, (_, index) => hashOf(from - index))

describe("the history of an XRP Ledger account", () => {
  it("takes one call per 400 transactions", function* () {
    for (const [count, limit, calls] of [
      [0, 50, 1],
      [3, 50, 1],
      [60, 50, 1],
      [60, 3, 1],
      [400, 400, 1],
      [900, 500, 2]
    ] as const) {
      const { requests, part } = yield* read(node({ count }), { limit })
      assert.deepStrictEqual(
        right(part).transactions.map(({ hash }) => hash),
        hashes(count, Math.min(limit, count))
      )
      assert.deepStrictEqual(
        { ...right(part), transactions: [] },
        { transactions: [], more: count > limit, sources: ["ripple-rpc"], missing: [] }
      )
      assert.strictEqual(requests.length, calls)
    }
    const { requests } = yield* read(node({ count: 900 }), { limit: 500 })
    const [first, second] = requests.map(({ body }) => JSON.parse(body).params[0])
    assert.deepStrictEqual(first, {
      account: alice,
      ledger_index_min: -1,
      ledger_index_max: -1,
      forward: false,
      limit: 400
    })
    assert.deepInclude(second, { limit: 100, marker: { ledger: 1, seq: 400 } })
    const { abilities } = yield* network(node({ count: 1 }))
    assert.deepStrictEqual((yield* abilities).history, Either.right(["ripple-rpc"]))
  })

  it("leaves out two transactions with the same hash, and reports those without a ledger beside others", function* () {
    const rows = [row(3), { ...row(2), tx: { ...row(2).tx, hash: hashOf(3) } }, row(1)]
    const answer = { account: alice, ledger_index_min: 32_570, ledger_index_max: 98_000_000, transactions: rows }
    const { part } = yield* read(() => json({ result: { ...answer, validated: true, status: "success" } }), {
      limit: 50
    })
    const { ledger_index: _, ...unplaced } = row(4).tx
    const { part: other } = yield* read(
      () => json({ result: { ...answer, transactions: [{ ...row(4), tx: unplaced }, row(1)], validated: true } }),
      { limit: 50 }
    )
    assert.deepStrictEqual(right(other).missing, ["the ledgers of 1 transactions: ripple-rpc does not return them"])
    const { missing, transactions } = right(part)
    assert.deepStrictEqual(
      transactions.map(({ hash }) => hash),
      [hashOf(1)]
    )
    assert.deepStrictEqual(missing, ["2 transactions: ripple-rpc: returned transactions in an unexpected format"])
  })

  it("leaves out a row that is not validated in a validated ledger", function* () {
    const rows = [row(3), { ...row(2), validated: false }, row(1)]
    const answer = { account: alice, ledger_index_min: 32_570, ledger_index_max: 98_000_000, transactions: rows }
    const { part } = yield* read(() => json({ result: { ...answer, validated: true } }), { limit: 50 })
    const { missing, transactions } = right(part)
    assert.deepStrictEqual(
      transactions.map(({ hash }) => hash),
      [hashOf(3), hashOf(1)]
    )
    assert.deepStrictEqual(missing, ["1 transactions: ripple-rpc: returned transactions in an unexpected format"])
  })

  it("leaves out a row whose hash a row of an earlier page has", function* () {
    const page = (transactions: ReadonlyArray<object>, more: object = {}) =>
      json({
        result: {
          ...{ account: alice, ledger_index_min: 32_570, ledger_index_max: 98_000_000, validated: true },
          ...{ status: "success", transactions, ...more }
        }
      })
    const { part } = yield* read(
      (call) =>
        JSON.stringify(call).includes("marker")
          ? page([{ ...row(2), tx: { ...row(2).tx, hash: hashOf(4) } }, row(1)])
          : page([row(4), row(3)], { marker: { ledger: 1, seq: 2 } }),
      { limit: 50 }
    )
    const { missing, transactions } = right(part)
    assert.deepStrictEqual(
      transactions.map(({ hash }) => hash),
      [hashOf(3), hashOf(1)]
    )
    assert.deepStrictEqual(missing, ["2 transactions: ripple-rpc: returned transactions in an unexpected format"])
  })

  it("has its newest transactions from a node whose newest ledger fits the clock, and others from any node", function* () {
    const now = 1_800_000_000
    yield* TestClock.setTime(now * 1000)
    const closed = (age: number) => ({ close_time: now - age - 946_684_800 })
    const at = (count: number, age: number) => (request: SentRequest) =>
      isForHead(request)
        ? json({ result: { ...ledger, ledger: closed(age), status: "success" } })
        : node({ count })(request)
    const hosts = byHost({ "one.test": at(1, 181), "two.test": at(2, 5) })
    const { part } = yield* read(hosts, { limit: 50 })
    assert.strictEqual(right(part).transactions.length, 2)
    const before = { height: position(90_000_001), last: hashOf(1), returned: 1 }
    const { part: older, requests } = yield* read(hosts, { limit: 50, before })
    assert.strictEqual(right(older).transactions.length, 1)
    assert.deepStrictEqual(
      requests.map(({ url }) => url.host),
      ["one.test"]
    )
    const { part: none } = yield* read(at(1, 181), { limit: 50 })
    assert.strictEqual(Either.getOrThrow(Either.flip(none)).message, "ripple-rpc: the node is behind the network")
  })

  it("ends at the `since` time", function* () {
    const since = timeOf(800_000_000 + 895 * 10)
    const { requests, part } = yield* read(node({ count: 900 }), { limit: 500, since })
    assert.deepStrictEqual(
      right(part).transactions.map(({ hash }) => hash),
      hashes(900, 6)
    )
    assert.isFalse(right(part).more)
    assert.strictEqual(requests.length, 1)
    const cut = yield* read(node({ count: 900 }), { limit: 4, since })
    assert.isTrue(right(cut.part).more)
  })

  it("is empty if the account has no transactions or does not exist", function* () {
    const empty = { transactions: [], more: false, sources: ["ripple-rpc"], missing: [] }
    assert.deepStrictEqual(right((yield* read(node({ count: 3 }), { address: bob })).part), empty)
    assert.deepStrictEqual(right((yield* read(() => json(failed("actNotFound")))).part), empty)
  })

  it("comes from the next node if the first is down or does not have the older ledgers", function* () {
    for (const first of [() => refused, () => json(failed("lgrIdxsInvalid")), node({ count: 5, from: 90_000_003 })]) {
      const { part } = yield* read(byHost({ "one.test": first, "two.test": node({ count: 5 }) }))
      assert.deepStrictEqual(
        right(part).transactions.map(({ hash }) => hash),
        hashes(5, 5)
      )
      assert.deepStrictEqual(right(part).missing, [])
    }
  })

  it("reports older transactions as missing if no node has the older ledgers, unless they are not requested", function* () {
    const short = node({ count: 5, from: 90_000_003 })
    const { part } = yield* read(short)
    assert.deepStrictEqual(
      right(part).transactions.map(({ hash }) => hash),
      hashes(5, 3)
    )
    assert.deepInclude(right(part), {
      more: true,
      missing: ["older transactions: ripple-rpc: the node does not have the older ledgers"]
    })
    const enough = yield* read(short, { limit: 3 })
    assert.deepStrictEqual(right(enough.part).missing, [])
    assert.deepStrictEqual(right((yield* read(short, { since: timeOf(800_000_035) })).part).missing, [])
    // The account may have existed and been deleted before this transaction created it.
    const created = (request: SentRequest): Reply => {
      const payer = { FinalFields: { Account: bob, Balance: "87" }, PreviousFields: { Balance: "100" } }
      const nodes = [
        { CreatedNode: { LedgerEntryType: "AccountRoot", NewFields: { Account: alice, Balance: "1" } } },
        { ModifiedNode: { LedgerEntryType: "AccountRoot", ...payer } }
      ]
      const first = row(1)
      return JSON.parse(request.body).params[0].account === alice
        ? json({
            result: {
              account: alice,
              ledger_index_min: 80_000_000,
              transactions: [{ ...first, meta: { ...first.meta, AffectedNodes: nodes } }]
            }
          })
        : refused
    }
    assert.deepInclude(right((yield* read(created)).part), {
      more: true,
      missing: ["older transactions: ripple-rpc: the node does not have the older ledgers"]
    })
    const again = yield* read(
      (request) => (request.url.host === "one.test" ? created : node({ count: 7 }))(request),
      {},
      {
        RIPPLE_RPC_URLS: "http://one.test,http://two.test"
      }
    )
    assert.deepStrictEqual(
      right(again.part).transactions.map(({ hash }) => hash),
      hashes(7, 7)
    )
  })

  it("is not complete if no node reports which ledgers it searched, which no retry changes", function* () {
    const silent = (request: SentRequest): Reply =>
      Effect.flatMap(node({ count: 3 })(request), (response) =>
        Effect.promise(async () => {
          const { result } = (await response.json()) as { readonly result: object }
          return Response.json({ result: { ...result, ledger_index_min: undefined } })
        })
      )
    const { part } = yield* read(silent)
    const unavailable = ["older transactions: ripple-rpc: the node does not report which ledgers it has"]
    assert.deepInclude(right(part), { more: false, missing: [], unavailable })
    assert.strictEqual(right(part).transactions.length, 3)
    assert.isUndefined(right((yield* read(silent, { since: timeOf(800_000_020) })).part).unavailable)
    const hosts = byHost({ "one.test": silent, "two.test": node({ count: 7 }) })
    const { part: whole } = yield* read(hosts)
    assert.deepStrictEqual([right(whole).transactions.length, right(whole).unavailable], [7, undefined])
  })

  it("fails with a reason if no history is available", function* () {
    const replies: ReadonlyArray<readonly [Reply, string]> = [
      ...Object.values(faults),
      [json(failed("slowDown")), "rate_limited"],
      [json(failed("noNetwork")), "upstream_error"],
      [json({ result: { status: "success", transactions: [] } }), "bad_answer"],
      [json({ result: { account: bob, transactions: [row(1)] } }), "bad_answer"],
      [json({ result: { account: alice, transactions: [{ tx: 1 }] } }), "bad_answer"]
    ]
    for (const [reply, reason] of replies)
      assert.strictEqual(Either.getOrThrow(Either.flip((yield* read(() => reply)).part)).reason, reason)
  })

  it("returns the rows read before a later page fails, times out or repeats, and reports the rest as missing", function* () {
    const laterPage = (reply: Reply) => (request: SentRequest) =>
      request.body.includes("marker") ? reply : node({ count: 900 })(request)
    const environment = { RIPPLE_RPC_URLS: "http://one.test", REQUEST_DEADLINE_MS: "2000" }
    for (const [reply, why] of [
      [text("<html>", { status: 500 }), "returned HTTP 500"],
      [json(failed("actNotFound")), "returned an account, then reported that it does not exist"],
      [neverResponds, "timed out before the full history was read"]
    ] as const) {
      const { part } = yield* read(laterPage(reply), { limit: 500 }, environment)
      assert.deepStrictEqual(
        right(part).transactions.map(({ hash }) => hash),
        hashes(900, 400)
      )
      assert.deepInclude(right(part), { more: true, missing: [`older transactions: ripple-rpc: ${why}`] })
    }
    const same = (request: SentRequest) => {
      const { params } = JSON.parse(request.body)
      const { marker: _, ...first } = params[0]
      return node({ count: 900 })({ ...request, body: JSON.stringify({ params: [first] }) })
    }
    const { requests, part } = yield* read(same, { limit: 2000 }, environment)
    assert.strictEqual(right(part).transactions.length, 400)
    assert.strictEqual(requests.length, 2)
    assert.isNotEmpty(right(part).missing)
  })

  it("leaves out rows in an unknown format and reports them as missing", function* () {
    const odd = [row(3), { ...row(2), tx: { ...row(2).tx, date: "yesterday" } }, row(1)]
    const { part } = yield* read(() =>
      json({ result: { account: alice, ledger_index_min: 32_570, transactions: odd } })
    )
    assert.deepStrictEqual(
      right(part).transactions.map(({ hash }) => hash),
      [hashOf(3), hashOf(1)]
    )
    assert.deepStrictEqual(right(part).missing, [
      "1 transactions: ripple-rpc: returned transactions in an unexpected format"
    ])
  })
})

describe("impossible rows of account_tx", () => {
  const listing = (transactions: ReadonlyArray<unknown>) => () =>
    json({ result: { account: alice, ledger_index_min: 32_570, ledger_index_max: 98_000_000, transactions } })
  const good = row(9)

  for (const [name, change] of [
    ["of other accounts", { Account: bob, Destination: "rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B" }],
    ["without a sequence", { Sequence: undefined }],
    ["with an invalid hash", { hash: "\ufffd".repeat(64) }],
    ["with a fee above the total supply", { Fee: "100000000000000001" }]
  ] as const)
    it(`are left out and reported as missing: a row ${name}`, function* () {
      const { part } = yield* read(listing([good, { ...row(8), tx: { ...row(8).tx, ...change } }]))
      const { missing, transactions } = Either.getOrThrow(part)
      assert.deepStrictEqual(
        transactions.map(({ hash }) => hash),
        [hashOf(9)]
      )
      assert.match(missing.join(), /^1 transactions: /)
    })

  it("that repeat another row are returned once", function* () {
    const { part } = yield* read(listing([good, good, row(8)]))
    assert.deepStrictEqual(
      Either.getOrThrow(part).transactions.map(({ hash }) => hash),
      [hashOf(9), hashOf(8)]
    )
  })
})
