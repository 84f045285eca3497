import type { Movement, Transaction } from "../domain/Transaction.ts"

type Parties = Pick<Transaction, "from" | "to">

/** One movement for each address and asset, in the order of their first ones. */
export const sumParties = <A extends Movement>(movements: ReadonlyArray<A>): ReadonlyArray<A> => {
  const sums = new Map<string, A>()
  for (const movement of movements) {
    const key = `${movement.address} ${movement.token ?? ""}`
    sums.set(key, { ...movement, amount: (sums.get(key)?.amount ?? 0n) + movement.amount })
  }
  return [...sums.values()]
}

/** An amount that goes from one address to another; without a side where the chain itself gives or takes it. */
export interface Transfer {
  readonly from?: string
  readonly to?: string
  readonly amount: bigint
  readonly token?: string
}

/** Who gives and who gets, each address once for each asset. Without a side an address is no party. */
export const partiesOfTransfers = (transfers: ReadonlyArray<Transfer>): Parties => {
  const side = (which: "from" | "to") =>
    sumParties(
      transfers.flatMap(({ [which]: address, amount, token }) =>
        address === undefined ? [] : [{ address, amount, ...(token === undefined ? {} : { token }) }]
      )
    )
  return { from: side("from"), to: side("to") }
}

/**
 * The parties of a transaction with native amounts and tokens. All amounts are 0 where it failed; a native amount of 0 is
 * left out beside tokens.
 */
export const parties = (transfers: ReadonlyArray<Transfer>, succeeded: boolean): Parties => {
  const hasTokens = transfers.some(({ token }) => token !== undefined)
  return partiesOfTransfers(
    transfers
      .filter(({ amount, token }) => !hasTokens || token !== undefined || amount > 0n)
      .map((transfer) => (succeeded ? transfer : { ...transfer, amount: 0n }))
  )
}

/**
 * What the holder paid of a fee, as the member of a transaction; none where that follows from who is among those from whom
 * something is taken. `paid` is null where it is not known.
 */
export const paidOf = (
  holder: string,
  { fee, from }: Pick<Transaction, "fee" | "from">,
  paid: bigint | null
): Pick<Transaction, "paid"> => {
  const usual = from.some(({ address }) => address === holder) ? fee : 0n
  return paid === null || paid === usual ? {} : { paid }
}

/** By how much the balance of an address changed, the fee not counted; positive where it has more than before. */
export type Change = Movement

/** The parties by changes of balances: an address whose changes sum to zero is none. */
export const partiesOfChanges = (changes: ReadonlyArray<Change>): Parties => {
  const sums = sumParties(changes)
  return {
    from: sums.filter(({ amount }) => amount < 0n).map((change) => ({ ...change, amount: -change.amount })),
    to: sums.filter(({ amount }) => amount > 0n)
  }
}

/** Send for an address that gives something, whatever it gets; undefined where it is no party. */
export const typeFor = (holder: string, { from, to }: Parties): "Send" | "Receive" | undefined => {
  if (from.some(({ address }) => address === holder)) return "Send"
  return to.some(({ address }) => address === holder) ? "Receive" : undefined
}
