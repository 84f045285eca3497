import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { LimitSharing } from "../../storage/quota/SharedQuotas.ts"
import * as Store from "../../storage/Store.ts"
import * as Budget from "./Budget.ts"
import * as PermitSource from "./PermitSource.ts"

/**
 * Budgets of all sources and hosts. A provider counts by caller and host, regardless of the upstream client; two
 * sources behind one gateway are two providers.
 */
export interface Budgets {
  /** Returns the budget of a source at a host; the limits of the first request apply. */
  readonly of: (host: string, limits: Budget.Limits) => Effect.Effect<Budget.Budget>
  readonly measure: Effect.Effect<void>
}

/** Creates and stores budgets. Cannot fail. */
interface BudgetStorage {
  readonly make: (key: string, limits: Budget.Limits, taken: Effect.Effect<void>) => Budget.Budget
  readonly load: (key: string, budget: Budget.Budget) => Effect.Effect<void>
  readonly saveSoon: (key: string, budget: Budget.Budget) => Effect.Effect<void>
}

const make = ({ load, make: makeBudget, saveSoon }: BudgetStorage): Budgets => {
  const budgets = new Map<string, Budget.Budget>()
  return {
    of: (host, limits) =>
      Effect.suspend(() => {
        const key = `${limits.source} ${host}`
        const existing = budgets.get(key)
        if (existing !== undefined) return Effect.succeed(existing)
        const budget: Budget.Budget = makeBudget(
          key,
          limits,
          Effect.suspend(() => saveSoon(key, budget))
        )
        budgets.set(key, budget)
        return Effect.as(load(key, budget), budget)
      }),
    measure: Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.forEach(
        Map.groupBy(budgets.values(), ({ limits }) => limits.source),
        ([source, group]) => {
          const usages = group.map(({ limits, usage }) => ({
            ...usage(now),
            limit: limits.perMonth ?? 0,
            perHour: Budget.perHour(limits)
          }))
          const sum = (field: keyof (typeof usages)[number]) => usages.reduce((sum, usage) => sum + usage[field], 0)
          const set = (gauge: Metric.Metric.Gauge<number>, value: number) =>
            Metric.set(Metric.tagged(gauge, "source", source.toLowerCase()), value)
          const limited = sum("limit") > 0 ? [set(limit, sum("limit"))] : []
          const all = [
            set(left, sum("left")),
            set(hourly, Math.floor(sum("perHour"))),
            set(used, sum("used")),
            set(forecast, Math.round(sum("forecast")))
          ]
          return Effect.all([...all, ...limited], { discard: true })
        },
        { discard: true }
      )
    )
  }
}

/** Budgets of one process out of `share` processes that are independent of each other. */
const independentBudget =
  (share: number): BudgetStorage["make"] =>
  (_, limits, taken) => {
    const own = PermitSource.shareOf(limits, share)
    return Budget.make(own, PermitSource.own(own, taken))
  }

/** Budgets in memory, lost at the end of the process. */
export const inMemory = Effect.map(LimitSharing, ({ processes }) =>
  make({ make: independentBudget(processes()), load: () => Effect.void, saveSoon: () => Effect.void })
)

/**
 * Budgets in the store. All processes that share the store share the budgets, if the store supports it. Otherwise each
 * has its share of them, which is written shortly after the calls and at the end of the scope.
 */
export const stored = Effect.gen(function* () {
  const { processes, quotas } = yield* LimitSharing
  const storage = yield* storing
  return make(
    quotas === undefined
      ? { ...storage, make: independentBudget(processes()) }
      : {
          // State that an earlier version stored counts too: it is loaded before any call.
          ...storage,
          saveSoon: () => Effect.void,
          make: (key, limits) => Budget.make(limits, PermitSource.shared(quotas, key, limits, processes))
        }
  )
})

const storing = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const store = yield* Store.dated("budgets", 1, Budget.BudgetState)
  const unsaved = new Map<string, Budget.Budget>()

  const save = Effect.suspend(() => {
    const taken = [...unsaved]
    unsaved.clear()
    return Effect.flatMap(Clock.currentTimeMillis, (at) =>
      store.setMany(new Map(taken.map(([key, { state }]) => [key, { at, value: state(at) }])), storedFor)
    ).pipe(
      Effect.onInterrupt(() =>
        Effect.sync(() => {
          for (const [key, budget] of taken) unsaved.set(key, budget)
        })
      )
    )
  })
  // Interruptible, unlike the fiber of a finalizer: a store that hangs would prevent the process from ending.
  yield* Effect.addFinalizer(() => Effect.disconnect(Effect.interruptible(save)))

  const saveSoon = (key: string, budget: Budget.Budget) =>
    Effect.suspend(() => {
      const waiting = unsaved.size > 0
      unsaved.set(key, budget)
      return waiting ? Effect.void : Effect.forkIn(Effect.delay(save, "1 second"), scope)
    })

  return {
    saveSoon,
    load: Effect.fnUntraced(function* (key, budget) {
      const found = (yield* store.getMany([key])).get(key)
      if (found === undefined) return
      const now = yield* Clock.currentTimeMillis
      budget.restore(found.value, now)
      // The clock was set back: saves the level with the new time, so that it leaks from now on, also across restarts.
      if (found.at > now) yield* saveSoon(key, budget)
    })
  } satisfies Partial<BudgetStorage>
})

/** An older level has leaked completely. */
const storedFor = "62 days"

const left = Metric.gauge("upstream_budget_left", { description: "Calls that could be sent now, by source" })
const hourly = Metric.gauge("upstream_budget_per_hour", { description: "Calls that the budget allows per hour" })
const used = Metric.gauge("upstream_budget_month_used", { description: "Calls in this calendar month (UTC)" })
const forecast = Metric.gauge("upstream_budget_month_forecast", {
  description: "Calls by the end of this calendar month, at the current pace"
})
const limit = Metric.gauge("upstream_budget_month_limit", { description: "Allowed calls in any 31 days" })
