import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { each } from "../kernel/each.ts"
import * as ResponseDecoder from "../upstream/response/ResponseDecoder.ts"
import { type Endpoint, longestWait } from "../upstream/Upstream.ts"
import type { UpstreamError } from "../upstream/UpstreamError.ts"
import * as Client from "./Client.ts"
import { RpcError } from "./errors.ts"

/** Calls in one batch; public nodes accept this many. */
export const batchSize = 100

/** Concurrent calls to a node that accepts no batches. */
const alone = 16

/**
 * Sends many calls in as few requests as the node accepts. Calls that are missing from the response to their batch are
 * sent again in two batches, and then alone. A result that is too large fails only its own call, if contracts or their owners determine its size.
 */
export const callAll = (node: Endpoint, calls: ReadonlyArray<Client.ClientCall>, format: Client.CallFormat = {}) =>
  Effect.suspend(() => {
    const [size, concurrency] = node.takesBatches() ? [batchSize, 4] : [1, alone]
    const outcomes = Effect.forEach(Arr.chunksOf(calls, size), (chunk) => inBatch(node, chunk, format), { concurrency })
    return Effect.map(outcomes, (all) => all.flat())
  })

type Outcomes = Effect.Effect<ReadonlyArray<Client.Outcome>, UpstreamError>

/** Maximum times that the calls of a batch wait for a pause that the node demands. */
const maxPauses = 5

/** A node that demands a pause may allow fewer calls per second than a batch has: its halves follow after the pause. */
const inBatch = (
  node: Endpoint,
  calls: ReadonlyArray<Client.ClientCall>,
  format: Client.CallFormat,
  pauses = maxPauses
): Outcomes => {
  const half = Math.ceil(calls.length / 2)
  return Effect.catchIf(
    atOnce(node, calls, format),
    (error) => isPaused(error) && pauses > 0 && (calls.length > 1 || pauses < maxPauses),
    () =>
      Effect.map(
        Effect.forEach(Arr.chunksOf(calls, half), (part) => inBatch(node, part, format, pauses - 1)),
        (parts) => parts.flat()
      )
  )
}

/** The endpoint waits for such a pause before the next call. */
const isPaused = ({ reason, retryAfter = Number.POSITIVE_INFINITY }: UpstreamError) =>
  reason === "rate_limited" && retryAfter <= longestWait

const atOnce = (
  node: Endpoint,
  calls: ReadonlyArray<Client.ClientCall>,
  format: Client.CallFormat,
  isRepeated = false
): Outcomes =>
  Effect.gen(function* () {
    const [only, ...more] = calls
    const single = (call: Client.ClientCall) =>
      Effect.catchIf(
        Client.call(node, call, format),
        (error) => (format.ofContracts === true || format.perCall === true) && ResponseDecoder.isTooLarge(error),
        () => Effect.succeed(tooLarge)
      )
    if (only !== undefined && more.length === 0) return [yield* single(only)]
    const outcomes = yield* Effect.catchIf(Client.batch(node, calls, format), isBatchRejected, ({ reason }) =>
      // Other calls, or fewer, may have a usable response; a node that rejects batches gets none again.
      Effect.succeed(reason === "bad_answer" ? calls.map(() => Client.missing) : [])
    )
    const [first = Client.missing] = outcomes
    const isRefused = Either.isLeft(first) && outcomes.every((outcome) => outcome === first)
    const open = calls.filter((_, index) => isRefused || outcomes[index] === Client.missing)
    const half = Math.ceil(open.length / 2)
    const again: ReadonlyArray<Client.Outcome> =
      outcomes.includes(Client.missing) && !isRepeated && half > 1
        ? (yield* each(Arr.chunksOf(open, half), (part) => atOnce(node, part, format, true), 2)).flat()
        : yield* each(open, single, alone)
    return calls.map((call, index) => again[open.indexOf(call)] ?? outcomes[index] ?? Client.missing)
  })

/** The outcome of a call whose response is too large. */
export const tooLarge: Client.Outcome = Either.left(new RpcError({ code: 0, detail: "the response is too large" }))

/** Some nodes reject a batch without a JSON-RPC error. */
const isBatchRejected = ({ reason, status }: UpstreamError) =>
  reason === "bad_answer" || status === 400 || status === 413
