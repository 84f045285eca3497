import type { components, Failure } from "../../client/Client.ts"
import type { Lookup, NetworkAddress } from "../addresses/accounts.ts"

export type BalanceRow = components["schemas"]["Balance"]
/** An address on a network, with the state of its balances. */
export interface PortfolioAccount extends NetworkAddress {
  readonly state: "waiting" | "answered" | "failed"
  /** The reason of a failure, a sentence. */
  readonly problem?: string
  readonly rows: ReadonlyArray<BalanceRow>
}

/** The current state of all entered texts. */
export interface Loading {
  readonly lookups: ReadonlyArray<Lookup>
  /** In the order of the entered texts. */
  readonly accounts: ReadonlyArray<PortfolioAccount>
  /** Missing data that no row reports, such as the tokens of a network. */
  readonly failures: ReadonlyArray<Failure>
  readonly isDone: boolean
  /** When all balances were last read, UNIX time in ms; 0 before. */
  readonly at: number
  /** The requested currency of values: a code in upper case. */
  readonly currency: string
}

/** True if a total lacks something: it is being read, or could not be read. */
export const isPartial = ({ accounts, failures, isDone, lookups }: Loading): boolean =>
  !isDone || failures.length > 0 || [...lookups, ...accounts].some(({ state }) => state === "failed")

export const nothing = (currency: string): Loading => ({
  lookups: [],
  accounts: [],
  failures: [],
  isDone: true,
  at: 0,
  currency
})
