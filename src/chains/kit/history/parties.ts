import type { Movement, Transaction } from "../../../domain/Transaction.ts"

type Parties = Pick<Transaction, "from" | "to">

/** Sums movements per address and asset, in the order of first occurrence. */
export const sumParties = <A extends Movement>(movements: ReadonlyArray<A>): ReadonlyArray<A> => {
  const sums = new Map<string, A>()
  for (const movement of movements) {
    const key = `${movement.address} ${movement.token ?? ""}`
    sums.set(key, { ...movement, amount: (sums.get(key)?.amount ?? 0n) + movement.amount })
  }
  return [...sums.values()]
}

/** An amount that moves from one address to another; a side is absent if the chain itself gives or takes it. */
export interface Transfer {
  readonly from?: string
  readonly to?: string
  readonly amount: bigint
  readonly token?: string
}

/** Senders and recipients, each address once per asset. Absent sides are skipped. */
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
 * The parties of a transaction with native amounts and tokens. If it failed, all amounts are 0. With tokens, native
 * amounts of 0 are left out.
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
 * The `paid` member of a transaction: the holder's part of the fee. Left out if unknown (`paid` is null), or if it is
 * the default: the whole fee for a sender, 0 for any other address.
 */
export const paidOf = (
  holder: string,
  { fee, from }: Pick<Transaction, "fee" | "from">,
  paid: bigint | null
): Pick<Transaction, "paid"> => {
  const usual = from.some(({ address }) => address === holder) ? fee : 0n
  return paid === null || paid === usual ? {} : { paid }
}

/** Balance change of an address, without the fee; positive if the balance grew. */
export type Change = Movement

/** Derives the parties from balance changes; addresses whose changes sum to zero are left out. */
export const partiesOfChanges = (changes: ReadonlyArray<Change>): Parties => {
  const sums = sumParties(changes)
  return {
    from: sums.filter(({ amount }) => amount < 0n).map((change) => ({ ...change, amount: -change.amount })),
    to: sums.filter(({ amount }) => amount > 0n)
  }
}

/** Send for a sender, even if it also receives; undefined if the address is not a party. */
export const typeFor = (holder: string, { from, to }: Parties): "Send" | "Receive" | undefined => {
  if (from.some(({ address }) => address === holder)) return "Send"
  return to.some(({ address }) => address === holder) ? "Receive" : undefined
}
