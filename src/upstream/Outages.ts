import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as Scope from "effect/Scope"
import type { Reason } from "../domain/Reason.ts"
import type { UpstreamError } from "./UpstreamError.ts"

/** Logs that something could not be fetched. */
export type LogFailure = (what: string, error: UpstreamError) => Effect.Effect<void>

/** Without any answer for this long the machine counts as offline, ms. */
const silence = 60_000

/** No host has answered: there was no connection, or no response in time. */
const isSilent = (reason: Reason) => reason === "timeout" || reason === "upstream_error"

/**
 * Which failures are news: of each upstream the first one since its last good answer, and where no upstream answers at all,
 * one line for all of them. Repetitions are debug lines: an outage costs a line, however much waits for it.
 */
export const make = (scope: Scope.Scope) => {
  const logged = new Set<string>()
  let answered: number | undefined
  let offline: Deferred.Deferred<void> | undefined

  /** How a call has ended, and when. */
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
      const back = Deferred.unsafeMake<void>(FiberId.none)
      offline = back
      yield* Effect.logWarning(
        `no upstream can be reached: ${what}: ${message}; is this machine offline? What fails meanwhile is logged at the level debug`
      )
      const returned = Effect.zipRight(Deferred.await(back), Effect.logInfo("an upstream answers again"))
      yield* Scope.extend(Effect.forkScoped(returned), scope)
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
