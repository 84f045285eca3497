import type { Movement, Transaction } from "../../domain/Transaction.ts"

/** Signs of address poisoning; what carries one is told all the same. */
export type Label = "zero-value" | "lookalike" | "unknown-token"

/** How many characters at the beginning and at the end people compare, where a wallet shortens an address. */
const shown = 4

/** What all addresses of a kind begin with is no likeness: 0x, bitcoincash:, bc1, addr1 and so on. */
const bare = (address: string) => address.toLowerCase().replace(/^(0x|[a-z]+:|[a-z_]+1(?=[a-z0-9]{20}))/, "")

/** What an address looks like where its middle is left out. */
export const faceOf = (address: string): string => {
  const text = bare(address)
  return `${text.slice(0, shown)}…${text.slice(-shown)}`
}

const movements = ({ from, to }: Transaction): ReadonlyArray<Movement> => [...from, ...to]

/**
 * Finds the labels of the transactions of a holder:
 *
 * - `zero-value`: a transfer with somebody else that moved nothing though it did not fail. Contracts let anybody make one
 *   in another's name. Where it is not known how a transaction ended, what it moved is not known either.
 * - `unknown-token`: a token moves that the registry does not have; never where there is no list of the network's tokens.
 * - `lookalike`: a party looks like another address to which the holder has sent something, and itself never got any:
 *   its first and last four characters are the same.
 */
export const labelling = (
  all: ReadonlyArray<Transaction>,
  isHolder: (address: string) => boolean,
  isKnown: ((token: string) => boolean) | undefined
) => {
  const dealtWith = new Map<string, Set<string>>()
  for (const transaction of all) {
    if (transaction.status === "Failed" || !transaction.from.some(({ address }) => isHolder(address))) continue
    for (const { address, amount, token } of transaction.to) {
      if (amount === 0n || isHolder(address) || (token !== undefined && isKnown?.(token) === false)) continue
      const face = faceOf(address)
      dealtWith.set(face, (dealtWith.get(face) ?? new Set()).add(address))
    }
  }
  const resembles = (address: string) => {
    const known = dealtWith.get(faceOf(address))
    return known !== undefined && !known.has(address) && !isHolder(address)
  }
  return (transaction: Transaction): ReadonlyArray<Label> => {
    const parties = movements(transaction)
    const labels: Array<Label> = []
    const isTransfer = transaction.type === "Send" || transaction.type === "Receive"
    if (
      isTransfer &&
      transaction.status !== "Failed" &&
      transaction.status !== "Unknown" &&
      parties.some(({ address }) => !isHolder(address)) &&
      parties.every(({ amount }) => amount === 0n)
    )
      labels.push("zero-value")
    if (parties.some(({ address }) => resembles(address))) labels.push("lookalike")
    if (isKnown !== undefined && parties.some(({ token }) => token !== undefined && !isKnown(token)))
      labels.push("unknown-token")
    return labels
  }
}
