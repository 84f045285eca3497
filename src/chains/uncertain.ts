import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { didNotArrive } from "../upstream/Upstream.ts"
import { UpstreamError } from "../upstream/UpstreamError.ts"
import type { NodeResponse, ReadFailure, SendFailure } from "./Chain.ts"
import { failureOf } from "./sending/outcomes.ts"
import { unread } from "./tokenList.ts"

/**
 * Why the result of sending is unknown. If the transaction may have arrived, the message says to look it up before
 * sending it again.
 */
export const uncertain =
  (hash: string | undefined) =>
  (error: UpstreamError): SendFailure =>
    didNotArrive(error)
      ? unread(error)
      : {
          ...failureOf(error),
          message: `${error.message}; the transaction may have arrived: look it up${hash === undefined ? "" : ` (${hash})`} before it is sent again`
        }

/** The response to a transaction that was sent. */
export interface Sent {
  readonly response: NodeResponse
  /** The node's reason, if a transaction that arrived earlier causes the same error; `response` is then a success. */
  readonly possibleDuplicate?: string
  /** The response if no source has the transaction; absent if that proves nothing. */
  readonly ifAbsent?: NodeResponse
}

/** Looks up a transaction that may have arrived earlier. If the lookup is inconclusive, fails as {@link uncertain}. */
export const resolveRepeat =
  (upstream: string, hash: string, find: Effect.Effect<NodeResponse, ReadFailure>) =>
  ({ ifAbsent, possibleDuplicate, response }: Sent): Effect.Effect<NodeResponse, SendFailure> =>
    possibleDuplicate === undefined
      ? Effect.succeed(response)
      : Effect.flatMap(Effect.either(find), (found) => {
          if (Either.isRight(found) && found.right.verdict === "done")
            return Effect.succeed({ ...response, repeated: true as const })
          if (Either.isRight(found) && ifAbsent !== undefined) return Effect.succeed(ifAbsent)
          return Effect.fail(
            uncertain(hash)(new UpstreamError({ upstream, reason: "upstream_error", detail: possibleDuplicate }))
          )
        })
