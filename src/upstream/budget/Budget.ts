import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as declare from "../../settings/declare.ts"
import { CurrentPriority } from "../Priority.ts"
import type { Fault } from "../UpstreamError.ts"
import * as MonthCount from "./MonthCount.ts"
import * as PermitSource from "./PermitSource.ts"
import * as TokenBucket from "./TokenBucket.ts"

/** How often a host may be called. */
export interface Rate {
  readonly perSecond: number
  /** Calls that may come at once after a pause. */
  readonly burst: number
  /** Calls in any 31 days; without it, or with 0, they are not limited. */
  readonly perMonth?: number
  /** The longest wait for a permit, ms: the caller has a deadline, and often another source. */
  readonly maxWait?: number
}

/** What the provider of a source grants, with a key and without one. */
export interface Granted {
  /** The variables `<SOURCE>_PER_SECOND` and `<SOURCE>_PER_MONTH` set another rate. */
  readonly source: string
  readonly keyless: Rate
  readonly keyed?: Rate
  /** The host under which the calls to all hosts are counted, where they share one rate; without it each host has its own. */
  readonly countedAt?: string
}

/** The rate that applies to the hosts of a source. */
export interface Limits extends Rate, Pick<Granted, "countedAt"> {
  readonly source: string
}

/** What a budget stores over a restart. In calls, not in time: the rate may be different afterwards. */
export const BudgetState = Schema.Struct({
  second: TokenBucket.Level,
  month: Schema.optional(TokenBucket.Level),
  count: MonthCount.MonthCount
})
export type BudgetState = typeof BudgetState.Type

export interface Usage {
  /** Calls that could go out now. */
  readonly left: number
  /** Permits granted in this calendar month, UTC. */
  readonly used: number
  /** Permits by the end of it, at the rate since the count began. */
  readonly forecast: number
}

/** The permits of the calls to one host. */
export interface BudgetQueue {
  /**
   * Waits for a permit; where the wait is too long, it is refused at once. A call with a reserve takes nothing while it
   * waits, so that calls with a smaller reserve go first.
   */
  readonly acquire: Effect.Effect<void, Fault>
  /** How long a call of the current priority would wait for a permit, ms. Takes nothing. */
  readonly wait: Effect.Effect<number>
  /** Absent where calls are not counted. */
  readonly limits?: Limits
  readonly usage?: (now: number) => Usage
}

export const unlimited: BudgetQueue = { acquire: Effect.void, wait: Effect.succeed(0) }

export interface Budget extends BudgetQueue {
  readonly limits: Limits
  readonly state: (now: number) => BudgetState
  /** Adds what was stored to what was taken since the start. */
  readonly restore: (state: BudgetState, now: number) => void
  readonly usage: (now: number) => Usage
}

/** What is left of a budget, for people. */
export interface Remaining {
  /** Whole calls that could go out now. */
  readonly left: number
  /** Calls in this calendar month, UTC. */
  readonly usedThisMonth: number
  /** Calls that may be made in any 31 days; absent where they are not limited. */
  readonly perMonth?: number
}

/** What is left of the budgets of all addresses of an upstream; undefined where its calls are not counted. */
export const remaining = (queues: Iterable<BudgetQueue>, now: number): Remaining | undefined => {
  const counted = [...new Set(queues)].flatMap(({ limits, usage }) =>
    usage === undefined ? [] : { limits, ...usage(now) }
  )
  if (counted.length === 0) return undefined
  const perMonth = counted.reduce((sum, { limits }) => sum + (limits?.perMonth ?? 0), 0)
  return {
    left: counted.reduce((sum, { left }) => sum + Math.max(0, Math.floor(left)), 0),
    usedThisMonth: counted.reduce((sum, { used }) => sum + used, 0),
    ...(perMonth > 0 ? { perMonth } : {})
  }
}

/** The longest wait for a permit where the rate does not set another, ms. */
const usualWait = 6_000

/** How long a permit is waited for that should be there and is not: others took it meanwhile, ms. */
const again = 50

/** The budget of these limits; its permits are this process's own unless they are taken from elsewhere. */
export const make = (
  limits: Limits,
  { buckets, take }: PermitSource.PermitSource = PermitSource.own(limits)
): Budget => {
  const { maxWait: longestWait = usualWait, perSecond } = limits
  const queue = waitingCalls(1000 / perSecond)

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
      // By then the calls ahead have had their permit, or have been refused.
      ahead = 0
      if (wait === 0 || reserve === 0) {
        const granted = yield* take({ reserve, maxWait: Math.max(0, latest - now) })
        if (granted !== undefined) return yield* granted > 0 ? Effect.sleep(granted) : Effect.void
        // The buckets show now why it was not granted, but for a permit that others are quicker to take each time.
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
    wait: Effect.zipWith(
      bounds,
      Clock.currentTimeMillis,
      ({ reserve }, now) => PermitSource.longest(buckets(now).all, now, reserve).wait
    ),
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

/** The calls that wait without having taken anything, by their reserve; each takes this time, ms. */
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
    /** How long the waiting calls with the same reserve or a smaller one take, ms. */
    ahead: (reserve: number): number =>
      [...waiting].reduce((sum, [other, count]) => (other <= reserve ? sum + count : sum), 0) * interval
  }
}

/** The rate of the provider, or the operator's own. */
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
    meaning: `Calls a second to ${provider}, ${hosts}`
  })
  const perMonth = declare.integer({
    name: `${rate.source}_PER_MONTH`,
    default: granted.perMonth ?? 0,
    min: 0,
    max: 1_000_000_000,
    meaning: `Calls to ${provider} in any 31 days, ${hosts}; 0 for as many as there are`
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
