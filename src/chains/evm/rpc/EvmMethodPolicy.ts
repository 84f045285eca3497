import * as Either from "effect/Either"
import type { Hex } from "viem"
import { concatHex, fromRlp, keccak256, toRlp } from "viem/utils"
import type { EvmFacts } from "../../../catalogue/evm/EvmFacts.ts"
import { type Height, height, numberOf } from "../../../domain/units.ts"
import {
  type CacheLifetime,
  type MethodPolicy,
  once,
  type ReadRule,
  type Rule,
  read
} from "../../../jsonrpc/proxy/MethodPolicy.ts"
import type { RpcCall } from "../../../jsonrpc/Rpc.ts"
import { parsedJson } from "../../../kernel/tryOrElse.ts"

/** The position of the block parameter of a method; without this parameter, a call is about the newest block. */
export const blockAt: Readonly<Record<string, number>> = {
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_getStorageAt: 2,
  eth_getProof: 2,
  eth_call: 1,
  eth_estimateGas: 1,
  eth_createAccessList: 1,
  eth_simulateV1: 1,
  eth_feeHistory: 1,
  eth_getBlockByNumber: 0,
  eth_getBlockReceipts: 0,
  eth_getBlockTransactionCountByNumber: 0,
  eth_getTransactionByBlockNumberAndIndex: 0,
  eth_getUncleByBlockNumberAndIndex: 0,
  eth_getUncleCountByBlockNumber: 0
}

/** Results that never change. */
export const fixed: ReadonlyArray<string> = [
  "net_version",
  "eth_getBlockByHash",
  "eth_getBlockTransactionCountByHash",
  "eth_getTransactionByBlockHashAndIndex",
  "eth_getUncleByBlockHashAndIndex",
  "eth_getUncleCountByBlockHash",
  "web3_sha3"
]

/** Results of a transaction: they never change once its block is final. */
export const ofTransaction: ReadonlyArray<string> = ["eth_getTransactionByHash", "eth_getTransactionReceipt"]

/** Results that belong to the newest block. */
export const newest: ReadonlyArray<string> = [
  "eth_gasPrice",
  "eth_maxPriorityFeePerGas",
  "eth_blobBaseFee",
  "eth_baseFee"
]

/** Results that change at any time, or describe the node itself. */
export const passing: ReadonlyArray<string> = [
  "eth_syncing",
  "eth_accounts",
  "eth_coinbase",
  "eth_mining",
  "eth_hashrate",
  "eth_protocolVersion",
  "eth_config",
  "eth_getRawTransactionByHash",
  "eth_pendingTransactions",
  "net_listening",
  "net_peerCount",
  "web3_clientVersion",
  "rpc_modules",
  "bor_getAuthor",
  "bor_getCurrentValidators",
  "bor_getSignersAtHash",
  "bor_getSnapshot",
  "optimism_outputAtBlock",
  "optimism_rollupConfig",
  "optimism_syncStatus",
  "trace_block",
  "trace_call",
  "trace_callMany",
  "trace_filter",
  "trace_get",
  "trace_rawTransaction",
  "trace_replayTransaction",
  "trace_replayBlockTransactions",
  "trace_transaction"
]

/** Reads whose work depends on what the client requests: a range, a program, or many transactions. */
const heavy = /^(eth_(call|createAccessList|estimateGas|getBlockReceipts|getLogs|getProof|simulateV1)|trace_\w+)$/

/** Methods that open a session at one node, and those that continue it. */
export const opening: ReadonlyArray<string> = ["eth_newFilter", "eth_newBlockFilter", "eth_newPendingTransactionFilter"]
export const continuing: ReadonlyArray<string> = ["eth_getFilterChanges", "eth_getFilterLogs", "eth_uninstallFilter"]

/** Blocks further ahead than this are implausible; a chain may run faster than its block time. */
const ahead = { blocks: 1_000, times: 3 }

/** If all nodes return lower blocks for this time, ms, the chain was restarted. */
const restartAfter = 10 * 60_000

/** Tracks the highest block that nodes have returned. `newest` is the newest that the service itself has read. */
export const headOf = ({ blockTime, finality, newest = () => undefined }: Omit<PolicyFacts, "chainId">) => {
  let highest: bigint | undefined
  /** When it was returned last, ms. */
  let at = 0
  const depth = BigInt(Math.ceil((finality * 1000) / blockTime))

  const isPlausible = (number: bigint, now: number) =>
    highest === undefined ||
    number <= highest + BigInt(ahead.blocks + Math.ceil((ahead.times * Math.max(0, now - at)) / blockTime))

  /** Time since which all nodes have returned lower blocks, ms. */
  let lowSince: number | undefined

  return {
    highest: () => highest,
    /** Whether a block is below the highest; false once the chain counts as restarted. */
    isBelow: (number: bigint, now: number): boolean => {
      if (highest === undefined || number >= highest) return false
      lowSince ??= now
      return now - lowSince < restartAfter
    },
    isPlausible,
    /** Whether a node is known to have this block. */
    includes: (number: bigint): boolean =>
      number <= (highest ?? -1n) || number <= BigInt(numberOf(newest() ?? height(0))),
    /** Records a block; true if it is new. `isNewest`: it is the node's newest block; else it may be of any age. */
    record: (number: bigint, now: number, isNewest = false): boolean => {
      const again = isNewest && lowSince !== undefined && now - lowSince >= restartAfter
      if (highest !== undefined && number < highest && !again) return false
      const fresh = number !== highest
      highest = number
      at = now
      lowSince = undefined
      return fresh
    },
    /** Whether a block is final; false while no block is known. */
    isFinal: (number: bigint): boolean => highest !== undefined && number + depth <= highest
  }
}

// Ethereum JSON-RPC (ethereum.github.io/execution-apis, EIP-1474, EIP-1898), and the errors of geth, erigon, nethermind
// and anvil for a transaction that they already have.

interface PolicyFacts {
  /** If set, responses of another chain are rejected. */
  readonly chainId?: number
  readonly blockTime: number
  readonly finality: EvmFacts["finality"]
  readonly newest?: () => Height | undefined
}

type BlockHead = ReturnType<typeof headOf>

/** The method policy of EVM nodes; remembers the highest block. */
export const make = ({ chainId, ...facts }: PolicyFacts): MethodPolicy => {
  const { blockTime } = facts
  const head = headOf(facts)
  const inItsBlock = ofResultBlock(head)
  const blockNumber = highestBlock(head)
  const chain = chainOf(chainId)
  const rules = new Map<string, (call: RpcCall) => Rule>([
    ...passing.map((method) => [method, () => read("never")] as const),
    ...newest.map((method) => [method, () => read("moment")] as const),
    ...fixed.map((method) => [method, () => presentForever] as const),
    ...ofTransaction.map((method) => [method, () => inItsBlock] as const),
    ...opening.map((method) => [method, (): Rule => ({ kind: "opens" })] as const),
    ...continuing.map((method) => [method, ofSession] as const),
    ...Object.entries(blockAt).map(([method, place]) => [method, ofBlock(head, place)] as const),
    ["eth_blockNumber", () => blockNumber],
    ["eth_chainId", () => chain],
    ["eth_getLogs", logs(head)],
    ["eth_sendRawTransaction", () => sendRaw],
    // EIP-7966: responds once the transaction is in a block. If the node already has it, there is no receipt to return.
    ["eth_sendRawTransactionSync", () => ({ ...once, isLong: true })],
    ["eth_sendRawTransactionConditional", () => sendRaw]
  ])

  return {
    blockTime,
    rule: (call) => rules.get(call.method)?.(call) ?? once,
    isHeavy: (method) => heavy.test(method),
    advances: (call, result, now) => {
      const number = reportedBlock(head, call, result)
      const isNewest = call.method === "eth_blockNumber"
      return number !== undefined && (isNewest || head.isPlausible(number, now)) && head.record(number, now, isNewest)
    }
  }
}

/** The newest block, according to a response that names it. */
const reportedBlock = (head: BlockHead, { method, params }: RpcCall, result: string): bigint | undefined => {
  if (method === "eth_blockNumber") return numberIn(result)
  // The receipt may be of an old block, so it counts only if a block is already known.
  if (method === "eth_getTransactionReceipt")
    return head.highest() === undefined ? undefined : blockOf(result, "blockNumber")
  return method === "eth_getBlockByNumber" && parameters(params)[0] === "latest" ? blockOf(result, "number") : undefined
}

/** How long a result about this block is valid; the block's number if that depends on its finality. */
const cacheLifetimeOf = (block: unknown): CacheLifetime | bigint => {
  if (block === undefined || block === null || block === "latest" || block === "safe" || block === "finalized")
    return "moment"
  if (block === "earliest") return "forever"
  const { blockHash, blockNumber, requireCanonical } =
    typeof block === "object" ? (block as Readonly<Record<string, unknown>>) : { blockNumber: block }
  // Nodes refuse it as soon as the block is reorganised away.
  if (typeof blockHash === "string") return requireCanonical === true ? "moment" : "forever"
  return quantityOf(blockNumber) ?? "never"
}

const isNull = (result: string) => result === "null"

const present = (keep: CacheLifetime, historical: boolean): ReadRule => ({
  kind: "read",
  cacheFor: (result) => (isNull(result) ? "never" : keep),
  mayBeFinal: keep === "forever",
  historical
})

const named = { forever: present("forever", true), moment: present("moment", false), never: read("never") }
const numbered = {
  final: { ...named.forever, mayBeBehind: isNull },
  known: { ...present("moment", true), mayBeBehind: isNull },
  next: present("moment", true)
}

/** The rule of calls with a block among their parameters. */
const ofBlock =
  (head: BlockHead, place: number) =>
  ({ params }: RpcCall): Rule => {
    const keep = cacheLifetimeOf(parameters(params)[place])
    if (typeof keep === "string") return named[keep]
    return head.isFinal(keep) ? numbered.final : head.includes(keep) ? numbered.known : numbered.next
  }

const emptyList = /^\[\s*\]$/

const logs =
  (head: BlockHead) =>
  ({ params }: RpcCall): Rule => {
    const { blockHash, fromBlock, toBlock } = (parameters(params)[0] ?? {}) as Readonly<Record<string, unknown>>
    const ends = [fromBlock, toBlock].map(cacheLifetimeOf)
    if (ends.includes("never")) return read("never")
    const isFinal = typeof blockHash === "string" || ends.every((end) => typeof end === "bigint" && head.isFinal(end))
    const found: CacheLifetime = isFinal ? "forever" : "moment"
    const isKnown = typeof blockHash === "string" || (typeof ends[0] === "bigint" && head.includes(ends[0]))
    // A node without these blocks also returns an empty list.
    const isEmpty = (result: string) => emptyList.test(result)
    return {
      kind: "read",
      cacheFor: (result) => (isEmpty(result) ? "moment" : found),
      mayBeFinal: isFinal,
      historical: true,
      isImplausible: (result) => (result.startsWith("[") ? undefined : "returned no list of logs"),
      mayBeBehind: (result) => isKnown && isEmpty(result)
    }
  }

/** The rule of results that name their block. */
const ofResultBlock = (head: BlockHead): Rule => ({
  kind: "read",
  cacheFor: (result) => {
    const number = blockOf(result, "blockNumber")
    if (number === undefined) return "never"
    return head.isFinal(number) ? "forever" : "moment"
  },
  mayBeFinal: true,
  mayBeBehind: isNull
})

const highestBlock = (head: BlockHead): Rule => ({
  kind: "read",
  cacheFor: () => "moment",
  isImplausible: (result, now) => {
    const number = numberIn(result)
    if (number === undefined) return "returned no block number"
    if (head.isBelow(number, now)) return "is behind the network"
    return head.isPlausible(number, now) ? undefined : "is further ahead than the network can be"
  },
  // A client never sees an earlier block after a later one; a block that no node can confirm is passed on unchanged.
  substitute: (result, now) => {
    const number = numberIn(result)
    const highest = head.highest()
    return highest !== undefined && (number === undefined || head.isBelow(number, now)) ? hex(highest) : result
  }
})

const chainOf = (chainId: number | undefined): Rule => ({
  kind: "read",
  cacheFor: () => "forever",
  mayBeFinal: true,
  isImplausible: (result) =>
    chainId === undefined || numberIn(result) === BigInt(chainId) ? undefined : "is on another chain"
})

const ofSession = ({ params }: RpcCall): Rule => ({ kind: "session", name: JSON.stringify(parameters(params)[0]) })

const presentForever: Rule = { ...present("forever", false), mayBeBehind: isNull }

/** Sending a transaction again is not a failure: the response is its hash, as the first time. */
const sendRaw: Rule = {
  kind: "once",
  duplicateResult: (error, { params }) => {
    if (!alreadyKnown.test(error)) return undefined
    const [raw] = parameters(params)
    return typeof raw === "string" && /^0x([0-9a-fA-F]{2})+$/.test(raw) ? JSON.stringify(hashOf(raw as Hex)) : undefined
  }
}

export const alreadyKnown =
  /already ?known|\bknown transaction|already imported|already in (the )?(mempool|pool)|existing tx with same hash/i

const withBlobs = "0x03"

/** The transaction hash. Blobs are sent along but not hashed (EIP-4844). Undefined if it cannot be decoded. */
const hashOf = (raw: Hex): Hex | undefined => {
  if (!raw.startsWith(withBlobs)) return keccak256(raw)
  const fields = Either.getOrUndefined(Either.try(() => fromRlp(`0x${raw.slice(withBlobs.length)}`)))
  if (fields === undefined) return undefined
  const [first] = fields
  return keccak256(Array.isArray(first) ? concatHex([withBlobs, toRlp(first)]) : raw)
}

const parameters = (text: string | undefined): ReadonlyArray<unknown> => {
  const found = text === undefined ? undefined : parsedJson(text)
  return Array.isArray(found) ? found : []
}

const quantity = /^0x[0-9a-fA-F]{1,16}$/

const quantityOf = (value: unknown): bigint | undefined =>
  typeof value === "string" && quantity.test(value) ? BigInt(value) : undefined

/** The number in a result; a text above 100 characters cannot be a number, and is not parsed. */
const numberIn = (result: string): bigint | undefined =>
  result.length > 100 ? undefined : quantityOf(parsedJson(result))

const hex = (number: bigint) => `"0x${number.toString(16)}"`

/** The block in an object, without parsing the rest of it. */
const blockOf = (result: string, member: "number" | "blockNumber"): bigint | undefined =>
  quantityOf((member === "number" ? numberMember : blockNumberMember).exec(result)?.[1])

const numberMember = /"number"\s*:\s*"(0x[0-9a-fA-F]+)"/
const blockNumberMember = /"blockNumber"\s*:\s*"(0x[0-9a-fA-F]+)"/
