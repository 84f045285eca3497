import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as MetricKey from "effect/MetricKey"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type * as Types from "effect/Types"
import type { Reason } from "../domain/Reason.ts"
import { counters, labelled, measured } from "../kernel/counters.ts"
import { lazy } from "../kernel/lazy.ts"
import { LimitSharing } from "../storage/quota/SharedQuotas.ts"
import * as Budget from "./budget/Budget.ts"
import * as Budgets from "./budget/Budgets.ts"
import * as CallCounts from "./CallCounts.ts"
import * as CircuitBreaker from "./CircuitBreaker.ts"
import * as CallLimit from "./endpoint/CallLimit.ts"
import * as ConcurrencyLimit from "./endpoint/ConcurrencyLimit.ts"
import type { ProviderCalls } from "./ProviderCalls.ts"
import * as SharedPauses from "./SharedPauses.ts"
import * as SharedSlots from "./SharedSlots.ts"
import type { UpstreamError } from "./UpstreamError.ts"

/** State of one upstream, from the calls so far. It contains no address and no key. */
export interface UpstreamState {
  readonly name: string
  /** True if an operator's key is used. */
  readonly keyed: boolean
  readonly addresses: number
  /** The circuit breaker of each of them, in order of preference. */
  readonly circuits: ReadonlyArray<CircuitBreaker.AddressState>
  /** `unknown` until the first call has ended. */
  readonly state: "unknown" | "up" | "down"
  /** Time of the last good response, ms. */
  readonly lastOkAt?: number
  /** The newest failure, even if a later call succeeded. */
  readonly lastFailure?: { readonly reason: Reason; readonly detail: string; readonly at: number }
  /** Why the operator switched it off for all its uses; absent if it is on. */
  readonly switchedOff?: string
  /** Absent if its calls are not counted. Upstreams of one provider share a budget: each shows all of it. */
  readonly budget?: Budget.Remaining
}

/** Test of an upstream: a small request to each of its addresses. */
export interface Trial {
  readonly name: string
  readonly keyed: boolean
  /** The calls that its provider offers, if they are values. */
  readonly calls?: ProviderCalls | undefined
  /** Why the operator switched it off for all its uses; undefined if it is on. */
  readonly off?: () => string | undefined
  /** Remaining budget, if its calls are counted. */
  readonly budget?: (now: number) => Budget.Remaining | undefined
  /** The host is shown only to the operator. */
  readonly addresses: ReadonlyArray<{
    readonly host: string
    readonly circuit: (now: number) => CircuitBreaker.AddressState
    readonly try: Effect.Effect<unknown, UpstreamError>
  }>
}

export interface SourceState {
  readonly block: CircuitBreaker.Block
  /** Demands a pause of this source for another one. */
  readonly pauseToo: CircuitBreaker.Block["demand"]
  readonly calls: CallLimit.CallLimit
}

/** How many calls may be in progress. */
export interface HostLimits {
  /** To one source. */
  readonly source: ConcurrencyLimit.Bounds
  /** To all hosts together. */
  readonly total: number
}

/** A call to an address that has ended. */
export interface CallEnded {
  readonly upstream: string
  readonly outcome: UpstreamError | "ok" | "interrupted"
  readonly at: number
  readonly ms: number
}

/** Logs that something could not be fetched. */
export type LogFailure = (what: string, error: UpstreamError) => Effect.Effect<void>

/** All upstream clients report the outcomes of their calls here, for `/health/ready` and `/networks`. */
export class Upstreams extends Context.Tag("upstream/Upstreams")<
  Upstreams,
  {
    readonly register: (trial: Trial) => Effect.Effect<void>
    /** Records a call of a registered upstream. */
    readonly ended: (call: CallEnded) => void
    /** Counts of ended calls. Interrupted calls do not count. */
    readonly counts: Omit<ReturnType<typeof CallCounts.make>, "add">
    /** In the order of registration. */
    readonly states: Effect.Effect<ReadonlyArray<UpstreamState>>
    readonly trials: Effect.Effect<ReadonlyArray<Trial>>
    /**
     * Budget of a source at a host, for all clients, because providers count by caller and host. The limits of the
     * first request for both apply.
     */
    readonly budget: (host: string, limits: Budget.Limits | undefined) => Effect.Effect<Budget.BudgetQueue>
    /**
     * State that all clients of an upstream at a host share: the pause that the host demands of it, or of all its upstreams
     * if it does of two, and the limit of their calls. The limits of the first request apply.
     */
    readonly source: (upstream: string, host: string, limits: HostLimits) => SourceState
    /** Logs a failed request: one warning per outage, not per failure. */
    readonly logFailure: LogFailure
  }
>() {
  /** Budgets start empty with the process. */
  static readonly layer = Layer.scoped(
    Upstreams,
    Effect.flatMap(Budgets.inMemory, (budgets) => make(budgets))
  )

  /** Budgets are stored, because providers continue to count across restarts. */
  static readonly layerStored = Layer.scoped(
    Upstreams,
    Effect.gen(function* () {
      const [budgets, pauses, slots, { live }] = yield* Effect.all([
        Budgets.stored,
        SharedPauses.make,
        SharedSlots.make,
        LimitSharing
      ])
      return yield* make(budgets, { pauses, slots, live })
    })
  )

  /** Without budgets: simulated upstreams have none. */
  static readonly layerUnlimited = Layer.scoped(
    Upstreams,
    Effect.suspend(() => make())
  )

  /** Logs failures. Without this service, which counts the outcomes of calls, every failure is a warning. */
  static readonly logFailure: Effect.Effect<LogFailure> = Effect.map(Effect.serviceOption(Upstreams), (found) =>
    Option.isSome(found) ? found.value.logFailure : (what, { message }) => Effect.logWarning(`${what}: ${message}`)
  )
}

interface RegisteredUpstream {
  readonly trial: Trial
  /** Mutable, because it changes with each call, up to thousands of times per second. */
  readonly state: Types.Mutable<Omit<UpstreamState, "circuits" | "switchedOff" | "budget">>
  readonly count: ReturnType<typeof counting>
}

/** How processes share the state of hosts. */
interface Sharing {
  readonly pauses?: SharedPauses.SharedPauses
  readonly slots?: SharedSlots.SharedSlots | undefined
  readonly live?: () => number
}

const make = (budgets?: Budgets.Budgets, sharing: Sharing = {}) =>
  Effect.gen(function* () {
    const upstreams = makeIn(yield* Effect.scope, budgets, sharing)
    yield* measured(Effect.zipRight(budgets?.measure ?? Effect.void, Effect.flatMap(upstreams.states, updateGauges)))
    return upstreams
  })

const makeIn = (
  scope: Scope.Scope,
  budgets: Budgets.Budgets | undefined,
  { live, pauses, slots }: Sharing
): Context.Tag.Service<Upstreams> => {
  const known = new Map<string, RegisteredUpstream>()
  const states = Effect.map(Clock.currentTimeMillis, (now) =>
    Array.from(known.values(), ({ state, trial }): UpstreamState => {
      const budget = trial.budget?.(now)
      const off = trial.off?.()
      return {
        ...state,
        circuits: trial.addresses.map(({ circuit }) => circuit(now)),
        ...(off === undefined ? {} : { switchedOff: off }),
        ...(budget === undefined ? {} : { budget })
      }
    })
  )
  const hosts = new Map<string, ReturnType<typeof hostOf>>()
  const growths = new Map<string, ReturnType<typeof ConcurrencyLimit.growth>>()
  let shares: ReturnType<typeof CallLimit.make> | undefined
  const outages = outagesIn(scope)
  const counts = CallCounts.make()
  return {
    counts,
    logFailure: outages.log,
    source: (upstream, host, limits) => {
      shares ??= CallLimit.make(limits.total, limits.source, { processes: live, slots })
      const growth = growths.get(upstream) ?? ConcurrencyLimit.growth()
      growths.set(upstream, growth)
      const atHost = hosts.get(host) ?? hostOf(shares(host), host, pauses)
      hosts.set(host, atHost)
      return atHost(upstream, growth)
    },
    budget: (host, limits) =>
      budgets === undefined || limits === undefined
        ? Effect.succeed(Budget.unlimited)
        : budgets.of(limits.countedAt ?? host, limits),
    register: (trial) =>
      Effect.sync(() => {
        const { addresses, keyed, name } = trial
        const state: RegisteredUpstream["state"] = { name, keyed, addresses: addresses.length, state: "unknown" }
        known.set(name, { trial, state, count: counting(name) })
      }),
    ended: ({ at, ms, outcome, upstream }) => {
      const registered = known.get(upstream)
      if (registered === undefined) return
      const { count, state } = registered
      count(typeof outcome === "string" ? outcome : outcome.reason, ms)
      if (outcome === "interrupted") return
      // A rejection of the call itself is a good response.
      const failure = outcome === "ok" || outcome.final === true ? undefined : outcome
      outages.ended(upstream, failure?.reason, at)
      counts.add(upstream, failure !== undefined, at)
      state.state = failure === undefined ? "up" : "down"
      if (failure === undefined) state.lastOkAt = at
      else state.lastFailure = { reason: failure.reason, detail: failure.detail, at }
    },
    states,
    trials: Effect.sync(() => Array.from(known.values(), ({ trial }) => trial))
  }
}

type HostLimit = ReturnType<ReturnType<typeof CallLimit.make>>

/** A pause is that of one upstream. If a second one must pause at the same time, it is that of the host: of all behind it. */
const hostOf = (limit: HostLimit, host: string, pauses?: SharedPauses.SharedPauses) => {
  const upstreams = new Map<string, SourceState>()
  const stateOf = (name: string, growth: Parameters<HostLimit>[0]): SourceState => {
    const own = CircuitBreaker.block()
    const calls = limit(growth, name)
    const demand: CircuitBreaker.Block["demand"] = (pause, now, cause) => {
      own.demand(pause, now, cause)
      if (pause <= 0) return
      pauses?.demanded(name, pause, now)
      const others = [...upstreams.values()].filter(({ block }) => block !== shared)
      if (others.some(({ block }) => block.left(now) > 0))
        for (const { pauseToo } of others) pauseToo(pause, now, cause)
    }
    const shared = { ...own, demand }
    pauses?.add(name, (pause, now) => {
      own.demand(pause, now, CircuitBreaker.limited)
      calls.ended({ failure: "rate_limited", pause, started: now, time: undefined }, now)
    })
    return { block: shared, pauseToo: own.demand, calls }
  }
  return (upstream: string, growth: Parameters<HostLimit>[0]): SourceState => {
    const state = upstreams.get(upstream) ?? stateOf(`${upstream} ${host}`, growth)
    upstreams.set(upstream, state)
    return state
  }
}

/** Time without any response after which the machine counts as offline, ms. */
const silence = 60_000

/** No host responded: there was no connection, or no response in time. */
const isSilent = (reason: Reason) => reason === "timeout" || reason === "upstream_error"

/**
 * Logs each outage once: the first failure of an upstream since its last good response, and one line for all upstreams
 * if none responds. Repeated failures are debug lines, regardless of their number.
 */
const outagesIn = (scope: Scope.Scope) => {
  const logged = new Set<string>()
  let answered: number | undefined
  let offline: Deferred.Deferred<void> | undefined

  /** Records the outcome of a call and its time. */
  const ended = (upstream: string, failure: Reason | undefined, at: number): void => {
    if (failure === undefined) logged.delete(upstream)
    if (failure !== undefined && isSilent(failure)) return
    answered = at
    if (offline === undefined) return
    Deferred.unsafeDone(offline, Effect.void)
    offline = undefined
  }

  const goneOffline = (what: string, message: string) =>
    Effect.gen(function* () {
      const back = yield* Deferred.make<void>()
      offline = back
      yield* Effect.logWarning(
        `no upstream can be reached: ${what}: ${message}; is this machine offline? Failures are logged at level debug until an upstream responds`
      )
      yield* Effect.forkIn(Effect.zipRight(Deferred.await(back), Effect.logInfo("an upstream responds again")), scope)
    })

  const log: LogFailure = (what, { message, reason, status, upstream }) =>
    Effect.flatMap(
      Effect.clockWith((clock) => clock.currentTimeMillis),
      (now) => {
        const repeated = offline !== undefined || logged.has(upstream)
        logged.add(upstream)
        if (repeated) return Effect.logDebug(`${what}: ${message}`)
        const silent = status === undefined && isSilent(reason)
        if (silent && (answered === undefined || now - answered > silence)) return goneOffline(what, message)
        return Effect.logWarning(`${what}: ${message}`)
      }
    )

  return { ended, log }
}

const seconds = MetricKey.histogram(
  "upstream_call_duration_seconds",
  MetricBoundaries.fromIterable([0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]),
  "Time from a call to the end of its response"
)

const outcomes = ["ok", "interrupted", "timeout", "rate_limited", "upstream_error", "bad_answer"]

/** Counts the calls to this upstream by outcome, and measures their times, ms. */
const counting = (upstream: string) => {
  // Built lazily: after a start, many upstreams are not called for a while.
  const metrics = lazy(() => ({
    count: counters("upstream_calls_total", "Upstream calls by outcome", { upstream: [upstream], outcome: outcomes }),
    times: labelled(seconds, { upstream })
  }))
  return (outcome: string, ms: number): void => {
    const { count, times } = metrics()
    count(1, upstream, outcome)
    times.unsafeUpdate(ms / 1000, [])
  }
}

const circuits = Metric.gauge("upstream_circuits", {
  description: "Addresses of an upstream by the state of their circuit breaker, or paused by their host"
})

const updateGauges = (states: ReadonlyArray<UpstreamState>) =>
  Effect.forEach(
    states.flatMap((upstream) =>
      (["closed", "open", "half-open", "paused"] as const).map((state) => ({ state, upstream }))
    ),
    ({ state, upstream }) =>
      Metric.set(
        circuits.pipe(Metric.tagged("upstream", upstream.name), Metric.tagged("state", state)),
        upstream.circuits.filter((circuit) => circuit === state).length
      ),
    { discard: true }
  )
