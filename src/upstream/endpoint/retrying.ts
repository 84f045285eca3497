import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { Lateness } from "../../kernel/Lateness.ts"
import { longestWait } from "../CircuitBreaker.ts"
import type { UpstreamError } from "../UpstreamError.ts"

/**
 * Retries after exponential, jittered waits, ms, unless the process is then late. A call that succeeds costs nothing more,
 * unlike with `Effect.retry`.
 */
export const retry = <A, E>(
  self: Effect.Effect<A, E>,
  isRetried: (error: E) => boolean,
  times: number,
  wait = 100
): Effect.Effect<A, E> =>
  Effect.catchAll(self, (error) => {
    if (times === 0 || !isRetried(error)) return Effect.fail(error)
    const pause = Effect.flatMap(Random.nextRange(0.8 * wait, 1.2 * wait), Effect.sleep)
    return Effect.flatMap(Effect.zipRight(pause, Lateness), ({ isLate }) =>
      isLate() ? Effect.fail(error) : retry(self, isRetried, times - 1, 2 * wait)
    )
  })

/** Timeouts are not retried, because their time is used up. Waits for a demanded pause only without another address. */
export const isRetryable = (
  { final, limitedMethod, reason, retryAfter, status }: UpstreamError,
  isOnlyAddress: boolean
): boolean =>
  final !== true &&
  (limitedMethod === undefined || isOnlyAddress) &&
  (retryAfter === undefined || (isOnlyAddress && retryAfter <= longestWait)) &&
  (reason === "rate_limited" || (reason === "upstream_error" && !isClientError(status)))

const isClientError = (status: number | undefined) => status !== undefined && status >= 400 && status < 500

/** True if a call cannot have had an effect: there was no connection, or a gateway rejected the call. */
export const didNotArrive = ({ status, unsent }: UpstreamError): boolean =>
  unsent === true || (status !== undefined && rejected.includes(status))

const rejected = [401, 402, 403, 429]
