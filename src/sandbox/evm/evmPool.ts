import * as Either from "effect/Either"
import type { Hex } from "viem"
import { encodeEventTopics, getContractAddress, numberToHex, parseAbi } from "viem/utils"
import { ledger } from "../world/ledger.ts"
import * as World from "../world/World.ts"
import { type Refusal, refused } from "../world/wire.ts"
import * as EvmChain from "./EvmChain.ts"
import * as EvmContracts from "./EvmContracts.ts"
import * as EvmTransaction from "./EvmTransaction.ts"

type PoolFacts = EvmContracts.ContractFacts

/** A transaction that was sent. */
interface SentTransaction extends EvmTransaction.Signed {
  /** The block that takes it; undefined while an earlier one of its sender is missing or it pays too little. */
  readonly block: bigint | undefined
  /** Its place among all that blocks took. */
  readonly sequence: number
}

interface Sender {
  /** The nonce of the first transaction that is not of the past. */
  base: number
  readonly sent: Map<number, SentTransaction>
}

/** Transactions that are retained. */
const capacity = 10_000

/** The increase of the price that a replacement needs, percent. */
const bump = 110n

const event = parseAbi(["event Transfer(address indexed from, address indexed to, uint256 value)"])

/**
 * The transactions sent to one simulated chain. Each is mined in the block after it; its nonce is used and it has a
 * receipt, but it moves nothing: the holdings of addresses stay constant for every route.
 */
export const pool = (facts: PoolFacts) => {
  const byHash = new Map<string, SentTransaction>()
  const senders = new Map<string, Sender>()
  let sequence = 0

  /** The number of earlier transactions of an address comes from its history. */
  const senderOf = (address: string): Sender => {
    const known = senders.get(address)
    if (known !== undefined) return known
    const sender = { base: ledger(facts, address).length, sent: new Map() }
    senders.set(address, sender)
    return sender
  }

  const isMined = ({ block }: SentTransaction, now: number) => block !== undefined && block <= EvmChain.newest(now)

  const nonce = (address: string, now: number, pending: boolean): number => {
    const { base, sent } = senders.get(address) ?? { base: ledger(facts, address).length, sent: undefined }
    let next = base
    for (let item = sent?.get(next); item !== undefined && (pending || isMined(item, now)); item = sent?.get(next))
      next++
    return next
  }

  const put = (sentTransaction: SentTransaction) => {
    byHash.set(sentTransaction.hash, sentTransaction)
    senderOf(sentTransaction.call.from).sent.set(sentTransaction.nonce, sentTransaction)
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
    for (let next = base, element = sent.get(next); element !== undefined; element = sent.get(++next)) {
      if (element.block === undefined && element.maxFee < EvmChain.baseFee(facts, block)) return
      if (element.block === undefined) put({ ...element, block, sequence: ++sequence })
      else if (element.block > block) block = element.block
    }
  }

  const fault = (signed: EvmTransaction.Signed, now: number): Refusal | undefined => {
    const wrong = EvmTransaction.fault(facts, signed)
    if (wrong !== undefined) return wrong
    if (byHash.has(signed.hash)) return refused(-32000, "already known")
    const { from } = signed.call
    const next = nonce(from, now, false)
    if (signed.nonce < next) return refused(-32000, `nonce too low: next nonce ${next}, tx nonce ${signed.nonce}`)
    const [balance, cost] = [World.native(facts, from), signed.gas * signed.maxFee + signed.value]
    if (balance < cost) {
      const short = `balance ${balance}, tx cost ${cost}, overshot ${cost - balance}`
      return refused(-32000, `insufficient funds for gas * price + value: ${short}`)
    }
    const waiting = senders.get(from)?.sent.get(signed.nonce)
    return waiting !== undefined &&
      (signed.maxFee * 100n < waiting.maxFee * bump || signed.maxTip * 100n < waiting.maxTip * bump)
      ? refused(-32000, "replacement transaction underpriced")
      : undefined
  }

  const send = (current: EvmTransaction.Signed, now: number): Either.Either<Hex, Refusal> => {
    const wrong = fault(current, now)
    if (wrong !== undefined) return Either.left(wrong)
    const replaced = senderOf(current.call.from).sent.get(current.nonce)
    if (replaced !== undefined) byHash.delete(replaced.hash)
    put({ ...current, block: undefined, sequence: 0 })
    settle(current.call.from, now)
    const [oldest] = byHash.values()
    if (byHash.size > capacity && oldest !== undefined) forget(oldest)
    return Either.right(current.hash)
  }

  const inBlock = (block: bigint) =>
    [...byHash.values()].filter((submitted) => submitted.block === block).sort((a, b) => a.sequence - b.sequence)

  const price = ({ block, maxFee, maxTip }: SentTransaction): bigint => {
    const offered = block === undefined ? maxFee : EvmChain.baseFee(facts, block) + maxTip
    return offered < maxFee ? offered : maxFee
  }

  /** The position of a transaction; nulls while it is pending. */
  const place = (submitted: SentTransaction, now: number) =>
    submitted.block === undefined || !isMined(submitted, now)
      ? { blockHash: null, blockNumber: null, transactionIndex: null }
      : {
          blockHash: EvmChain.hashOf(facts, submitted.block),
          blockNumber: numberToHex(submitted.block),
          transactionIndex: numberToHex(inBlock(submitted.block).findIndex(({ hash }) => hash === submitted.hash))
        }

  const transaction = (submitted: SentTransaction, now: number) => ({
    ...place(submitted, now),
    hash: submitted.hash,
    type: EvmTransaction.typeNumbers[submitted.type],
    chainId: numberToHex(submitted.chainId),
    from: submitted.call.from,
    to: submitted.call.to ?? null,
    input: submitted.call.data,
    nonce: numberToHex(submitted.nonce),
    gas: numberToHex(submitted.gas),
    value: numberToHex(submitted.value),
    gasPrice: numberToHex(price(submitted)),
    ...(submitted.type === "eip1559" || submitted.type === "eip7702"
      ? { maxFeePerGas: numberToHex(submitted.maxFee), maxPriorityFeePerGas: numberToHex(submitted.maxTip) }
      : {}),
    ...(submitted.type === "legacy"
      ? {}
      : { accessList: submitted.accessList, yParity: numberToHex(submitted.signature.yParity) }),
    r: submitted.signature.r,
    s: submitted.signature.s,
    v: numberToHex(submitted.type === "legacy" ? submitted.signature.v : submitted.signature.yParity)
  })

  const used = ({ call, gas }: SentTransaction): bigint => {
    const needed = EvmTransaction.gasUsed(facts, call)
    return needed < gas ? needed : gas
  }

  const succeeds = ({ call, gas }: SentTransaction, block: bigint) =>
    gas >= EvmTransaction.gasUsed(facts, call) && Either.isRight(EvmContracts.call(facts, call, block))

  /** The logs of a block's transactions. */
  const logsOf = (block: bigint, now: number) =>
    inBlock(block)
      .flatMap((submitted) => {
        const moved = EvmContracts.transferred(facts, submitted.call)
        return moved === undefined || !succeeds(submitted, block) ? [] : [{ submitted, ...moved }]
      })
      .map(({ amount, submitted, recipient, token }, index) => ({
        ...place(submitted, now),
        transactionHash: submitted.hash,
        address: token,
        topics: encodeEventTopics({ abi: event, args: { from: submitted.call.from as Hex, to: recipient as Hex } }),
        data: numberToHex(amount, { size: 32 }),
        logIndex: numberToHex(index),
        removed: false
      }))

  const receipt = (submitted: SentTransaction, now: number) => {
    const { block, call, hash, nonce } = submitted
    if (block === undefined || !isMined(submitted, now)) return null
    const all = inBlock(block)
    const until = all.slice(0, all.findIndex((other) => other.hash === hash) + 1)
    return {
      ...place(submitted, now),
      transactionHash: hash,
      type: EvmTransaction.typeNumbers[submitted.type],
      from: call.from,
      to: call.to ?? null,
      contractAddress:
        call.to === undefined
          ? getContractAddress({ from: call.from as Hex, nonce: BigInt(nonce) }).toLowerCase()
          : null,
      status: succeeds(submitted, block) ? "0x1" : "0x0",
      gasUsed: numberToHex(used(submitted)),
      cumulativeGasUsed: numberToHex(until.reduce((sum, other) => sum + used(other), 0n)),
      effectiveGasPrice: numberToHex(price(submitted)),
      logs: logsOf(block, now).filter((log) => log.transactionHash === hash),
      logsBloom: `0x${"00".repeat(256)}`
    }
  }

  return {
    nonce,
    send,
    used,
    inBlock,
    transaction,
    receipt,
    logsOf,
    find: (hash: unknown): SentTransaction | undefined => byHash.get(String(hash).toLowerCase()),
    /** The blocks with transactions, and the hashes in the order in which they were sent. */
    blocks: () => new Set([...byHash.values()].flatMap(({ block }) => (block === undefined ? [] : [block]))),
    hashes: () => [...byHash.keys()]
  }
}

export type Pool = ReturnType<typeof pool>
