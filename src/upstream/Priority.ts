import * as Context from "effect/Context"

/** The importance of a call. Where a budget runs short, calls with a large reserve are refused first. */
export interface Priority {
  /** The share of a budget's burst, 0 to 1, that has to be left after the call. */
  readonly reserve: number
  /** The longest wait for a permit of the budget, ms; by default that of the source's rate. */
  readonly maxWait?: number
}

/** In the order in which they are served when there is not enough for all. */
export const priorities = {
  /** A balance or a price that a client waits for. */
  price: { reserve: 0 },
  /** A client's own call to a node; it reserves a share for balances, which take many calls. */
  proxy: { reserve: 0.1 },
  /** The history of an address that a client waits for: many calls, with a reserve so that balances and prices go first. */
  history: { reserve: 0.15 },
  /** A chart or the details of a coin that a client waits for. */
  chart: { reserve: 0.25, maxWait: 3_000 },
  /** Prices that are refreshed in the background; no client waits. */
  refresh: { reserve: 0.25, maxWait: 60_000 },
  /** Charts that are refreshed in the background. */
  chartRefresh: { reserve: 0.5, maxWait: 60_000 }
} as const satisfies Readonly<Record<string, Priority>>

/** The priority of current calls; that of a price by default. */
export class CurrentPriority extends Context.Reference<CurrentPriority>()("upstream/CurrentPriority", {
  defaultValue: (): Priority => priorities.price
}) {}
