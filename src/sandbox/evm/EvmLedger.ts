import { createHash } from "node:crypto"
import type { Hex } from "viem"
import { encodeFunctionData, parseAbi } from "viem/utils"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import * as MemoryBudget from "../../kernel/collections/MemoryBudget.ts"
import { amountsOf, ledger, type Move } from "../world/ledger.ts"
import { memoized, remembered } from "../world/memoized.ts"
import * as EvmChain from "./EvmChain.ts"
import type { ContractFacts } from "./EvmContracts.ts"
import { allocationOf, exhibited } from "./evmMuseum.ts"
import { type LedgerTransaction, pool } from "./evmPool.ts"
import { dataFeeOf, hasOperatorFee, operatorFeeOf, operatorMembers, signedBytes, withDataGas } from "./rollupFees.ts"

const erc20 = parseAbi([
  "function approve(address, uint256) returns (bool)",
  "function transfer(address, uint256) returns (bool)"
])

const encode = (functionName: "approve" | "transfer", to: string, amount: bigint) =>
  encodeFunctionData({ abi: erc20, functionName, args: [to as Hex, amount] })

/** Selectors of `withdraw()`, `mint(uint256)`, and of a router's `swapExactTokensForETH`. */
const [withdraw, mint, swap] = ["0x3ccfd60b", "0xa0712d68", "0x18cbafe5"] as const

/** Gas of the generated plain transfers, and of the others. The fees of the ledger are multiples of both. */
const [transferGas, callGas] = [21_000n, 24_000n]

type Unpriced = Omit<LedgerTransaction, "gas" | "price" | "dataFee">

/** Divides the fee of a transaction into its parts. The data fee includes the rest, which gas cannot pay exactly. */
const priced = (facts: ContractFacts, { exhibit, fee }: Move, transaction: Unpriced): LedgerTransaction => {
  const isPlain = transaction.input === "0x" && exhibit === undefined
  const gas = withDataGas(facts, isPlain ? transferGas : callGas)
  if (facts.dataFee !== "always" || fee === 0n) return { ...transaction, gas, price: fee / gas, dataFee: 0n }
  const operatorFee = operatorFeeOf(facts, gas)
  const price = (fee - operatorFee - dataFeeOf(signedBytes(transaction.input))) / gas
  return {
    ...transaction,
    gas,
    price,
    dataFee: fee - operatorFee - gas * price,
    ...(hasOperatorFee(facts) ? { operator: operatorMembers() } : {})
  }
}

/** Most transactions have a type that EIP-1559 added; one in eight is of the type before it. */
const typeOf = (id: string) => (Number.parseInt(id.slice(0, 2), 16) % 8 === 0 ? "legacy" : "eip1559")

/**
 * Converts a move to a transaction. In the past, every third incoming native transfer, and each of a call, is an
 * internal transaction of a contract that a third party called. The sender of an incoming token transfer is the payer; a third party mints.
 */
const ofMove = (holder: string, { index, move, nonce }: ReturnType<typeof indexed>[number]): Unpriced => {
  const { amount, at, contract, direction, failed, id } = move
  const other = move.counterparty ?? `0x${move.seed.slice(0, 40)}`
  const [from, to] = direction === "in" ? [other, holder] : [holder, other]
  const common = {
    hash: `0x${id}` as Hex,
    type: typeOf(id),
    block: EvmChain.blockAt(at),
    nonce,
    failed
  } as const
  const caller = `0x${createHash("sha256").update(`calls ${id}`).digest("hex").slice(0, 40)}`
  if (contract !== undefined) {
    const moved = amountsOf(move).map((amount) => ({ contract, from, to, amount }))
    const called = { ...common, from, to: contract.address, value: 0n, moved }
    if (move.kind === "mint")
      return {
        ...called,
        from: caller,
        input: mint,
        moved: [{ contract, from: `0x${"0".repeat(40)}`, to: holder, amount }]
      }
    if (move.kind === "approval") {
      const approved = { contract, owner: from, spender: to, amount: 2n ** 256n - 1n }
      return { ...called, input: encode("approve", to, approved.amount), moved: [], approved }
    }
    if (move.received === undefined) return { ...called, input: encode("transfer", to, amount) }
    return { ...called, to, input: swap, moved: [...called.moved, { from: to, to: from, amount: move.received }] }
  }
  const isUsual = direction === "in" && move.ordinal === undefined && move.exhibit === undefined
  if (move.kind === "call" || (isUsual && index % 3 === 1))
    return {
      ...common,
      from: caller,
      to: from,
      value: 0n,
      input: withdraw,
      moved: amountsOf(move).map((amount) => ({ from, to, amount }))
    }
  return { ...common, from, to, value: amount, input: "0x", moved: [] }
}

/**
 * Adds indexes and nonces to moves. The past comes first regardless of its times, so later events do not change its
 * indexes and nonces.
 */
const indexed = (moves: ReadonlyArray<Move>) => {
  const isPast = ({ exhibit, ordinal }: Move) => ordinal === undefined && exhibit !== "genesis"
  let nonce = 0
  return [...moves.filter(isPast), ...moves.filter(({ ordinal }) => ordinal !== undefined)].map((move, index) => ({
    move,
    index,
    nonce: move.direction === "out" ? nonce++ : index
  }))
}

/** Converts a move to a transaction; those of a museum have special forms. */
const transactionOf = (facts: ContractFacts, holder: string, entry: ReturnType<typeof indexed>[number]) => {
  const usual = priced(facts, entry.move, ofMove(holder, entry))
  const { exhibit } = entry.move
  return exhibit === undefined ? usual : exhibited(holder, exhibit, usual, entry.move)
}

/** Past transactions that the ledgers of a world remember: more than twice the longest history of an address. */
const maxPast = 30_000

/** Transactions of a simulated chain. Past transactions can be looked up by hash after a list has returned them. */
export const make = (facts: ContractFacts, budget = MemoryBudget.make(maxPast)) => {
  const past = BoundedMap.make<string, LedgerTransaction>({ budget, weigh: () => 1 })
  const sent = pool(facts)
  const blocks = remembered<ReadonlyArray<Hex>, bigint>()

  const find = (hash: unknown): LedgerTransaction | undefined => {
    const key = String(hash).toLowerCase()
    return sent.find(key) ?? past.get(key)
  }

  const inBlock = (block: bigint): ReadonlyArray<LedgerTransaction> => [
    ...(blocks.get(block) ?? []).flatMap((hash) => past.get(hash) ?? []),
    ...sent.inBlock(block)
  ]

  const all = memoized((_: ContractFacts, holder) =>
    indexed(ledger(facts, holder))
      .map((entry) => find(`0x${entry.move.id}`) ?? transactionOf(facts, holder, entry))
      .sort((a, b) => Number(a.block - b.block))
  )

  return {
    facts,
    /** Coins that the first block allocates to an address; undefined if it allocates none. */
    allocation: (holder: string) => allocationOf(facts, ledger(facts, holder)),
    nonce: sent.nonce,
    send: sent.send,
    find,
    inBlock,
    /** Index of a transaction in its block. */
    indexOf: ({ block, hash }: LedgerTransaction) => inBlock(block).findIndex((other) => other.hash === hash),
    /** Known transactions in a range of blocks, oldest first. */
    between: (first: bigint, last: bigint): ReadonlyArray<LedgerTransaction> =>
      [...new Set([...blocks.entries().map(([block]) => block), ...sent.blocks()])]
        .filter((block) => first <= block && block <= last)
        .toSorted((a, b) => Number(a - b))
        .flatMap(inBlock),
    /** Transactions of a holder, oldest first. */
    of: (holder: string): ReadonlyArray<LedgerTransaction> => {
      const transactions = all(facts, holder)
      for (const transaction of transactions) {
        const { block, hash, signed } = transaction
        if (signed !== undefined || past.has(hash)) continue
        past.set(hash, transaction)
        blocks.set(block, [...(blocks.get(block) ?? []), hash])
      }
      return transactions
    }
  }
}

export type EvmLedger = ReturnType<typeof make>

/** Ledgers by chain; the explorers and nodes of a chain share its ledger. */
export const several = () => {
  const made = new Map<string, EvmLedger>()
  const budget = MemoryBudget.make(maxPast)
  return (facts: ContractFacts): EvmLedger => {
    const chain = made.get(facts.id) ?? make(facts, budget)
    made.set(facts.id, chain)
    return chain
  }
}

export type Ledgers = ReturnType<typeof several>
