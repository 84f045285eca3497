import type { Movement, Transaction } from "../domain/Transaction.ts"

/** What somebody has more or less of after a transaction, the fee not counted. */
export interface Change {
  readonly address: string
  readonly amount: bigint
  /** Absent for the native coin. */
  readonly token?: string
}

/** Who gives and who gets; whoever comes out even is no party. */
export const partiesOf = (changes: ReadonlyArray<Change>): Pick<Transaction, "from" | "to"> => {
  const sums = new Map<string, Change>()
  for (const change of changes) {
    const key = `${change.address} ${change.token ?? ""}`
    sums.set(key, { ...change, amount: (sums.get(key)?.amount ?? 0n) + change.amount })
  }
  const all = [...sums.values()]
  return {
    from: all.filter(({ amount }) => amount < 0n).map((item): Movement => ({ ...item, amount: -item.amount })),
    to: all.filter(({ amount }) => amount > 0n)
  }
}

/** Whoever gives something sends, whatever comes back for it; undefined for somebody who is no party. */
export const typeFor = (
  holder: string,
  { from, to }: Pick<Transaction, "from" | "to">
): "Send" | "Receive" | undefined => {
  if (from.some(({ address }) => address === holder)) return "Send"
  return to.some(({ address }) => address === holder) ? "Receive" : undefined
}

/** What orders rows that come the newest first: their height, and within one height their place from its oldest on. */
export const orderOf = <A>(rows: ReadonlyArray<A>, height: (row: A) => number): ReadonlyArray<number> => {
  const newer = new Map<number, number>()
  for (const row of rows) newer.set(height(row), (newer.get(height(row)) ?? 0) + 1)
  return rows.map((row) => {
    const at = height(row)
    const place = (newer.get(at) ?? 1) - 1
    newer.set(at, place)
    return at + place / 65_536
  })
}
