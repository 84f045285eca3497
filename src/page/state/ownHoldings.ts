import type { PortfolioRow } from "../portfolio/holdings.ts"
import { makeStore } from "./store.ts"

/** The holdings of the portfolio that was shown last, for the view of a coin. */
export const ownHoldings = makeStore<ReadonlyArray<PortfolioRow>>([])
