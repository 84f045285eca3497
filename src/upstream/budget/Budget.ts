import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Permits from "../../kernel/Permits.ts"
import * as declare from "../../settings/declare.ts"
import { CurrentPriority, type Priority } from "../Priority.ts"
import type { Fault } from "../UpstreamError.ts"
import * as PermitSource from "./PermitSource.ts"
import * as TokenBucket from "./TokenBucket.ts"

export interface Rate {
  readonly perSecond: number
  /** Calls that may be sent at once after a pause. */
  readonly burst: number
  /** Calls in any 31 days; unlimited if absent or 0. */
  readonly perMonth?: number
  /** Longest wait for a permit, ms: the caller has a deadline, and often another source. */
  readonly maxWait?: number
}

export interface Granted {
  /** The variables `<SOURCE>_PER_SECOND` and `<SOURCE>_PER_MONTH` set another rate. */
  readonly source: string
  readonly keyless: Rate
  readonly keyed?: Rate
  /** Host at which the calls to all hosts are counted if they share one rate; if absent, each host has its own. */
  readonly countedAt?: string
}

/** The rate that applies to the hosts of a source. */
export interface Limits extends Rate, Pick<Granted, "countedAt"> {
  readonly source: string
}

/** State of a budget that is stored across restarts. In calls, not in time, because the rate may change. */
export const BudgetState = Schema.Struct({
  second: TokenBucket.Level,
  month: Schema.optional(TokenBucket.Level),
  count: PermitSource.MonthCount
})
export type BudgetState = typeof BudgetState.Type

export interface Usage {
  readonly left: number
  /** Permits granted in this calendar month, UTC. */
  readonly used: number
  /** Expected permits at the end of the month, at the rate since counting started. */
  readonly forecast: number
}

export interface BudgetQueue {
  /**
   * Waits for a permit; fails immediately if the wait is too long. A call with a reserve takes nothing while it waits,
   * so that calls with a smaller reserve go first.
   */
  readonly acquire: Effect.Effect<void, Fault>
  /** The same for clients' calls, of which one at a time waits for a permit, in turns by client. */
  readonly acquireInTurn: (client: Permits.Owner) => Effect.Effect<void, Fault>
  /** Time that a call of this priority would wait for a permit, ms. Takes nothing. */
  readonly wait: (now: number, priority: Priority) => number
  /** Absent if calls are not counted. */
  readonly limits?: Limits
  readonly usage?: (now: number) => Usage
}

export const unlimited: BudgetQueue = { acquire: Effect.void, acquireInTurn: () => Effect.void, wait: () => 0 }

export interface Budget extends Required<BudgetQueue> {
  readonly state: (now: number) => BudgetState
  /** Adds the stored state to the permits taken since the start. */
  readonly restore: (state: BudgetState, now: number) => void
}

export interface Remaining {
  /** Whole calls that could be sent now. */
  readonly left: number
  /** Calls in this calendar month, UTC. */
  readonly usedThisMonth: number
  /** Allowed calls in any 31 days; absent if unlimited. */
  readonly perMonth?: number
  /** Calls that are allowed per hour in the long run. */
  readonly perHour: number
}

/** Calls that these limits allow per hour in the long run. */
export const perHour = ({ perMonth = 0, perSecond }: Rate): number =>
  Math.min(3_600 * perSecond, perMonth > 0 ? perMonth / (31 * 24) : Number.POSITIVE_INFINITY)

/** Sum of the remaining budgets of all addresses of an upstream; undefined if its calls are not counted. */
export const remaining = (
  addresses: ReadonlyArray<{ readonly budget: BudgetQueue }>,
  now: number
): Remaining | undefined => {
  const counted = [...new Set(addresses.map(({ budget }) => budget))].flatMap(({ limits, usage }) =>
    usage === undefined ? [] : { limits, ...usage(now) }
  )
  if (counted.length === 0) return undefined
  const perMonth = counted.reduce((sum, { limits }) => sum + (limits?.perMonth ?? 0), 0)
  return {
    left: counted.reduce((sum, { left }) => sum + Math.max(0, Math.floor(left)), 0),
    usedThisMonth: counted.reduce((sum, { used }) => sum + used, 0),
    ...(perMonth > 0 ? { perMonth } : {}),
    perHour: Math.floor(counted.reduce((sum, { limits }) => sum + (limits === undefined ? 0 : perHour(limits)), 0))
  }
}

/** Default of the longest wait for a permit, ms. */
const usualWait = 6_000

/** Delay after a permit that was expected is not granted because others took it, ms. */
const again = 50

/** Creates a budget with these limits. By default, its permits belong to this process only. */
export const make = (
  limits: Limits,
  { buckets, take }: PermitSource.PermitSource = PermitSource.own(limits)
): Budget => {
  const { maxWait: longestWait = usualWait, perSecond } = limits
  const queue = waitingCalls(1000 / perSecond)
  const turns = Permits.make(1)

  const bounds = Effect.map(CurrentPriority, ({ reserve, maxWait = longestWait }) => ({
    reserve,
    maxWait: Math.min(maxWait, TokenBucket.longestWait)
  }))

  const acquire = Effect.gen(function* () {
    const { reserve, maxWait } = yield* bounds
    const latest = (yield* Clock.currentTimeMillis) + maxWait
    let ahead = reserve === 0 ? 0 : queue.ahead(reserve)
    let refused = 0
    while (true) {
      const now = yield* Clock.currentTimeMillis
      const { detail, wait } = PermitSource.longest(buckets(now).all, now, reserve)
      const until = wait > 0 ? wait + ahead : 0
      if (now + until > latest) return yield* Effect.fail<Fault>({ reason: "rate_limited", detail, retryAfter: until })
      // By then, the calls ahead have their permits or were rejected.
      ahead = 0
      if (wait === 0 || reserve === 0) {
        const granted = yield* take({ reserve, maxWait: Math.max(0, latest - now) })
        if (granted !== undefined) return yield* granted > 0 ? Effect.sleep(granted) : Effect.void
        // The buckets now show why it was not granted, unless others were faster to take the permit each time.
        if (refused++ > 0) {
          if (now + again > latest)
            return yield* Effect.fail<Fault>({ reason: "rate_limited", detail: PermitSource.queued, retryAfter: again })
          yield* Effect.sleep(again)
        }
        continue
      }
      yield* queue.during(reserve, Effect.sleep(wait))
    }
  })

  return {
    limits,
    acquire,
    acquireInTurn: (client) => turns.withPermit(acquire, client),
    wait: (now, { reserve }) => PermitSource.longest(buckets(now).all, now, reserve).wait,
    state: (now) => {
      const { count, month, second } = buckets(now)
      return {
        second: second.settled(now),
        ...(month === undefined ? {} : { month: month.settled(now) }),
        count: count.current(now)
      }
    },
    restore: (state, now) => {
      const { count, month, second } = buckets(now)
      second.restore(state.second, now)
      if (state.month !== undefined) month?.restore(state.month, now)
      count.restore(state.count, now)
    },
    usage: (now) => {
      const { all, count } = buckets(now)
      return {
        left: Math.min(...all.map(({ room }) => room(now))),
        used: count.current(now).used,
        forecast: count.forecast(now)
      }
    }
  }
}

/** Counts waiting calls, which have taken nothing, by their reserve; each takes `interval` ms. */
const waitingCalls = (interval: number) => {
  const waiting = new Map<number, number>()
  const add = (reserve: number, by: number) =>
    Effect.sync(() => {
      waiting.set(reserve, (waiting.get(reserve) ?? 0) + by)
    })
  return {
    during: (reserve: number, wait: Effect.Effect<void>) =>
      Effect.acquireUseRelease(
        add(reserve, 1),
        () => wait,
        () => add(reserve, -1)
      ),
    /** Time that the waiting calls with the same or a smaller reserve take, ms. */
    ahead: (reserve: number): number =>
      [...waiting].reduce((sum, [other, count]) => (other <= reserve ? sum + count : sum), 0) * interval
  }
}

/** The operator's rate; the provider's by default. */
export const configured = (rate: Granted | undefined, keyed: boolean) => {
  if (rate === undefined) return Effect.succeed(undefined)
  const granted = keyed ? (rate.keyed ?? rate.keyless) : rate.keyless
  const { countedAt } = rate
  const provider = rate.source.toLowerCase().replaceAll("_", " ")
  const hosts = countedAt === undefined ? "for each of its hosts" : "all of its hosts together"
  const perSecond = declare.number({
    name: `${rate.source}_PER_SECOND`,
    default: granted.perSecond,
    min: 0.001,
    max: 100_000,
    meaning: `Calls per second to ${provider}, ${hosts}`
  })
  const perMonth = declare.integer({
    name: `${rate.source}_PER_MONTH`,
    default: granted.perMonth ?? 0,
    min: 0,
    max: 1_000_000_000,
    meaning: `Calls to ${provider} in any 31 days, ${hosts}; 0 is no limit`
  })
  return Effect.zipWith(
    perSecond,
    perMonth,
    (perSecond, perMonth): Limits => ({
      ...granted,
      ...(countedAt === undefined ? {} : { countedAt }),
      source: rate.source,
      perSecond,
      perMonth,
      burst: Math.max(1, Math.round((granted.burst * perSecond) / granted.perSecond))
    })
  )
}
