import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { each } from "../kernel/each.ts"
import * as ResponseDecoder from "../upstream/response/ResponseDecoder.ts"
import type { Endpoint } from "../upstream/Upstream.ts"
import type { UpstreamError } from "../upstream/UpstreamError.ts"
import * as Client from "./Client.ts"
import { RpcError } from "./errors.ts"

/** Calls in one batch; public nodes accept this many. */
export const batchSize = 100

/** Concurrent calls to a node that accepts no batches. */
const concurrency = 16

/**
 * Sends many calls in as few requests as the node accepts. A call that is missing from the response to its batch is
 * sent again alone. A contract's result that is too large fails only its own call.
 */
export const callAll = (node: Endpoint, calls: ReadonlyArray<Client.ClientCall>, format: Client.CallFormat = {}) =>
  Effect.map(
    Effect.forEach(Arr.chunksOf(calls, batchSize), (chunk) => inBatch(node, chunk, format), { concurrency: 4 }),
    (chunks) => chunks.flat()
  )

const inBatch = (node: Endpoint, calls: ReadonlyArray<Client.ClientCall>, format: Client.CallFormat) =>
  Effect.gen(function* () {
    const [only, ...more] = calls
    const alone = (call: Client.ClientCall) =>
      Effect.catchIf(
        Client.call(node, call, format),
        (error) => format.ofContracts === true && ResponseDecoder.isTooLarge(error),
        () => Effect.succeed(tooLarge)
      )
    if (only !== undefined && more.length === 0) return [yield* alone(only)]
    const outcomes = yield* Effect.catchIf(Client.batch(node, calls, format), isBatchRejected, () =>
      Effect.succeed(calls.map(() => Client.missing))
    )
    const [first] = outcomes
    const isRefusedAsWhole =
      first !== undefined && Either.isLeft(first) && outcomes.every((outcome) => outcome === first)
    return yield* each(
      outcomes,
      (outcome, index) => {
        const call = calls[index]
        return call !== undefined && (isRefusedAsWhole || outcome === Client.missing)
          ? alone(call)
          : Effect.succeed(outcome)
      },
      concurrency
    )
  })

const tooLarge: Client.Outcome = Either.left(new RpcError({ code: 0, detail: "the response is too large" }))

/** Some nodes reject a batch without a JSON-RPC error. */
const isBatchRejected = ({ reason, status }: UpstreamError) =>
  reason === "bad_answer" || status === 400 || status === 413
