import { hash as hashOf } from "node:crypto"
import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import * as UtxoAddress from "../../chains/utxo/UtxoAddress.ts"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import { ledger, type Move } from "../world/ledger.ts"
import { memoized } from "../world/memoized.ts"
import type * as World from "../world/World.ts"
import type { PendingEvent } from "../world/WorldState.ts"
import { type Input, type RawSide, raw } from "./utxoRaw.ts"

type InhabitedUtxo = World.Inhabited<UtxoFacts>

/** A transaction of the simulated chain. */
export interface ChainTransaction {
  readonly hash: string
  /** The transaction itself, in hexadecimal digits. */
  readonly hex: string
  /** Undefined while it waits in the pool. */
  readonly height: number | undefined
  /** UNIX seconds. */
  readonly time: number
  readonly fee: bigint
  /** None where it brings new coins. */
  readonly inputs: ReadonlyArray<Input>
  readonly outputs: ReadonlyArray<RawSide>
}

/** A raw transaction that was sent, with the outputs that it spends. */
export type ReadTransaction = Omit<ChainTransaction, "height" | "time">

const digest = (...words: ReadonlyArray<string>) => hashOf("sha256", words.join("|"))

/** The address of a key, from its hash. */
const payee = ({ coding }: UtxoFacts, hash: string): string =>
  UtxoAddress.encode(coding, { kind: "keyHash", hash: Buffer.from(hash.slice(0, 40), "hex") })

/** The addresses of an account that were used; a plain address is its only one. */
export const addressesOf = (facts: UtxoFacts, holder: string): ReadonlyArray<string> =>
  holder.length > 100 ? [0, 1, 2].map((index) => payee(facts, digest(holder, String(index)))) : [holder]

/** Whether the newest transaction of an address still waits in the pool. */
const waits = (holder: string) => digest("waits", holder) < "4"

/** What is left of an input after a payment goes back to who paid, a third of the payment. */
const changeOf = (amount: bigint) => amount / 3n + 1n

const inputs = ({ id }: Move, sides: ReadonlyArray<RawSide>): ReadonlyArray<Input> =>
  sides.map((side, index) => ({ ...side, hash: digest(id, "spends", String(index)), index }))

/**
 * The transactions of a holder, the newest first. Change goes back to who pays, what is paid out comes from two inputs;
 * no transaction fails on these chains, so what fails elsewhere is sent to oneself here, and costs its fee. The first of
 * some holders brings new coins.
 */
export const transactionsOf = memoized((facts: InhabitedUtxo, holder): ReadonlyArray<ChainTransaction> => {
  const moves = ledger(facts, holder)
  const newest = moves.findLastIndex(({ nth }) => nth === undefined)
  const own = addressesOf(facts, holder)
  const waiting = facts.world?.state.pending(facts.id, holder) ?? []
  const final = moves.map((move, index): ChainTransaction => {
    if (move.details !== undefined)
      return { ...(move.details as ReadTransaction), height: Math.floor(move.at / 600), time: move.at }
    if (move.party !== undefined) return sentBy(facts, holder, move, move.party)
    const { amount, at, direction, failed, fee, other } = move
    const [first = holder] = own
    const mine = own[index % own.length] ?? first
    const theirs = payee(facts, other)
    const change = changeOf(amount)
    const isLast = index === newest
    const block = Math.floor((at - facts.finality) / 600)
    const made = (paid: bigint, spent: ReadonlyArray<Input>, outputs: ReadonlyArray<RawSide>): ChainTransaction => ({
      ...raw(facts, block, spent, outputs),
      height: isLast && waits(holder) ? undefined : block,
      time: at,
      fee: paid,
      inputs: spent,
      outputs
    })
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
  return [...final, ...waiting.map((event) => pending(facts, event))].toReversed()
})

/** A send from one address of the world to another, the same for both. */
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

/** Transactions that are cached between a list and the requests about its entries. */
const most = 50_000

/** The transactions of a network, which are found by their hashes once a list has named them. */
export interface Past {
  readonly facts: UtxoFacts
  /** As {@link transactionsOf}. */
  readonly of: (holder: string) => ReadonlyArray<ChainTransaction>
  /** A transaction that no list has; its hash. */
  readonly older: (transaction: { readonly hash: string; readonly hex: string }) => string
  /** The hexadecimal digits of a transaction. */
  readonly hexOf: (hash: string) => string | undefined
}

export const past = (facts: UtxoFacts): Past => {
  const known = BoundedMap.make<string, string>({ capacity: most })
  return {
    facts,
    of: (holder) => {
      const all = transactionsOf(facts, holder)
      for (const { hash, hex } of all) known.set(hash, hex)
      return all
    },
    older: ({ hash, hex }) => {
      known.set(hash, hex)
      return hash
    },
    hexOf: (hash) => known.get(hash)
  }
}

const sum = (facts: UtxoFacts, holder: string, sides: (transaction: ChainTransaction) => ReadonlyArray<RawSide>) => {
  const own = new Set(addressesOf(facts, holder))
  return (transactions: ReadonlyArray<ChainTransaction>) =>
    transactions
      .flatMap(sides)
      .reduce((all, { address, amount }) => (address !== undefined && own.has(address) ? all + amount : all), 0n)
}

/** The state of an address in the chain and in the pool of transactions, base units. */
interface Account {
  readonly received: bigint
  readonly spent: bigint
  /** The same of what waits in the pool. */
  readonly arriving: bigint
  readonly leaving: bigint
  readonly transactions: number
  readonly waiting: number
}

export const accountOf = (facts: UtxoFacts, holder: string): Account => {
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
    // The address that shows whether an indexer works has a past.
    transactions: confirmed.length === 0 && holder === facts.sample ? 2 : confirmed.length,
    waiting: pool.length
  }
}
