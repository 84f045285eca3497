import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import * as Task from "../../kernel/Task.ts"
import { timeoutFail } from "../../kernel/timeout.ts"
import * as Activity from "../Activity.ts"
import type * as CircuitBreaker from "../CircuitBreaker.ts"
import * as BodyBudget from "../response/BodyBudget.ts"
import type * as ResponseDecoder from "../response/ResponseDecoder.ts"
import { type Fault, isSilence, type UpstreamError } from "../UpstreamError.ts"
import type { CallEnded } from "../Upstreams.ts"
import type * as HttpExchange from "./HttpExchange.ts"

type Received = Task.Task<ResponseDecoder.UpstreamResponse, Fault>

/** Sends a request; `isFresh` is true for a new connection, and `waiting` wraps waits for memory. */
export type SendOver = (isFresh: boolean, waiting: BodyBudget.Waiting) => Received

export interface AttemptOptions {
  readonly name: string
  readonly fail: (fault: Fault) => UpstreamError
  readonly clock: Clock.Clock
  /** Longest wait of a client's call, and of one that must not be repeated, until it may start; of any call for memory. ms. */
  readonly maxWait: number
  readonly log: (call: CallEnded) => void
}

/** Waits for memory for a response: no part of the call's time, and at most this long in all, ms. */
const pausing = (call: CircuitBreaker.TimedCall, clock: Clock.Clock, maxWait: number): BodyBudget.Waiting => {
  const { activity, time } = call
  let left = maxWait
  return (wait) =>
    Effect.suspend(() => {
      const began = clock.unsafeCurrentTimeMillis()
      time.pause()
      const limited = timeoutFail(wait, { duration: left, onTimeout: () => BodyBudget.exhausted })
      return Effect.ensuring(
        Activity.waiting(activity, clock, limited),
        Effect.sync(() => {
          left = Math.max(0, left - (clock.unsafeCurrentTimeMillis() - began))
          time.run()
        })
      )
    })
}

/**
 * Sends a request immediately, and records the outcome for everything that depends on it. `release` gives back the permit
 * of a call that needs no fiber.
 */
export const attempting =
  (
    { clock, fail, log, maxWait, name }: AttemptOptions,
    circuit: CircuitBreaker.Circuit,
    exchange: () => ReturnType<typeof HttpExchange.make>
  ) =>
  <A>(
    send: SendOver,
    interpret: ResponseDecoder.Decoder<A>,
    call: CircuitBreaker.TimedCall,
    release?: () => void
  ): Task.Task<A, UpstreamError> =>
  (done) => {
    const { activity, concurrency, time } = call
    let isOver = false
    const over = (exit: Exit.Exit<A, Fault>) => {
      isOver = true
      release?.()
      const at = clock.unsafeCurrentTimeMillis()
      const ms = time.elapsed(at)
      const failed = Exit.mapError(exit, fail)
      const error = Exit.isSuccess(failed) ? undefined : Option.getOrUndefined(Cause.failureOption(failed.cause))
      // Also by a limit of the service, which is no fault of the upstream.
      const isInterrupted =
        (error === undefined && Exit.isFailure(exit)) || Task.failureOf(exit) === BodyBudget.exhausted
      // The connections may be dead: there was no response for longer than usual, or it broke off.
      const isBroken = circuit.isSilentSince(call, at) || error?.reason === "upstream_error"
      if (call.status === undefined && isBroken) exchange().renew()
      if (isInterrupted) circuit.left(call, at)
      else {
        Activity.note(activity, at, error === undefined || !isSilence(error))
        concurrency?.ended(error?.reason, at - ms, at)
        circuit.ended(call, at, error)
      }
      log({ upstream: name, outcome: isInterrupted ? "interrupted" : (error ?? "ok"), at, ms })
      return failed
    }
    time.run()
    // A probe shows whether the address works, not whether an old connection does.
    const isProbe = circuit.state(clock.unsafeCurrentTimeMillis()) !== "closed"
    const received = send(isProbe, pausing(call, clock, maxWait))
    const cancel = exchange().decoded(received, interpret, call)((exit) => done(over(exit)))
    return () => {
      if (isOver) return
      cancel()
      over(Exit.interrupt(FiberId.none))
    }
  }
