import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import type { Reason } from "../../domain/Reason.ts"
import { once } from "../../kernel/once.ts"
import * as Permits from "../../kernel/Permits.ts"
import type * as Task from "../../kernel/Task.ts"
import { upstreamTimeout } from "../../settings/variables.ts"
import * as Activity from "../Activity.ts"
import * as Budget from "../budget/Budget.ts"
import * as CircuitBreaker from "../CircuitBreaker.ts"
import * as FetchClient from "../FetchClient.ts"
import { CurrentPriority, priorities } from "../Priority.ts"
import type * as ResponseDecoder from "../response/ResponseDecoder.ts"
import * as ResponseSize from "../response/ResponseSize.ts"
import type { Sending } from "../Trials.ts"
import { type Fault, isSilence, UpstreamError } from "../UpstreamError.ts"
import { Upstreams } from "../Upstreams.ts"
import * as CallMetrics from "./CallMetrics.ts"
import { credentials, type Keys } from "./credentials.ts"
import * as DirectExchange from "./DirectExchange.ts"
import type { DirectPass } from "./Endpoint.ts"
import * as HttpExchange from "./HttpExchange.ts"
import * as Timings from "./Timings.ts"

/** An address that demands a longer pause than this is skipped, not waited for, ms. */
const longestWait = 1_000

/** Sends a request to an address, and decodes the response. */
export type Call = <A>(
  request: HttpClientRequest.HttpClientRequest,
  interpret: ResponseDecoder.Decoder<A>,
  /** The largest plausible response to this request, where it is another than that of its upstream. */
  size?: ResponseSize.Size
) => Effect.Effect<A, UpstreamError>

/** The same; `sending` wraps the attempt once it has its permits. */
type PermittedCall = <A>(
  sending: Sending,
  request: HttpClientRequest.HttpClientRequest,
  interpret: ResponseDecoder.Decoder<A>,
  size?: ResponseSize.Size
) => Effect.Effect<A, UpstreamError>

interface CallerOptions {
  readonly name: string
  readonly concurrency: number
  /** Header fields that hold keys. */
  readonly keys: Keys
  /** Parameters of the query that hold keys. */
  readonly keyParameters: Keys
  readonly urls: ReadonlyArray<string>
  /** The largest response to a call of the service. */
  readonly size: ResponseSize.Size
}

/** The limits and the state of one address. */
export interface EndpointState {
  readonly url: string
  readonly circuit: CircuitBreaker.Circuit
  readonly budget: Budget.BudgetQueue
  readonly report: (failure: Reason | undefined, at: number) => void
}

/** What the calls to all addresses of an upstream share. */
interface Shared {
  readonly fail: (fault: Fault) => UpstreamError
  readonly clock: Clock.Clock
  readonly permits: Permits.Permits
  readonly size: ResponseSize.Size
  readonly count: ReturnType<typeof CallMetrics.make>
}

/** How single calls are made to the addresses of one upstream. */
export const make = ({ concurrency, keyParameters, keys, name, size, urls }: CallerOptions) =>
  Effect.gen(function* () {
    const timeout = yield* upstreamTimeout
    const limit = yield* (yield* Upstreams).timeLimit(timeout)
    const http = yield* HttpClient.HttpClient
    const send = FetchClient.sendOf(http, name)
    const runtime = yield* Effect.runtime<never>()
    const hosts = [...new Set(urls.map((url) => new URL(url).host))]
    // Not validated: faults are of the service's own making, and their types are checked by the compiler.
    const fail = (fault: Fault) => new UpstreamError({ upstream: name, ...fault }, true)
    const shared: Shared = {
      fail,
      size,
      clock: yield* Effect.clock,
      permits: Permits.make(concurrency),
      count: CallMetrics.make(name)
    }

    /** The calls to one address, each of them once and within the time limit. */
    const to = (endpoint: EndpointState) => {
      const timings = Timings.make(endpoint.circuit, timeout)
      // Made at the first call: a service that starts has many addresses that are not called for a while.
      const options = once(() => ({
        name,
        hosts,
        http,
        limit,
        runtime,
        timeout,
        credentials: credentials(endpoint.url, keys, keyParameters)
      }))
      const exchange = once(() => HttpExchange.make(options()))
      return {
        ...callsTo(shared, endpoint, timings, exchange),
        direct:
          send && directCallsTo(shared, endpoint, timings, () => DirectExchange.make(options(), send, shared.clock))
      }
    }

    return { clock: shared.clock, fail, to }
  })

const callsTo = (
  shared: Shared,
  { budget, circuit, report }: EndpointState,
  timings: ReturnType<typeof Timings.make>,
  exchange: () => ReturnType<typeof HttpExchange.make>
) => {
  const { clock, fail, permits } = shared
  const ended = outcomes(shared.count, circuit, timings, report)

  const blocked = (now: number, wait: number) =>
    fail({ ...(circuit.cause(now) ?? CircuitBreaker.limited), retryAfter: wait, unsent: true })

  /** Nothing is yielded between steps that need not wait, so that a call of a client costs little more than itself. */
  const attempt = <A>(
    request: HttpClientRequest.HttpClientRequest,
    interpret: ResponseDecoder.Decoder<A>,
    size: ResponseSize.Size,
    activity?: Activity.Activity
  ): Effect.Effect<A, UpstreamError> =>
    Effect.suspend(() => {
      const started = clock.unsafeCurrentTimeMillis()
      // While a caller queued for its permit, the host may have demanded a pause of another call.
      const wait = circuit.blockedFor(started)
      if (wait > longestWait) return blocked(started, wait)
      if (wait > 0) return Effect.zipRight(Effect.sleep(wait), attempt(request, interpret, size, activity))
      Activity.note(activity, started)
      const call = timings.begun(started, activity)
      return Effect.onExit(Effect.mapError(exchange()(request, interpret, size, call), fail), (exit) => {
        ended(exit, call, clock.unsafeCurrentTimeMillis())
        return Effect.void
      })
    })

  /** Where the budget is used up by calls to an address that does not work, the reason is why it does not work. */
  const unblockedPermit = Effect.mapError(budget.acquire, (fault) =>
    fail({ ...fault, ...circuit.cause(clock.unsafeCurrentTimeMillis()), unsent: true })
  )

  /** A call that is blocked takes no permit from others. */
  const budgetPermit = Effect.suspend(() => {
    const now = clock.unsafeCurrentTimeMillis()
    const wait = circuit.blockedFor(now)
    return wait > longestWait ? blocked(now, wait) : unblockedPermit
  })

  const clientPermit = Effect.provideService(budgetPermit, CurrentPriority, priorities.proxy)

  /** A call of the service. */
  const call: PermittedCall = (sending, request, interpret, size = shared.size) =>
    Effect.flatMap(Activity.CurrentActivity, (activity) => {
      const permitted = permits.withPermit(sending(attempt(request, interpret, size, activity)))
      return budget === Budget.unlimited
        ? permitted
        : Effect.zipRight(Activity.waiting(activity, clock, budgetPermit), permitted)
    })

  /** A client's own call, without a permit of the service: there are as many as the clients want. */
  const pass: PermittedCall = (sending, request, interpret) => {
    const attempted = sending(attempt(request, interpret, ResponseSize.passed))
    return budget === Budget.unlimited ? attempted : Effect.zipRight(clientPermit, attempted)
  }

  return { timings, call, pass }
}

/** See {@link Endpoint.direct}. */
const directCallsTo =
  (
    { clock, count, fail }: Shared,
    { budget, circuit, report }: EndpointState,
    timings: ReturnType<typeof Timings.make>,
    exchanges: () => ReturnType<typeof DirectExchange.make>
  ) =>
  (request: HttpClientRequest.HttpClientRequest, ofEffect: Task.OfEffect): DirectPass => {
    const exchange = once(() => exchanges()(request, ofEffect))
    const ended = outcomes(count, circuit, timings, report)
    return (body, interpret) => {
      const isWaitedFor = budget !== Budget.unlimited || circuit.blockedFor(clock.unsafeCurrentTimeMillis()) > 0
      const send = isWaitedFor ? undefined : exchange()
      if (send === undefined) return undefined
      return (done) => {
        const call = timings.begun(clock.unsafeCurrentTimeMillis(), undefined)
        let isOver = false
        const cancel = send(
          body,
          interpret,
          call
        )((exit) => {
          isOver = true
          const outcome = Exit.mapError(exit, fail)
          ended(outcome, call, clock.unsafeCurrentTimeMillis())
          done(outcome)
        })
        return () => {
          if (isOver) return
          isOver = true
          cancel()
          ended(Exit.interrupt(FiberId.none), call, clock.unsafeCurrentTimeMillis())
        }
      }
    }
  }

/** Records how a call ended, for everything that depends on it. */
const outcomes =
  (
    count: Shared["count"],
    circuit: CircuitBreaker.Circuit,
    timings: ReturnType<typeof Timings.make>,
    report: EndpointState["report"]
  ) =>
  (exit: Exit.Exit<unknown, UpstreamError>, call: Timings.TimedCall, now: number): void => {
    const time = now - call.started
    const error = Exit.isSuccess(exit) ? undefined : Option.getOrUndefined(Cause.failureOption(exit.cause))
    if (error === undefined && Exit.isFailure(exit)) {
      timings.left(call, now)
      count("interrupted", time)
      return
    }
    Activity.note(call.activity, now)
    if (error === undefined || !isSilence(error)) Activity.answered(call.activity)
    timings.ended(call, now)
    const failure = error?.final === true ? undefined : error
    circuit.ended(now, failure && { reason: failure.reason, detail: failure.detail }, error?.retryAfter)
    report(failure?.reason, now)
    count(error?.reason ?? "ok", time)
  }
