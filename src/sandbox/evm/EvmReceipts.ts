import type { Hex } from "viem"
import { getContractAddress, numberToHex, pad } from "viem/utils"
import type * as World from "../world/World.ts"
import * as EvmChain from "./EvmChain.ts"
import type { EvmLedger } from "./EvmLedger.ts"
import * as EvmTransaction from "./EvmTransaction.ts"
import { blobGas, blobPrice } from "./evmMuseum.ts"
import type { LedgerTransaction } from "./evmPool.ts"
import { dataGasOf, isArbitrum, l1GasPrice } from "./rollupFees.ts"

// Results about transactions (ethereum.github.io/execution-apis), with the additions of the OP stack (specs.optimism.io)
// and Arbitrum (docs.arbitrum.io).

/** Transfer(address indexed from, address indexed to, uint256 value) */
const transfer = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

/** Approval(address indexed owner, address indexed spender, uint256 value) */
const approval = "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925"

const typeNumbers = { ...EvmTransaction.typeNumbers, eip4844: "0x3", deposit: "0x7e" } as const

/** Transactions of the past count as mined at any time. */
const isMined = ({ block, signed }: LedgerTransaction, now: number): boolean =>
  signed === undefined || block <= EvmChain.newest(now)

/** Block and index of a transaction that is mined. */
const minedPlace = ({ facts, indexOf }: EvmLedger, transaction: LedgerTransaction) => ({
  blockHash: EvmChain.hashOf(facts, transaction.block),
  blockNumber: numberToHex(transaction.block),
  transactionIndex: numberToHex(indexOf(transaction))
})

const unmined = { blockHash: null, blockNumber: null, transactionIndex: null }

/** Prices, access list and signature of a transaction of the past, whose signature is fake. */
const pastFields = ({ facts }: EvmLedger, transaction: LedgerTransaction) => {
  const { block, hash, mint, price, type } = transaction
  const tip = price - EvmChain.baseFee(facts, block)
  const parity = numberToHex(Number.parseInt(hash.slice(-1), 16) % 2)
  if (type === "deposit") return { sourceHash: hash, mint: numberToHex(mint ?? 0n), r: "0x0", s: "0x0", v: "0x0" }
  if (type === "legacy")
    return {
      r: hash,
      s: hash,
      v: numberToHex((hasChain(transaction) ? 2 * (facts.chainId ?? 0) + 35 : 27) + Number.parseInt(parity, 16))
    }
  return {
    maxFeePerGas: numberToHex((price * 3n) / 2n),
    maxPriorityFeePerGas: numberToHex(tip > 0n ? tip : 0n),
    ...(type === "eip4844" ? { maxFeePerBlobGas: numberToHex(2n * blobPrice), blobVersionedHashes: [blobHash] } : {}),
    accessList: [],
    yParity: parity,
    r: hash,
    s: hash,
    v: parity
  }
}

const blobHash = `0x01${"0".repeat(62)}`

/** Fields that depend on the type, and the signature. */
const typedFields = (chain: EvmLedger, transaction: LedgerTransaction) => {
  const { signed } = transaction
  if (signed === undefined) return pastFields(chain, transaction)
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

/** Maximum gas of a transaction. */
export const gasLimitOf = ({ gas, gasLimit, signed }: LedgerTransaction): bigint => gasLimit ?? signed?.gas ?? 2n * gas

/** Whether a transaction names its chain; before EIP-155, none did. */
const hasChain = ({ stateRoot, type }: LedgerTransaction) => type !== "deposit" && stateRoot === undefined

/** Result of `eth_getTransactionByHash`. */
export const returnedTransaction = (chain: EvmLedger, transaction: LedgerTransaction, now: number) => ({
  ...(isMined(transaction, now) ? minedPlace(chain, transaction) : unmined),
  hash: transaction.hash,
  type: typeNumbers[transaction.type],
  ...(hasChain(transaction) ? { chainId: numberToHex(chain.facts.chainId ?? 0) } : {}),
  from: transaction.from,
  to: transaction.to ?? null,
  input: transaction.input,
  nonce: numberToHex(transaction.nonce),
  gas: numberToHex(gasLimitOf(transaction)),
  value: numberToHex(transaction.value),
  gasPrice: numberToHex(transaction.price),
  ...typedFields(chain, transaction)
})

/** Address of the contract that a transaction creates; undefined if it creates none. */
export const createdBy = ({ from, nonce, to }: LedgerTransaction): Hex | undefined =>
  to === undefined ? (getContractAddress({ from: from as Hex, nonce: BigInt(nonce) }).toLowerCase() as Hex) : undefined

/** Address, topics and data of the events of a transaction. */
const eventsOf = ({ approved, failed, moved }: LedgerTransaction) => {
  const event = (contract: World.Contract, name: Hex, parties: ReadonlyArray<string>, amount: bigint) => ({
    address: contract.address,
    topics: [name, ...parties.map((party) => pad(party as Hex))],
    data: numberToHex(amount, { size: 32 })
  })
  if (failed) return []
  return [
    ...moved.flatMap(({ amount, contract, from, to }) =>
      contract === undefined ? [] : [event(contract, transfer, [from, to], amount)]
    ),
    ...(approved === undefined
      ? []
      : [event(approved.contract, approval, [approved.owner, approved.spender], approved.amount)])
  ]
}

/** Number of events of a transaction. */
const eventCount = ({ approved, failed, moved }: LedgerTransaction) =>
  failed ? 0 : moved.filter(({ contract }) => contract !== undefined).length + (approved === undefined ? 0 : 1)

/** Data fee, operator fee and blob fee. */
const extraFees = ({ facts }: EvmLedger, { block, dataFee, gas, nonce, operator, type }: LedgerTransaction) => {
  if (type === "deposit") return { depositNonce: numberToHex(nonce), depositReceiptVersion: "0x1" }
  if (type === "eip4844") return { blobGasUsed: numberToHex(blobGas), blobGasPrice: numberToHex(blobPrice) }
  if (facts.dataFee === "always")
    return {
      l1Fee: numberToHex(dataFee),
      l1GasUsed: numberToHex(dataFee / l1GasPrice),
      l1GasPrice: numberToHex(l1GasPrice),
      l1BaseFeeScalar: "0x558",
      l1BlobBaseFee: "0x1",
      l1BlobBaseFeeScalar: "0xc5fc5",
      ...operator
    }
  return isArbitrum(facts)
    ? { gasUsedForL1: numberToHex(dataGasOf(gas)), l1BlockNumber: numberToHex(block / 6n), timeboosted: false }
    : {}
}

/** Result of `eth_getTransactionReceipt`; null while the transaction is pending. */
export const receipt = (chain: EvmLedger, transaction: LedgerTransaction, now: number) => {
  const { block, failed, from, gas, hash, price, stateRoot, to, type } = transaction
  if (!isMined(transaction, now)) return null
  const all = chain.inBlock(block)
  const before = all.slice(
    0,
    all.findIndex((other) => other.hash === hash)
  )
  const where = { ...minedPlace(chain, transaction), transactionHash: hash }
  const earlier = before.reduce((sum, other) => sum + eventCount(other), 0)
  const logs = eventsOf(transaction).map((event, index) => ({
    ...where,
    ...event,
    logIndex: numberToHex(earlier + index),
    removed: false
  }))
  return {
    ...where,
    type: typeNumbers[type],
    from,
    to: to ?? null,
    contractAddress: createdBy(transaction) ?? null,
    ...(stateRoot === undefined ? { status: failed ? "0x0" : "0x1" } : { root: stateRoot }),
    gasUsed: numberToHex(gas),
    cumulativeGasUsed: numberToHex(before.reduce((sum, other) => sum + other.gas, gas)),
    effectiveGasPrice: numberToHex(price),
    ...extraFees(chain, transaction),
    logs,
    logsBloom: `0x${"00".repeat(256)}`
  }
}
