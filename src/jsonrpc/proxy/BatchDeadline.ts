import * as Effect from "effect/Effect"
import * as TimeLimit from "../../kernel/TimeLimit.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"

/**
 * The time that the calls of a batch share, ms: a call without a reply when it is over fails with `timedOut`, and a call that
 * would start after it does not start.
 */
export const make = (time: number, timedOut: UpstreamError) =>
  Effect.map(
    TimeLimit.shared(time),
    (within) =>
      <A>(work: Effect.Effect<A, UpstreamError>) =>
        Effect.either(within(work, () => timedOut))
  )

export type InTime = Effect.Effect.Success<ReturnType<typeof make>>
