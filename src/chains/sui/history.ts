import * as Option from "effect/Option"
import type { Transaction } from "../../domain/Transaction.ts"
import { type Change, paidOf, partiesOfChanges, typeFor } from "../parties.ts"
import * as CoinType from "./CoinType.ts"
import type * as TransactionWire from "./TransactionWire.ts"

// The effects of a transaction, from its balance changes (docs.sui.io, TransactionEffects).

/** The sender of system transactions. */
const zero = `0x${"0".repeat(64)}`

export const toTransaction = (
  holder: string,
  order: number,
  transaction: TransactionWire.SuiTransaction
): Transaction => {
  const { effects } = transaction
  const sender = transaction.sender?.address === zero ? undefined : transaction.sender?.address
  const cost = costOf(transaction)
  const failed = effects.status === "FAILURE"
  const payer = transaction.gasInput?.gasSponsor?.address ?? sender
  const parties = failed
    ? { from: sender === undefined ? [] : [{ address: sender, amount: 0n }], to: [] }
    : partiesOfChanges([...changes(effects.balanceChanges), ...givenBack(payer, cost)])
  // A storage rebate may exceed the cost: it is no payment, and the fee is zero.
  const fee = cost === null ? null : cost < 0n ? 0n : cost
  return {
    hash: transaction.digest,
    // An address that neither sends nor receives sees the network's type name.
    type: typeFor(holder, parties) ?? transaction.kind?.__typename ?? "Unknown",
    fee,
    ...paidOf(holder, { fee, from: parties.from }, payer === holder ? cost : 0n),
    status: failed ? "Failed" : effects.status === null ? "Unknown" : "Success",
    timestamp: Math.floor(Date.parse(effects.timestamp) / 1000),
    order,
    ...parties
  }
}

const costOf = ({ effects }: TransactionWire.SuiTransaction): bigint | null => {
  const gas = effects.gasEffects?.gasSummary ?? null
  return gas === null ? null : BigInt(gas.computationCost) + BigInt(gas.storageCost) - BigInt(gas.storageRebate)
}

/** The fee is part of the balance change of its payer (the sponsor, if there is one), but not of a payment. */
const givenBack = (payer: string | undefined, cost: bigint | null): ReadonlyArray<Change> =>
  payer === undefined || cost === null ? [] : [{ address: payer, amount: cost }]

const changes = ({ nodes }: TransactionWire.SuiBalanceChanges): ReadonlyArray<Change> =>
  nodes.flatMap(({ amount, coinType, owner }) => {
    const text = typeof coinType === "string" ? coinType : coinType.repr
    const token = Option.getOrElse(CoinType.canonical(text), () => "Unknown")
    const change = { amount: BigInt(amount), address: owner?.address ?? "Unknown" }
    return token === CoinType.sui ? [change] : [{ ...change, token }]
  })
