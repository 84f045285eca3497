import type { Movement, Transaction } from "../domain/Transaction.ts"

/** Something that goes from one to another; without one side where the chain itself gives or takes it. */
export interface Transfer {
  readonly from?: string
  readonly to?: string
  readonly amount: bigint
  readonly token?: string
}

/**
 * Who gives and who gets, each address once for each asset. Nothing moves where the transaction failed. Nothing native
 * beside tokens is left out.
 */
export const parties = (transfers: ReadonlyArray<Transfer>, moved: boolean): Pick<Transaction, "from" | "to"> => {
  const tokens = transfers.some(({ token }) => token !== undefined)
  const shown = transfers.filter(({ amount, token }) => !tokens || token !== undefined || amount > 0n)
  const side = (which: "from" | "to"): ReadonlyArray<Movement> => {
    const sums = new Map<string, Movement>()
    for (const transfer of shown) {
      const { amount, token } = transfer
      const address = transfer[which]
      if (address === undefined) continue
      const key = `${address} ${token ?? ""}`
      const sum = (sums.get(key)?.amount ?? 0n) + (moved ? amount : 0n)
      sums.set(key, { address, amount: sum, ...(token === undefined ? {} : { token }) })
    }
    return [...sums.values()]
  }
  return { from: side("from"), to: side("to") }
}
