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
 * True if a call is sent even to an address that was silent a moment ago: a call that requests less than the call that
 * timed out, or that checks the effect of that call.
 */
export class BypassCircuit extends Context.Reference<BypassCircuit>()("upstream/BypassCircuit", {
  defaultValue: () => false
}) {}

/** True if all other sources have failed, so that a silent address is tested before its open interval ends. */
export class IsLastResort extends Context.Reference<IsLastResort>()("upstream/IsLastResort", {
  defaultValue: () => false
}) {}

/** Wraps an attempt that has its permits and is sent now. */
export type Sending = <A>(attempt: Effect.Effect<A, UpstreamError>) => Effect.Effect<A, UpstreamError>

interface Probe {
  readonly outcome: Deferred.Deferred<void>
  /** Time at which calls stop waiting for it, ms. */
  readonly until: number
}

interface ProbeOptions {
  readonly circuit: CircuitBreaker.Circuit
  readonly fail: (fault: Fault) => UpstreamError
  readonly clock: Clock.Clock
}

/** The probe of an address: the first attempt after an open interval, until it ends. */
const probes = ({ circuit, clock, fail }: ProbeOptions) => {
  let current: Probe | undefined

  const begin = (): (() => void) => {
    const outcome = Deferred.unsafeMake<void>(FiberId.none)
    const now = clock.unsafeCurrentTimeMillis()
    const end = circuit.beginProbe(now)
    current = { outcome, until: now + circuit.probeWait() }
    return () => {
      end()
      current = undefined
      Deferred.unsafeDone(outcome, Effect.void)
    }
  }

  /** Limits the call to the usual time if the address was silent before. */
  const briefly = <A>(call: Effect.Effect<A, UpstreamError>) => {
    const cause = circuit.silence()
    return cause === undefined
      ? call
      : timeoutFail(call, { duration: circuit.probeWait(), onTimeout: () => fail(cause) })
  }

  /** Runs the probe in the fiber of its caller. */
  const inForeground = <A>(call: Effect.Effect<A, UpstreamError>) =>
    Effect.acquireUseRelease(Effect.sync(begin), () => call, Effect.sync)

  /** Starts immediately, and continues if the caller is interrupted, until the attempt times out. */
  const inBackground = <A>(call: Effect.Effect<A, UpstreamError>) =>
    Effect.flatMap(Effect.runtime<never>(), (runtime) =>
      briefly(Fiber.join(Runtime.runFork(runtime, Effect.interruptible(inForeground(call)))))
    )

  return { briefly, current: () => current, inBackground, inForeground }
}

/**
 * Applies failures of an address to later calls. After a timeout the address is skipped while its circuit is open. Once
 * half-open, the first call is the probe, even if its caller disconnects; other calls wait for its outcome. Calls wait
 * no longer than usual for an address that was silent. As the last resort it is also probed while its circuit is open.
 */
export const make = (options: ProbeOptions) => {
  const { circuit, clock, fail } = options
  const { briefly, current, inBackground, inForeground } = probes(options)
  const refused = (cause: CircuitBreaker.Cause) => fail({ ...cause, unsent: true })

  const isHalfOpen = () => circuit.state(clock.unsafeCurrentTimeMillis()) === "half-open"

  /** Waits for the outcome of the probe, then sends the call unless the address is still silent. */
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

  /** Tests an open address. The test ends early enough not to delay the probe after the open interval. */
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
    /** For a call that may be repeated or cancelled; `make` gets whether the address is open. */
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
    /** For a call that is sent once, in the fiber of its caller. */
    once: <A>(make: (sending: Sending) => Effect.Effect<A, UpstreamError>): Effect.Effect<A, UpstreamError> =>
      Effect.flatMap(BypassCircuit, (bypasses) => {
        const refusal = circuit.refusal(clock.unsafeCurrentTimeMillis())
        return refusal !== undefined && !bypasses ? refused(refusal) : make(sendingOnce)
      })
  }
}
