import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import * as Deadline from "../../kernel/Deadline.ts"
import { Lateness } from "../../kernel/Lateness.ts"
import { lazy } from "../../kernel/lazy.ts"
import type * as Permits from "../../kernel/Permits.ts"
import { annotate } from "../../kernel/span.ts"
import * as Task from "../../kernel/Task.ts"
import { timeoutFail } from "../../kernel/timeout.ts"
import { requestDeadline, upstreamTimeout } from "../../settings/variables.ts"
import * as Activity from "../Activity.ts"
import * as Budget from "../budget/Budget.ts"
import * as CallTime from "../CallTime.ts"
import * as CircuitBreaker from "../CircuitBreaker.ts"
import { longestWait } from "../CircuitBreaker.ts"
import { CurrentUse, Levers, switchedOff } from "../levers/Levers.ts"
import { CurrentPriority, type Priority, priorities } from "../Priority.ts"
import * as Probes from "../Probes.ts"
import * as BodyBudget from "../response/BodyBudget.ts"
import type * as ResponseDecoder from "../response/ResponseDecoder.ts"
import * as ResponseSize from "../response/ResponseSize.ts"
import type * as Sources from "../Sources.ts"
import { type Fault, tooMany, UpstreamError } from "../UpstreamError.ts"
import { type SourceState, Upstreams } from "../Upstreams.ts"
import { type AttemptOptions, attempting, type SendOver } from "./attempting.ts"
import * as CallLimit from "./CallLimit.ts"
import * as ConcurrencyLimit from "./ConcurrencyLimit.ts"
import * as HttpExchange from "./HttpExchange.ts"
import { credentials, type Keys } from "./HttpExchange.ts"
import * as MethodLimits from "./MethodLimits.ts"
import { isRetryable, retry } from "./retrying.ts"

/** Sends a request to an address, and decodes the response. */
type Call = <A>(
  request: HttpClientRequest.HttpClientRequest,
  interpret: ResponseDecoder.Decoder<A>,
  /** Largest plausible response to this request; that of its upstream by default. */
  size?: ResponseSize.Size,
  /** The number of calls in the request. */
  calls?: number
) => Effect.Effect<A, UpstreamError>

interface EndpointsOptions {
  readonly name: string
  readonly keys: Keys
  readonly keyParameters: Keys
  readonly urls: ReadonlyArray<string>
  /** The largest response to a call of the service. */
  readonly size: ResponseSize.Size
  /** Unlimited if undefined. */
  readonly limits: Budget.Limits | undefined
}

/**
 * Sends a client's call to an address and decodes the response. `client` names the client if the call waits; it is absent
 * for calls of the service. The time is that of a call that is not sent yet. A batch has several `calls`.
 */
type Pass = <A>(
  body: string,
  interpret: ResponseDecoder.Decoder<A>,
  client?: () => string,
  time?: CallTime.CallTime,
  calls?: number
) => Task.Task<A, UpstreamError>

/** One address of an upstream; its calls use no other address. */
export interface Endpoint {
  /** Index in the order of preference, from 0. Stable, so that a caller can remember which address supports a call. */
  readonly index: number
  /** Creates an error of this upstream, for a fault that only the caller can detect. */
  readonly fault: (fault: Fault) => UpstreamError
  /** For repeatable calls: retries transient faults after a short, jittered wait. */
  readonly read: Call
  /** For calls that must not be repeated: sends once, but not if the call has waited too long for others. */
  readonly send: Call
  /** True if it refused calls of this JSON-RPC method, but of no other, a moment ago, and another address did not. */
  readonly limits: (method: string) => boolean
  /** False while a host of the upstream demands a pause that began with a batch: all of them may count its calls. */
  readonly takesBatches: () => boolean
  /** Its standing at this time (ms) for clients' own calls. */
  readonly passStanding: (now: number) => Sources.Standing
  /**
   * Like `send`, for clients' own calls to a node, which differ only in their JSON body. Clients take turns; calls that
   * wait for a permit too long fail, and are not sent after their clients have gone. `ofEffect` runs the steps that need
   * a fiber, such as that wait. Calls that must not be repeated (`isOnce`) get a new connection. `long` calls have the
   * time of a client's request. None of them tests the address after a failure.
   */
  readonly pass: (
    request: HttpClientRequest.HttpClientRequest,
    ofEffect: Task.OfEffect,
    isOnce: boolean,
    kind?: CircuitBreaker.ClientCall
  ) => Pass
}

/** An address with its state and its standing among the others. */
export type RankedEndpoint = Endpoint & Sources.Source & EndpointState

interface EndpointState extends SourceState {
  readonly index: number
  readonly host: string
  readonly budget: Budget.BudgetQueue
  readonly circuit: CircuitBreaker.Circuit
  readonly methods: ReturnType<typeof MethodLimits.make>
}

/** State that the calls to all addresses of an upstream share. */
interface Shared extends AttemptOptions {
  readonly size: ResponseSize.Size
  readonly isOnlyAddress: boolean
  /** Longest wait of a read for a request until it may start, ms: the request then continues without it. */
  readonly maxReadWait: number
  /** The failure of a call that the operator switched off; undefined if the source is on. */
  readonly off: (use: typeof CurrentUse.Service) => UpstreamError | undefined
  /** The use of clients' own calls. */
  readonly passUse: typeof CurrentUse.Service
  /** Of each address. */
  readonly methods: ReadonlyArray<ReturnType<typeof MethodLimits.make>>
}

export const make = ({ keyParameters, keys, limits, name, size, urls }: EndpointsOptions) =>
  Effect.gen(function* () {
    const timeout = yield* upstreamTimeout
    const deadline = yield* requestDeadline
    const upstreams = yield* Upstreams
    const http = yield* HttpClient.HttpClient
    const runtime = yield* Effect.runtime<never>()
    const clock = yield* Effect.clock
    const limitsOfCalls = { source: yield* ConcurrencyLimit.bounds, total: yield* CallLimit.total }
    const hosts = urls.map((url) => new URL(url).host)
    // Not validated: the service itself creates the faults, and the compiler checks their types.
    const fail = (fault: Fault) => new UpstreamError({ upstream: name, ...fault }, true)
    const levers = yield* Levers
    const use = yield* CurrentUse
    const shared: Shared = {
      name,
      fail,
      size,
      clock,
      log: upstreams.ended,
      lateness: yield* Lateness,
      methods: urls.map(MethodLimits.make),
      batchRefused: CircuitBreaker.block(),
      off: (use) => {
        const reason = use === "check" ? undefined : levers.off(name, use)
        return reason === undefined ? undefined : fail(switchedOff(reason))
      },
      passUse: use === "check" ? use : { ...use, ability: "rpc" },
      isOnlyAddress: urls.length === 1,
      // A call that waits for each address in turn still has half of its time.
      maxWait: deadline / 2 / Math.max(1, urls.length),
      maxReadWait: Deadline.make(deadline).share("start")
    }

    const endpoints = yield* Effect.forEach(Arr.zip(urls, shared.methods), ([url, methods], index) => {
      const { host } = new URL(url)
      return Effect.map(upstreams.budget(host, limits), (budget) => {
        const source = upstreams.source(name, host, limitsOfCalls)
        const circuit = CircuitBreaker.make(source.block, timeout)
        // Built lazily: after a start, many addresses are not called for a while.
        const exchange = lazy(() =>
          HttpExchange.make({
            name,
            host,
            hosts,
            http,
            runtime,
            clock,
            timeout: { usual: timeout, long: deadline },
            credentials: credentials(url, keys, keyParameters)
          })
        )
        return endpointOf(shared, { ...source, index, host, budget, circuit, methods }, exchange)
      })
    })

    return { endpoints, fail }
  })

const endpointOf = (
  shared: Shared,
  state: EndpointState,
  exchange: () => ReturnType<typeof HttpExchange.make>
): RankedEndpoint => {
  const { clock, fail, isOnlyAddress } = shared
  const probes = Probes.make({ circuit: state.circuit, clock, fail })
  const { call, pass } = callsTo(shared, state, probes, exchange)
  return {
    ...state,
    fault: fail,
    standing: Effect.zipWith(CurrentPriority, CurrentUse, (priority, use) =>
      shared.off(use) === undefined ? standing(state, clock.unsafeCurrentTimeMillis(), priority) : offStanding
    ),
    limits: (method) => {
      const now = clock.unsafeCurrentTimeMillis()
      return state.methods.isLimited(method, now) && shared.methods.some(({ isLimited }) => !isLimited(method, now))
    },
    takesBatches: () => shared.batchRefused.left(clock.unsafeCurrentTimeMillis()) <= 0,
    passStanding: (now) =>
      shared.off(shared.passUse) === undefined ? standing(state, now, priorities.proxy) : offStanding,
    send: (request, interpret) => ifOn(shared, probes.starting(true, call(true)(request, interpret))),
    pass,
    read: (request, interpret, size, calls) => {
      const reading = Effect.suspend(() => {
        const isOpen = state.circuit.state(clock.unsafeCurrentTimeMillis()) === "open"
        const isRetried = (error: UpstreamError) =>
          isRetryable(error, isOnlyAddress) && !(isOpen && error.status === undefined)
        const retried = retry(call(false)(request, interpret, size, calls), isRetried, isOnlyAddress ? 2 : 1)
        return probes.starting(false, retried)
      })
      return ifOn(shared, reading)
    }
  }
}

const offStanding: Sources.Standing = { state: "off", usual: 0 }

/** Runs a call unless its source is off for the use of the call. */
const ifOn = <A>({ off }: Shared, call: Effect.Effect<A, UpstreamError>): Effect.Effect<A, UpstreamError> =>
  Effect.flatMap(CurrentUse, (use): Effect.Effect<A, UpstreamError> => off(use) ?? call)

const standing = ({ budget, calls, circuit }: EndpointState, now: number, priority: Priority): Sources.Standing => {
  const usual = circuit.usual()
  if (circuit.blockedFor(now) > 0) return { state: "blocked", usual }
  if (circuit.refusal(now) !== undefined) return { state: "silent", usual }
  if (circuit.isLastResort(now) || circuit.isOverdue(now)) return { state: "failing", usual }
  const wait = Math.max(budget.wait(now, priority), calls.wait(usual))
  if (wait > (priority.maxWait ?? usual)) return { state: "limited", usual }
  return { state: circuit.state(now) === "closed" ? "works" : "probe", usual }
}

/** Ends the waits of a call for others before its caller has gone: a call that has not started then never starts. */
const bounded = ({ clock, fail }: Shared, duration: number) => {
  let until: number | undefined
  return <A, E>(wait: Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      const began = clock.unsafeCurrentTimeMillis()
      until ??= began + duration
      return timeoutFail(wait, { duration: Math.max(0, until - began), onTimeout: () => fail(tooMany) })
    })
}

/** How a call starts: after the pause that its host has demanded, and with a permit of its budget. */
const startsTo = (shared: Shared, state: EndpointState, exchange: () => ReturnType<typeof HttpExchange.make>) => {
  const { budget, circuit } = state
  const { clock, fail } = shared
  const now = () => clock.unsafeCurrentTimeMillis()
  const attempt = attempting(shared, state, exchange)
  const blocked = (at: number, wait: number) =>
    fail({ ...(circuit.cause(at) ?? CircuitBreaker.limited), retryAfter: wait, unsent: true })

  /** Sends a request after the pause that the host has demanded. */
  const attemptLater = <A>(
    send: SendOver,
    interpret: ResponseDecoder.Decoder<A>,
    begin: () => CircuitBreaker.TimedCall
  ): Effect.Effect<A, UpstreamError> =>
    Effect.suspend(() => {
      const started = now()
      // While a call waited for its permit, the host may have demanded a pause from another call.
      const wait = circuit.blockedFor(started)
      if (wait > longestWait) return blocked(started, wait)
      if (wait > 0) return Effect.zipRight(Effect.sleep(wait), attemptLater(send, interpret, begin))
      const call = begin()
      Activity.note(call.activity, started)
      return Effect.ensuring(
        Task.toEffect(attempt(send, interpret, call)),
        Effect.suspend(() => annotate("http.response.status_code", call.status))
      )
    })

  /** A call that is blocked takes no permit from others. A failing address is also the reason if no permit is left. */
  const budgetPermit = (acquire: typeof budget.acquire) =>
    Effect.suspend(() => {
      const at = now()
      const wait = circuit.blockedFor(at)
      if (wait > longestWait) return blocked(at, wait)
      return Effect.mapError(acquire, (fault) => fail({ ...fault, ...circuit.cause(now()), unsent: true }))
    })

  return { attempt, attemptLater, budgetPermit, now }
}

/** A call that was sent continues without its client, and keeps its permit: the node works on it in any case. */
const withoutClient =
  <A, E>(task: Task.Task<A, E>, isSent: () => boolean): Task.Task<A, E> =>
  (done) => {
    let hasLeft = false
    const cancel = task((exit) => {
      if (!hasLeft) done(exit)
    })
    return (hold) => {
      hasLeft = true
      if (!isSent()) cancel(hold)
    }
  }

/** Owner of the first half of the permits of clients' calls: it costs less than to know the client. */
const anyClient = "client"

const callsTo = (
  shared: Shared,
  state: EndpointState,
  probes: ReturnType<typeof Probes.make>,
  exchange: () => ReturnType<typeof HttpExchange.make>
) => {
  const { clock, maxReadWait, maxWait } = shared
  const { budget, calls, circuit, host } = state
  const isUnlimited = budget === Budget.unlimited
  const { attempt, attemptLater, budgetPermit, now } = startsTo(shared, state, exchange)

  /** A call of the service. */
  const call =
    (isOnce: boolean): Call =>
    (request, interpret, size = shared.size, count = 1) =>
      Effect.contextWithEffect((context: Context.Context<never>) => {
        const activity = Context.get(context, Activity.CurrentActivity)
        const received: SendOver = (isFresh, waiting) =>
          exchange().prepare(request)({
            size,
            isFresh: isOnce || isFresh,
            memory: () => BodyBudget.own(host, waiting)
          })
        const owner = Option.getOrUndefined(Context.getOption(context, HttpServerRequest.HttpServerRequest))
        const duration = isOnce ? maxWait : owner === undefined ? undefined : maxReadWait
        const inTime = duration === undefined ? identity : bounded(shared, duration)
        const waiting = <A>(permit: Effect.Effect<A, UpstreamError>) =>
          Activity.waiting<A, UpstreamError>(activity, clock, inTime(permit))
        const begin = () => circuit.begun(CallTime.make(clock), activity, undefined, count)
        const attempted = probes.sending(isOnce, attemptLater(received, interpret, begin))
        // A wait for a permit is no part of a probe, and a pause may have been demanded in the meantime.
        const permitted = calls.withPermit(attempted, owner, waiting, count)
        return isUnlimited ? permitted : Effect.zipRight(waiting(budgetPermit(budget.acquire)), permitted)
      })

  const pass: Endpoint["pass"] = (request, ofEffect, isOnce, kind = "usual") => {
    const send = lazy(() => exchange().prepare(request))
    const permit = (client: Permits.Owner) =>
      Effect.provideService(budgetPermit(budget.acquireInTurn(client)), CurrentPriority, priorities.proxy)
    const size = ResponseSize.proxied
    const withPermit = kind === "long" ? calls.withLongPermit : calls.withPermit
    /** Starts a call now, if it need not wait. */
    const take = (client: (() => string) | undefined, count: number) =>
      (count === 1 ? calls.take(client && anyClient) : undefined) ?? (client && calls.take(client(), count))
    return (body, interpret, client, time, count = 1) => {
      let isSent = false
      const received: SendOver = (isFresh, waiting) => {
        isSent = client !== undefined
        return send()({
          size,
          isFresh: isOnce || isFresh,
          body,
          memory: () => BodyBudget.ofClients(host, client?.(), waiting)
        })
      }
      return withoutClient(
        (done) => {
          const off = shared.off(shared.passUse)
          if (off !== undefined) return Task.ended(Exit.fail(off))(done)
          const at = now()
          const isFree = isUnlimited && kind !== "long" && circuit.blockedFor(at) <= 0 && circuit.state(at) === "closed"
          const release = isFree ? take(client, count) : undefined
          const timed = time ?? CallTime.make(clock)
          const begin = () => circuit.begun(timed, undefined, kind, count)
          if (release !== undefined) return attempt(received, interpret, begin(), release)(done)
          const owner = client?.()
          const inTime = bounded(shared, maxWait)
          const attempted = withPermit(attemptLater(received, interpret, begin), owner, inTime, count)
          const permitted = isUnlimited ? attempted : Effect.zipRight(inTime(permit(owner)), attempted)
          return ofEffect(probes.starting(true, permitted))(done)
        },
        () => isSent
      )
    }
  }

  return { call, pass }
}
