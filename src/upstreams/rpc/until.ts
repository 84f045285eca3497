import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { UpstreamError } from "../UpstreamError.ts"

/**
 * The time that the calls of a batch have together, ms: what has no answer when it is over fails with `late`, and what would
 * begin after it does not.
 */
export const make = (time: number, late: UpstreamError) =>
  Effect.map(
    Clock.currentTimeMillis,
    (start) =>
      <A>(work: Effect.Effect<A, UpstreamError>) =>
        Effect.either(
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            const left = start + time - now
            return left > 0 ? Effect.timeoutFail(work, { duration: left, onTimeout: () => late }) : late
          })
        )
  )

export type Until = Effect.Effect.Success<ReturnType<typeof make>>
