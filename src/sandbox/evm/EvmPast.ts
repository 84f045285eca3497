import { createHash } from "node:crypto"
import type { Hex } from "viem"
import { encodeEventTopics, encodeFunctionData, numberToHex, parseAbi } from "viem/utils"
import { ledger, type Move } from "../world/ledger.ts"
import * as EvmChain from "./EvmChain.ts"
import type { ContractFacts } from "./EvmContracts.ts"

const erc20 = parseAbi([
  "event Transfer(address indexed from, address indexed to, uint256 value)",
  "function transfer(address, uint256) returns (bool)"
])

/** The call that makes a contract pay out: `withdraw()`. */
const withdraw = "0x3ccfd60b"

/** What a transaction moves by a contract: a token, or coins that the contract passes on. */
interface Moved {
  readonly token?: string
  readonly from: string
  readonly to: string
  readonly amount: bigint
}

/** A transaction of the past; addresses in lower case. */
export interface PastTransaction {
  readonly hash: Hex
  readonly block: bigint
  /** UNIX seconds. */
  readonly at: number
  readonly nonce: number
  readonly from: string
  readonly to: string
  readonly value: bigint
  readonly input: Hex
  readonly failed: boolean
  readonly gas: bigint
  /** What each unit of gas cost. */
  readonly price: bigint
  readonly moved?: Moved
}

/** With a whole number for the price it makes up the fee. */
const gasOf = (fee: bigint) => (fee % 25_000n === 0n ? 25_000n : 1n)

/**
 * Of what comes in natively, every third is sent on by a contract, which somebody else has called; of a token that comes
 * in, the transaction is the payer's.
 */
const transactionOf = (holder: string, move: Move, index: number): PastTransaction => {
  const { amount, at, contract, direction, failed, fee, id } = move
  const gas = gasOf(fee)
  const other = move.party ?? `0x${move.other.slice(0, 40)}`
  const [from, to] = direction === "in" ? [other, holder] : [holder, other]
  const common = {
    hash: `0x${id}` as Hex,
    block: EvmChain.blockAt(at),
    at,
    nonce: index,
    failed,
    gas,
    price: fee / gas
  }
  if (contract !== undefined) {
    const input = encodeFunctionData({ abi: erc20, functionName: "transfer", args: [to as Hex, amount] })
    const moved = { token: contract.address, from, to, amount }
    return { ...common, from, to: contract.address, value: 0n, input, moved }
  }
  if (direction === "in" && move.nth === undefined && index % 3 === 1) {
    const caller = `0x${createHash("sha256").update(`calls ${id}`).digest("hex").slice(0, 40)}`
    return { ...common, from: caller, to: from, value: 0n, input: withdraw, moved: { from, to, amount } }
  }
  return { ...common, from, to, value: amount, input: "0x" }
}

/** The past comes first, whenever it was: what happens later changes nothing in it. */
const indexed = (moves: ReadonlyArray<Move>): ReadonlyArray<readonly [move: Move, index: number]> => {
  let before = 0
  let since = moves.filter(({ nth }) => nth === undefined).length
  return moves.map((move) => [move, move.nth === undefined ? before++ : since++])
}

/** Transactions that are cached. */
const most = 50_000

/** The past of one simulated chain: its transactions are found by their hashes once a list has named them. */
export interface Past {
  /** The oldest first. */
  readonly of: (holder: string) => ReadonlyArray<PastTransaction>
  readonly by: (hash: unknown) => PastTransaction | undefined
  readonly inBlock: (block: bigint) => ReadonlyArray<PastTransaction>
}

export const make = (facts: ContractFacts): Past => {
  const byHash = new Map<string, PastTransaction>()
  const byBlock = new Map<bigint, ReadonlyArray<PastTransaction>>()
  const inBlock = (block: bigint) => byBlock.get(block) ?? []
  return {
    inBlock,
    by: (hash) => byHash.get(String(hash).toLowerCase()),
    of: (holder) => {
      const all = indexed(ledger(facts, holder)).map(([move, index]) => transactionOf(holder, move, index))
      if (byHash.size > most) {
        byHash.clear()
        byBlock.clear()
      }
      for (const transaction of all) {
        if (byHash.has(transaction.hash)) continue
        byHash.set(transaction.hash, transaction)
        byBlock.set(transaction.block, [...inBlock(transaction.block), transaction])
      }
      return all
    }
  }
}

/**
 * The pasts of several chains, by their ids: explorers serve many chains, and nodes have the transactions that
 * explorers listed.
 */
export const several = () => {
  const made = new Map<string, Past>()
  return (facts: ContractFacts): Past => {
    const past = made.get(facts.id) ?? make(facts)
    made.set(facts.id, past)
    return past
  }
}

export type Pasts = ReturnType<typeof several>

/** The position of a transaction. */
const place = (facts: ContractFacts, past: Past, { block, hash }: PastTransaction) => ({
  blockHash: EvmChain.hashOf(facts, block),
  blockNumber: numberToHex(block),
  transactionIndex: numberToHex(past.inBlock(block).findIndex((transaction) => transaction.hash === hash))
})

/** Numbers in the form of a signature, which is not valid. */
const scalar = (name: string, hash: string): Hex =>
  `0x00${createHash("sha256").update(`${name} ${hash}`).digest("hex").slice(2)}`

/** As `eth_getTransactionByHash` returns it. */
export const returnedTransaction = (facts: ContractFacts, past: Past, transaction: PastTransaction) => ({
  ...place(facts, past, transaction),
  hash: transaction.hash,
  type: "0x0",
  chainId: numberToHex(facts.chainId ?? 0),
  from: transaction.from,
  to: transaction.to,
  input: transaction.input,
  nonce: numberToHex(transaction.nonce),
  gas: numberToHex(2n * transaction.gas),
  value: numberToHex(transaction.value),
  gasPrice: numberToHex(transaction.price),
  r: scalar("r", transaction.hash),
  s: scalar("s", transaction.hash),
  v: numberToHex(2 * (facts.chainId ?? 0) + 35)
})

/** As `eth_getTransactionReceipt` returns it. */
export const receipt = (facts: ContractFacts, past: Past, transaction: PastTransaction) => {
  const { failed, from, gas, hash, moved, price, to } = transaction
  const where = { ...place(facts, past, transaction), transactionHash: hash }
  const log = moved?.token !== undefined && {
    ...where,
    address: moved.token,
    topics: encodeEventTopics({
      abi: erc20,
      eventName: "Transfer",
      args: { from: moved.from as Hex, to: moved.to as Hex }
    }),
    data: numberToHex(moved.amount, { size: 32 }),
    logIndex: "0x0",
    removed: false
  }
  return {
    ...where,
    type: "0x0",
    from,
    to,
    contractAddress: null,
    status: failed ? "0x0" : "0x1",
    gasUsed: numberToHex(gas),
    cumulativeGasUsed: numberToHex(gas),
    effectiveGasPrice: numberToHex(price),
    l1Fee: "0x0",
    logs: log && !failed ? [log] : [],
    logsBloom: `0x${"00".repeat(256)}`
  }
}
