import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { LogFailure } from "./Outages.ts"
import { Upstreams } from "./Upstreams.ts"

export type { LogFailure } from "./Outages.ts"

/** Logs failures. Without {@link Upstreams}, which counts the outcomes of calls, every failure is a warning. */
export const make: Effect.Effect<LogFailure> = Effect.map(
  Effect.serviceOption(Upstreams),
  Option.match({
    onNone:
      (): LogFailure =>
      (what, { message }) =>
        Effect.logWarning(`${what}: ${message}`),
    onSome: ({ logFailure }) => logFailure
  })
)
