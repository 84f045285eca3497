import type * as Clock from "effect/Clock"
import * as Exit from "effect/Exit"
import * as Task from "../../kernel/Task.ts"
import { hedgedTask } from "../../upstream/hedge.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { Fallback, Rejection } from "./attempt.ts"

/** Delay before the only node is called again after a transient failure, ms. */
const retryAfter = 100

const isPassing = ({ error: { reason, status } }: Rejection) =>
  reason === "upstream_error" && (status === undefined || status >= 500)

interface OrderOptions<E> {
  readonly clock: Clock.Clock
  /** Time at which the limit is over, ms. */
  readonly until: number
  /** Failure when the limit is over. */
  readonly timedOut: E
  /** True if the call itself caused the failure, so that no other node gets it. */
  readonly stops?: (error: E) => boolean
}

/** Calls one node after another until an attempt succeeds, a failure stops, or the time is over. */
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
  /** True if this process is late: it then starts no second call beside the first, and repeats none. */
  readonly isLate: () => boolean
  /** Time at which the next node gets the call in parallel to the first, ms. */
  readonly hedgeAt: number
}

/** The responses of all nodes were rejected. */
export interface AllRejected {
  readonly error: UpstreamError
  /** In the order in which the nodes responded. */
  readonly fallbacks: ReadonlyArray<Fallback>
}

/** Returns the first accepted reply. If the first node fails or is slow, also calls the others, in order. */
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
              ? Task.delayed<A, Rejection>(options.clock, retryAfter, (ended) =>
                  (options.isLate() ? Task.ended(exit) : noted(first))(ended)
                )
              : Task.ended(exit)
          })
        : hedgedTask(
            options.clock,
            noted(first),
            inOrder(nodes.slice(1), noted, { ...options, stops }),
            (now) => options.hedgeAt - now,
            options.isLate,
            stops
          )
    return accepted((exit) => done(Exit.mapError(exit, ({ error }) => ({ error, fallbacks }))))
  }
