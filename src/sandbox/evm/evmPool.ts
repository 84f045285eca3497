import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Hex } from "viem"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import * as Submit from "../world/Submit.ts"
import * as World from "../world/World.ts"
import { type Refusal, refused } from "../world/wire.ts"
import * as EvmChain from "./EvmChain.ts"
import * as EvmContracts from "./EvmContracts.ts"
import * as EvmTransaction from "./EvmTransaction.ts"

/** A transaction that was sent. */
export interface PoolTransaction extends EvmTransaction.Signed {
  /** Its place among all that blocks took. */
  readonly order: number
  readonly gasUsed: bigint
  /** What each unit of gas costs. */
  readonly price: bigint
  readonly failed: boolean
  /** The tokens that it moves. */
  readonly moved: ReturnType<typeof EvmContracts.transferred>
}

/** Transactions that are retained. */
const capacity = 10_000

/** The increase of the price that a replacement needs, percent. */
const bump = 110n

const idOf = (hash: string) => hash.slice(2)

/**
 * The transactions sent to one simulated chain: in the order of their nonces, each is in the block after it, or waits for
 * one that is missing or for a lower price of gas.
 */
export const pool = (facts: EvmContracts.ContractFacts) => {
  const byHash = BoundedMap.make<string, PoolTransaction>({ capacity })
  const bySlot = BoundedMap.make<string, Hex>({ capacity })
  const state = facts.world?.state
  let order = 0

  /** The block that takes it, or took it; undefined while it waits for its turn. */
  const blockOf = (hash: string): bigint | undefined => {
    const at = state?.finalSince(facts.id, idOf(hash)) ?? state?.pendingOf(facts.id, idOf(hash))?.due
    return at === undefined ? undefined : EvmChain.blockAt(at)
  }

  const waitingAt = ({ call, nonce }: EvmTransaction.Signed) => {
    const hash = bySlot.get(`${call.from} ${nonce}`)
    return hash === undefined ? undefined : byHash.get(hash)
  }

  /** Puts a transaction into the next block, or into that of the one that it replaces; false where it pays too little. */
  const place = (signed: EvmTransaction.Signed, now: number, replaced?: string): boolean => {
    const block = EvmChain.newest(now) + 1n
    if (signed.maxFee < EvmChain.baseFee(facts, block)) return false
    const effect = effectOf(facts, signed, block)
    byHash.set(signed.hash, { ...signed, ...effect, order: ++order })
    const event = eventOf({ ...signed, ...effect }, now, block)
    if (replaced === undefined) state?.wait(facts.id, event)
    else state?.replace(facts.id, idOf(replaced), event)
    return true
  }

  /** Puts those into the next block that waited for this transaction alone. */
  const placeAll = (address: string, now: number) => {
    for (;;) {
      const hash = bySlot.get(`${address} ${Submit.sequenceOf(facts, address, true)}`)
      const next = hash === undefined ? undefined : byHash.get(hash)
      if (next === undefined || blockOf(next.hash) !== undefined || !place(next, now)) return
    }
  }

  const problemOf = (signed: EvmTransaction.Signed): Refusal | undefined => {
    const wrong = EvmTransaction.fault(facts, signed)
    if (wrong !== undefined) return wrong
    if (byHash.has(signed.hash)) return refused(-32000, "already known")
    const next = Submit.sequenceOf(facts, signed.call.from)
    if (signed.nonce < next) return refused(-32000, `nonce too low: next nonce ${next}, tx nonce ${signed.nonce}`)
    const waiting = waitingAt(signed)
    return unaffordable(facts, signed, waiting !== undefined) ?? underpriced(signed, waiting)
  }

  return {
    nonce: (address: string, withPending: boolean) => Submit.sequenceOf(facts, address, withPending),
    blockOf,
    send: (raw: unknown, now: number): Effect.Effect<Hex, Refusal> =>
      Effect.flatMap(EvmTransaction.signed(raw), (signed) => {
        const problem = problemOf(signed)
        if (problem !== undefined) return Effect.fail(problem)
        const replaced = waitingAt(signed)?.hash
        const isPlaced = replaced !== undefined && blockOf(replaced) !== undefined && place(signed, now, replaced)
        if (replaced !== undefined) byHash.delete(replaced)
        const waiting = { order: 0, gasUsed: 0n, price: signed.maxFee, failed: false, moved: undefined }
        if (!isPlaced) byHash.set(signed.hash, { ...signed, ...waiting })
        bySlot.set(`${signed.call.from} ${signed.nonce}`, signed.hash)
        placeAll(signed.call.from, now)
        return Effect.succeed(signed.hash)
      }),
    find: (hash: string): PoolTransaction | undefined => byHash.get(hash),
    inBlock: (block: bigint): ReadonlyArray<PoolTransaction> =>
      byHash
        .entries()
        .flatMap(([hash, transaction]) => (blockOf(hash) === block ? [transaction] : []))
        .toSorted((a, b) => a.order - b.order)
  }
}

export type Pool = ReturnType<typeof pool>

type EffectOf = Pick<PoolTransaction, "gasUsed" | "price" | "failed" | "moved">

const effectOf = (facts: EvmContracts.ContractFacts, signed: EvmTransaction.Signed, block: bigint): EffectOf => {
  const { call, gas, maxFee, maxTip, value } = signed
  const [needed, moved] = [EvmTransaction.gasUsed(facts, call), EvmContracts.transferred(facts, call)]
  const isDone =
    gas >= needed &&
    Either.isRight(EvmContracts.call(facts, call, block)) &&
    (moved === undefined || (value === 0n && moved.amount <= Submit.available(facts, call.from, moved.contract)))
  const offered = EvmChain.baseFee(facts, block) + maxTip
  return {
    moved,
    failed: !isDone,
    gasUsed: needed < gas ? needed : gas,
    price: offered < maxFee ? offered : maxFee
  }
}

const eventOf = (signed: EvmTransaction.Signed & EffectOf, now: number, block: bigint) => {
  const { call, failed, gasUsed, hash, moved, price, value } = signed
  const to = moved?.recipient ?? call.to
  return {
    id: idOf(hash),
    from: call.from,
    ...(to === undefined ? {} : { to }),
    amount: moved?.amount ?? value,
    ...(moved === undefined ? {} : { contract: moved.contract }),
    fee: gasUsed * price,
    failed,
    seen: Math.floor(now / 1000),
    due: Number(EvmChain.timeOf(block))
  }
}

/** What is pending counts, unless the transaction replaces a part of it. */
const unaffordable = (
  facts: EvmContracts.ContractFacts,
  { call, gas, maxFee, value }: EvmTransaction.Signed,
  isReplacement: boolean
) => {
  const balance = isReplacement ? World.native(facts, call.from) : Submit.available(facts, call.from)
  const cost = gas * maxFee + value
  return balance < cost
    ? refused(
        -32000,
        `insufficient funds for gas * price + value: balance ${balance}, tx cost ${cost}, overshot ${cost - balance}`
      )
    : undefined
}

/** The price of a transaction that would replace one with its nonce. */
const underpriced = ({ maxFee, maxTip }: EvmTransaction.Signed, waiting: PoolTransaction | undefined) =>
  waiting !== undefined && (maxFee * 100n < waiting.maxFee * bump || maxTip * 100n < waiting.maxTip * bump)
    ? refused(-32000, "replacement transaction underpriced")
    : undefined
