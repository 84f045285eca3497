import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Reason } from "../domain/Reason.ts"
import type { UpstreamError } from "./UpstreamError.ts"

/** Logs that something could not be fetched. */
export type LogFailure = (what: string, error: UpstreamError) => Effect.Effect<void>

/** Time without any response after which the machine counts as offline, ms. */
const silence = 60_000

/** No host responded: there was no connection, or no response in time. */
const isSilent = (reason: Reason) => reason === "timeout" || reason === "upstream_error"

/**
 * Logs each outage once: the first failure of an upstream since its last good response, and one line for all upstreams
 * if none responds. Repeated failures are debug lines, regardless of their number.
 */
export const make = (scope: Scope.Scope) => {
  const logged = new Set<string>()
  let answered: number | undefined
  let offline: Deferred.Deferred<void> | undefined

  /** Records the outcome of a call and its time. */
  const ended = (upstream: string, failure: Reason | undefined, at: number): void => {
    if (failure === undefined) logged.delete(upstream)
    if (failure !== undefined && isSilent(failure)) return
    answered = at
    if (offline === undefined) return
    Deferred.unsafeDone(offline, Effect.void)
    offline = undefined
  }

  const goneOffline = (what: string, message: string) =>
    Effect.gen(function* () {
      const back = yield* Deferred.make<void>()
      offline = back
      yield* Effect.logWarning(
        `no upstream can be reached: ${what}: ${message}; is this machine offline? Failures are logged at level debug until an upstream responds`
      )
      yield* Effect.forkIn(Effect.zipRight(Deferred.await(back), Effect.logInfo("an upstream responds again")), scope)
    })

  const log: LogFailure = (what, { message, reason, status, upstream }) =>
    Effect.flatMap(
      Effect.clockWith((clock) => clock.currentTimeMillis),
      (now) => {
        const repeated = offline !== undefined || logged.has(upstream)
        logged.add(upstream)
        if (repeated) return Effect.logDebug(`${what}: ${message}`)
        const silent = status === undefined && isSilent(reason)
        if (silent && (answered === undefined || now - answered > silence)) return goneOffline(what, message)
        return Effect.logWarning(`${what}: ${message}`)
      }
    )

  return { ended, log }
}
