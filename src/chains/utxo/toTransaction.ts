import * as Either from "effect/Either"
import { type Movement, numbered, type Transaction } from "../../domain/Transaction.ts"
import { type Height, numberOrNull, type Seconds } from "../../domain/units.ts"
import { feeShares } from "../kit/fees/feeShares.ts"
import { paidOf } from "../kit/history/parties.ts"
import * as UtxoAddress from "./UtxoAddress.ts"

/** One input or output, with the address as its indexer writes it; undefined if the script has no address. */
export interface TransactionSide {
  readonly address: string | undefined
  readonly amount: bigint
  /** Which output an input spends: `hash:index`. */
  readonly spends?: string
}

/** A transaction in the form that all kinds of indexers are mapped to. */
export interface UtxoTransaction {
  readonly hash: string
  /** The height of its block; undefined while it is in the mempool. */
  readonly block: Height | undefined
  /** The time of its block, or when it was first seen; undefined if the indexer does not record that. */
  readonly time: Seconds | undefined
  /** Empty for a coinbase transaction. */
  readonly inputs: ReadonlyArray<TransactionSide>
  readonly outputs: ReadonlyArray<TransactionSide>
  /** Set if not all inputs and outputs were returned: the fee that the indexer returned. */
  readonly partial?: { readonly fee: bigint }
  /** The fee that the indexer returned, which must be that of the amounts; absent or undefined if it returned none. */
  readonly statedFee?: bigint | undefined
  /** Its size in virtual bytes; absent or undefined if it was not returned. */
  readonly vbytes?: number | undefined
  /** Whether a sequence number allows its replacement (BIP-125); absent or undefined if they were not returned. */
  readonly signals?: boolean | undefined
  /** Whether an address contradicts the script of its output. */
  readonly isContradictory?: boolean
}

/** The party name for scripts without an address, and for coins that OP_RETURN burns. */
const noAddress = "Unknown"

/** The party name for the payer of a miner's reward. */
const coinbase = "coinbase"

const sum = (sides: ReadonlyArray<TransactionSide>) => sides.reduce((all, { amount }) => all + amount, 0n)

/** Sequence numbers below this allow a replacement (BIP-125). */
const minFinalSequence = 0xfffffffe

/** Whether a sequence number allows a replacement; undefined if some are missing and no other does. */
export const signalsIn = (inputs: ReadonlyArray<{ readonly sequence?: number | undefined }>): boolean | undefined => {
  if (inputs.some(({ sequence = minFinalSequence }) => sequence < minFinalSequence)) return true
  return inputs.some(({ sequence }) => sequence === undefined) ? undefined : false
}

/** Inputs minus outputs, or the returned fee if some are missing; 0 for a coinbase transaction. */
export const feeOf = ({ inputs, outputs, partial }: UtxoTransaction): bigint =>
  partial !== undefined ? partial.fee : inputs.length === 0 ? 0n : sum(inputs) - sum(outputs)

/** Whether a transaction pays what the indexer says: one that makes coins pays nothing. */
export const isBalanced = (seen: UtxoTransaction): boolean => {
  const fee = feeOf(seen)
  return fee >= 0n && (seen.statedFee === undefined || seen.statedFee === fee)
}

/** Attributes unlisted inputs or outputs of a large transaction to an unknown party, so that both sides balance. */
const balanced = (seen: UtxoTransaction): UtxoTransaction => {
  const gap = sum(seen.inputs) - sum(seen.outputs) - feeOf(seen)
  if (seen.partial === undefined || gap === 0n) return seen
  return gap > 0n
    ? { ...seen, outputs: [...seen.outputs, { address: undefined, amount: gap }] }
    : { ...seen, inputs: [...seen.inputs, { address: undefined, amount: -gap }] }
}

type AmountByParty = ReadonlyMap<string, bigint>

/** Sums the amounts by party: all inputs of one address are one party. */
const tally = (
  sides: ReadonlyArray<TransactionSide>,
  party: (address: string | undefined) => string
): AmountByParty => {
  const found = new Map<string, bigint>()
  for (const { address, amount } of sides) {
    const name = party(address)
    found.set(name, (found.get(name) ?? 0n) + amount)
  }
  return found
}

/** Each party's amount on one side minus its amount on the opposite side, if positive: change is not a payment. */
const net = (own: AmountByParty, opposite: AmountByParty): AmountByParty =>
  new Map(
    [...own].flatMap(([name, amount]) => {
      // Scripts without an address may have different owners: they are not netted.
      const left = name === noAddress ? amount : amount - (opposite.get(name) ?? 0n)
      return left > 0n ? [[name, left] as const] : []
    })
  )

/** The amount that each payer sends to others: its net amount minus its share of the fee; 0 if it only pays fees. */
const amountsWithoutFee = (payers: AmountByParty, gave: AmountByParty, fee: bigint): AmountByParty => {
  const all = [...payers]
  const shares = feeShares(
    all.map(([name, net]) => ({ gave: gave.get(name) ?? net, net })),
    fee
  )
  return new Map(all.map(([name, net], index) => [name, net - (shares[index] ?? 0n)]))
}

/** All parties of one side, and the party `shown` even if it is not one of them. */
const movements = (parties: AmountByParty, shown: string | undefined): ReadonlyArray<Movement> => {
  const all = shown === undefined || parties.has(shown) ? parties : new Map([...parties, [shown, 0n]])
  return [...all].map(([address, amount]) => ({ address, amount }))
}

/**
 * Maps an address to its party name: its canonical form. An address that cannot be parsed stays unchanged. All
 * addresses with a witness version that hides a network's coins share one name.
 */
export const partyNames = (facts: UtxoAddress.AddressFacts) => {
  const known = new Map<string, string>()
  const { hidden } = facts.coding
  const named = (text: string) =>
    Either.match(UtxoAddress.decode(facts, text), {
      onLeft: () => text,
      onRight: (payee) =>
        payee.kind === "witness" && hidden?.versions.includes(payee.version) === true
          ? hidden.name
          : UtxoAddress.encode(facts.coding, payee)
    })
  return (text: string | undefined): string => {
    if (text === undefined || text === "") return noAddress
    const before = known.get(text)
    if (before !== undefined) return before
    const name = named(text)
    known.set(text, name)
    return name
  }
}

const isOnceEach = (texts: ReadonlyArray<string>) => new Set(texts).size === texts.length

/** False if it spends an output twice: then its fee is wrong too. */
export const spendsOnce = ({ inputs }: UtxoTransaction) => isOnceEach(inputs.flatMap(({ spends }) => spends ?? []))

const hash = /^[0-9a-f]{64}$/i

/**
 * Whether the transaction has a valid hash, spends no output twice, and may involve the holder. If not all parties are
 * listed, or a script with coins has no address, the holder may be one of the unknown parties.
 */
export const concerns =
  (holder: string, party: (address: string | undefined) => string) =>
  (seen: UtxoTransaction): boolean =>
    hash.test(seen.hash) &&
    // Blockbook lists no input for new coins.
    (seen.inputs.length > 0 || sum(seen.outputs) > 0n) &&
    spendsOnce(seen) &&
    (seen.partial !== undefined ||
      [...seen.inputs, ...seen.outputs].some(({ address, amount }) => {
        const name = party(address)
        return name === holder || (name === noAddress && amount > 0n)
      }))

/**
 * Maps a transaction to the view of its holder.
 *
 * - An owner of inputs pays the sum of its inputs minus the sum of its outputs; an owner whose outputs exceed its
 *   inputs receives the difference, as in a CoinJoin. Each payer's share of the fee, in proportion to its inputs, is
 *   subtracted from its amount, so that both sides have the same sum. A payer that only pays a part of the fee has an
 *   amount of 0.
 * - The holder sends if it owns inputs and does not gain coins; otherwise it receives.
 * - Without a recipient, every payer sends to itself: it is on both sides with the sum of its outputs.
 * - `coinbase` pays new coins; a script without an address is `Unknown`; outputs of 0 (OP_RETURN) are omitted.
 * - An unconfirmed transaction is Pending, with the time when it was first seen, or now if that is unknown.
 */
export const toTransaction = (
  holder: string,
  party: (address: string | undefined) => string,
  now: Seconds
): ((seen: UtxoTransaction, order: number) => Transaction) => {
  return (listed, order) => {
    const seen = balanced(listed)
    const paid = tally(seen.inputs, party)
    const got = tally(seen.outputs, party)
    const payers = seen.inputs.length === 0 ? new Map([[coinbase, sum(seen.outputs)]]) : net(paid, got)
    const receivers = net(got, paid)
    const fee = feeOf(seen)
    const sends = paid.has(holder) && !receivers.has(holder)
    const back = got.get(holder) ?? 0n
    const toItself = sends && receivers.size === 0 && back > 0n
    const own = new Map([...payers.keys(), holder].map((name) => [name, got.get(name) ?? 0n]))
    const charged = amountsWithoutFee(payers, paid, fee)
    const from = movements(toItself ? own : charged, sends ? holder : undefined)
    // In a transfer to itself, all returned coins are on both sides: the difference is the fee.
    const share = (payers.get(holder) ?? 0n) - (toItself ? 0n : (charged.get(holder) ?? 0n))
    return {
      hash: seen.hash,
      type: sends ? "Send" : "Receive",
      fee,
      ...paidOf(holder, { fee, from }, share),
      status: seen.block === undefined ? "Pending" : "Success",
      timestamp: seen.time ?? now,
      ...numbered({ block: numberOrNull(seen.block) }),
      order,
      from,
      to: movements(
        toItself ? new Map([...own].filter(([, amount]) => amount > 0n)) : receivers,
        sends ? undefined : holder
      )
    }
  }
}
