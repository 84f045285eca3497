import * as Either from "effect/Either"
import { type LedgerFacts, ledger } from "./ledger.ts"
import { remembered } from "./memoized.ts"
import * as World from "./World.ts"
import * as WorldState from "./WorldState.ts"

/** A decoded transaction whose signature is valid. */
export interface SignedEvent extends WorldState.WorldEvent {
  /** Sequence number (nonce) of the sender; absent on networks without sequence numbers. */
  readonly sequence?: number
  /** Expiry time, ms: the last time at which the transaction is valid. */
  readonly validUntil?: number
}

/** Reasons common to all networks. A resent transaction is `pending`, or `known` if it is already in a block. */
export type Problem = "pending" | "known" | "past sequence" | "future sequence" | "expired"

/** How nodes of a family accept and reject transactions. */
export interface Rules<S extends SignedEvent, R> {
  /** Error in the format of the family's nodes. */
  readonly refusal: (problem: Problem, signed: S) => R
  /** Applies the family's rules (mainly balances, fees) after the common ones. May mark the transaction as failed. */
  readonly check: (signed: S, now: number) => Either.Either<S, R>
  /** Time of the block that includes a transaction sent now, ms. */
  readonly nextBlock: (now: number) => number
}

/** Rules with the family's decoder of raw transactions. */
export interface Codec<S extends SignedEvent, R> extends Rules<S, R> {
  /** Decodes a raw transaction; checks its format and signatures. */
  readonly decode: (raw: string, now: number) => Either.Either<S, R>
}

/** A sent transaction. */
export interface SentEvent<S> {
  readonly signed: S
  /** Time of sending, ms. */
  readonly seen: number
  /** Time at which it became final, UNIX seconds; undefined while it is pending. */
  readonly at: number | undefined
}

/** Returns the next sequence number of a sender. Counts pending transactions only with `withPending`. */
export const sequenceOf = (facts: LedgerFacts, address: string, withPending = false): number =>
  ledger(facts, address).filter(({ direction }) => direction === "out").length +
  (withPending
    ? (facts.world?.state.pending(facts.id, address) ?? []).filter(({ from }) => from === address).length
    : 0)

/** Amount of an asset that an address can still send: its balance minus its pending sends. */
export const available = (facts: LedgerFacts, address: string, contract?: World.Contract): bigint =>
  (facts.world?.state.pending(facts.id, address) ?? [])
    .flatMap(WorldState.movementsOf)
    .filter((moved) => moved.from === address && moved.contract?.address === contract?.address)
    .reduce(
      (left, { amount }) => left - amount,
      contract === undefined ? World.native(facts, address) : World.tokenBalance(facts, contract, address)
    )

/** Net change per address and asset: created outputs minus spent outputs. */
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

/** Accepts sent transactions into a simulated network; the only place that does so. */
export const mempool = <S extends SignedEvent, R>(facts: LedgerFacts, { check, nextBlock, refusal }: Rules<S, R>) => {
  const sent = remembered<Omit<SentEvent<S>, "at">>()

  const problemOf = ({ from = "", id, sequence, validUntil = Number.POSITIVE_INFINITY }: S, now: number) => {
    if (sent.has(id)) return facts.world?.state.finalSince(facts.id, id) === undefined ? "pending" : "known"
    if (validUntil < now) return "expired"
    if (sequence === undefined) return undefined
    const next = sequenceOf(facts, from, true)
    return sequence < next ? "past sequence" : sequence > next ? "future sequence" : undefined
  }

  /** Accepts a decoded transaction, which is pending until its block. Fails with the node's error. */
  const enter = (decoded: S, now: number): Either.Either<S, R> => {
    const problem = problemOf(decoded, now)
    if (problem !== undefined) return Either.left(refusal(problem, decoded))
    return Either.map(check(decoded, now), (signed) => {
      // Worlds use even seconds only.
      const due = 2 * Math.ceil(nextBlock(now) / 2000)
      sent.set(signed.id, { signed, seen: now })
      facts.world?.state.wait(facts.id, { ...signed, seen: Math.floor(now / 1000), due })
      return signed
    })
  }

  return {
    enter,
    /** Removes a pending transaction. */
    drop: (id: string): void => {
      sent.delete(id)
      facts.world?.state.drop(facts.id, id)
    },
    find: (id: string): SentEvent<S> | undefined => {
      const found = sent.get(id)
      return found && { ...found, at: facts.world?.state.finalSince(facts.id, id) }
    }
  }
}

/** The pool of a simulated network that accepts raw transactions. */
export type Submissions<S extends SignedEvent, R> = ReturnType<typeof submissions<S, R>>

/** Accepts raw transactions into a simulated network. */
export const submissions = <S extends SignedEvent, R>(facts: LedgerFacts, codec: Codec<S, R>) => {
  const { drop, enter, find } = mempool(facts, codec)
  return {
    drop,
    find,
    submit: (raw: string, now: number): Either.Either<S, R> =>
      Either.flatMap(codec.decode(raw, now), (decoded) => enter(decoded, now))
  }
}
