import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { UpstreamError } from "../UpstreamError.ts"

const backoff = Schedule.jittered(Schedule.exponential("100 millis"))

/** Like `Effect.retry` with a short, jittered wait, but a call that succeeds costs nothing more. */
export const retry = <A, E>(
  self: Effect.Effect<A, E>,
  options: { readonly while: (error: E) => boolean; readonly times: number }
): Effect.Effect<A, E> =>
  Effect.catchAll(self, (error) => {
    if (!options.while(error)) return Effect.fail(error)
    let next: Effect.Effect<A, E> = Effect.fail(error)
    const again = Effect.suspend(() => {
      const now = next
      next = self
      return now
    })
    return Effect.retry(again, { ...options, schedule: backoff })
  })

/** Timeouts are not retried, because their time is used up. Waits for a demanded pause only without another address. */
export const isRetryable = ({ final, reason, retryAfter, status }: UpstreamError, isOnlyAddress: boolean): boolean =>
  final !== true &&
  (retryAfter === undefined || (isOnlyAddress && retryAfter <= 1_000)) &&
  (reason === "rate_limited" || (reason === "upstream_error" && !isClientError(status)))

const isClientError = (status: number | undefined) => status !== undefined && status >= 400 && status < 500

/** True if a call cannot have had an effect: there was no connection, or a gateway rejected the call. */
export const didNotArrive = ({ status, unsent }: UpstreamError): boolean =>
  unsent === true || (status !== undefined && rejected.includes(status))

const rejected = [401, 402, 403, 429]
