import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import type { Lateness } from "../../kernel/Lateness.ts"
import * as Task from "../../kernel/Task.ts"
import { timeoutFail } from "../../kernel/timeout.ts"
import * as Activity from "../Activity.ts"
import * as CircuitBreaker from "../CircuitBreaker.ts"
import * as BodyBudget from "../response/BodyBudget.ts"
import type * as ResponseDecoder from "../response/ResponseDecoder.ts"
import { type Fault, isSilence, isSlow, type UpstreamError } from "../UpstreamError.ts"
import type { CallEnded } from "../Upstreams.ts"
import type * as CallLimit from "./CallLimit.ts"
import type * as HttpExchange from "./HttpExchange.ts"
import type * as MethodLimits from "./MethodLimits.ts"

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
  readonly lateness: Context.Tag.Service<Lateness>
  /** The pause that a host demanded after a batch: it may count its calls, and so may the other hosts. */
  readonly batchRefused: CircuitBreaker.Block
}

/** Share of the time of a call for which the process must be late, so that a timeout is its own fault. */
const lateShare = 0.1

/** Time for which a refused batch is remembered at least, ms. */
const batchRefusedFor = 60_000

/** The address of a call, with its state. */
interface AttemptState {
  readonly circuit: CircuitBreaker.Circuit
  readonly calls: Pick<CallLimit.CallLimit, "ended">
  readonly methods: ReturnType<typeof MethodLimits.make>
}

/**
 * Waits for memory for a response: no part of the call's time, and at most this long in all, ms; of a client's call with
 * the wait until it started.
 */
const pausing = (
  { activity, client, time }: CircuitBreaker.TimedCall,
  clock: Clock.Clock,
  maxWait: number,
  started: number
): BodyBudget.Waiting => {
  let left = client === undefined ? maxWait : Math.max(0, maxWait - (started - time.made))
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

/** The method that the node refused, perhaps because it does not offer it. */
const refusedMethod = (failure: UpstreamError | undefined) =>
  failure?.retryAfter === undefined ? failure?.limitedMethod : undefined

/** A request is too large for a gateway before the node. */
const isRefusedSize = (status: number | undefined) => status === 413 || status === 414

/**
 * Sends a request immediately, and records the outcome for everything that depends on it. `release` gives back the permit
 * of a call that needs no fiber.
 */
export const attempting =
  (
    { batchRefused, clock, fail, lateness, log, maxWait, name }: AttemptOptions,
    { calls, circuit, methods }: AttemptState,
    exchange: () => ReturnType<typeof HttpExchange.make>
  ) =>
  <A>(
    send: SendOver,
    interpret: ResponseDecoder.Decoder<A>,
    call: CircuitBreaker.TimedCall,
    release?: () => void
  ): Task.Task<A, UpstreamError> =>
  (done) => {
    const { activity, client, time } = call
    let isOver = false
    const over = (exit: Exit.Exit<A, Fault>) => {
      isOver = true
      const at = clock.unsafeCurrentTimeMillis()
      const ms = time.elapsed(at)
      const failed = Exit.mapError(exit, fail)
      const failure = Exit.isSuccess(failed) ? undefined : Option.getOrUndefined(Cause.failureOption(failed.cause))
      const method = refusedMethod(failure)
      if (method !== undefined) methods.refused(method, at)
      // The node responded: its other methods may work.
      const error = method === undefined ? failure : undefined
      // A limit of the service is no fault of the upstream, and neither is a client's call, or a batch, that is too large.
      const isLimit =
        Task.failureOf(exit) === BodyBudget.exhausted ||
        (isRefusedSize(call.status) && (client !== undefined || failure === undefined))
      const isInterrupted = (failure === undefined && Exit.isFailure(exit)) || isLimit
      // The connections may be dead: there was no response for longer than usual, or it broke off.
      const isBroken = circuit.isSilentSince(call, at) || error?.reason === "upstream_error"
      if (call.status === undefined && isBroken) exchange().renew()
      if (isInterrupted) circuit.left(call, at, isLimit)
      else {
        Activity.note(activity, at, error === undefined || !isSilence(error))
        if (failure !== undefined && call.calls > 1 && CircuitBreaker.demandsPause(failure))
          batchRefused.demand(Math.max(batchRefusedFor, failure.retryAfter ?? 0), at, CircuitBreaker.limited)
        const isLate = lateness.wasLate(ms)
        // A client determines what its call costs, and a late process reads responses late.
        const isOurs =
          error !== undefined &&
          isSlow(error) &&
          (client !== undefined || lateness.total() - lateBefore > lateShare * ms)
        if (method === undefined && !isOurs)
          calls.ended(
            {
              failure: error?.reason,
              pause: error?.retryAfter ?? 0,
              calls: call.calls,
              started: at - ms,
              time: isLate || client === "long" ? undefined : ms
            },
            at
          )
        if (isOurs && client === undefined) circuit.left(call, at, true)
        else circuit.ended(call, at, error)
      }
      release?.()
      log({ upstream: name, outcome: isInterrupted ? "interrupted" : (error ?? "ok"), at, ms })
      return failed
    }
    time.run()
    const lateBefore = lateness.total()
    const started = clock.unsafeCurrentTimeMillis()
    // A probe shows whether the address works, not whether an old connection does.
    const isProbe = circuit.state(started) !== "closed"
    const received = send(isProbe, pausing(call, clock, maxWait, started))
    const cancel = exchange().decoded(received, interpret, call)((exit) => done(over(exit)))
    return () => {
      if (isOver) return
      cancel()
      over(Exit.interrupt(FiberId.none))
    }
  }
