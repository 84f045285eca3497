import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import type { Fault, UpstreamError } from "./UpstreamError.ts"

/** Observes the outcomes of reads of all upstreams, and decides which upstreams are skipped. */
interface Watching {
  /** True if reads of this upstream fail immediately, so that the next source is used. */
  readonly leavesOut: (upstream: string) => boolean
  /** A read ended, with an error or successfully. */
  readonly ended: (upstream: string, error: UpstreamError | undefined) => void
}

/** Upstream clients get the observer when they are created; the running service has no observer. */
export class Observer extends Context.Reference<Observer>()("upstream/Observer", {
  defaultValue: (): Watching | undefined => undefined
}) {}

/** Reports the reads of one upstream to the observer; without an observer, reads stay unchanged. */
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
  const leftOut = fail({ reason: "not_configured", detail: "is skipped", unsent: true })
  return {
    watched: (use) => (address) =>
      observer.leavesOut(upstream)
        ? Effect.fail(leftOut)
        : Effect.tapBoth(use(address), {
            onFailure: (error) => Effect.sync(() => observer.ended(upstream, error)),
            onSuccess: () => Effect.sync(() => observer.ended(upstream, undefined))
          }),
    /** Reports a fault that a caller finds after a read has ended. */
    fault: (found) => {
      const error = fail(found)
      if (error.reason === "bad_answer") observer.ended(upstream, error)
      return error
    }
  }
}
