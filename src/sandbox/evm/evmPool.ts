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

/** UNIX seconds: the time of what no block takes, as nobody holds anything outside of a world. */
const never = 1e12

const idOf = (hash: string) => hash.slice(2)

/** The transactions sent to one simulated chain, each in the block after it or in that of the one that it replaces. */
export const pool = (facts: EvmContracts.ContractFacts) => {
  const byHash = BoundedMap.make<string, PoolTransaction>({ capacity })
  const bySlot = BoundedMap.make<string, Hex>({ capacity })
  const state = facts.world?.state

  /** The block that takes it, or took it. */
  const blockOf = (hash: string): bigint =>
    EvmChain.blockAt(state?.finalSince(facts.id, idOf(hash)) ?? state?.pendingOf(facts.id, idOf(hash))?.due ?? never)

  const problemOf = (signed: EvmTransaction.Signed, waiting: PoolTransaction | undefined, block: bigint) => {
    const wrong = EvmTransaction.fault(facts, signed)
    if (wrong !== undefined) return wrong
    if (byHash.has(signed.hash)) return refused(-32000, "already known")
    const { call, maxFee, nonce } = signed
    const [next, pending] = [Submit.sequenceOf(facts, call.from), Submit.sequenceOf(facts, call.from, true)]
    if (nonce < next) return refused(-32000, `nonce too low: next nonce ${next}, tx nonce ${nonce}`)
    if (nonce > pending) return refused(-32000, `nonce too high: address ${call.from}, tx: ${nonce} state: ${pending}`)
    const fee = EvmChain.baseFee(facts, block)
    if (maxFee < fee)
      return refused(
        -32000,
        `max fee per gas less than block base fee: address ${call.from}, maxFeePerGas: ${maxFee}, baseFee: ${fee}`
      )
    return unaffordable(facts, signed, waiting !== undefined) ?? underpriced(signed, waiting)
  }

  return {
    nonce: (address: string, withPending: boolean) => Submit.sequenceOf(facts, address, withPending),
    blockOf,
    send: (raw: unknown, now: number): Effect.Effect<Hex, Refusal> =>
      Effect.flatMap(EvmTransaction.signed(raw), (signed) => {
        const [slot, block] = [`${signed.call.from} ${signed.nonce}`, EvmChain.newest(now) + 1n]
        const waiting = byHash.get(bySlot.get(slot) ?? "")
        const problem = problemOf(signed, waiting, block)
        if (problem !== undefined) return Effect.fail(problem)
        const transaction = { ...signed, ...effectOf(facts, signed, block) }
        const event = eventOf(transaction, now, block)
        if (waiting === undefined) state?.wait(facts.id, event)
        else {
          state?.replace(facts.id, idOf(waiting.hash), event)
          byHash.delete(waiting.hash)
        }
        byHash.set(signed.hash, transaction)
        bySlot.set(slot, signed.hash)
        return Effect.succeed(signed.hash)
      }),
    find: (hash: string): PoolTransaction | undefined => byHash.get(hash),
    inBlock: (block: bigint): ReadonlyArray<PoolTransaction> =>
      byHash
        .entries()
        .flatMap(([hash, transaction]) => (blockOf(hash) === block ? [transaction] : []))
        .toSorted((a, b) => a.nonce - b.nonce)
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
