import * as Either from "effect/Either"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import { type LedgerFacts, ledger } from "./ledger.ts"
import * as World from "./World.ts"
import * as WorldState from "./WorldState.ts"

/** A decoded transaction whose signature is valid. */
export interface SignedEvent extends WorldState.WorldEvent {
  /** In a network that numbers the transactions of a sender: the number of this one. */
  readonly sequence?: number
  /** The last time at which it is valid, ms. */
  readonly validUntil?: number
}

/** Why any network refuses a transaction; one that is sent again is pending, or known where a block has it. */
export type Problem = "pending" | "known" | "past sequence" | "future sequence" | "expired"

/** How the nodes of a family refuse and take a transaction. */
export interface Rules<S extends SignedEvent, R> {
  /** In the words of its nodes. */
  readonly refusal: (problem: Problem, signed: S) => R
  /** The rules of the family, after those of all: balances and fees above all. May mark it as failed. */
  readonly check: (signed: S, now: number) => Either.Either<S, R>
  /** The time of the block that takes what is sent now, ms. */
  readonly nextBlock: (now: number) => number
}

/** The same with how a family reads a raw transaction. */
export interface Codec<S extends SignedEvent, R> extends Rules<S, R> {
  /** Checks the form and the signatures. */
  readonly decode: (raw: string, now: number) => Either.Either<S, R>
}

/** A transaction that was sent. */
export interface SentEvent<S> {
  readonly signed: S
  /** When it was sent, ms. */
  readonly seen: number
  /** When it became final, UNIX seconds; undefined while it is pending. */
  readonly at: number | undefined
}

/** Transactions that are retained for look-ups by hash. */
const capacity = 50_000

/** The number of the next transaction of a sender; those that are pending are counted on request. */
export const sequenceOf = (facts: LedgerFacts, address: string, withPending = false): number =>
  ledger(facts, address).filter(({ direction }) => direction === "out").length +
  (withPending
    ? (facts.world?.state.pending(facts.id, address) ?? []).filter(({ from }) => from === address).length
    : 0)

/** What an address can still send of an asset: its balance less what is pending. */
export const available = (facts: LedgerFacts, address: string, contract?: World.Contract): bigint =>
  (facts.world?.state.pending(facts.id, address) ?? [])
    .flatMap(WorldState.movementsOf)
    .filter((moved) => moved.from === address && moved.contract?.address === contract?.address)
    .reduce(
      (left, { amount }) => left - amount,
      contract === undefined ? World.native(facts, address) : World.tokenBalance(facts, contract, address)
    )

/** What the outputs that a transaction spends and makes change for each address, of each asset. */
export const movementsBetween = <Side>(
  spent: ReadonlyArray<Side>,
  made: ReadonlyArray<Side>,
  amounts: (side: Side) => ReadonlyArray<WorldState.WorldMovement & { readonly to: string }>
): ReadonlyArray<WorldState.WorldMovement> => {
  const nets = new Map<string, WorldState.WorldMovement & { readonly to: string }>()
  for (const [sides, sign] of [[spent, -1n] as const, [made, 1n] as const])
    for (const part of sides.flatMap(amounts)) {
      const key = `${part.to} ${part.contract?.address}`
      nets.set(key, { ...part, amount: (nets.get(key)?.amount ?? 0n) + sign * part.amount })
    }
  return [...nets.values()].flatMap(({ to, ...net }) =>
    net.amount === 0n ? [] : [net.amount < 0n ? { ...net, from: to, amount: -net.amount } : { ...net, to }]
  )
}

/** The only place where a transaction enters a simulated network. */
export const entries = <S extends SignedEvent, R>(facts: LedgerFacts, { check, nextBlock, refusal }: Rules<S, R>) => {
  const sent = BoundedMap.make<string, Omit<SentEvent<S>, "at">>({ capacity })

  const problemOf = ({ from = "", id, sequence, validUntil = Number.POSITIVE_INFINITY }: S, now: number) => {
    if (sent.has(id)) return facts.world?.state.finalSince(facts.id, id) === undefined ? "pending" : "known"
    if (validUntil < now) return "expired"
    if (sequence === undefined) return undefined
    const next = sequenceOf(facts, from, true)
    return sequence < next ? "past sequence" : sequence > next ? "future sequence" : undefined
  }

  /** Takes a decoded transaction, which is pending until its block; fails as the node would. */
  const enter = (decoded: S, now: number): Either.Either<S, R> => {
    const problem = problemOf(decoded, now)
    if (problem !== undefined) return Either.left(refusal(problem, decoded))
    return Either.map(check(decoded, now), (signed) => {
      // The times of a world are even seconds.
      const due = 2 * Math.ceil(nextBlock(now) / 2000)
      sent.set(signed.id, { signed, seen: now })
      facts.world?.state.wait(facts.id, { ...signed, seen: Math.floor(now / 1000), due })
      return signed
    })
  }

  return {
    enter,
    find: (id: string): SentEvent<S> | undefined => {
      const found = sent.get(id)
      return found && { ...found, at: facts.world?.state.finalSince(facts.id, id) }
    }
  }
}

/** The same for raw transactions. */
export const submissions = <S extends SignedEvent, R>(facts: LedgerFacts, codec: Codec<S, R>) => {
  const { enter, find } = entries(facts, codec)
  return {
    find,
    submit: (raw: string, now: number): Either.Either<S, R> =>
      Either.flatMap(codec.decode(raw, now), (decoded) => enter(decoded, now))
  }
}
