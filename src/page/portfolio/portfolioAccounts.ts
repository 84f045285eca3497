import { type AddressOn, accountKey } from "../addresses/accounts.ts"
import type { BalanceRow, PortfolioAccount } from "./Loading.ts"

/** The accounts of a portfolio, and what the service has returned of each. */
export const makeAccounts = () => {
  const accounts = new Map<string, PortfolioAccount>()

  const update = (account: PortfolioAccount, change: Partial<PortfolioAccount>) => {
    accounts.set(accountKey(account.network, account.address), { ...account, ...change })
  }

  return {
    all: (): ReadonlyArray<PortfolioAccount> => [...accounts.values()],
    /** Adds an account that waits to be read. */
    add: (address: AddressOn) => update({ ...address, state: "waiting", rows: [] }, {}),
    update,
    /** The first row of an account in a request takes the place of all that an earlier one has returned. */
    receive: (row: BalanceRow, seen: Set<string>) => {
      const key = accountKey(row.blockchain, row.holderAddress)
      const account = accounts.get(key)
      if (account === undefined) return
      const { problem: _, ...rest } = account
      accounts.set(key, { ...rest, state: "answered", rows: seen.has(key) ? [...account.rows, row] : [row] })
      seen.add(key)
    },
    /** Those of the accounts that are not among `seen` could not be read. */
    fail: (some: ReadonlyArray<PortfolioAccount>, seen: ReadonlySet<string>, problem: string) => {
      for (const account of some) {
        const key = accountKey(account.network, account.address)
        if (!seen.has(key)) update(accounts.get(key) ?? account, { state: "failed", problem })
      }
    },
    /** The accounts that wait and are not being read: now they are. */
    begin: (begun: Set<string>): ReadonlyArray<PortfolioAccount> => {
      const waiting = [...accounts].filter(([key, { state }]) => state === "waiting" && !begun.has(key))
      for (const [key] of waiting) begun.add(key)
      return waiting.map(([, account]) => account)
    }
  }
}
