import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { timeoutFail } from "../../kernel/timeout.ts"
import { hedged } from "../../upstream/hedge.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { Rejection } from "./attempt.ts"
import type { Fallback } from "./judge.ts"

/** The only node gets the call once more after this time, ms, where that may help. */
const retryAfter = 100

const isPassing = ({ error: { reason, status } }: Rejection) =>
  reason === "upstream_error" && (status === undefined || status >= 500)

interface TimeLimit<E> {
  readonly now: () => number
  /** When the time is over, ms. */
  readonly until: number
  /** The failure then. */
  readonly timedOut: E
}

/** One node after the other until an attempt succeeds, or the time is over. */
export const inOrder = <N, A, E>(
  nodes: ReadonlyArray<N>,
  attempt: (node: N) => Effect.Effect<A, E>,
  { timedOut, now, until }: TimeLimit<E>
): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    let last = timedOut
    for (const node of nodes) {
      const remaining = until - now()
      if (remaining <= 0) return yield* Effect.fail(timedOut)
      const outcome = yield* Effect.either(
        timeoutFail(attempt(node), { duration: remaining, onTimeout: () => timedOut })
      )
      if (Either.isRight(outcome)) return outcome.right
      last = outcome.left
    }
    return yield* Effect.fail(last)
  })

interface HedgeOptions extends TimeLimit<Rejection> {
  /** When the next node gets the call beside the first one, ms. */
  readonly helpAt: number
}

/** No node was accepted. */
export interface AllRejected {
  readonly error: UpstreamError
  /** In the order in which the nodes responded. */
  readonly fallbacks: ReadonlyArray<Fallback>
}

/**
 * The first reply that is accepted. The first node is helped out by the next ones, one after the other, once it has failed
 * or is slow.
 */
export const hedge = <N, A>(
  [first, ...others]: readonly [N, ...Array<N>],
  attempt: (node: N) => Effect.Effect<A, Rejection>,
  options: HedgeOptions
): Effect.Effect<A, AllRejected> =>
  Effect.suspend(() => {
    const fallbacks: Array<Fallback> = []
    const noted = (node: N) =>
      Effect.tapError(attempt(node), ({ fallback }) => {
        if (fallback !== undefined) fallbacks.push(fallback)
        return Effect.void
      })
    const accepted =
      others.length === 0
        ? Effect.catchIf(noted(first), isPassing, () => Effect.delay(noted(first), retryAfter))
        : hedged(noted(first), inOrder(others, noted, options), (now) => options.helpAt - now)
    return Effect.mapError(accepted, ({ error }) => ({ error, fallbacks }))
  })
