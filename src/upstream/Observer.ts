import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import type { Fault, UpstreamError } from "./UpstreamError.ts"

/** What sees how the reads of every upstream end, and decides which upstreams are left out. */
interface Watching {
  /** Whether reads of this upstream fail at once, so that the next source is used. */
  readonly leavesOut: (upstream: string) => boolean
  /** A read ended: with the error, or well. */
  readonly ended: (upstream: string, error: UpstreamError | undefined) => void
}

/** Upstream clients take it in while they are made; there is none as long as the service serves. */
export class Observer extends Context.Reference<Observer>()("upstream/Observer", {
  defaultValue: (): Watching | undefined => undefined
}) {}

/** The reads of one upstream as the observer sees them; without an observer they are as they were. */
export const watching = (
  observer: Watching | undefined,
  upstream: string,
  fail: (fault: Fault) => UpstreamError
): {
  readonly watched: <A, B>(
    use: (address: B) => Effect.Effect<A, UpstreamError>
  ) => (address: B) => Effect.Effect<A, UpstreamError>
  readonly fault: (fault: Fault) => UpstreamError
} => {
  if (observer === undefined) return { watched: identity, fault: fail }
  const leftOut = fail({ reason: "not_configured", detail: "is left out", unsent: true })
  return {
    watched: (use) => (address) =>
      observer.leavesOut(upstream)
        ? Effect.fail(leftOut)
        : Effect.tapBoth(use(address), {
            onFailure: (error) => Effect.sync(() => observer.ended(upstream, error)),
            onSuccess: () => Effect.sync(() => observer.ended(upstream, undefined))
          }),
    /** What a caller finds wrong after a read has ended. */
    fault: (found) => {
      const error = fail(found)
      if (error.reason === "bad_answer") observer.ended(upstream, error)
      return error
    }
  }
}
