import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Address as EvmAddress } from "viem"
import * as JsonRpc from "../../../upstreams/JsonRpc.ts"
import type { Address } from "../../../upstreams/Upstream.ts"
import type { UpstreamError } from "../../../upstreams/UpstreamError.ts"
import { decodeQuantity, decodeWord, encodeBalanceOf } from "../balanceOf.ts"

/** Calls in one batch; public nodes take as many. */
const batchSize = 100

/** Calls at once to a node that takes no batches. */
const sideBySide = 16

/** Many calls in the fewest requests that the node takes. What a batch did not answer is asked alone. */
export const callAll = (node: Address, calls: ReadonlyArray<JsonRpc.Call>) =>
  Effect.map(
    Effect.forEach(Arr.chunksOf(calls, batchSize), (chunk) => inBatch(node, chunk), { concurrency: 4 }),
    (chunks) => chunks.flat()
  )

const inBatch = (node: Address, calls: ReadonlyArray<JsonRpc.Call>) =>
  Effect.gen(function* () {
    const [only, ...more] = calls
    if (only !== undefined && more.length === 0) return [yield* JsonRpc.call(node, only)]
    const outcomes = yield* Effect.catchIf(JsonRpc.batch(node, calls), isNotTaken, () =>
      Effect.succeed(calls.map(() => JsonRpc.missing))
    )
    const whole = outcomes[0]
    const refusedWhole = whole !== undefined && Either.isLeft(whole) && outcomes.every((one) => one === whole)
    return yield* Effect.forEach(
      outcomes,
      (outcome, index) => {
        const call = calls[index]
        return call !== undefined && (refusedWhole || outcome === JsonRpc.missing)
          ? JsonRpc.call(node, call)
          : Effect.succeed(outcome)
      },
      { concurrency: sideBySide }
    )
  })

/** Some nodes refuse a batch in another way than JSON-RPC has for it. */
const isNotTaken = ({ reason, status }: UpstreamError) => reason === "bad_answer" || status === 400 || status === 413

export const balanceOf = (holder: EvmAddress, token: EvmAddress): JsonRpc.Call => ({
  method: "eth_call",
  params: [{ to: token, data: encodeBalanceOf(holder) }, "latest"]
})

/** A result that is exactly one word. */
export const word = (outcome: JsonRpc.Outcome | undefined) => text(outcome, decodeWord)

/** A result that is a quantity. */
export const quantity = (outcome: JsonRpc.Outcome | undefined) => text(outcome, decodeQuantity)

const text = <A>(outcome: JsonRpc.Outcome | undefined, decode: (hex: string) => Option.Option<A>) =>
  outcome !== undefined && Either.isRight(outcome) && typeof outcome.right === "string"
    ? decode(outcome.right)
    : Option.none<A>()
