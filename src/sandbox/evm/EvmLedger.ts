import { createHash } from "node:crypto"
import type { Hex } from "viem"
import { encodeEventTopics, encodeFunctionData, getContractAddress, numberToHex, parseAbi } from "viem/utils"
import { ledger, type Move } from "../world/ledger.ts"
import { remembered } from "../world/memoized.ts"
import * as EvmChain from "./EvmChain.ts"
import type { ContractFacts } from "./EvmContracts.ts"
import * as EvmTransaction from "./EvmTransaction.ts"
import { type LedgerTransaction, pool } from "./evmPool.ts"

const erc20 = parseAbi([
  "event Transfer(address indexed from, address indexed to, uint256 value)",
  "function approve(address, uint256) returns (bool)",
  "function transfer(address, uint256) returns (bool)"
])

const encode = (functionName: "approve" | "transfer", to: string, amount: bigint) =>
  encodeFunctionData({ abi: erc20, functionName, args: [to as Hex, amount] })

/** Selectors of `withdraw()`, `mint(uint256)`, and of a router's `swapExactTokensForETH`. */
const [withdraw, mint, swap] = ["0x3ccfd60b", "0xa0712d68", "0x18cbafe5"] as const

/** Gas amount that divides the fee, so that the gas price is an integer. */
const gasOf = (fee: bigint) => (fee % 25_000n === 0n ? 25_000n : 1n)

/**
 * Converts a move to a transaction. In the past, every third incoming native transfer is an internal transaction of a
 * contract that a third party called. The sender of an incoming token transfer is the payer; a third party mints.
 */
const ofMove = (holder: string, move: Move, index: number, nonce: number): LedgerTransaction => {
  const { amount, at, contract, direction, failed, fee, id } = move
  const gas = gasOf(fee)
  const other = move.counterparty ?? `0x${move.seed.slice(0, 40)}`
  const [from, to] = direction === "in" ? [other, holder] : [holder, other]
  const common = { hash: `0x${id}` as Hex, block: EvmChain.blockAt(at), nonce, failed, gas, price: fee / gas }
  const caller = `0x${createHash("sha256").update(`calls ${id}`).digest("hex").slice(0, 40)}`
  if (contract !== undefined) {
    const called = { ...common, from, to: contract.address, value: 0n, moved: [{ contract, from, to, amount }] }
    if (move.kind === "mint")
      return {
        ...called,
        from: caller,
        input: mint,
        moved: [{ contract, from: `0x${"0".repeat(40)}`, to: holder, amount }]
      }
    if (move.kind === "approval") return { ...called, input: encode("approve", to, 2n ** 256n - 1n), moved: [] }
    if (move.received === undefined) return { ...called, input: encode("transfer", to, amount) }
    return { ...called, to, input: swap, moved: [...called.moved, { from: to, to: from, amount: move.received }] }
  }
  if (direction === "in" && move.ordinal === undefined && index % 3 === 1)
    return { ...common, from: caller, to: from, value: 0n, input: withdraw, moved: [{ from, to, amount }] }
  return { ...common, from, to, value: amount, input: "0x", moved: [] }
}

/**
 * Adds indexes and nonces to moves. The past comes first regardless of its times, so later events do not change its
 * indexes and nonces.
 */
const indexed = (moves: ReadonlyArray<Move>) => {
  const isPast = ({ ordinal }: Move) => ordinal === undefined
  let nonce = 0
  return [...moves.filter(isPast), ...moves.filter((move) => !isPast(move))].map((move, index) => ({
    move,
    index,
    nonce: move.direction === "out" ? nonce++ : index
  }))
}

/** Transactions of a simulated chain. Past transactions can be looked up by hash after a list has returned them. */
export const make = (facts: ContractFacts) => {
  const past = remembered<LedgerTransaction>()
  const sent = pool(facts)
  const blocks = remembered<ReadonlyArray<Hex>, bigint>()

  const find = (hash: unknown): LedgerTransaction | undefined => {
    const key = String(hash).toLowerCase()
    return sent.find(key) ?? past.get(key)
  }

  return {
    facts,
    nonce: sent.nonce,
    send: sent.send,
    find,
    inBlock: (block: bigint): ReadonlyArray<LedgerTransaction> => [
      ...(blocks.get(block) ?? []).flatMap((hash) => past.get(hash) ?? []),
      ...sent.inBlock(block)
    ],
    /** Transactions of a holder, oldest first. */
    of: (holder: string): ReadonlyArray<LedgerTransaction> => {
      const all = indexed(ledger(facts, holder)).map(
        ({ index, move, nonce }) => find(`0x${move.id}`) ?? ofMove(holder, move, index, nonce)
      )
      for (const transaction of all) {
        const { block, hash, signed } = transaction
        if (signed !== undefined || past.has(hash)) continue
        past.set(hash, transaction)
        blocks.set(block, [...(blocks.get(block) ?? []), hash])
      }
      return all.toSorted((a, b) => Number(a.block - b.block))
    }
  }
}

export type EvmLedger = ReturnType<typeof make>

/** Ledgers by chain; the explorers and nodes of a chain share its ledger. */
export const several = () => {
  const made = new Map<string, EvmLedger>()
  return (facts: ContractFacts): EvmLedger => {
    const chain = made.get(facts.id) ?? make(facts)
    made.set(facts.id, chain)
    return chain
  }
}

export type Ledgers = ReturnType<typeof several>

/** Transactions of the past count as mined at any time. */
const isMined = ({ block, signed }: LedgerTransaction, now: number): boolean =>
  signed === undefined || block <= EvmChain.newest(now)

/** Block and index of a transaction; nulls while it is pending. */
const place = ({ facts, inBlock }: EvmLedger, transaction: LedgerTransaction, now: number) => {
  const { block, hash } = transaction
  return !isMined(transaction, now)
    ? { blockHash: null, blockNumber: null, transactionIndex: null }
    : {
        blockHash: EvmChain.hashOf(facts, block),
        blockNumber: numberToHex(block),
        transactionIndex: numberToHex(inBlock(block).findIndex((other) => other.hash === hash))
      }
}

const typeOf = ({ signed }: LedgerTransaction) => EvmTransaction.typeNumbers[signed?.type ?? "legacy"]

/** Fields that depend on the type, and the signature. Transactions of the past have a fake signature. */
const signatureOf = ({ facts }: EvmLedger, { hash, signed }: LedgerTransaction) => {
  if (signed === undefined) return { r: hash, s: hash, v: numberToHex(2 * (facts.chainId ?? 0) + 35) }
  const { accessList, maxFee, maxTip, signature, type } = signed
  const { r, s, v, yParity } = signature
  return {
    ...(type === "eip1559" || type === "eip7702"
      ? { maxFeePerGas: numberToHex(maxFee), maxPriorityFeePerGas: numberToHex(maxTip) }
      : {}),
    ...(type === "legacy" ? {} : { accessList, yParity: numberToHex(yParity) }),
    r,
    s,
    v: numberToHex(type === "legacy" ? v : yParity)
  }
}

/** Result of `eth_getTransactionByHash`. */
export const returnedTransaction = (chain: EvmLedger, transaction: LedgerTransaction, now: number) => ({
  ...place(chain, transaction, now),
  hash: transaction.hash,
  type: typeOf(transaction),
  chainId: numberToHex(chain.facts.chainId ?? 0),
  from: transaction.from,
  to: transaction.to ?? null,
  input: transaction.input,
  nonce: numberToHex(transaction.nonce),
  gas: numberToHex(transaction.signed?.gas ?? 2n * transaction.gas),
  value: numberToHex(transaction.value),
  gasPrice: numberToHex(transaction.price),
  ...signatureOf(chain, transaction)
})

/** Result of `eth_getTransactionReceipt`; null while the transaction is pending. */
export const receipt = (chain: EvmLedger, transaction: LedgerTransaction, now: number) => {
  const { block, failed, from, gas, hash, moved, nonce, price, to } = transaction
  if (!isMined(transaction, now)) return null
  const all = chain.inBlock(block)
  const until = all.slice(0, all.findIndex((other) => other.hash === hash) + 1)
  const where = { ...place(chain, transaction, now), transactionHash: hash }
  const logs = moved.flatMap(({ amount, contract, ...parties }, index) => {
    if (contract === undefined || failed) return []
    const args = { from: parties.from as Hex, to: parties.to as Hex }
    return [
      {
        ...where,
        address: contract.address,
        topics: encodeEventTopics({ abi: erc20, eventName: "Transfer", args }),
        data: numberToHex(amount, { size: 32 }),
        logIndex: numberToHex(index),
        removed: false
      }
    ]
  })
  return {
    ...where,
    type: typeOf(transaction),
    from,
    to: to ?? null,
    contractAddress:
      to === undefined ? getContractAddress({ from: from as Hex, nonce: BigInt(nonce) }).toLowerCase() : null,
    status: failed ? "0x0" : "0x1",
    gasUsed: numberToHex(gas),
    cumulativeGasUsed: numberToHex(until.reduce((sum, other) => sum + other.gas, 0n)),
    effectiveGasPrice: numberToHex(price),
    l1Fee: "0x0",
    logs,
    logsBloom: `0x${"00".repeat(256)}`
  }
}
