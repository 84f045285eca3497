import type { components, Failure } from "../../client/Client.ts"
import type { AddressOn, Lookup } from "../addresses/accounts.ts"

export type BalanceRow = components["schemas"]["Balance"]
/** An address on a network, and how far its balances are. */
export interface PortfolioAccount extends AddressOn {
  readonly state: "waiting" | "answered" | "failed"
  /** Why it failed, a sentence. */
  readonly problem?: string
  readonly rows: ReadonlyArray<BalanceRow>
}

/** Everything that is known at a moment of what was entered. */
export interface Loading {
  readonly lookups: ReadonlyArray<Lookup>
  /** In the order of the networks, and of what was entered. */
  readonly accounts: ReadonlyArray<PortfolioAccount>
  /** What is missing beside the rows, such as the tokens of a network. */
  readonly failures: ReadonlyArray<Failure>
  readonly isDone: boolean
  /** What the service was asked for values in: a code in upper case. */
  readonly currency: string
}

export const nothing = (currency: string): Loading => ({
  lookups: [],
  accounts: [],
  failures: [],
  isDone: true,
  currency
})
