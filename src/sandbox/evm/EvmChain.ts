import { createHash } from "node:crypto"
import type { Hex } from "viem"
import { numberToHex } from "viem/utils"
import * as World from "../world/World.ts"
import type { ContractFacts } from "./EvmContracts.ts"

/** Block time, ms. The chain starts at the UNIX epoch, so every clock reading has a block. */
const period = 2_000

/** Distances of the safe and the finalized block from the latest block. */
const safe = 32n
const final = 64n

export const gasLimit = 30_000_000n

/** Suggested priority fee, wei. */
export const tip = 100_000_000n

/** Number of the latest block. */
export const newest = (now: number): bigint => BigInt(Math.max(1, Math.floor(now / period)))

/** Number of the block at a time in UNIX seconds. */
export const blockAt = (at: number): bigint => BigInt(Math.floor((1000 * at) / period))

/** Resolves a block tag or number; undefined for anything else. `pending` is the next block. */
export const blockOfTag = (tag: unknown, now: number): bigint | undefined => {
  const latest = newest(now)
  if (typeof tag === "string" && /^0x[0-9a-f]{1,16}$/i.test(tag)) return BigInt(tag)
  return {
    latest,
    undefined: latest,
    null: latest,
    pending: latest + 1n,
    safe: latest - safe > 0n ? latest - safe : 0n,
    finalized: latest - final > 0n ? latest - final : 0n,
    earliest: 0n
  }[String(tag)]
}

const digest = (...words: ReadonlyArray<string>) => createHash("sha256").update(words.join("|")).digest("hex")

/** Block hash. Ends with the block number, so look-ups by hash need no state. */
export const hashOf = ({ id }: ContractFacts, block: bigint): Hex =>
  `0x${digest("block", id, String(block)).slice(0, 48)}${block.toString(16).padStart(16, "0")}`

/** Block number of a hash; undefined for an unknown hash. */
export const blockOfHash = (facts: ContractFacts, hash: string): bigint | undefined => {
  if (!/^0x[0-9a-f]{64}$/i.test(hash)) return undefined
  const block = BigInt(`0x${hash.slice(50)}`)
  return hashOf(facts, block) === hash.toLowerCase() ? block : undefined
}

/** Base fee of a block: between 0.2 and 0.22 gwei, which the generated transactions can pay. */
export const baseFee = ({ id }: ContractFacts, block: bigint): bigint =>
  200_000_000n + BigInt(Math.floor(World.randomOf(id, "base fee", String(block)) * 2e7))

/** Time of a block, UNIX seconds. */
export const timeOf = (block: bigint): bigint => (block * BigInt(period)) / 1000n

const zeros = (bytes: number): Hex => `0x${"00".repeat(bytes)}`
const noUncles = "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347"

/** Block in the format of `eth_getBlockByNumber`. */
export const blockOf = (facts: ContractFacts, block: bigint, gasUsed: bigint, transactions: ReadonlyArray<unknown>) => {
  const root = (what: string): Hex => `0x${digest(what, facts.id, String(block))}`
  return {
    number: numberToHex(block),
    hash: hashOf(facts, block),
    parentHash: block === 0n ? zeros(32) : hashOf(facts, block - 1n),
    timestamp: numberToHex(timeOf(block)),
    baseFeePerGas: numberToHex(baseFee(facts, block)),
    gasLimit: numberToHex(gasLimit),
    gasUsed: numberToHex(gasUsed),
    miner: zeros(20),
    difficulty: "0x0",
    totalDifficulty: "0x0",
    nonce: zeros(8),
    extraData: "0x",
    logsBloom: zeros(256),
    mixHash: root("mix"),
    sha3Uncles: noUncles,
    stateRoot: root("state"),
    transactionsRoot: root("transactions"),
    receiptsRoot: root("receipts"),
    size: numberToHex(700 + 200 * transactions.length),
    uncles: [],
    withdrawals: [],
    withdrawalsRoot: root("withdrawals"),
    transactions
  }
}

/** Maximum number of percentiles in `eth_feeHistory`. */
export const maxPercentiles = 100

/** Response of `eth_feeHistory`. */
export const feeHistory = (
  facts: ContractFacts,
  count: number,
  last: bigint,
  percentiles: ReadonlyArray<number> | undefined
) => {
  const length = Math.min(count, 1024, Number(last) + 1)
  const oldest = last - BigInt(length) + 1n
  const each = <A>(of: (block: bigint) => A, more = 0) =>
    Array.from({ length: length + more }, (_, index) => of(oldest + BigInt(index)))
  return {
    oldestBlock: numberToHex(oldest),
    baseFeePerGas: each((block) => numberToHex(baseFee(facts, block)), 1),
    gasUsedRatio: each((block) => World.randomOf(facts.id, "gas used", String(block))),
    baseFeePerBlobGas: each(() => "0x1", 1),
    blobGasUsedRatio: each(() => 0),
    ...(percentiles === undefined
      ? {}
      : {
          // As many as are requested: the service requests three.
          reward: each(() =>
            percentiles.map((percentile) => numberToHex((tip * BigInt(Math.round(50 + percentile))) / 100n))
          ) as unknown as ReadonlyArray<readonly [Hex, Hex, Hex]>
        })
  }
}
