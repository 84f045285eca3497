import type * as Clock from "effect/Clock"
import * as Exit from "effect/Exit"
import * as Task from "../../kernel/Task.ts"
import { hedgedTask } from "../../upstream/hedge.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { Fallback, Rejection } from "./attempt.ts"

/** The only node gets the call once more after this time, ms, where that may help. */
const retryAfter = 100

const isPassing = ({ error: { reason, status } }: Rejection) =>
  reason === "upstream_error" && (status === undefined || status >= 500)

interface OrderOptions<E> {
  readonly clock: Clock.Clock
  /** When the time is over, ms. */
  readonly until: number
  /** The failure then. */
  readonly timedOut: E
  /** Whether a failure is due to the call, so that no other node gets it. */
  readonly stops?: (error: E) => boolean
}

/** One node after the other until an attempt succeeds, a failure stops, or the time is over. */
export const inOrder = <N, A, E>(
  [node, ...others]: ReadonlyArray<N>,
  attempt: (node: N) => Task.Task<A, E>,
  options: OrderOptions<E>,
  last: E = options.timedOut
): Task.Task<A, E> => {
  const { clock, stops = () => false, timedOut, until } = options
  return (done) => {
    if (node === undefined) return Task.ended(Exit.fail(last))(done)
    const remaining = until - clock.unsafeCurrentTimeMillis()
    if (remaining <= 0) return Task.ended(Exit.fail(timedOut))(done)
    return Task.andThen(
      Task.timeout(clock, remaining, attempt(node), () => Exit.fail(timedOut)),
      (exit) => {
        const error = Task.failureOf(exit)
        return error === undefined || stops(error) ? Task.ended(exit) : inOrder(others, attempt, options, error)
      }
    )(done)
  }
}

const stops = ({ error: { final } }: Rejection) => final === true

interface HedgeOptions extends OrderOptions<Rejection> {
  /** When the next node gets the call beside the first one, ms. */
  readonly hedgeAt: number
}

/** No node was accepted. */
export interface AllRejected {
  readonly error: UpstreamError
  /** In the order in which the nodes responded. */
  readonly fallbacks: ReadonlyArray<Fallback>
}

/**
 * The first reply that is accepted. When the first node fails or is slow, the others are tried in order while it is still
 * awaited.
 */
export const hedge =
  <N, A>(
    nodes: readonly [N, ...Array<N>],
    attempt: (node: N) => Task.Task<A, Rejection>,
    options: HedgeOptions
  ): Task.Task<A, AllRejected> =>
  (done) => {
    const [first] = nodes
    const fallbacks: Array<Fallback> = []
    const noted =
      (node: N): Task.Task<A, Rejection> =>
      (ended) =>
        attempt(node)((exit) => {
          const fallback = Task.failureOf(exit)?.fallback
          if (fallback !== undefined) fallbacks.push(fallback)
          ended(exit)
        })
    const accepted =
      nodes.length === 1
        ? Task.andThen(noted(first), (exit) => {
            const rejection = Task.failureOf(exit)
            return rejection !== undefined && isPassing(rejection)
              ? Task.delayed(options.clock, retryAfter, noted(first))
              : Task.ended(exit)
          })
        : hedgedTask(
            options.clock,
            noted(first),
            inOrder(nodes.slice(1), noted, { ...options, stops }),
            (now) => options.hedgeAt - now,
            stops
          )
    return accepted((exit) => done(Exit.mapError(exit, ({ error }) => ({ error, fallbacks }))))
  }
