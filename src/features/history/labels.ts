import type { Movement, Transaction } from "../../domain/Transaction.ts"
import type { Recipient } from "./Recipients.ts"

/** Signs of address poisoning. A transaction with a label is returned like any other. */
export type Label = "zero-value" | "lookalike" | "unknown-token"

/** Number of leading and trailing characters that a wallet shows of a shortened address and that people compare. */
const shown = 4

/** Removes the prefix that all addresses of a kind share: 0x, bitcoincash:, or a prefix of the network. */
const withoutPrefix = (address: string, prefixes: ReadonlyArray<string>) => {
  const prefix = prefixes.find((text) => address.startsWith(text)) ?? ""
  return address
    .slice(prefix.length)
    .toLowerCase()
    .replace(/^(0x|[a-z]+:)/, "")
}

/** Shortens an address the way wallets do. */
export const shortForm = (address: string, prefixes: ReadonlyArray<string> = []): string => {
  const text = withoutPrefix(address, prefixes)
  return `${text.slice(0, shown)}…${text.slice(-shown)}`
}

const movements = ({ from, to }: Transaction): ReadonlyArray<Movement> => [...from, ...to]

/**
 * Returns a function that labels the transactions of a holder:
 *
 * - `zero-value`: a transfer with another party and an amount of 0 that did not fail. A contract can emit such a
 *   transfer in the name of any address. Transactions with an unknown outcome get no such label.
 * - `unknown-token`: it moves a token that is not in the registry; never used if the network has no token list.
 * - `lookalike`: a party has the same first and last four characters as another address to which the holder has sent an
 *   amount, and has itself never received an amount from the holder.
 */
export const labelling = (
  recipients: ReadonlyArray<Recipient>,
  isHolder: (address: string) => boolean,
  isKnown: ((token: string) => boolean) | undefined,
  prefixes?: ReadonlyArray<string>
) => {
  const recipientsByFace = new Map<string, Set<string>>()
  for (const { address, token } of recipients) {
    if (token !== undefined && isKnown?.(token) === false) continue
    const face = shortForm(address, prefixes)
    recipientsByFace.set(face, (recipientsByFace.get(face) ?? new Set()).add(address))
  }
  const resembles = (address: string) => {
    const recipients = recipientsByFace.get(shortForm(address, prefixes))
    return recipients !== undefined && !recipients.has(address) && !isHolder(address)
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
