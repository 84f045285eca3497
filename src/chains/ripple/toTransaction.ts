import * as Option from "effect/Option"
import { type Movement, numbered, type Status, type Transaction } from "../../domain/Transaction.ts"
import { type LedgerIndex, ledgerIndex, numberOf } from "../../domain/units.ts"
import { paidOf } from "../kit/history/parties.ts"
import { baseUnits, type Decimal, negated, plus, zero } from "./amount.ts"
import { type BalanceChanges, change, changesOf, issuerOf, xrp } from "./BalanceChanges.ts"
import type { LedgerTransaction } from "./LedgerTransaction.ts"

/** More transactions than a ledger has. */
const perLedger = 2 ** 16

/** The ledger index of a transaction, from its sort key. */
export const heightOf = ({ order }: Pick<Transaction, "order">): LedgerIndex =>
  ledgerIndex(Math.floor(order / perLedger))

/**
 * Maps a transaction from the holder's perspective. Parties are the addresses whose balances changed, without the fee.
 * The issuer of a token sends the part that no other address sends, and receives the part that no other address
 * receives, including transfer fees. XRP in an escrow, a channel or a check has no address. A payment counts with its
 * delivered amount. None if its nodes cannot be decoded, or create or lose XRP.
 */
export const toTransaction = (
  holder: string,
  transaction: LedgerTransaction,
  decimalsOf: (token: string) => number
): Option.Option<Transaction> =>
  Option.map(Option.filter(changesOf(transaction.nodes), isSound(transaction)), (changes) => {
    const status = statusOf(transaction)
    const fee = transaction.fee ?? null
    const ledger = numberOf(transaction.ledger)
    const parties =
      status === "Failed" || hasUnknownDelivery(transaction)
        ? unmovedParties(holder, transaction)
        : movedParties(holder, transaction, changes, decimalsOf)
    return {
      hash: transaction.hash,
      type: typeOf(holder, transaction),
      fee,
      ...paidOf(holder, { fee, ...parties }, transaction.payer === holder ? fee : 0n),
      status,
      timestamp: transaction.at,
      ...numbered({
        block: status === "Pending" || ledger === 0 ? undefined : ledger,
        nonce: transaction.sequence
      }),
      order: ledger * perLedger + transaction.index,
      ...parties
    }
  })

/** Types that move XRP into or out of an entry that belongs to no account. */
const holding = /^(Escrow|PaymentChannel)/

/**
 * Whether the XRP that some accounts lose is what others gain, plus the fee, and a payment of it names both parties. True
 * if it lists a recipient alone, without the payer: its amount is right, and the sender is that of the transaction.
 */
const isSound =
  (transaction: LedgerTransaction) =>
  (changes: BalanceChanges): boolean => {
    const { destination = "", fee, nodes, payer, type } = transaction
    const moved = [...changes.values()].flatMap((tokens) => tokens.get(xrp) ?? [])
    const { digits } = moved.reduce(plus, zero)
    const text = JSON.stringify(nodes)
    if (moved.length === 0 || (moved.length === 1 && digits > 0n && !text.includes(payer))) return true
    const isPaid = type === "Payment" && statusOf(transaction) === "Success"
    const isNamed = !isPaid || (text.includes(payer) && text.includes(destination))
    return isNamed && (fee === undefined || holding.test(type) || digits === -fee)
  }

/** True for a payment whose delivered amount follows neither from its nodes nor from its metadata, or is not decided. */
export const hasUnknownDelivery = (transaction: LedgerTransaction): boolean =>
  ["Success", "Pending"].includes(statusOf(transaction)) &&
  transaction.type === "Payment" &&
  transaction.nodes.length === 0 &&
  Option.isNone(transaction.delivered)

/** Codes that begin with `tec` only cost the fee; other failures are not in any ledger. */
const statusOf = ({ result, validated }: LedgerTransaction): Status => {
  if (!validated) return "Pending"
  if (result === undefined) return "Unknown"
  return result === "tesSUCCESS" ? "Success" : "Failed"
}

/** The ledger's type name, except for payments from or to the holder. */
const typeOf = (holder: string, { account, destination, type }: LedgerTransaction): string => {
  if (type !== "Payment") return type
  if (account === holder) return "Send"
  return destination === holder ? "Receive" : type
}

type RippleParties = Pick<Transaction, "from" | "to">

const movement = (address: string, token: string, amount: bigint): Movement => ({
  address,
  amount,
  ...(token === xrp ? {} : { token })
})

/** The involved addresses, with amounts of zero. */
const unmovedParties = (
  holder: string,
  { account, destination, intended: wanted }: LedgerTransaction
): RippleParties => {
  const token = Option.match(wanted, { onNone: () => xrp, onSome: (amount) => amount.token })
  const other = destination ?? (account === holder ? undefined : holder)
  return {
    from: [movement(account, token, 0n)],
    to: other === undefined ? [] : [movement(other, token, 0n)]
  }
}

const movedParties = (
  holder: string,
  transaction: LedgerTransaction,
  changes: BalanceChanges,
  decimalsOf: (token: string) => number
): RippleParties => {
  // The nodes include the fee in the payer's change; metadata without nodes has no change at all.
  if (changes.get(transaction.payer)?.has(xrp))
    change(changes, transaction.payer, xrp, { digits: transaction.fee ?? 0n, scale: 0 })
  deliver(transaction, changes)
  balance(changes)
  const sides = (sign: bigint) =>
    [...changes].flatMap(([address, tokens]) =>
      [...tokens]
        .filter(([, { digits }]) => digits * sign > 0n)
        .map(([token, amount]) =>
          movement(address, token, sign * baseUnits(amount, token === xrp ? 0 : decimalsOf(token)))
        )
    )
  const all = { from: sides(-1n), to: sides(1n) }
  if (all.from.length + all.to.length === 0) return unmovedParties(holder, { ...transaction, intended: Option.none() })
  const isMore = ({ amount }: Movement) => amount > 0n
  // An amount below the smallest unit is shown only if nothing else moved: as 0 of its token, not of XRP.
  return [...all.from, ...all.to].some(isMore) ? { from: all.from.filter(isMore), to: all.to.filter(isMore) } : all
}

/** Adds the delivered amount if the nodes do not contain it: nodes omit issuers, and some metadata has no nodes. */
const deliver = (transaction: LedgerTransaction, changes: BalanceChanges) => {
  const { account, destination, type } = transaction
  const delivered = Option.getOrUndefined(
    statusOf(transaction) === "Success"
      ? transaction.delivered
      : Option.orElse(transaction.delivered, () => transaction.intended)
  )
  if (type !== "Payment" || delivered === undefined || destination === undefined || destination === account) return
  const { amount, token } = delivered
  if (changes.get(destination)?.has(token)) return
  const given = [...changes.values()].some((tokens) => (tokens.get(token)?.digits ?? 0n) < 0n)
  change(changes, destination, token, amount)
  if (!given && (token === xrp || transaction.nodes.length === 0)) change(changes, account, token, negated(amount))
}

const balance = (changes: BalanceChanges) => {
  const sums = new Map<string, Decimal>()
  for (const tokens of changes.values())
    for (const [token, amount] of tokens) sums.set(token, plus(sums.get(token) ?? zero, amount))
  for (const [token, sum] of sums) {
    const issuer = issuerOf(token)
    if (issuer !== undefined && sum.digits !== 0n) change(changes, issuer, token, negated(sum))
  }
}
