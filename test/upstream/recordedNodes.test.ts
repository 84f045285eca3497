import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { decodeAggregate, decodeQuantity, decodeWord } from "../../src/chains/evm/multicall.ts"
import { format } from "../../src/domain/Amount.ts"
import * as Client from "../../src/jsonrpc/Client.ts"
import { cases, type Exchange, fixture, recorded, replay, sample, samplesOf } from "../support/fixtures.ts"
import { byHost, json, simulatedClient } from "../support/http.ts"
import { firstUrl, make, run, secondUrl, upstreamDependencies } from "../support/upstream.ts"

/** The calls of an exchange: JSON-RPC calls, or the query of an explorer that forwards a call. */
const callsOf = ({ request }: Exchange): ReadonlyArray<Client.ClientCall> => {
  if (request.body === null) return [{ method: request.query.action ?? "", params: [] }]
  return [request.body].flat().map((sent) => {
    const { method, params } = sent as Client.ClientCall
    return { method, params }
  })
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The exchange with the ids of the client instead of the recorded ids. */
const renumbered = (exchange: Exchange): Exchange => {
  const { request, response } = exchange
  if (isRecord(request.body) && isRecord(response.body) && response.body.id === request.body.id)
    return { ...exchange, response: { ...response, body: { ...response.body, id: 1 } } }
  if (!Array.isArray(request.body) || !Array.isArray(response.body)) return exchange
  const ids = request.body.map(({ id }) => id)
  const body = response.body.map((reply) => ({ ...reply, id: ids.indexOf(reply.id) + 1 }))
  return { ...exchange, response: { ...response, body } }
}

/** The outcomes of the client for this response; the second address returns `0x5afe` for every call. */
const replayed = (exchange: Exchange) => {
  const outside = simulatedClient(
    byHost({
      "one.example": () => replay(renumbered(exchange)),
      "two.example": ({ body }) => {
        const sent: unknown = JSON.parse(body)
        const answer = ({ id }: { readonly id: number }) => ({ jsonrpc: "2.0", id, result: "0x5afe" })
        return json(Array.isArray(sent) ? sent.map(answer) : answer(sent as { readonly id: number }))
      }
    })
  )
  const calls = callsOf(exchange)
  return Effect.gen(function* () {
    const outcome = (urls: ReadonlyArray<string>) =>
      Effect.flatMap(make(urls), (nodes) =>
        run(
          nodes.over(
            (node): ReturnType<typeof Client.batch> =>
              Array.isArray(exchange.request.body)
                ? Client.batch(node, calls)
                : Effect.map(Client.call(node, calls[0] ?? { method: "", params: [] }), (outcome) => [outcome])
          )
        )
      )
    return { alone: yield* outcome([firstUrl]), followed: yield* outcome([firstUrl, secondUrl]) }
  }).pipe(Effect.provide(upstreamDependencies(outside)))
}

const results = (outcomes: ReadonlyArray<Client.Outcome>) =>
  outcomes.map((outcome) =>
    Either.isRight(outcome) ? outcome.right : { code: outcome.left.code, detail: outcome.left.detail }
  )

const quantity = (result: unknown) => Option.getOrUndefined(decodeQuantity(String(result)))
const word = (result: unknown) => Option.getOrUndefined(decodeWord(String(result)))
const aggregate = (result: unknown, count: number) =>
  Option.map(decodeAggregate(String(result), count), (entries) => entries.map(Option.getOrUndefined))

/** The outcomes of a response, each a result or the node's rejection; `fault` is the reason to call the next node. */
type Expectation =
  | { readonly check: (results: ReadonlyArray<unknown>, exchange: Exchange) => void }
  | { readonly fault: string; readonly message: string }

/** The expected outcomes per recording. */
const expected: Readonly<Record<string, Expectation>> = {
  "eth-getbalance-mainnet": {
    check: ([result]) => {
      assert.strictEqual(quantity(result), 5_106_330_700_000_000_000n)
      assert.strictEqual(format(quantity(result) ?? 0n, 18), "5.1063307")
      assert.isUndefined(word(result), "a quantity has no leading zeros and is not a word")
    }
  },
  "eth-getbalance-zero": {
    check: ([result]) => assert.strictEqual(quantity(result), 0n)
  },
  "erc20-balanceof-18-decimals": {
    check: ([result]) => assert.strictEqual(format(word(result) ?? 0n, 18), "6.169011805555555325")
  },
  "erc20-balanceof-9-units": {
    check: ([result]) => assert.strictEqual(format(word(result) ?? 0n, 6), "0.000009")
  },
  "multicall-tryaggregate-all-ok": {
    check: ([result]) => {
      assert.deepStrictEqual(aggregate(result, 3), Option.some([18n, 32n, 32n]))
      assert.deepStrictEqual(aggregate(result, 2), Option.none(), "a result for three calls is invalid for two calls")
    }
  },
  "multicall-tryaggregate-some-failed": {
    check: ([result]) =>
      assert.deepStrictEqual(
        aggregate(result, 2),
        Option.some([undefined, 0x1dc0f3359a254f876b37906cfc1000a35ce2d717n])
      )
  },
  "multicall-success-with-empty-bytes": {
    check: ([result]) => assert.deepStrictEqual(aggregate(result, 3), Option.some([undefined, undefined, undefined]))
  },
  "error-missing-trie-node-32000": {
    fault: "upstream_error",
    message: "tester: the node does not have the block or its data"
  },
  "error-no-state-32002-data-null": {
    fault: "upstream_error",
    message: "tester: the node does not have the block or its data"
  },
  "error-reverted-code-3-with-data": {
    check: (outcomes) => assert.deepStrictEqual(outcomes, [{ code: 3, detail: "execution reverted" }])
  },
  "error-is-a-plain-string": {
    check: (outcomes) => assert.deepStrictEqual(outcomes, [{ code: 0, detail: "Missed `to` address" }])
  },
  "rate-limit-32005-infura": {
    fault: "rate_limited",
    message: "tester: rate limit reached (HTTP 429)"
  },
  "error-tenant-disabled-no-envelope": {
    fault: "upstream_error",
    message: "tester: the node cannot answer at the moment"
  },
  "batch-rejected-as-a-whole": {
    check: (outcomes) =>
      assert.deepStrictEqual(
        outcomes,
        Array(2).fill({ code: -32600, detail: 'Too many ["eth_getLogs"] methods in the batch' })
      )
  },
  "batch-token-metadata-usdt": {
    check: (outcomes) => {
      assert.strictEqual(outcomes.length, 4)
      assert.strictEqual(word(outcomes[2]), 6n)
      assert.strictEqual(word(outcomes[3]), 76_926_220_145_483_487n, "above 2^53, and exact")
    }
  },
  "batch-decimals-reverted": {
    check: (outcomes) => {
      assert.strictEqual(outcomes.length, 4)
      assert.deepStrictEqual(outcomes[2], { code: -32000, detail: "execution reverted" })
      assert.strictEqual(word(outcomes[3]), 9_968n)
    }
  },
  "batch-empty-0x-results": {
    check: (outcomes) => {
      assert.deepStrictEqual(outcomes, ["0x", "0x", "0x", "0x"])
      assert.deepStrictEqual(outcomes.map(word), [undefined, undefined, undefined, undefined])
      assert.deepStrictEqual(outcomes.map(quantity), [undefined, undefined, undefined, undefined])
    }
  },
  "receipt-mainnet-eip1559-success": {
    check: expectUnchanged({ gasUsed: "0x5208", effectiveGasPrice: "0x111573477d" })
  },
  "receipt-failed-status-0x0": { check: expectUnchanged({ status: "0x0", gasUsed: "0x8259" }) },
  "receipt-pre-byzantium-root": { check: expectUnchanged({ status: undefined, gasUsed: "0x8f3d" }) },
  "receipt-null-not-found": { check: (outcomes) => assert.deepStrictEqual(outcomes, [null]) },
  "receipt-optimism-ecotone": { check: expectUnchanged({ l1Fee: "0x14a6f5e98b" }) },
  "receipt-optimism-bedrock-l1feescalar": { check: expectUnchanged({ l1Fee: "0x7834126de76f", l1FeeScalar: "0.684" }) },
  "receipt-optimism-blockscout-without-l1fee": { check: expectUnchanged({ l1Fee: undefined, gasUsed: "0x38966" }) },
  "receipt-optimism-deposit-7e": { check: expectUnchanged({ type: "0x7e", effectiveGasPrice: "0x0" }) },
  "receipt-arbitrum-timeboosted": { check: expectUnchanged({ gasUsed: "0xfd9d", gasUsedForL1: "0x426a" }) },
  "receipt-polygon-with-fee-log": { check: expectUnchanged({ gasUsed: "0x8e30", effectiveGasPrice: "0xa53d532f0" }) },
  "tx-legacy-mainnet": { check: expectUnchanged({ type: "0x0", blockTimestamp: "0x55c42659" }) },
  "tx-eip1559": { check: expectUnchanged({ type: "0x2", gasPrice: "0x3e80958", maxFeePerGas: "0x4cb43b0" }) },
  "tx-null": { check: (outcomes) => assert.deepStrictEqual(outcomes, [null]) }
}

/** Expects the unchanged result of the node, with these members. */
function expectUnchanged(members: Readonly<Record<string, unknown>>) {
  return (outcomes: ReadonlyArray<unknown>, { response }: Exchange) => {
    assert.deepStrictEqual(outcomes, [(response.body as { readonly result: unknown }).result])
    for (const [name, value] of Object.entries(members))
      assert.strictEqual((outcomes[0] as Readonly<Record<string, unknown>>)[name], value, name)
  }
}

/** Calls a single node, and then two nodes, of which the second works: it is called only if the first failed. */
const checkOutcomes = Effect.fnUntraced(function* (exchange: Exchange, expectation: Expectation) {
  const { alone, followed } = yield* replayed(exchange)
  if ("fault" in expectation) {
    assert.isTrue(Either.isLeft(alone))
    if (Either.isLeft(alone)) {
      assert.strictEqual(alone.left.reason, expectation.fault)
      assert.strictEqual(alone.left.message, expectation.message)
    }
    assert.deepStrictEqual(results(Either.getOrThrow(followed)), ["0x5afe"])
    return
  }
  const outcomes = results(Either.getOrThrow(alone))
  expectation.check(outcomes, exchange)
  assert.deepStrictEqual(results(Either.getOrThrow(followed)), outcomes, "no other node is called")
})

const dataOfRevert = Effect.fnUntraced(function* (exchange: Exchange) {
  const [outcome] = Either.getOrThrow((yield* replayed(exchange)).alone)
  const { body } = exchange.response
  assert.deepStrictEqual(
    outcome?.pipe(
      Either.flip,
      Either.map(({ data }) => data),
      Either.getOrThrow
    ),
    (body as { readonly error: { readonly data: string } }).error.data
  )
})

const withLineBreak = Effect.fnUntraced(function* (exchange: Exchange, expected: bigint) {
  const { body } = exchange.response
  const outside = simulatedClient(() => Effect.sync(() => new Response(`${JSON.stringify(body)}\n`)))
  const call = Effect.flatMap(make(), (nodes) =>
    nodes.over((node) => Client.call(node, { method: "eth_call", params: [] }))
  )
  const outcome = yield* Effect.provide(call, upstreamDependencies(outside))
  assert.strictEqual(word(Either.getOrThrow(outcome)), expected)
})

const unable = { fault: "upstream_error", message: "tester: the node cannot answer at the moment" }
const absent = { fault: "upstream_error", message: "tester: the node does not have the block or its data" }

/** The expected outcomes per sample. */
const made: Readonly<Record<string, Expectation>> = {
  balance: {
    check: ([result]) => {
      assert.strictEqual(quantity(result), 2_750_041_900_000_000_000n)
      assert.strictEqual(format(quantity(result) ?? 0n, 18), "2.7500419")
      assert.isUndefined(word(result), "a quantity is not a word")
    }
  },
  "balance-zero": { check: ([result]) => assert.strictEqual(quantity(result), 0n) },
  "token-balance": {
    check: ([result]) => assert.strictEqual(format(word(result) ?? 0n, 18), "1.203450000000000077")
  },
  "token-balance-seven-units": {
    check: ([result]) => assert.strictEqual(format(word(result) ?? 0n, 6), "0.000007")
  },
  "multicall-all-good": {
    check: ([result]) => {
      assert.deepStrictEqual(aggregate(result, 3), Option.some([40_000_000_000_000_000_017n, 0n, 1n]))
      assert.deepStrictEqual(aggregate(result, 2), Option.none(), "a result for three calls is invalid for two calls")
    }
  },
  "multicall-some-failed": {
    check: ([result]) => assert.deepStrictEqual(aggregate(result, 3), Option.some([777n, undefined, 1n]))
  },
  "multicall-no-code": {
    check: ([result]) => assert.deepStrictEqual(aggregate(result, 2), Option.some([undefined, undefined]))
  },
  "error-state-missing": absent,
  "error-state-unavailable": absent,
  "error-revert": {
    check: (outcomes) => assert.deepStrictEqual(outcomes, [{ code: 3, detail: "execution reverted: paused" }])
  },
  "error-text": { check: (outcomes) => assert.deepStrictEqual(outcomes, [{ code: 0, detail: "`to` is required" }]) },
  "limit-429": { fault: "rate_limited", message: "tester: rate limit reached (HTTP 429)" },
  "error-without-envelope": unable,
  "batch-refused": {
    check: (outcomes) =>
      assert.deepStrictEqual(outcomes, Array(2).fill({ code: -32600, detail: "a batch may have one eth_getLogs" }))
  },
  "batch-token": {
    check: (outcomes) => {
      assert.strictEqual(outcomes.length, 3)
      assert.deepStrictEqual(outcomes.slice(1).map(word), [6n, 9_007_199_254_740_993_000_001n])
    }
  },
  "batch-one-reverted": {
    check: ([decimals, supply]) => {
      assert.deepStrictEqual(decimals, { code: -32000, detail: "execution reverted" })
      assert.strictEqual(word(supply), 4_321n)
    }
  },
  "batch-no-code": {
    check: (outcomes) => {
      assert.deepStrictEqual(outcomes, ["0x", "0x"])
      assert.deepStrictEqual([...outcomes.map(word), ...outcomes.map(quantity)], Array(4).fill(undefined))
    }
  },
  "receipt-success": { check: expectUnchanged({ gasUsed: "0x5208", effectiveGasPrice: "0x3b9aca07" }) },
  "receipt-failed": { check: expectUnchanged({ status: "0x0", gasUsed: "0x7a12" }) },
  "receipt-before-byzantium": { check: expectUnchanged({ status: undefined, gasUsed: "0xc350" }) },
  "receipt-none": { check: (outcomes) => assert.deepStrictEqual(outcomes, [null]) },
  "receipt-op-ecotone": { check: expectUnchanged({ l1Fee: "0x1234567891" }) },
  "receipt-op-bedrock": { check: expectUnchanged({ l1Fee: "0x5a0e2f1c3b4d", l1FeeScalar: "0.512" }) },
  "receipt-op-without-l1-fee": { check: expectUnchanged({ l1Fee: undefined, gasUsed: "0x249f0" }) },
  "receipt-op-deposit": { check: expectUnchanged({ type: "0x7e", effectiveGasPrice: "0x0" }) },
  "receipt-arbitrum": { check: expectUnchanged({ gasUsed: "0xf618", gasUsedForL1: "0x3e80" }) },
  "receipt-polygon": { check: expectUnchanged({ gasUsed: "0x88b8", effectiveGasPrice: "0x9502f9001" }) },
  "transaction-legacy": { check: expectUnchanged({ type: "0x0", blockTimestamp: "0x56bfb421" }) },
  "transaction-type-2": { check: expectUnchanged({ type: "0x2", gasPrice: "0x3b9aca07", maxFeePerGas: "0x77359400" }) },
  "transaction-none": { check: (outcomes) => assert.deepStrictEqual(outcomes, [null]) }
}

describe("responses of nodes", () => {
  it("all have an expectation", () => {
    assert.deepStrictEqual(Object.keys(made).sort(), [...samplesOf("evm-rpc")])
  })

  for (const [name, expectation] of Object.entries(made))
    it.scoped(`are interpreted as expected: ${name}`, () => checkOutcomes(sample("evm-rpc", name), expectation))

  it.scoped("keep the data of a revert", () => dataOfRevert(sample("evm-rpc", "error-revert")))

  it.scoped("may end with a line break", () => withLineBreak(sample("evm-rpc", "token-balance-seven-units"), 7n))
})

recorded("recorded responses of nodes", () => {
  it("all have an expectation", () => {
    assert.deepStrictEqual(Object.keys(expected).sort(), [...cases("evm-rpc")])
  })

  for (const [name, expectation] of Object.entries(expected))
    it.scoped(`are interpreted as expected: ${name}`, () => checkOutcomes(fixture("evm-rpc", name), expectation))

  it.scoped("keep the data of a revert", () => dataOfRevert(fixture("evm-rpc", "error-reverted-code-3-with-data")))

  it.scoped("may end with a line break", () => withLineBreak(fixture("evm-rpc", "erc20-balanceof-9-units"), 9n))
})
