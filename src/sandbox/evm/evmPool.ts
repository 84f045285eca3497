import * as Either from "effect/Either"
import type { Hex } from "viem"
import { ledger } from "../world/ledger.ts"
import * as World from "../world/World.ts"
import { type Refusal, refused } from "../world/wire.ts"
import * as EvmChain from "./EvmChain.ts"
import type { ContractFacts } from "./EvmContracts.ts"
import { isMined, type SentTransaction } from "./EvmSent.ts"
import * as EvmTransaction from "./EvmTransaction.ts"

interface Sender {
  /** The nonce of the first transaction that is not of the past. */
  base: number
  readonly sent: Map<number, SentTransaction>
}

/** Transactions that are retained. */
const capacity = 10_000

/** The increase of the price that a replacement needs, percent. */
const bump = 110n

/**
 * The transactions sent to one simulated chain. Each is mined in the block after it; its nonce is used and it has a
 * receipt, but it moves nothing: the holdings of addresses stay constant for every route.
 */
export const pool = (facts: ContractFacts) => {
  // No BoundedMap: it moves what is read to the end, and these are in the order in which they were sent.
  const byHash = new Map<string, SentTransaction>()
  const senders = new Map<string, Sender>()
  let sequence = 0
  let arrivals = 0

  /** The number of earlier transactions of an address comes from its history. */
  const senderOf = (address: string): Sender =>
    senders.get(address) ?? { base: ledger(facts, address).length, sent: new Map() }

  const nonce = (address: string, now: number, pending: boolean): number => {
    const { base, sent } = senderOf(address)
    let next = base
    for (let own = sent.get(next); own !== undefined && (pending || isMined(own, now)); own = sent.get(next)) next++
    return next
  }

  const put = (transaction: SentTransaction) => {
    const { from } = transaction.call
    const sender = senderOf(from)
    byHash.set(transaction.hash, transaction)
    senders.set(from, sender)
    sender.sent.set(transaction.nonce, transaction)
  }

  const forget = ({ call, hash, nonce }: SentTransaction) => {
    const sender = senderOf(call.from)
    byHash.delete(hash)
    sender.sent.delete(nonce)
    sender.base = Math.max(sender.base, nonce + 1)
  }

  /** Gives a block to those that waited for this transaction alone. */
  const settle = (address: string, now: number) => {
    const { base, sent } = senderOf(address)
    let block = EvmChain.newest(now) + 1n
    for (let next = base, own = sent.get(next); own !== undefined; own = sent.get(++next)) {
      if (own.block === undefined && own.maxFee < EvmChain.baseFee(facts, block)) return
      if (own.block === undefined) put({ ...own, block, sequence: ++sequence })
      else if (own.block > block) block = own.block
    }
  }

  const fault = (signed: EvmTransaction.Signed, now: number): Refusal | undefined => {
    const wrong = EvmTransaction.fault(facts, signed)
    if (wrong !== undefined) return wrong
    if (byHash.has(signed.hash)) return refused(-32000, "already known")
    const { from } = signed.call
    const next = nonce(from, now, false)
    if (signed.nonce < next) return refused(-32000, `nonce too low: next nonce ${next}, tx nonce ${signed.nonce}`)
    return unaffordable(facts, signed) ?? underpriced(signed, senderOf(from).sent.get(signed.nonce))
  }

  const send = (signed: EvmTransaction.Signed, now: number): Either.Either<Hex, Refusal> => {
    const wrong = fault(signed, now)
    if (wrong !== undefined) return Either.left(wrong)
    const replaced = senderOf(signed.call.from).sent.get(signed.nonce)
    if (replaced !== undefined) byHash.delete(replaced.hash)
    put({ ...signed, block: undefined, sequence: 0, arrival: ++arrivals })
    settle(signed.call.from, now)
    const [oldest] = byHash.values()
    if (byHash.size > capacity && oldest !== undefined) forget(oldest)
    return Either.right(signed.hash)
  }

  return {
    facts,
    nonce,
    send,
    inBlock: (wanted: bigint) =>
      [...byHash.values()].filter(({ block }) => block === wanted).sort((a, b) => a.sequence - b.sequence),
    find: (hash: unknown): SentTransaction | undefined => byHash.get(String(hash).toLowerCase()),
    /** The blocks with transactions. */
    blocks: () => new Set([...byHash.values()].flatMap(({ block }) => (block === undefined ? [] : [block]))),
    arrivals: () => arrivals,
    /** The hashes of what was sent after so many others, in that order. */
    hashesAfter: (count: number) => [...byHash.values()].flatMap(({ arrival, hash }) => (arrival > count ? [hash] : []))
  }
}

export type Pool = ReturnType<typeof pool>

const unaffordable = (facts: ContractFacts, { call, gas, maxFee, value }: EvmTransaction.Signed) => {
  const [balance, cost] = [World.native(facts, call.from), gas * maxFee + value]
  return balance < cost
    ? refused(
        -32000,
        `insufficient funds for gas * price + value: balance ${balance}, tx cost ${cost}, overshot ${cost - balance}`
      )
    : undefined
}

/** The price of a transaction that would replace one with its nonce. */
const underpriced = ({ maxFee, maxTip }: EvmTransaction.Signed, waiting: SentTransaction | undefined) =>
  waiting !== undefined && (maxFee * 100n < waiting.maxFee * bump || maxTip * 100n < waiting.maxTip * bump)
    ? refused(-32000, "replacement transaction underpriced")
    : undefined
