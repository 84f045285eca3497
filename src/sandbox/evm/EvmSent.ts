import * as Either from "effect/Either"
import type { Hex } from "viem"
import { encodeEventTopics, getContractAddress, numberToHex, parseAbi } from "viem/utils"
import * as EvmChain from "./EvmChain.ts"
import * as EvmContracts from "./EvmContracts.ts"
import * as EvmTransaction from "./EvmTransaction.ts"

/** A transaction that was sent. */
export interface SentTransaction extends EvmTransaction.Signed {
  /** The block that takes it; undefined while an earlier one of its sender is missing or it pays too little. */
  readonly block: bigint | undefined
  /** Its place among all that blocks took. */
  readonly sequence: number
  /** Its place among all that were sent, from 1. */
  readonly arrival: number
}

/** A chain with transactions that were sent. */
interface SentChain {
  readonly facts: EvmContracts.ContractFacts
  /** In their order. */
  readonly inBlock: (block: bigint) => ReadonlyArray<SentTransaction>
}

const event = parseAbi(["event Transfer(address indexed from, address indexed to, uint256 value)"])

export const isMined = ({ block }: SentTransaction, now: number) => block !== undefined && block <= EvmChain.newest(now)

const price = ({ facts }: SentChain, { block, maxFee, maxTip }: SentTransaction): bigint => {
  const offered = block === undefined ? maxFee : EvmChain.baseFee(facts, block) + maxTip
  return offered < maxFee ? offered : maxFee
}

/** The gas that it uses. */
export const used = ({ facts }: SentChain, { call, gas }: SentTransaction): bigint => {
  const needed = EvmTransaction.gasUsed(facts, call)
  return needed < gas ? needed : gas
}

const succeeds = ({ facts }: SentChain, { call, gas }: SentTransaction, block: bigint) =>
  gas >= EvmTransaction.gasUsed(facts, call) && Either.isRight(EvmContracts.call(facts, call, block))

/** The position of a transaction; nulls while it is pending. */
const place = ({ facts, inBlock }: SentChain, transaction: SentTransaction, now: number) =>
  transaction.block === undefined || !isMined(transaction, now)
    ? { blockHash: null, blockNumber: null, transactionIndex: null }
    : {
        blockHash: EvmChain.hashOf(facts, transaction.block),
        blockNumber: numberToHex(transaction.block),
        transactionIndex: numberToHex(inBlock(transaction.block).findIndex(({ hash }) => hash === transaction.hash))
      }

/** As `eth_getTransactionByHash` returns it. */
export const returnedTransaction = (chain: SentChain, transaction: SentTransaction, now: number) => {
  const { call, signature, type } = transaction
  return {
    ...place(chain, transaction, now),
    hash: transaction.hash,
    type: EvmTransaction.typeNumbers[type],
    chainId: numberToHex(transaction.chainId),
    from: call.from,
    to: call.to ?? null,
    input: call.data,
    nonce: numberToHex(transaction.nonce),
    gas: numberToHex(transaction.gas),
    value: numberToHex(transaction.value),
    gasPrice: numberToHex(price(chain, transaction)),
    ...(type === "eip1559" || type === "eip7702"
      ? { maxFeePerGas: numberToHex(transaction.maxFee), maxPriorityFeePerGas: numberToHex(transaction.maxTip) }
      : {}),
    ...(type === "legacy" ? {} : { accessList: transaction.accessList, yParity: numberToHex(signature.yParity) }),
    r: signature.r,
    s: signature.s,
    v: numberToHex(type === "legacy" ? signature.v : signature.yParity)
  }
}

/** The logs of a block's transactions. */
export const logsOf = (chain: SentChain, block: bigint, now: number) =>
  chain
    .inBlock(block)
    .flatMap((transaction) => {
      const moved = EvmContracts.transferred(chain.facts, transaction.call)
      return moved === undefined || !succeeds(chain, transaction, block) ? [] : [{ transaction, ...moved }]
    })
    .map(({ amount, recipient, token, transaction }, index) => ({
      ...place(chain, transaction, now),
      transactionHash: transaction.hash,
      address: token,
      topics: encodeEventTopics({ abi: event, args: { from: transaction.call.from as Hex, to: recipient as Hex } }),
      data: numberToHex(amount, { size: 32 }),
      logIndex: numberToHex(index),
      removed: false
    }))

/** As `eth_getTransactionReceipt` returns it. */
export const receipt = (chain: SentChain, transaction: SentTransaction, now: number) => {
  const { block, call, hash, nonce } = transaction
  if (block === undefined || !isMined(transaction, now)) return null
  const all = chain.inBlock(block)
  const until = all.slice(0, all.findIndex((other) => other.hash === hash) + 1)
  return {
    ...place(chain, transaction, now),
    transactionHash: hash,
    type: EvmTransaction.typeNumbers[transaction.type],
    from: call.from,
    to: call.to ?? null,
    contractAddress:
      call.to === undefined ? getContractAddress({ from: call.from as Hex, nonce: BigInt(nonce) }).toLowerCase() : null,
    status: succeeds(chain, transaction, block) ? "0x1" : "0x0",
    gasUsed: numberToHex(used(chain, transaction)),
    cumulativeGasUsed: numberToHex(until.reduce((sum, other) => sum + used(chain, other), 0n)),
    effectiveGasPrice: numberToHex(price(chain, transaction)),
    logs: logsOf(chain, block, now).filter((log) => log.transactionHash === hash),
    logsBloom: `0x${"00".repeat(256)}`
  }
}
