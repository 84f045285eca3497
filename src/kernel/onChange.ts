import * as Effect from "effect/Effect"

/**
 * For what fails again and again: runs the effect, a log line, only where failing begins or ends, and not each time. Nothing
 * fails at first.
 */
export const onChange = () => {
  let failing = false
  return (now: boolean, line: Effect.Effect<void>): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (failing === now) return Effect.void
      failing = now
      return line
    })
}
