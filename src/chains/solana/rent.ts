import type { Change } from "../netChanges.ts"
import type { ParsedInstruction } from "./TransactionWire.ts"

/** What a token account has more or less of, in lamports, beside the coins that are wrapped in it. */
export interface TokenAccountChange {
  readonly address: string
  readonly change: bigint
  /** Whether it was made by the transaction, or was there before and is gone. */
  readonly life: "opened" | "closed" | "stays"
}

/**
 * Who gains and loses coins, without the rent of token accounts: a deposit that is paid to nobody when an account is
 * opened, and goes back when it is closed. Each is set off against all that the one has who paid it or got it back, as
 * the instructions say, or else who gave or got most. What one pays on out of a refund is a payment, and so is what else
 * goes to a token account or leaves it. The changes sum to the same as before, together with those of the accounts.
 */
export const withoutRent = (
  changes: ReadonlyArray<Change>,
  accounts: ReadonlyArray<TokenAccountChange>,
  parsed: ReadonlyArray<ParsedInstruction>
): ReadonlyArray<Change> => {
  const amounts = new Map<string, bigint>()
  for (const { address, amount } of changes) amounts.set(address, (amounts.get(address) ?? 0n) + amount)
  for (const { address, change, life } of accounts) {
    if (change === 0n) continue
    const isRent = life === "opened" ? change > 0n : life === "closed" && change < 0n
    const named = life === "opened" ? depositorOf(address, parsed) : refundedBy(address, parsed)
    const party = named !== undefined && amounts.has(named) ? named : furthest(amounts, change)
    const bearer = isRent && party !== undefined ? party : address
    amounts.set(bearer, (amounts.get(bearer) ?? 0n) + change)
  }
  return [...amounts].map(([address, amount]) => ({ address, amount }))
}

/** Who gave most, where something is paid, or got most, where it comes back. */
const furthest = (amounts: ReadonlyMap<string, bigint>, change: bigint): string | undefined => {
  const side = change > 0n ? -1n : 1n
  return [...amounts].reduce<readonly [string, bigint] | undefined>(
    (best, amount) => (best === undefined || side * amount[1] > side * best[1] ? amount : best),
    undefined
  )?.[0]
}

/** Who pays for an account: whoever makes it, or else sends the first coins to it. */
const depositorOf = (account: string, parsed: ReadonlyArray<ParsedInstruction>): string | undefined => {
  const made = parsed.find(
    ({ info, type }) => type.startsWith("create") && (info.newAccount === account || info.account === account)
  )
  return (made ?? parsed.find(({ info }) => info.destination === account && info.lamports !== undefined))?.info.source
}

const refundedBy = (account: string, parsed: ReadonlyArray<ParsedInstruction>): string | undefined =>
  parsed.find(({ info, type }) => type === "closeAccount" && info.account === account)?.info.destination
