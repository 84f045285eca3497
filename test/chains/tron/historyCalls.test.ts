import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Chain } from "../../../src/chains/Chain.ts"
import type { HistoryQuery } from "../../../src/domain/Transaction.ts"
import { seconds } from "../../../src/domain/units.ts"
import { withTexts } from "../../support/gaps.ts"
import { json, neverResponds, type Reply, refused, repliesInOrder, type SentRequest, text } from "../../support/http.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { alice, bob, headless, isOfHead, network, usdt } from "./tron.ts"

const isTransfers = ({ url }: SentRequest) => url.pathname.endsWith("/trc20")
const id = (index: number) => index.toString(16).padStart(64, "0")
const begin = 1_700_000_000

const native = (index: number) => ({
  txID: id(index),
  block_timestamp: (begin + 10 * index) * 1000,
  blockNumber: index,
  ret: [{ contractRet: "SUCCESS", fee: 1 }],
  raw_data: {
    contract: [
      {
        type: "TransferContract",
        parameter: {
          value: {
            owner_address: "412e1d447fa4169390cf5f5b3d12d380decfbfe20f",
            to_address: "4139fec4d95bb59f45a727f9234020adaf2cec9e20",
            amount: 1
          }
        }
      }
    ]
  }
})

const token = (index: number) => ({
  transaction_id: id(index),
  block_timestamp: (begin + 10 * index) * 1000,
  type: "Transfer",
  from: bob,
  to: alice,
  value: "5",
  token_info: { address: usdt.address }
})

/** TronGrid with this number of transactions; every third is a token transfer from another account. */
const holding = (count: number) => {
  const all = Array.from({ length: count }, (_, index) => count - index)
  return (request: SentRequest): Reply => {
    const { searchParams } = request.url
    const since = Number(searchParams.get("min_timestamp") ?? 0)
    const [limit, from] = [Number(searchParams.get("limit")), Number(searchParams.get("fingerprint") ?? 0)]
    const rows = (
      isTransfers(request) ? all.filter((n) => n % 3 === 0).map(token) : all.filter((n) => n % 3).map(native)
    ).filter(({ block_timestamp }) => block_timestamp >= since)
    const fingerprint = rows.length > from + limit ? { fingerprint: String(from + limit) } : {}
    return json({ success: true, data: rows.slice(from, from + limit), meta: fingerprint })
  }
}

const read = Effect.fnUntraced(function* (
  handler: (request: SentRequest) => Reply,
  query: Partial<HistoryQuery> = {},
  environment = {}
) {
  const tron: Pick<Chain["Type"], "history"> & { readonly requests: ReadonlyArray<SentRequest> } = yield* network(
    headless(handler),
    [],
    environment
  )
  const history = tron.history?.({ address: alice, limit: 50, ...query }) ?? Effect.dieMessage("no history")
  const result = yield* settled(Effect.either(Effect.map(history, withTexts)))
  const requests = tron.requests.filter((request) => !isOfHead(request))
  return {
    result,
    calls: [requests.filter((request) => !isTransfers(request)).length, requests.filter(isTransfers).length]
  }
})

describe("the calls for a Tron history", () => {
  for (const [name, count, query, calls, transactionCount, more] of [
    ["a small address", 9, {}, [1, 1], 9, false],
    ["an unused address", 0, {}, [1, 1], 0, false],
    ["50 transactions of a large address", 100_000, {}, [1, 1], 50, true],
    ["500 transactions of a large address", 100_000, { limit: 500 }, [2, 1], 500, true],
    ["all 500 transactions of a medium address", 500, { limit: 500 }, [2, 1], 500, false],
    [
      "the new transactions of a large address",
      100_000,
      { limit: 500, since: seconds(begin + 10 * 99_998) },
      [1, 1],
      3,
      false
    ]
  ] as const)
    it(`are ${calls.join(" + ")} for ${name}`, function* () {
      const read_ = yield* read(holding(count), query)
      const part = Either.getOrThrow(read_.result)
      assert.deepStrictEqual(
        part.transactions.map(({ hash }) => hash),
        Array.from({ length: transactionCount }, (_, index) => id(count - index))
      )
      assert.deepStrictEqual([read_.calls, part.more, part.missing] as unknown, [calls, more, []])
    })
})

describe("a Tron history", () => {
  it("contains one list if the other fails, and reports the failure", function* () {
    for (const [fails, name] of [
      [isTransfers, "token transfers"],
      [(request: SentRequest) => !isTransfers(request), "transactions"]
    ] as const) {
      const { result } = yield* read((request) =>
        fails(request) ? text("<html>", { status: 502 }) : holding(9)(request)
      )
      const { missing, more, transactions } = Either.getOrThrow(result)
      assert.strictEqual(transactions.length, name === "transactions" ? 3 : 6)
      assert.deepStrictEqual([missing, more] as unknown, [[`${name}: trongrid: returned HTTP 502`], false])
    }
  })

  it("returns the rows that were read before the deadline, and reports the missing rows", function* () {
    const replies = repliesInOrder(holding(1000)({ url: new URL("http://x/?limit=200") } as SentRequest), neverResponds)
    const timedOut = yield* read((request) => (isTransfers(request) ? holding(0)(request) : replies()), {
      limit: 500
    })
    const { missing, more, transactions } = Either.getOrThrow(timedOut.result)
    assert.deepStrictEqual([transactions.length, more] as unknown, [199, true])
    assert.match(missing.join(), /^older transactions: .*timed out/)
    const never = yield* read(() => neverResponds, {}, { REQUEST_DEADLINE_MS: "2000" })
    assert.deepInclude(Either.getOrThrow(Either.flip(never.result)), { reason: "timeout" })
  })

  for (const [name, reply, reason] of [
    ["returns a rate limit", text("", { status: 429 }), "rate_limited"],
    ["returns a rate limit under HTTP 200", json({ Error: "The key exceeds the frequency limit(3)" }), "rate_limited"],
    ["denies access", text("", { status: 403 }), "upstream_error"],
    ["returns an error under HTTP 200", json({ success: false, error: "Invalid address" }), "upstream_error"],
    ["returns an HTML page", text("<html>"), "bad_answer"],
    ["returns an unexpected format", json({ data: {} }), "bad_answer"],
    ["cannot be reached", refused, "upstream_error"]
  ] as const)
    it(`fails if TronGrid ${name}`, function* () {
      const { result } = yield* read(() => reply)
      const failure = Either.getOrThrow(Either.flip(result))
      assert.strictEqual("reason" in failure ? failure.reason : failure, reason)
      assert.notMatch("message" in failure ? failure.message : "", /http:|https:/)
    })
})
