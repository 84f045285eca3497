import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Scope from "effect/Scope"
import type * as Types from "effect/Types"
import type { Reason } from "../domain/Reason.ts"
import * as TimeLimit from "../kernel/TimeLimit.ts"
import * as Budget from "./budget/Budget.ts"
import * as Budgets from "./budget/Budgets.ts"
import * as CircuitBreaker from "./CircuitBreaker.ts"
import * as ConcurrencyLimit from "./endpoint/ConcurrencyLimit.ts"
import * as Outages from "./Outages.ts"
import type { UpstreamError } from "./UpstreamError.ts"

/** State of one upstream, from the calls so far. It contains no address and no key. */
export interface UpstreamState {
  readonly name: string
  /** True if an operator's key is used. */
  readonly keyed: boolean
  /** The number of its addresses. */
  readonly addresses: number
  /** The circuit breaker of each of them, in order of preference. */
  readonly circuits: ReadonlyArray<CircuitBreaker.CircuitState>
  /** `unknown` until the first call has ended. */
  readonly state: "unknown" | "up" | "down"
  /** Time of the last good response, ms. */
  readonly lastOkAt?: number
  /** The newest failure, even if a later call succeeded. */
  readonly lastFailure?: { readonly reason: Reason; readonly at: number }
  /** Absent if its calls are not counted. Upstreams of one provider share a budget: each shows all of it. */
  readonly budget?: Budget.Remaining
}

/** Test of an upstream: a small request to each of its addresses. */
export interface Trial {
  readonly name: string
  readonly keyed: boolean
  /** Remaining budget, if its calls are counted. */
  readonly budget?: (now: number) => Budget.Remaining | undefined
  /** The host is shown only to the operator. */
  readonly addresses: ReadonlyArray<{
    readonly host: string
    readonly circuit: (now: number) => CircuitBreaker.CircuitState
    readonly try: Effect.Effect<unknown, UpstreamError>
  }>
}

interface HostState {
  readonly block: CircuitBreaker.Block
  readonly concurrency: ConcurrencyLimit.ConcurrencyLimit
}

/** All upstream clients report the outcomes of their calls here, for `/health/ready` and `/networks`. */
export class Upstreams extends Context.Tag("upstream/Upstreams")<
  Upstreams,
  {
    /** Registers an upstream. The result records a call's outcome (undefined for a good response) and its time. */
    readonly register: (trial: Trial) => Effect.Effect<(failure: Reason | undefined, at: number) => void>
    /** In the order of registration. */
    readonly states: Effect.Effect<ReadonlyArray<UpstreamState>>
    readonly trials: Effect.Effect<ReadonlyArray<Trial>>
    /**
     * Budget of a source at a host, for all clients, because providers count by caller and host. The limits of the
     * first request for both apply.
     */
    readonly budget: (host: string, limits: Budget.Limits) => Effect.Effect<Budget.BudgetQueue>
    /** State that all clients of a host share: the pause that it demands, and the concurrency that it bears. */
    readonly host: (host: string, bounds: ConcurrencyLimit.Bounds) => HostState
    /** The time limit of a call, ms; all calls with the same limit share it. */
    readonly timeLimit: (ms: number) => Effect.Effect<TimeLimit.TimeLimit>
    /** Logs a failed request: one warning per outage, not per failure. */
    readonly logFailure: Outages.LogFailure
    /** Updates the gauges of budgets and circuit breakers. */
    readonly measure: Effect.Effect<void>
  }
>() {
  /** Budgets start empty with the process. */
  static readonly layer = Layer.scoped(
    Upstreams,
    Effect.zipWith(Effect.scope, Budgets.inMemory, (scope, budgets) => make(scope, budgets))
  )

  /** Budgets are stored, because providers continue to count across restarts. */
  static readonly layerStored = Layer.scoped(
    Upstreams,
    Effect.zipWith(Effect.scope, Budgets.stored, (scope, budgets) => make(scope, budgets))
  )

  /** Without budgets: simulated upstreams have none. */
  static readonly layerUnlimited = Layer.scoped(
    Upstreams,
    Effect.map(Effect.scope, (scope) => make(scope))
  )
}

/** Mutable, because it changes with each call, up to thousands of times per second. */
type CurrentState = Types.Mutable<Omit<UpstreamState, "circuits" | "budget">>

const make = (scope: Scope.Scope, budgets?: Budgets.Budgets): Context.Tag.Service<Upstreams> => {
  const limits = new Map<number, TimeLimit.TimeLimit>()
  const known = new Map<string, { readonly trial: Trial; readonly state: CurrentState }>()
  const states = Effect.map(Clock.currentTimeMillis, (now) =>
    Array.from(known.values(), ({ state, trial }): UpstreamState => {
      const budget = trial.budget?.(now)
      return {
        ...state,
        circuits: trial.addresses.map(({ circuit }) => circuit(now)),
        ...(budget === undefined ? {} : { budget })
      }
    })
  )
  const hosts = new Map<string, HostState>()
  const outages = Outages.make(scope)
  return {
    logFailure: outages.log,
    host: (host, bounds) => {
      const state = hosts.get(host) ?? { block: CircuitBreaker.block(), concurrency: ConcurrencyLimit.make(bounds) }
      hosts.set(host, state)
      return state
    },
    timeLimit: (ms) =>
      Effect.suspend(() => {
        const existing = limits.get(ms)
        if (existing !== undefined) return Effect.succeed(existing)
        return Effect.tap(Scope.extend(TimeLimit.make(ms), scope), (limit) => Effect.sync(() => limits.set(ms, limit)))
      }),
    budget: (host, limits) => (budgets === undefined ? Effect.succeed(Budget.unlimited) : budgets.of(host, limits)),
    measure: Effect.zipRight(budgets?.measure ?? Effect.void, Effect.flatMap(states, measured)),
    register: (trial) =>
      Effect.sync(() => {
        const { addresses, keyed, name } = trial
        const state: CurrentState = { name, keyed, addresses: addresses.length, state: "unknown" }
        known.set(name, { trial, state })
        return (failure, at) => {
          outages.ended(name, failure, at)
          state.state = failure === undefined ? "up" : "down"
          if (failure === undefined) state.lastOkAt = at
          else state.lastFailure = { reason: failure, at }
        }
      }),
    states,
    trials: Effect.sync(() => Array.from(known.values(), ({ trial }) => trial))
  }
}

const circuits = Metric.gauge("upstream_circuits", {
  description: "Addresses of an upstream by the state of their circuit breaker"
})

const measured = (states: ReadonlyArray<UpstreamState>) =>
  Effect.forEach(
    states.flatMap((upstream) => (["closed", "open", "half-open"] as const).map((state) => ({ state, upstream }))),
    ({ state, upstream }) =>
      Metric.set(
        circuits.pipe(Metric.tagged("upstream", upstream.name), Metric.tagged("state", state)),
        upstream.circuits.filter((circuit) => circuit === state).length
      ),
    { discard: true }
  )
