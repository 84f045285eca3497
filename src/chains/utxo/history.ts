import * as Either from "effect/Either"
import type { Movement, Transaction } from "../../domain/Transaction.ts"
import { feeShares } from "../feeShares.ts"
import { paidOf } from "../parties.ts"
import * as UtxoAddress from "./UtxoAddress.ts"

/** One input or output, with the address as its indexer writes it; none where the script has no address. */
export interface TransactionSide {
  readonly address: string | undefined
  readonly amount: bigint
  /** Which output an input spends: `hash:index`. */
  readonly spends?: string
}

/** A transaction in the form that all kinds of indexers are mapped to. */
export interface UtxoTransaction {
  readonly hash: string
  /** The height of its block; undefined while it waits in the pool. */
  readonly block: number | undefined
  /** UNIX seconds of its block, or when it was first seen; undefined where an indexer does not know that of the pool. */
  readonly time: number | undefined
  /** Of a coinbase transaction there are none. */
  readonly inputs: ReadonlyArray<TransactionSide>
  readonly outputs: ReadonlyArray<TransactionSide>
  /** The fee as the indexer returned it, where not all inputs and outputs were returned. */
  readonly partial?: { readonly fee: bigint }
}

/** The party of scripts without an address, and of the coins that OP_RETURN burns. */
const noAddress = "Unknown"

/** The party that pays a miner's reward. */
const coinbase = "coinbase"

const sum = (sides: ReadonlyArray<TransactionSide>) => sides.reduce((all, { amount }) => all + amount, 0n)

/** The inputs less the outputs; a coinbase transaction has no fee. */
export const feeOf = ({ inputs, outputs, partial }: UtxoTransaction): bigint =>
  partial !== undefined ? partial.fee : inputs.length === 0 ? 0n : sum(inputs) - sum(outputs)

/** Unlisted parts of a large transaction belong to unknown parties: both sides have the same sum again. */
const whole = (seen: UtxoTransaction): UtxoTransaction => {
  const gap = sum(seen.inputs) - sum(seen.outputs) - feeOf(seen)
  if (seen.partial === undefined || gap === 0n) return seen
  return gap > 0n
    ? { ...seen, outputs: [...seen.outputs, { address: undefined, amount: gap }] }
    : { ...seen, inputs: [...seen.inputs, { address: undefined, amount: -gap }] }
}

type Tally = ReadonlyMap<string, bigint>

/** By party: the inputs of one address are one party. */
const tally = (sides: ReadonlyArray<TransactionSide>, party: (address: string | undefined) => string): Tally => {
  const found = new Map<string, bigint>()
  for (const { address, amount } of sides) {
    const name = party(address)
    found.set(name, (found.get(name) ?? 0n) + amount)
  }
  return found
}

/** One side when the inputs and outputs of each party are set off against each other: change is no payment. */
const net = (own: Tally, opposite: Tally): Tally =>
  new Map(
    [...own].flatMap(([name, amount]) => {
      // Scripts without an address may have different owners: they are not set off against each other.
      const left = name === noAddress ? amount : amount - (opposite.get(name) ?? 0n)
      return left > 0n ? [[name, left] as const] : []
    })
  )

/** What each payer gives to others: its net less its share of the fee, which is nothing where it pays only fee. */
const charge = (payers: Tally, gave: Tally, fee: bigint): Tally => {
  const all = [...payers]
  const shares = feeShares(
    all.map(([name, net]) => ({ gave: gave.get(name) ?? net, net })),
    fee
  )
  return new Map(all.map(([name, net], index) => [name, net - (shares[index] ?? 0n)]))
}

/** All parties of one side; the holder is listed also where it is not one of them. */
const movements = (parties: Tally, shown: string | undefined): ReadonlyArray<Movement> => {
  const all = shown === undefined || parties.has(shown) ? parties : new Map([...parties, [shown, 0n]])
  return [...all].map(([address, amount]) => ({ address, amount }))
}

/**
 * The name of an address as a party: its canonical form. An address that cannot be parsed stays as it is written; witness
 * versions behind which a network hides its coins are one party.
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

const hash = /^[0-9a-f]{64}$/i

/**
 * Whether it has the hash of a transaction, spends no output twice, and concerns the holder. Where not all of its parties are listed, or coins go
 * to a script without an address, the holder may be among those.
 */
export const concerns =
  (holder: string, party: (address: string | undefined) => string) =>
  (seen: UtxoTransaction): boolean =>
    hash.test(seen.hash) &&
    // Of new coins Blockbook lists no input.
    (seen.inputs.length > 0 || sum(seen.outputs) > 0n) &&
    isOnceEach(seen.inputs.flatMap(({ spends }) => spends ?? [])) &&
    (seen.partial !== undefined ||
      [...seen.inputs, ...seen.outputs].some(({ address, amount }) => {
        const name = party(address)
        return name === holder || (name === noAddress && amount > 0n)
      }))

/**
 * A transaction as its holder sees it.
 *
 * - An owner of inputs pays what they bring less what comes back to that owner; an owner who gets back more is paid the
 *   difference, as in a CoinJoin. Each payer's share of the fee is off its amount, in proportion to what its inputs bring,
 *   so that both sides have the same sum. A payer that pays only a part of the fee has an amount of 0.
 * - The holder sends where it owns inputs and gains nothing, and receives otherwise.
 * - Where there is no recipient, every payer sends to itself: it is on both sides with all that came back to it.
 * - New coins are paid by `coinbase`; scripts without an address are `Unknown`, and outputs of nothing (OP_RETURN) are
 *   left out.
 * - An unconfirmed transaction is Pending since it was first seen, or since now where its indexer has no such time.
 */
export const toTransaction = (
  holder: string,
  party: (address: string | undefined) => string,
  now: number
): ((seen: UtxoTransaction, order: number) => Transaction) => {
  return (listed, order) => {
    const seen = whole(listed)
    const paid = tally(seen.inputs, party)
    const got = tally(seen.outputs, party)
    const payers = seen.inputs.length === 0 ? new Map([[coinbase, sum(seen.outputs)]]) : net(paid, got)
    const receivers = net(got, paid)
    const fee = feeOf(seen)
    const sends = paid.has(holder) && !receivers.has(holder)
    const back = got.get(holder) ?? 0n
    const toItself = sends && receivers.size === 0 && back > 0n
    const own = new Map([...payers.keys(), holder].map((name) => [name, got.get(name) ?? 0n]))
    const charged = charge(payers, paid, fee)
    const from = movements(toItself ? own : charged, sends ? holder : undefined)
    // Of what comes back to itself all is on both sides: what is left is the fee.
    const share = (payers.get(holder) ?? 0n) - (toItself ? 0n : (charged.get(holder) ?? 0n))
    return {
      hash: seen.hash,
      type: sends ? "Send" : "Receive",
      fee,
      ...paidOf(holder, { fee, from }, share),
      status: seen.block === undefined ? "Pending" : "Success",
      timestamp: seen.time ?? now,
      order,
      from,
      to: movements(
        toItself ? new Map([...own].filter(([, amount]) => amount > 0n)) : receivers,
        sends ? undefined : holder
      )
    }
  }
}
