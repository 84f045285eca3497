import type { Change } from "../parties.ts"
import type { ParsedInstruction } from "./TransactionWire.ts"

/** The change of a token account in lamports, without the coins that are wrapped in it. */
export interface TokenAccountChange {
  readonly address: string
  readonly change: bigint
  /** Whether the transaction opened or closed the account. */
  readonly life: "opened" | "closed" | "stays"
}

/**
 * The changes of coins without the rent of token accounts: a deposit that no address receives when an account is
 * opened, and that is returned when it is closed. Each deposit is attributed to its payer or recipient, as the
 * instructions say, or else to the address with the largest opposite change. Any other change of a token account
 * remains a payment, and so does what is paid out of a refund. The changes, with those of the accounts, keep their sum.
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

/** The address with the largest payment, or with the largest receipt if the deposit is returned. */
const furthest = (amounts: ReadonlyMap<string, bigint>, change: bigint): string | undefined => {
  const side = change > 0n ? -1n : 1n
  return [...amounts].reduce<readonly [string, bigint] | undefined>(
    (best, amount) => (best === undefined || side * amount[1] > side * best[1] ? amount : best),
    undefined
  )?.[0]
}

/** The payer of an account: its creator, otherwise the first sender of coins to it. */
const depositorOf = (account: string, parsed: ReadonlyArray<ParsedInstruction>): string | undefined => {
  const made = parsed.find(
    ({ info, type }) => type.startsWith("create") && (info.newAccount === account || info.account === account)
  )
  return (made ?? parsed.find(({ info }) => info.destination === account && info.lamports !== undefined))?.info.source
}

const refundedBy = (account: string, parsed: ReadonlyArray<ParsedInstruction>): string | undefined =>
  parsed.find(({ info, type }) => type === "closeAccount" && info.account === account)?.info.destination
