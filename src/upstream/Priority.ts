import * as Context from "effect/Context"

/** What a call is for. Where a budget runs short, a call that leaves much goes without, and the others go on. */
export interface Priority {
  /** The share of a budget's burst, 0 to 1, that has to be left after the call. */
  readonly reserve: number
  /** It waits for its turn so long at most, ms; without it as long as the source's rate says. */
  readonly maxWait?: number
}

/** In the order in which they are served when there is not enough for all. */
export const priorities = {
  /** A balance or a price that a client waits for. */
  price: { reserve: 0 },
  /** What a client asks a node itself; it leaves a share to balances, which are made of many calls. */
  proxy: { reserve: 0.1 },
  /** The history of an address that a client waits for: many calls, which leave a share so that balances and prices go first. */
  history: { reserve: 0.15 },
  /** A chart or the details of a coin that a client waits for. */
  chart: { reserve: 0.25, maxWait: 3_000 },
  /** Prices fetched before anybody asks; nobody waits. */
  refresh: { reserve: 0.25, maxWait: 60_000 },
  /** Charts fetched before anybody asks. */
  chartRefresh: { reserve: 0.5, maxWait: 60_000 }
} as const satisfies Readonly<Record<string, Priority>>

/** The purpose of the calls that are made now; of a price unless somebody says otherwise. */
export class CurrentPriority extends Context.Reference<CurrentPriority>()("upstreams/CurrentPurpose", {
  defaultValue: (): Priority => priorities.price
}) {}
