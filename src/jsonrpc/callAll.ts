import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { each } from "../kernel/each.ts"
import * as ResponseDecoder from "../upstream/ResponseDecoder.ts"
import type { Endpoint } from "../upstream/Upstream.ts"
import type { UpstreamError } from "../upstream/UpstreamError.ts"
import * as Client from "./Client.ts"

/** Calls in one batch; public nodes take as many. */
const batchSize = 100

/** Calls at once to a node that takes no batches. */
const sideBySide = 16

interface BatchFormat extends Client.NumberFormat {
  /** Contracts decide how long the answers are: one that is too large by itself is a refusal, and costs the others nothing. */
  readonly ofContracts?: boolean
}

/** Many calls of JSON-RPC in the fewest requests that the node takes. What a batch did not answer is asked alone. */
export const callAll = (node: Endpoint, calls: ReadonlyArray<Client.ClientCall>, reading: BatchFormat = {}) =>
  Effect.map(
    Effect.forEach(Arr.chunksOf(calls, batchSize), (chunk) => inBatch(node, chunk, reading), { concurrency: 4 }),
    (chunks) => chunks.flat()
  )

const inBatch = (node: Endpoint, calls: ReadonlyArray<Client.ClientCall>, reading: BatchFormat) =>
  Effect.gen(function* () {
    const [only, ...more] = calls
    const alone = (call: Client.ClientCall) =>
      Effect.catchIf(
        Client.call(node, call, reading),
        (error) => reading.ofContracts === true && ResponseDecoder.isTooLarge(error),
        () => Effect.succeed(tooLarge)
      )
    if (only !== undefined && more.length === 0) return [yield* alone(only)]
    const outcomes = yield* Effect.catchIf(Client.batch(node, calls, reading), isNotTaken, () =>
      Effect.succeed(calls.map(() => Client.missing))
    )
    const whole = outcomes[0]
    const refusedWhole = whole !== undefined && Either.isLeft(whole) && outcomes.every((item) => item === whole)
    return yield* each(
      outcomes,
      (outcome, index) => {
        const call = calls[index]
        return call !== undefined && (refusedWhole || outcome === Client.missing)
          ? alone(call)
          : Effect.succeed(outcome)
      },
      sideBySide
    )
  })

const tooLarge: Client.Outcome = Either.left(new Client.RpcError({ code: 0, detail: "the response is too large" }))

/** Some nodes refuse a batch in another way than JSON-RPC has for it. */
const isNotTaken = ({ reason, status }: UpstreamError) => reason === "bad_answer" || status === 400 || status === 413
