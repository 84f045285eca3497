import * as Either from "effect/Either"
import type { Hex } from "viem"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import * as Submit from "../world/Submit.ts"
import * as World from "../world/World.ts"
import { type Refusal, refused } from "../world/wire.ts"
import * as EvmChain from "./EvmChain.ts"
import * as EvmContracts from "./EvmContracts.ts"
import * as EvmTransaction from "./EvmTransaction.ts"

/** A transaction of the chain, of the past or sent; addresses in lower case. */
export interface LedgerTransaction {
  readonly hash: Hex
  readonly block: bigint
  readonly nonce: number
  readonly from: string
  readonly to: string | undefined
  readonly value: bigint
  readonly input: Hex
  readonly failed: boolean
  /** The gas that it uses, and what each unit costs. */
  readonly gas: bigint
  readonly price: bigint
  readonly moved?: EvmContracts.Moved
  /** Of one that was sent. */
  readonly signed?: EvmTransaction.Signed
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
  const byHash = BoundedMap.make<string, LedgerTransaction & { readonly signed: EvmTransaction.Signed }>({ capacity })
  const bySlot = BoundedMap.make<string, Hex>({ capacity })
  const state = facts.world?.state

  /** With the block that takes it, or took it. */
  const placed = (transaction: LedgerTransaction): LedgerTransaction => {
    const id = idOf(transaction.hash)
    const at = state?.finalSince(facts.id, id) ?? state?.pendingOf(facts.id, id)?.due ?? never
    return { ...transaction, block: EvmChain.blockAt(at) }
  }

  const problemOf = (signed: EvmTransaction.Signed, waiting: EvmTransaction.Signed | undefined, block: bigint) => {
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
    send: (raw: unknown, now: number): Either.Either<Hex, Refusal> =>
      Either.flatMap(EvmTransaction.signed(raw), (signed) => {
        const [slot, block] = [`${signed.call.from} ${signed.nonce}`, EvmChain.newest(now) + 1n]
        const waiting = byHash.get(bySlot.get(slot) ?? "")
        const problem = problemOf(signed, waiting?.signed, block)
        if (problem !== undefined) return Either.left(problem)
        const transaction = transactionOf(facts, signed, block)
        const event = eventOf(transaction, now)
        if (waiting === undefined) state?.wait(facts.id, event)
        else {
          state?.replace(facts.id, idOf(waiting.hash), event)
          byHash.delete(waiting.hash)
        }
        byHash.set(signed.hash, transaction)
        bySlot.set(slot, signed.hash)
        return Either.right(signed.hash)
      }),
    find: (hash: string): LedgerTransaction | undefined => {
      const found = byHash.get(hash)
      return found && placed(found)
    },
    inBlock: (block: bigint): ReadonlyArray<LedgerTransaction> =>
      byHash
        .entries()
        .map(([, transaction]) => placed(transaction))
        .filter((transaction) => transaction.block === block)
        .toSorted((a, b) => a.nonce - b.nonce)
  }
}

const transactionOf = (facts: EvmContracts.ContractFacts, signed: EvmTransaction.Signed, block: bigint) => {
  const { call, gas, hash, maxFee, maxTip, nonce, value } = signed
  const [needed, moved] = [EvmTransaction.gasUsed(facts, call), EvmContracts.transferred(facts, call)]
  const isDone =
    gas >= needed &&
    Either.isRight(EvmContracts.call(facts, call, block)) &&
    (moved === undefined || (value === 0n && moved.amount <= Submit.available(facts, call.from, moved.contract)))
  const offered = EvmChain.baseFee(facts, block) + maxTip
  return {
    hash,
    block,
    nonce,
    from: call.from,
    to: call.to,
    value,
    input: call.data,
    failed: !isDone,
    gas: needed < gas ? needed : gas,
    price: offered < maxFee ? offered : maxFee,
    signed,
    ...(moved === undefined ? {} : { moved })
  }
}

const eventOf = ({ block, failed, from, gas, hash, moved, price, to, value }: LedgerTransaction, now: number) => ({
  id: idOf(hash),
  from,
  ...(to === undefined ? {} : { to }),
  amount: value,
  ...moved,
  fee: gas * price,
  failed,
  seen: Math.floor(now / 1000),
  due: Number(EvmChain.timeOf(block))
})

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
const underpriced = ({ maxFee, maxTip }: EvmTransaction.Signed, waiting: EvmTransaction.Signed | undefined) =>
  waiting !== undefined && (maxFee * 100n < waiting.maxFee * bump || maxTip * 100n < waiting.maxTip * bump)
    ? refused(-32000, "replacement transaction underpriced")
    : undefined
