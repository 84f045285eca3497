import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { RateRefusal } from "./RateLimit.ts"

/** Counts the calls of a batch beyond its first one for the rate limit of the client; the refusal where they are too many. */
export class BatchRate extends Context.Reference<BatchRate>()("http/access/BatchRate", {
  defaultValue:
    () =>
    (_calls: number): Effect.Effect<RateRefusal | undefined> =>
      Effect.succeed(undefined)
}) {}
