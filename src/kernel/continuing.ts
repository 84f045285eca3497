import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"

/**
 * Starts readings that continue if their callers stop waiting, at most one per key, and returns those of the requested
 * keys.
 */
export const continuing = <A>(read: (keys: ReadonlyArray<string>) => Effect.Effect<A>) => {
  const inFlight = new Map<string, Deferred.Deferred<A>>()
  const readings = (keys: ReadonlyArray<string>) => new Set(keys.flatMap((key) => inFlight.get(key) ?? []))
  return (keys: ReadonlyArray<string>): Effect.Effect<ReturnType<typeof readings>> =>
    Effect.suspend(() => {
      const open = keys.filter((key) => !inFlight.has(key))
      if (open.length === 0) return Effect.succeed(readings(keys))
      const result = Deferred.unsafeMake<A>(FiberId.none)
      for (const key of open) inFlight.set(key, result)
      const reading = read(open).pipe(
        Effect.ensuring(Effect.sync(() => void open.map((key) => inFlight.delete(key)))),
        Effect.intoDeferred(result)
      )
      const all = readings(keys)
      return Effect.as(Effect.forkDaemon(Effect.interruptible(reading)), all)
    }).pipe(Effect.uninterruptible)
}
