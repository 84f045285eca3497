import * as Catalogue from "../../catalogue/Catalogue.ts"
import { providerOf } from "./nodes.ts"
import { type CountedCall, type Exceeded, isKeyed, type Limit, type Provider } from "./Provider.ts"

const families = new Map(Catalogue.all.map(({ family, id }) => [String(id), family]))

const providers = new Map<string, Provider | undefined>()

/** How the provider of an upstream limits its callers; undefined if it is unknown. */
export const of = (upstream: string): Provider | undefined => {
  if (!providers.has(upstream))
    providers.set(
      upstream,
      providerOf(upstream, (id) => families.get(id))
    )
  return providers.get(upstream)
}

/** The pause of a provider that publishes no number, ms. */
const usualPause = 30_000

/** The refusal of a provider whose first limit is exceeded; undefined if the upstream is unknown. */
export const refusal = (upstream: string, form: "body" | "header", call: CountedCall): Response | undefined => {
  const provider = of(upstream)
  if (provider === undefined) return undefined
  const [{ calls, counters, every, suspends } = { calls: 1, every: usualPause }] = planOf(provider, call)
  const [counter = ""] = counters?.(call) ?? []
  const exceeded = { calls, every, wait: suspends ?? every, counter, isKeyed: isKeyed(provider, call) }
  return provider[form](exceeded, call)
}

const planOf = (provider: Provider, call: CountedCall) =>
  isKeyed(provider, call) ? (provider.keyedPlan ?? provider.plan) : provider.plan

const single = [""]

interface Counter {
  used: number
  /** Start of the window, or time of the last call. */
  since: number
  suspendedUntil: number
}

/** Counts calls as the free plans do. Returns the refusal of a call beyond a limit, which is not counted. */
export const meter = (): ((upstream: string, call: CountedCall, now: number) => Response | undefined) => {
  const counters = new Map<Limit, Map<string, Counter>>()

  const counterOf = (limit: Limit, key: string, now: number): Counter => {
    const { calls, every, refills } = limit
    const ofLimit = counters.get(limit) ?? new Map<string, Counter>()
    counters.set(limit, ofLimit)
    const counter = ofLimit.get(key) ?? { used: 0, since: now, suspendedUntil: 0 }
    ofLimit.set(key, counter)
    const elapsed = now - counter.since
    if (refills === true) {
      counter.used = Math.max(0, counter.used - (elapsed * calls) / every)
      counter.since = now
    } else if (elapsed >= every) {
      counter.used = 0
      counter.since = now
    }
    return counter
  }

  const waitOf = (counter: Counter, cost: number, limit: Limit, now: number): number => {
    const { calls, every, refills, suspends } = limit
    if (counter.suspendedUntil > now) return counter.suspendedUntil - now
    const excess = counter.used + cost - calls
    // Refilled calls may differ from whole numbers by rounding.
    if (excess <= 1e-9) return 0
    if (suspends !== undefined) counter.suspendedUntil = now + suspends
    return suspends ?? (refills === true ? Math.ceil((excess * every) / calls) : counter.since + every - now)
  }

  return (upstream, call, now) => {
    const provider = of(upstream)
    if (provider === undefined || provider.plan.length === 0) return undefined
    const host = provider.countsAllHosts === true ? "" : call.host
    const counted = planOf(provider, call).flatMap((limit) =>
      Array.from(Map.groupBy(limit.counters?.(call) ?? single, String), ([name, { length: cost }]) => {
        const counter = counterOf(limit, `${host} ${name}`, now)
        return { name, cost, limit, counter }
      })
    )
    for (const { cost, counter, limit, name } of counted) {
      const wait = waitOf(counter, cost, limit, now)
      if (wait > 0) {
        const { calls, every } = limit
        const exceeded: Exceeded = { calls, every, wait, counter: name, isKeyed: isKeyed(provider, call) }
        return provider.header(exceeded, call)
      }
    }
    for (const { cost, counter } of counted) counter.used += cost
    return undefined
  }
}
