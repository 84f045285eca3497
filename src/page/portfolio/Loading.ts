import type { components, Failure } from "../../client/Client.ts"

export type BalanceRow = components["schemas"]["Balance"]
type AddressMatch = components["schemas"]["AddressMatch"]

/** What the service says of a text that was entered. */
export type Lookup =
  | { readonly state: "waiting"; readonly text: string }
  | { readonly state: "found"; readonly text: string; readonly matches: ReadonlyArray<AddressMatch> }
  | { readonly state: "failed"; readonly text: string; readonly problem: string }

/** An address on a network, and how far its balances are. */
export interface PortfolioAccount {
  readonly network: string
  /** As it was entered. */
  readonly address: string
  readonly match: AddressMatch
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
}

export const nothing: Loading = { lookups: [], accounts: [], failures: [], isDone: true }

/** The addresses of some accounts, as the service takes them. */
export const networksOf = (
  accounts: ReadonlyArray<PortfolioAccount>
): Readonly<Record<string, ReadonlyArray<string>>> =>
  Object.fromEntries(
    [...Map.groupBy(accounts, ({ network }) => network)].map(([network, group]) => [
      network,
      group.map(({ address }) => address)
    ])
  )

export const accountKey = (network: string, address: string) => `${network} ${address}`
