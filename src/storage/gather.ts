import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** Runs once for the keys of all callers within the window: the first caller waits, and runs it for all. */
export const gathering = (window: Duration.Duration, run: (keys: ReadonlyArray<string>) => Effect.Effect<void>) => {
  if (Duration.isZero(window)) return run
  let gathered: Array<string> = []
  const take = Effect.sync(() => {
    const all = gathered
    gathered = []
    return all
  })
  const wait = Effect.zipRight(
    Effect.onInterrupt(Effect.sleep(window), () => take),
    take
  )
  return (keys: ReadonlyArray<string>) =>
    Effect.suspend(() => (gathered.push(...keys) === keys.length ? Effect.flatMap(wait, run) : Effect.void))
}
