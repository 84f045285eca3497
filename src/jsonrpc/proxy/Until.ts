import * as Effect from "effect/Effect"
import * as TimeLimit from "../../kernel/TimeLimit.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"

/**
 * The time that the calls of a batch have together, ms: what has no answer when it is over fails with `late`, and what would
 * begin after it does not.
 */
export const make = (time: number, late: UpstreamError) =>
  Effect.map(
    TimeLimit.shared(time),
    (within) =>
      <A>(work: Effect.Effect<A, UpstreamError>) =>
        Effect.either(within(work, () => late))
  )

export type Until = Effect.Effect.Success<ReturnType<typeof make>>
