import * as Context from "effect/Context"

/** Priority of a call. If a budget runs low, calls with a large reserve are rejected first. */
export interface Priority {
  /** Share of a budget's burst, 0 to 1, that must be left after the call. */
  readonly reserve: number
  /** The longest wait for a permit of the budget, ms; by default that of the source's rate. */
  readonly maxWait?: number
}

/** In descending order of priority. */
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

/** Priority of the current calls; `price` by default. */
export class CurrentPriority extends Context.Reference<CurrentPriority>()("upstream/CurrentPriority", {
  defaultValue: (): Priority => priorities.price
}) {}
