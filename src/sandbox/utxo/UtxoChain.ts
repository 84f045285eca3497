import { hash as hashOf } from "node:crypto"
import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import * as UtxoAddress from "../../chains/utxo/UtxoAddress.ts"
import { ledger, type Move } from "../world/ledger.ts"
import { memoized, remembered } from "../world/memoized.ts"
import type * as World from "../world/World.ts"
import type { PendingEvent } from "../world/WorldState.ts"
import { exhibited } from "./utxoMuseum.ts"
import { type Input, type RawSide, raw } from "./utxoRaw.ts"

type InhabitedUtxo = World.InWorld<UtxoFacts>

/** A transaction of the simulated chain. */
export interface ChainTransaction {
  readonly hash: string
  /** The raw transaction in hexadecimal digits. */
  readonly hex: string
  /** Block height; undefined while the transaction is in the mempool. */
  readonly height: number | undefined
  /** UNIX seconds. */
  readonly time: number
  readonly fee: bigint
  /** Empty for a coinbase transaction. */
  readonly inputs: ReadonlyArray<Input>
  readonly outputs: ReadonlyArray<RawSide>
  /** Its name in a museum: indexers list it with rare members. */
  readonly exhibit?: string | undefined
}

/** A sent raw transaction with the outputs that it spends. */
export type ReadTransaction = Omit<ChainTransaction, "height" | "time">

const digest = (...words: ReadonlyArray<string>) => hashOf("sha256", words.join("|"))

/** Address for a key hash: the first 40 hexadecimal digits of `hash`. */
const payee = ({ coding }: UtxoFacts, hash: string): string =>
  UtxoAddress.encode(coding, { kind: "keyHash", hash: Buffer.from(hash.slice(0, 40), "hex") })

/** Used addresses of an extended public key; for an address, the address itself. */
export const addressesOf = (facts: UtxoFacts, holder: string): ReadonlyArray<string> =>
  holder.length > 100 ? [0, 1, 2].map((index) => payee(facts, digest(holder, String(index)))) : [holder]

/** Whether the newest transaction of a holder is still in the mempool. */
const waits = (holder: string) => digest("waits", holder) < "4"

/** Change of a payment: a third of the amount. */
const changeOf = (amount: bigint) => amount / 3n + 1n

const inputs = ({ id }: Move, sides: ReadonlyArray<RawSide>): ReadonlyArray<Input> =>
  sides.map((side, index) => ({ ...side, hash: digest(id, "spends", String(index)), index }))

/**
 * Transactions of a holder, newest first; the mempool comes before all blocks. Change returns to the payer, and outgoing
 * payments have two inputs. Transactions cannot fail on these chains, so a failed move becomes a transfer to oneself that
 * costs a fee. For some holders, the first transaction is a coinbase transaction.
 */
export const transactionsOf = memoized((facts: InhabitedUtxo, holder): ReadonlyArray<ChainTransaction> => {
  const moves = ledger(facts, holder)
  const newest = moves.findLastIndex(({ ordinal }) => ordinal === undefined)
  const own = addressesOf(facts, holder)
  const waiting = facts.world?.state.pending(facts.id, holder) ?? []
  const final = moves.map((move, index): ChainTransaction => {
    if (move.details !== undefined)
      return { ...(move.details as ReadTransaction), height: Math.floor(move.at / 600), time: move.at }
    if (move.counterparty !== undefined) return sentBy(facts, holder, move, move.counterparty)
    const { amount, at, direction, failed, fee, seed } = move
    const [first = holder] = own
    const mine = own[index % own.length] ?? first
    const theirs = payee(facts, seed)
    const change = changeOf(amount)
    const block = Math.floor((at - facts.finality) / 600)
    const made = (paid: bigint, spent: ReadonlyArray<Input>, outputs: ReadonlyArray<RawSide>): ChainTransaction => ({
      ...raw(facts, block, spent, outputs),
      height: index === newest && waits(holder) ? undefined : block,
      time: at,
      fee: paid,
      inputs: spent,
      outputs,
      exhibit: move.exhibit
    })
    const rare = exhibited(facts, move, first, (index) => payee(facts, digest(seed, String(index))))
    if (rare !== undefined) return made(fee, inputs(move, rare.spent), rare.paid)
    if (direction === "in" && index === 0 && amount % 5n === 0n)
      return made(0n, [], [{ address: mine, amount }, { amount: 0n }])
    if (direction === "in")
      return made(fee, inputs(move, [{ address: theirs, amount: amount + change + fee }]), [
        { address: theirs, amount: change },
        { address: mine, amount }
      ])
    if (failed) return made(fee, inputs(move, [{ address: mine, amount: amount + fee }]), [{ address: first, amount }])
    return made(
      fee,
      inputs(move, [
        { address: mine, amount: amount + fee },
        { address: first, amount: change }
      ]),
      [{ address: theirs, amount }, { amount: 0n }, { address: mine, amount: change }]
    )
  })
  const newestFirst = [...final, ...waiting.map((event) => pending(facts, event))].toReversed()
  return newestFirst.sort((a, b) => Number(a.height !== undefined) - Number(b.height !== undefined))
})

/** Transfer between two addresses of the world; the same transaction for both parties. */
const sent = (facts: UtxoFacts, id: string, from: string, to: string, amount: bigint, block: number) => {
  const [payer = from] = addressesOf(facts, from)
  const [payee = to] = addressesOf(facts, to)
  const spent = [{ address: payer, amount, hash: digest(id, "spends", "0"), index: 0 }]
  const outputs = [{ address: payee, amount }]
  return { ...raw(facts, block, spent, outputs), fee: 0n, inputs: spent, outputs }
}

const sentBy = (facts: UtxoFacts, holder: string, { amount, at, direction, id }: Move, party: string) => {
  const [from, to] = direction === "out" ? [holder, party] : [party, holder]
  const block = Math.floor((at - facts.finality) / 600)
  return { ...sent(facts, id, from, to, amount, block), height: block, time: at }
}

const pending = (facts: UtxoFacts, { amount, details, from = "", id, seen, to = "" }: PendingEvent) => ({
  ...(details === undefined ? sent(facts, id, from, to, amount, 0) : (details as ReadTransaction)),
  height: undefined,
  time: seen
})

/** Transactions of a network. They can be looked up by hash after a list has returned them. */
export const past = (facts: UtxoFacts) => {
  const known = remembered<string>()
  const rows = remembered<ChainTransaction>()
  return {
    facts,
    /** Same as {@link transactionsOf}. */
    of: (holder: string) => {
      const all = transactionsOf(facts, holder)
      for (const row of all) {
        known.set(row.hash, row.hex)
        rows.set(row.hash, row)
      }
      return all
    },
    /** Stores a transaction that is in no list, for look-ups by hash; returns the hash. */
    older: ({ hash, hex }: Pick<ChainTransaction, "hash" | "hex">) => {
      known.set(hash, hex)
      return hash
    },
    /** Raw transaction in hexadecimal digits; undefined if it is unknown. */
    hexOf: (hash: string) => known.get(hash),
    /** Removes a transaction that another one has replaced. */
    forget: (hash: string) => {
      known.delete(hash)
      rows.delete(hash)
    },
    /** A transaction that a list has returned. */
    rowOf: (hash: string) => rows.get(hash)
  }
}

export type Past = ReturnType<typeof past>

const sum = (facts: UtxoFacts, holder: string, sides: (transaction: ChainTransaction) => ReadonlyArray<RawSide>) => {
  const own = new Set(addressesOf(facts, holder))
  return (transactions: ReadonlyArray<ChainTransaction>) =>
    transactions
      .flatMap(sides)
      .reduce((all, { address, amount }) => (address !== undefined && own.has(address) ? all + amount : all), 0n)
}

/** State of an address in the chain and in the mempool (`arriving`, `leaving`, `waiting`); amounts in base units. */
export const accountOf = (facts: UtxoFacts, holder: string) => {
  const all = transactionsOf(facts, holder)
  const confirmed = all.filter(({ height }) => height !== undefined)
  const pool = all.filter(({ height }) => height === undefined)
  const into = sum(facts, holder, ({ outputs }) => outputs)
  const out = sum(facts, holder, ({ inputs }) => inputs)
  return {
    received: into(confirmed),
    spent: out(confirmed),
    arriving: into(pool),
    leaving: out(pool),
    // The sample address, which checks whether an indexer works, must have a history.
    transactions: confirmed.length === 0 && holder === facts.sampleAddress ? 2 : confirmed.length,
    waiting: pool.length
  }
}
