import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { HistoryPart, HistoryQuery } from "../../../src/domain/Transaction.ts"
import { seconds } from "../../../src/domain/units.ts"
import { withTexts } from "../../support/gaps.ts"
import { json, neverResponds, type Reply, refused, type SentRequest, text } from "../../support/http.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { calls, network, toncenter } from "./ton.ts"

const alice = `0:${"a".repeat(64)}`
const bob = `0:${"b".repeat(64)}`
const begin = 1_700_000_000
const id = (index: number) => index.toString(16).padStart(64, "0")
const base64 = (index: number) => Buffer.from(id(index), "hex").toString("base64")
const at = (index: number) => begin + 100 * index

const transaction = (index: number) => ({
  account: alice,
  hash: base64(index),
  trace_id: base64(index),
  lt: String(1000 * index),
  now: at(index),
  total_fees: "10",
  description: { type: "ord", aborted: false },
  in_msg: { source: null, destination: alice, value: null },
  out_msgs: [{ source: alice, destination: bob, value: "7", fwd_fee: "1", ihr_fee: "0", opcode: null, bounced: false }]
})

const transfer = (index: number) => ({
  source: bob,
  destination: alice,
  amount: "5",
  source_wallet: bob,
  jetton_master: bob,
  transaction_hash: base64(1_000_000 + index),
  transaction_lt: String(1000 * index),
  transaction_now: at(index),
  transaction_aborted: false,
  forward_ton_amount: null,
  trace_id: base64(index)
})

const numbers = (count: number) => Array.from({ length: count }, (_, index) => count - index)
const part = <A>(rows: ReadonlyArray<A>, { url: { searchParams } }: SentRequest, offset = "offset") => {
  const from = Number(searchParams.get(offset) ?? 0)
  return rows.slice(from, from + Number(searchParams.get("limit")))
}
const newer = (count: number, { url: { searchParams } }: SentRequest) =>
  numbers(count).filter(
    (index) => at(index) >= Number(searchParams.get("start_utime") ?? searchParams.get("start_date") ?? 0)
  )

/** TON Center with this number of traces. Every third trace has only jettons from another account. */
const center = (count: number) =>
  toncenter({
    transactions: (request) =>
      json({
        transactions: part(
          newer(count, request)
            .filter((n) => n % 3)
            .map(transaction),
          request
        )
      }),
    "jetton/transfers": (request) =>
      json({
        jetton_transfers: part(
          newer(count, request)
            .filter((n) => n % 3 === 0)
            .map(transfer),
          request
        )
      })
  })

/** TonAPI with the same traces. */
const events =
  (count: number, more: (index: number) => object = () => ({})) =>
  (request: SentRequest): Reply => {
    const before = Number(request.url.searchParams.get("before_lt") ?? Number.POSITIVE_INFINITY)
    const left = newer(count, request).filter((index) => 1000 * index < before)
    const shown = part(left, request)
    const TonTransfer = { sender: { address: alice }, recipient: { address: bob }, amount: 7 }
    return json({
      events: shown.map((index) => ({
        event_id: id(index),
        timestamp: at(index),
        lt: 1000 * index,
        in_progress: false,
        extra: -11,
        actions: [{ type: "TonTransfer", status: "ok", TonTransfer }],
        ...more(index)
      })),
      next_from: left.length > shown.length ? 1000 * (shown.at(-1) ?? 0) : 0
    })
  }

const read = Effect.fnUntraced(function* (
  hosts: { readonly center: (request: SentRequest) => Reply; readonly tonapi?: (request: SentRequest) => Reply },
  query: Partial<HistoryQuery> = {},
  environment = {}
) {
  const { requests, network: ton } = yield* network(
    { "toncenter.test": hosts.center, "tonapi.test": hosts.tonapi ?? (() => refused) },
    { tokens: undefined, environment }
  )
  const history = ton.history?.({ address: alice, limit: 50, ...query }) ?? Effect.dieMessage("no history")
  return { result: yield* settled(Effect.either(Effect.map(history, withTexts))), calls: calls(requests), requests }
})

const sizes = [
  ["a small address", 9, {}, { toncenter: 3, tonapi: 1 }, 9, false],
  ["an unused address", 0, {}, { toncenter: 3, tonapi: 1 }, 0, false],
  ["50 rows of a large address", 100_000, {}, { toncenter: 3, tonapi: 1 }, 50, true],
  ["500 rows of a large address", 100_000, { limit: 500 }, { toncenter: 3, tonapi: 6 }, 500, true],
  [
    "the new rows of a large address",
    100_000,
    { limit: 500, since: seconds(at(99_998)) },
    { toncenter: 3, tonapi: 1 },
    3,
    false
  ]
] as const

describe("calls for a TON history", () => {
  for (const [name, count, query, expected, rowCount, more] of sizes) {
    const ids = Array.from({ length: rowCount }, (_, index) => id(count - index))
    it(`are ${expected.toncenter} to TON Center for ${name}`, function* () {
      const { calls: made, result } = yield* read({ center: center(count) }, query)
      const { missing, more: older, sources, transactions } = Either.getOrThrow(result)
      assert.deepStrictEqual(
        transactions.map(({ hash }) => hash),
        ids
      )
      assert.deepStrictEqual([made, older, missing, sources] as unknown, [
        { toncenter: expected.toncenter, tonapi: 0 },
        more,
        [],
        ["toncenter"]
      ])
    })

    it(`are ${expected.tonapi} to TonAPI for ${name} if TON Center refuses`, function* () {
      const down = () => text("", { status: 403 })
      const { calls: made, result } = yield* read({ center: down, tonapi: events(count) }, query)
      const { missing, more: older, sources, transactions } = Either.getOrThrow(result)
      assert.deepStrictEqual(
        transactions.map(({ hash }) => hash),
        ids
      )
      assert.deepStrictEqual([made.tonapi, older, missing, sources] as unknown, [expected.tonapi, more, [], ["tonapi"]])
    })
  }
})

describe("a TON history", () => {
  it("sets `more` to false if the requested range is complete, even if many rows are just before it", function* () {
    const dense = <A extends object>(rows: ReadonlyArray<A>, time: string) =>
      rows.map((row, index) => ({ ...row, [time]: begin - index }))
    const query = { limit: 2, since: seconds(begin) }
    const shown = ({
      result
    }: {
      readonly result: Either.Either<ReturnType<typeof withTexts<HistoryPart>>, unknown>
    }) => {
      const { missing, more, transactions } = Either.getOrThrow(result)
      return [transactions.map(({ hash }) => hash), more, missing]
    }
    const transactions = json({ transactions: dense(numbers(5).map(transaction), "now") })
    const center = toncenter({ transactions, "jetton/transfers": json({ jetton_transfers: [] }) })
    assert.deepStrictEqual(shown(yield* read({ center }, query)), [[id(5)], false, []])
    const tonapi = events(5, (index) => ({ timestamp: begin - 5 + index }))
    assert.deepStrictEqual(shown(yield* read({ center: () => refused, tonapi }, query)), [[id(5)], false, []])
  })

  const without = (list: string, reply: Reply) => (request: SentRequest) =>
    request.url.pathname.endsWith(list) ? reply : center(9)(request)
  const down = text("<html>", { status: 502 })

  it("reports what TON Center does not list, and the jetton burns if reading them fails", function* () {
    const { result } = yield* read({ center: without("jetton/burns", down) })
    const { missing, transactions, unavailable } = Either.getOrThrow(result)
    assert.strictEqual(transactions.length, 9)
    assert.deepStrictEqual([...missing], ["jetton burns: toncenter: returned HTTP 502"])
    assert.deepStrictEqual(unavailable as unknown, ["minted jettons and NFT transfers: toncenter does not list them"])
  })

  it("is returned without jetton transfers if reading them fails, and reports them as missing", function* () {
    const { calls: made, result } = yield* read({ center: without("jetton/transfers", down), tonapi: events(9) })
    const { missing, transactions } = Either.getOrThrow(result)
    assert.deepStrictEqual([transactions.length, made.tonapi] as unknown, [6, 0])
    assert.deepStrictEqual([...missing], ["jetton transfers: toncenter: returned HTTP 502"])
  })

  it("comes from the next indexer if transactions are unavailable, or else contains only jetton transfers", function* () {
    const next = yield* read({ center: without("/transactions", down), tonapi: events(9) })
    assert.deepStrictEqual(Either.getOrThrow(next.result).sources as unknown, ["tonapi"])
    const { result } = yield* read({ center: without("/transactions", down) })
    const { missing, transactions } = Either.getOrThrow(result)
    assert.deepStrictEqual(
      transactions.map(({ fee, type }) => [fee, type]),
      Array(3).fill([null, "Receive"])
    )
    assert.deepStrictEqual([...missing], ["transactions: toncenter: returned HTTP 502"])
  })

  it("reports events that TonAPI does not fully describe, and marks failed and pending events", function* () {
    const tonapi = events(1, () => ({ actions: [{ type: "NftItemTransfer", status: "ok", NftItemTransfer: {} }] }))
    const nft = Either.getOrThrow((yield* read({ center: () => refused, tonapi })).result)
    assert.deepStrictEqual(
      nft.transactions.map(({ type }) => type),
      ["NftItemTransfer"]
    )
    assert.deepStrictEqual(
      [...nft.missing],
      ["transfers of exchanges, stakes and NFTs: tonapi does not return all of them"]
    )
    const action = {
      type: "TonTransfer",
      TonTransfer: { sender: { address: alice }, recipient: { address: bob }, amount: 7 }
    }
    for (const [more, expected] of [
      [{ actions: [{ ...action, status: "failed" }] }, ["Failed", 0n, 11n]],
      [{ in_progress: true, extra: -5 }, ["Pending", 7n, 5n]]
    ] as const) {
      const { result } = yield* read({ center: () => refused, tonapi: events(1, () => more) })
      const [item] = Either.getOrThrow(result).transactions
      assert.deepStrictEqual([item?.status, item?.to[0]?.amount, item?.fee], [...expected])
    }
  })

  it("shows a positive `extra` of a TonAPI event as received coins, with an unknown fee", function* () {
    const execution = (attached: object, status = "ok") => ({
      actions: [
        {
          type: "SmartContractExec",
          status,
          SmartContractExec: { executor: { address: alice }, contract: { address: bob }, ...attached }
        }
      ]
    })
    const returned = { address: alice, amount: 3n }
    const [gave, got] = [
      { address: alice, amount: 20n },
      { address: bob, amount: 20n }
    ]
    for (const [more, expected] of [
      [{ ...execution({ gram_attached: 20 }), extra: 3 }, ["Send", "Success", null, [gave], [got, returned]]],
      [{ ...execution({ ton_attached: 20 }), extra: -3 }, ["Send", "Success", 3n, [gave], [got]]],
      [{ ...execution({ gram_attached: 20, ton_attached: 20 }), extra: 0 }, ["Send", "Success", 0n, [gave], [got]]],
      [{ ...execution({ gram_attached: 20 }, "failed"), extra: 3 }, ["Receive", "Success", null, [], [returned]]],
      [{ actions: [], extra: 3 }, ["Receive", "Success", null, [], [returned]]]
    ] as const) {
      const { result } = yield* read({ center: () => refused, tonapi: events(1, () => more) })
      const { missing, transactions } = Either.getOrThrow(result)
      assert.deepStrictEqual([...missing], [])
      assert.deepStrictEqual(
        transactions.map(({ fee, from, paid, status, to, type }) => ({ all: [type, status, fee, from, to], paid })),
        [{ all: expected, paid: undefined }] as unknown
      )
    }
  })

  it("returns the rows read before the deadline, and lists what is missing", function* () {
    const timedOut = yield* read({ center: without("jetton/transfers", neverResponds) })
    const { missing, transactions } = Either.getOrThrow(timedOut.result)
    assert.strictEqual(transactions.length, 6)
    assert.match(missing.join(), /^jetton transfers: /)
    const never = yield* read(
      { center: () => neverResponds, tonapi: () => neverResponds },
      {},
      { REQUEST_DEADLINE_MS: "2000" }
    )
    assert.deepInclude(Either.getOrThrow(Either.flip(never.result)), { reason: "timeout" })
  })

  for (const [name, reply, reason] of [
    [
      "return a rate limit",
      json({ ok: false, result: "Ratelimit exceed", code: 429 }, { status: 429 }),
      "rate_limited"
    ],
    ["refuse", text("", { status: 403 }), "upstream_error"],
    ["return HTML", text("<html>"), "bad_answer"],
    ["return another format", json({ result: [] }), "bad_answer"],
    [
      "return rows in another format",
      json({ transactions: [{}], jetton_transfers: [{}], jetton_burns: [{}], events: [{}] }),
      "bad_answer"
    ],
    ["are not reachable", refused, "upstream_error"]
  ] as const)
    it(`fails if its indexers ${name}`, function* () {
      const { result } = yield* read({ center: () => reply, tonapi: () => reply })
      const failure = Either.getOrThrow(Either.flip(result))
      assert.strictEqual("reason" in failure ? failure.reason : failure, reason)
      assert.notMatch("message" in failure ? failure.message : "", /\.test/)
    })
})
