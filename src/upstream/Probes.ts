import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
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

/** What happens to a call. A `test` ends early enough not to delay the probe after the open interval. */
type Decision =
  | { readonly step: "send" | "probe" | "test" }
  | { readonly step: "wait"; readonly probe: Probe }
  | { readonly step: "refuse"; readonly cause: CircuitBreaker.Cause }

/**
 * Applies failures of an address to later calls. After a timeout the address is skipped while its circuit is open. Once
 * half-open, the first call is the probe, even if its caller disconnects; other calls wait for its outcome. Calls wait
 * no longer than usual for an address that was silent. As the last resort it is also probed while its circuit is open.
 * A call that is sent once (`isOnce`) stays in the fiber of its caller, and waits for no probe.
 */
export const make = (options: ProbeOptions) => {
  const { circuit, clock, fail } = options
  const { briefly, current, inBackground, inForeground } = probes(options)
  const refused = (cause: CircuitBreaker.Cause) => fail({ ...cause, unsent: true })

  const decide = (isOnce: boolean, context: Context.Context<never>): Decision => {
    if (Context.get(context, BypassCircuit)) return { step: "send" }
    const now = clock.unsafeCurrentTimeMillis()
    const probe = current()
    const cause = circuit.refusal(now)
    if (cause !== undefined) {
      if (isOnce || !Context.get(context, IsLastResort)) return { step: "refuse", cause }
      if (probe !== undefined) return { step: "wait", probe }
      return circuit.isTestable(now) ? { step: "test" } : { step: "refuse", cause }
    }
    if (circuit.state(now) !== "half-open") return { step: "send" }
    if (probe === undefined) return { step: "probe" }
    return isOnce ? { step: "send" } : { step: "wait", probe }
  }

  /** Waits for the outcome of the probe, then sends the call unless the address is still silent. */
  const after = <A>({ outcome, until }: Probe, call: Effect.Effect<A, UpstreamError>) => {
    const left = Math.max(until - clock.unsafeCurrentTimeMillis(), 0)
    return Effect.flatMap(timeoutOption(Deferred.await(outcome), left), () => {
      const now = clock.unsafeCurrentTimeMillis()
      const cause = circuit.silence()
      return cause === undefined || circuit.state(now) === "closed" ? call : refused(cause)
    })
  }

  const decided = <A>(
    isOnce: boolean,
    call: Effect.Effect<A, UpstreamError>,
    sends: boolean
  ): Effect.Effect<A, UpstreamError> =>
    Effect.contextWithEffect((context: Context.Context<never>) => {
      const decision = decide(isOnce, context)
      if (decision.step === "refuse") return refused(decision.cause)
      if (decision.step === "wait") return after(decision.probe, call)
      if (!sends || decision.step === "send") return call
      if (decision.step === "test") return inForeground(briefly(call))
      return isOnce ? inForeground(call) : inBackground(call)
    })

  return {
    /** A call before it waits for its permits: it takes none if it is refused. */
    starting: <A>(isOnce: boolean, call: Effect.Effect<A, UpstreamError>) => decided(isOnce, call, false),
    /** An attempt that has its permits and is sent now. */
    sending: <A>(isOnce: boolean, attempt: Effect.Effect<A, UpstreamError>) => decided(isOnce, attempt, true)
  }
}
