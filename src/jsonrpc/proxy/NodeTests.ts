import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Task from "../../kernel/Task.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import { isSlow, type UpstreamError } from "../../upstream/UpstreamError.ts"

/**
 * A client's call that is slow does not show that its node is down: a small call of the service tests the node then, and
 * after a failure. Each node gets one at a time.
 */
export const make = ({ addresses, test }: Upstream, ofEffect: Task.OfEffect, clock: Clock.Clock) => {
  const inProgress = new Set<number>()

  const begin = (index: number): void => {
    const node = addresses[index]
    if (node === undefined || inProgress.has(index)) return
    inProgress.add(index)
    ofEffect(Effect.ignore(test(node)))(() => inProgress.delete(index))
  }

  return <A>({ index }: { readonly index: number }, call: Task.Task<A, UpstreamError>): Task.Task<A, UpstreamError> =>
    (done) => {
      if (addresses[index]?.circuit.state(clock.unsafeCurrentTimeMillis()) === "half-open") begin(index)
      return call((exit) => {
        const error = Task.failureOf(exit)
        if (error !== undefined && error.unsent !== true && isSlow(error)) begin(index)
        done(exit)
      })
    }
}
