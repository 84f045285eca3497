import * as Effect from "effect/Effect"

/** Runs the effect (a log line) only when failing starts or ends, not at every failure. Initially not failing. */
export const logOnChange = () => {
  let failing = false
  return (now: boolean, line: Effect.Effect<void>): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (failing === now) return Effect.void
      failing = now
      return line
    })
}
