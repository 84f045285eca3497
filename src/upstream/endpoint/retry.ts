import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { UpstreamError } from "../UpstreamError.ts"

const backoff = Schedule.jittered(Schedule.exponential("100 millis"))

/** As `Effect.retry` with a short, jittered wait, at no cost for a call that succeeds. */
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

/** A timeout has used up its time already. A demanded pause is waited for only where there is no other address. */
export const isRetryable = ({ final, reason, retryAfter, status }: UpstreamError, isOnlyAddress: boolean): boolean =>
  final !== true &&
  (retryAfter === undefined || (isOnlyAddress && retryAfter <= 1_000)) &&
  (reason === "rate_limited" || (reason === "upstream_error" && !isClientError(status)))

const isClientError = (status: number | undefined) => status !== undefined && status >= 400 && status < 500

/** Whether a call cannot have done anything: there was no connection, or a gateway rejected the call. */
export const didNotArrive = ({ status, unsent }: UpstreamError): boolean =>
  unsent === true || (status !== undefined && rejected.includes(status))

const rejected = [401, 402, 403, 429]
