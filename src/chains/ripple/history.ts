import * as Option from "effect/Option"
import type { Movement, Status, Transaction } from "../../domain/Transaction.ts"
import { baseUnits, type Decimal, negated, plus, zero } from "./amount.ts"
import { type Changes, change, changesOf, issuerOf, xrp } from "./Changes.ts"
import type { LedgerTransaction } from "./historyRows.ts"

/** More than the transactions of a ledger. */
const perLedger = 2 ** 16

/**
 * A transaction as a holder sees it. Parties are those whose balances changed, without the fee; what nobody else gives of
 * a token its issuer has issued, and what nobody else gets goes back to it, so transfer fees too. What an escrow, a channel
 * or a check keeps of XRP has no address. A payment is to bring an amount, but only what it delivered counts.
 * None where its nodes are in a form that is not understood.
 */
export const toTransaction = (
  holder: string,
  told: LedgerTransaction,
  decimalsOf: (token: string) => number
): Option.Option<Transaction> =>
  Option.map(changesOf(told.nodes), (changes) => {
    const status = statusOf(told)
    return {
      hash: told.hash,
      type: typeOf(holder, told),
      fee: told.fee ?? null,
      status,
      timestamp: told.seconds,
      order: told.ledger * perLedger + told.index,
      ...(status === "Failed" || isUnclear(told) ? unmoved(holder, told) : moved(holder, told, changes, decimalsOf))
    }
  })

/** A payment of which neither the nodes nor an amount tell what arrived. */
export const isUnclear = (told: LedgerTransaction): boolean =>
  statusOf(told) === "Success" && told.type === "Payment" && told.nodes.length === 0 && Option.isNone(told.delivered)

/** Codes that begin with `tec` have cost the fee and done nothing else; others that are no success are in no ledger. */
const statusOf = ({ result, validated }: LedgerTransaction): Status => {
  if (!validated) return "Pending"
  if (result === undefined) return "Unknown"
  return result === "tesSUCCESS" ? "Success" : "Failed"
}

/** The ledger's own word, but for a payment from or to the holder. */
const typeOf = (holder: string, { account, destination, type }: LedgerTransaction): string => {
  if (type !== "Payment") return type
  if (account === holder) return "Send"
  return destination === holder ? "Receive" : type
}

type Parties = Pick<Transaction, "from" | "to">

const movement = (address: string, token: string, amount: bigint): Movement => ({
  address,
  amount,
  ...(token === xrp ? {} : { token })
})

/** Nothing moves, but it shows whom it concerned. */
const unmoved = (holder: string, { account, destination, wanted }: LedgerTransaction): Parties => {
  const token = Option.match(wanted, { onNone: () => xrp, onSome: (amount) => amount.token })
  const other = destination ?? (account === holder ? undefined : holder)
  return {
    from: [movement(account, token, 0n)],
    to: other === undefined ? [] : [movement(other, token, 0n)]
  }
}

const moved = (
  holder: string,
  told: LedgerTransaction,
  changes: Changes,
  decimalsOf: (token: string) => number
): Parties => {
  // Whoever pays the fee has given it, too; in metadata without nodes nobody has.
  if (changes.get(told.payer)?.has(xrp)) change(changes, told.payer, xrp, { digits: told.fee ?? 0n, scale: 0 })
  deliver(told, changes)
  balance(changes)
  const parties = [...changes].flatMap(([address, tokens]) =>
    [...tokens].map(([token, amount]) =>
      movement(address, token, baseUnits(amount, token === xrp ? 0 : decimalsOf(token)))
    )
  )
  const from = parties.filter(({ amount }) => amount < 0n).map((party) => ({ ...party, amount: -party.amount }))
  const to = parties.filter(({ amount }) => amount > 0n)
  return from.length + to.length === 0 ? unmoved(holder, { ...told, wanted: Option.none() }) : { from, to }
}

/** What arrived, where the nodes do not tell: nodes leave out issuers, and some metadata comes without nodes. */
const deliver = (told: LedgerTransaction, changes: Changes) => {
  const { account, destination, type } = told
  const delivered = Option.getOrUndefined(
    statusOf(told) === "Success" ? told.delivered : Option.orElse(told.delivered, () => told.wanted)
  )
  if (type !== "Payment" || delivered === undefined || destination === undefined || destination === account) return
  const { amount, token } = delivered
  if (changes.get(destination)?.has(token)) return
  const given = [...changes.values()].some((tokens) => (tokens.get(token)?.digits ?? 0n) < 0n)
  change(changes, destination, token, amount)
  if (!given && (token === xrp || told.nodes.length === 0)) change(changes, account, token, negated(amount))
}

const balance = (changes: Changes) => {
  const sums = new Map<string, Decimal>()
  for (const tokens of changes.values())
    for (const [token, amount] of tokens) sums.set(token, plus(sums.get(token) ?? zero, amount))
  for (const [token, sum] of sums) {
    const issuer = issuerOf(token)
    if (issuer !== undefined && sum.digits !== 0n) change(changes, issuer, token, negated(sum))
  }
}
