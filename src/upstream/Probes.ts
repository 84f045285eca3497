import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import { identity } from "effect/Function"
import * as Runtime from "effect/Runtime"
import { timeoutFail, timeoutOption } from "../kernel/timeout.ts"
import type * as CircuitBreaker from "./CircuitBreaker.ts"
import type { Fault, UpstreamError } from "./UpstreamError.ts"

/**
 * Whether a call is sent also to an address that was silent a moment ago: a call that requests less than the call that has
 * timed out, or looks for the effect of that call.
 */
export class BypassCircuit extends Context.Reference<BypassCircuit>()("upstream/BypassCircuit", {
  defaultValue: () => false
}) {}

/** Whether all other sources have failed, so that an address that was silent a moment ago is tested before its interval is over. */
export class IsLastResort extends Context.Reference<IsLastResort>()("upstream/IsLastResort", {
  defaultValue: () => false
}) {}

/** Wraps an attempt that goes out now: it has its permits. */
export type Sending = <A>(attempt: Effect.Effect<A, UpstreamError>) => Effect.Effect<A, UpstreamError>

/** A call that tests whether an address works again. */
interface Probe {
  readonly outcome: Deferred.Deferred<void>
  /** No call waits for it after this time, ms. */
  readonly until: number
}

interface ProbeOptions {
  readonly circuit: CircuitBreaker.Circuit
  /** How long a probe is waited for, ms. */
  readonly wait: () => number
  readonly fail: (fault: Fault) => UpstreamError
  readonly clock: Clock.Clock
}

/** The probe of an address, from the first attempt after an open interval until that has ended. */
const probes = ({ circuit, clock, fail, wait }: ProbeOptions) => {
  let current: Probe | undefined

  const begin = <A, E>(run: (done: Effect.Effect<void>) => Effect.Effect<A, E>) => {
    const outcome = Deferred.unsafeMake<void>(FiberId.none)
    const now = clock.unsafeCurrentTimeMillis()
    const end = circuit.beginProbe(now)
    current = { outcome, until: now + wait() }
    return run(
      Effect.sync(() => {
        end()
        current = undefined
        Deferred.unsafeDone(outcome, Effect.void)
      })
    )
  }

  /** Where the address was silent before, the call waits no longer than usual. */
  const briefly = <A>(call: Effect.Effect<A, UpstreamError>) => {
    const cause = circuit.silence()
    return cause === undefined ? call : timeoutFail(call, { duration: wait(), onTimeout: () => fail(cause) })
  }

  /** Starts at once, and continues when its caller is interrupted, until the time of an attempt is over. */
  const inBackground = <A>(call: Effect.Effect<A, UpstreamError>) =>
    Effect.flatMap(Effect.runtime<never>(), (runtime) =>
      Effect.uninterruptibleMask((restore) =>
        begin((done) => {
          const fiber = Runtime.runFork(runtime, Effect.interruptible(Effect.ensuring(call, done)))
          return restore(briefly(Fiber.join(fiber)))
        })
      )
    )

  /** Its caller gets its outcome. */
  const inForeground = <A>(call: Effect.Effect<A, UpstreamError>) =>
    Effect.uninterruptibleMask((restore) => begin((done) => Effect.ensuring(restore(call), done)))

  return { briefly, current: () => current, inBackground, inForeground }
}

/**
 * How a failure of an address affects later calls. After a timeout the address is skipped while its circuit is open. Once it is
 * half-open, the first call that goes out probes it, even if its caller goes away; the others wait for the outcome. No call
 * waits longer than usual for an address that was silent. As the last resort it is probed while its circuit is open too.
 */
export const make = (options: ProbeOptions) => {
  const { circuit, clock, fail } = options
  const { briefly, current, inBackground, inForeground } = probes(options)
  const refused = (cause: CircuitBreaker.Cause) => fail({ ...cause, unsent: true })

  const isHalfOpen = () => circuit.state(clock.unsafeCurrentTimeMillis()) === "half-open"

  /** Waits for the outcome of the probe; a call goes out unless the address is still silent. */
  const after = <A>({ outcome, until }: Probe, call: Effect.Effect<A, UpstreamError>) => {
    const left = Math.max(until - clock.unsafeCurrentTimeMillis(), 0)
    return Effect.flatMap(timeoutOption(Deferred.await(outcome), left), () => {
      const now = clock.unsafeCurrentTimeMillis()
      const cause = circuit.silence()
      return cause === undefined || circuit.state(now) === "closed" ? call : refused(cause)
    })
  }

  const sendingRepeatable: Sending = (attempt) =>
    Effect.suspend(() => {
      if (!isHalfOpen()) return attempt
      const probe = current()
      return probe === undefined ? inBackground(attempt) : after(probe, attempt)
    })

  /** Tests an address that is open; given up in time, so that the probe after the open interval is not late. */
  const sendingTest: Sending = (attempt) =>
    Effect.suspend(() => {
      const probe = current()
      if (probe !== undefined) return after(probe, attempt)
      const now = clock.unsafeCurrentTimeMillis()
      const refusal = circuit.refusal(now)
      if (refusal === undefined) return sendingRepeatable(attempt)
      return circuit.isTestable(now) ? inForeground(briefly(attempt)) : refused(refusal)
    })

  const sendingOnce: Sending = (attempt) =>
    Effect.suspend(() => (isHalfOpen() && current() === undefined ? inForeground(attempt) : attempt))

  return {
    /** For a call that may be repeated or given up; `make` gets whether the address is open. */
    repeatable: <A>(
      make: (sending: Sending, isOpen: boolean) => Effect.Effect<A, UpstreamError>
    ): Effect.Effect<A, UpstreamError> =>
      Effect.flatMap(BypassCircuit, (bypasses) => {
        const now = clock.unsafeCurrentTimeMillis()
        const call = make(bypasses ? identity : sendingRepeatable, circuit.state(now) === "open")
        if (bypasses) return call
        const refusal = circuit.refusal(now)
        const probe = current()
        if (refusal !== undefined)
          return Effect.flatMap(IsLastResort, (isLastResort) =>
            isLastResort && (probe !== undefined || circuit.isTestable(now))
              ? make(sendingTest, true)
              : refused(refusal)
          )
        return probe !== undefined && isHalfOpen() ? after(probe, call) : call
      }),
    /** For a call that is sent once: its caller gets its outcome. */
    once: <A>(make: (sending: Sending) => Effect.Effect<A, UpstreamError>): Effect.Effect<A, UpstreamError> =>
      Effect.flatMap(BypassCircuit, (bypasses) => {
        const refusal = circuit.refusal(clock.unsafeCurrentTimeMillis())
        return refusal !== undefined && !bypasses ? refused(refusal) : make(sendingOnce)
      })
  }
}
