import * as Either from "effect/Either"
import type { Hex } from "viem"
import { concatHex, fromRlp, keccak256, toRlp } from "viem/utils"
import type { EvmFacts } from "../../../catalogue/evm/EvmFacts.ts"
import { type CacheLifetime, type MethodPolicy, once, type Rule, read } from "../../../jsonrpc/proxy/MethodPolicy.ts"
import type { RpcCall } from "../../../jsonrpc/Rpc.ts"
import { parsedJson } from "../../../kernel/tryOrElse.ts"
import * as EvmMethods from "./EvmMethods.ts"
import * as Head from "./Head.ts"

// Ethereum JSON-RPC (ethereum.github.io/execution-apis, EIP-1474, EIP-1898), and the errors of geth, erigon, nethermind
// and anvil for a transaction that they already have.

interface PolicyFacts {
  /** If set, responses of another chain are rejected. */
  readonly chainId?: number
  readonly blockTime: number
  readonly finality: EvmFacts["finality"]
}

type BlockHead = ReturnType<typeof Head.make>

/** The method policy of EVM nodes; remembers the highest block. */
export const make = ({ blockTime, chainId, finality }: PolicyFacts): MethodPolicy => {
  const head = Head.make({ blockTime, finality })
  const inItsBlock = ofResultBlock(head)
  const blockNumber = highestBlock(head)
  const chain = chainOf(chainId)
  const rules = new Map<string, (call: RpcCall) => Rule>([
    ...EvmMethods.passing.map((method) => [method, () => read("never")] as const),
    ...EvmMethods.newest.map((method) => [method, () => read("moment")] as const),
    ...EvmMethods.fixed.map((method) => [method, () => presentForever] as const),
    ...EvmMethods.ofTransaction.map((method) => [method, () => inItsBlock] as const),
    ...EvmMethods.opening.map((method) => [method, (): Rule => ({ kind: "opens" })] as const),
    ...EvmMethods.continuing.map((method) => [method, ofSession] as const),
    ...Object.entries(EvmMethods.blockAt).map(([method, place]) => [method, ofBlock(head, place)] as const),
    ["eth_blockNumber", () => blockNumber],
    ["eth_chainId", () => chain],
    ["eth_getLogs", logs(head)],
    ["eth_sendRawTransaction", () => sendRaw],
    ["eth_sendRawTransactionConditional", () => sendRaw]
  ])

  return {
    blockTime,
    rule: (call) => rules.get(call.method)?.(call) ?? once,
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
  return numberOf(blockNumber) ?? "never"
}

const present = (keep: CacheLifetime, historical: boolean): Rule => ({
  kind: "read",
  cacheFor: (result) => (result === "null" ? "never" : keep),
  historical
})

const named = { forever: present("forever", true), moment: present("moment", false), never: read("never") }
const numbered = { forever: present("forever", true), moment: present("moment", true) }

/** The rule of calls with a block among their parameters. */
const ofBlock =
  (head: BlockHead, place: number) =>
  ({ params }: RpcCall): Rule => {
    const keep = cacheLifetimeOf(parameters(params)[place])
    if (typeof keep === "string") return named[keep]
    return head.isFinal(keep) ? numbered.forever : numbered.moment
  }

const logs =
  (head: BlockHead) =>
  ({ params }: RpcCall): Rule => {
    const { blockHash, fromBlock, toBlock } = (parameters(params)[0] ?? {}) as Readonly<Record<string, unknown>>
    const ends = [fromBlock, toBlock].map(cacheLifetimeOf)
    if (ends.includes("never")) return read("never")
    const isFinal = typeof blockHash === "string" || ends.every((end) => typeof end === "bigint" && head.isFinal(end))
    const found: CacheLifetime = isFinal ? "forever" : "moment"
    // A node without these blocks also returns an empty list.
    return { kind: "read", cacheFor: (result) => (result === "[]" ? "moment" : found), historical: true }
  }

/** The rule of results that name their block. */
const ofResultBlock = (head: BlockHead): Rule => ({
  kind: "read",
  cacheFor: (result) => {
    const number = blockOf(result, "blockNumber")
    if (number === undefined) return "never"
    return head.isFinal(number) ? "forever" : "moment"
  }
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
  isImplausible: (result) =>
    chainId === undefined || numberIn(result) === BigInt(chainId) ? undefined : "is on another chain"
})

const ofSession = ({ params }: RpcCall): Rule => ({ kind: "session", name: JSON.stringify(parameters(params)[0]) })

const presentForever: Rule = { kind: "read", cacheFor: (result) => (result === "null" ? "never" : "forever") }

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

const numberOf = (value: unknown): bigint | undefined =>
  typeof value === "string" && quantity.test(value) ? BigInt(value) : undefined

/** The number in a result; a text above 100 characters cannot be a number, and is not parsed. */
const numberIn = (result: string): bigint | undefined =>
  result.length > 100 ? undefined : numberOf(parsedJson(result))

const hex = (number: bigint) => `"0x${number.toString(16)}"`

/** The block in an object, without parsing the rest of it. */
const blockOf = (result: string, member: "number" | "blockNumber"): bigint | undefined =>
  numberOf((member === "number" ? numberMember : blockNumberMember).exec(result)?.[1])

const numberMember = /"number"\s*:\s*"(0x[0-9a-fA-F]+)"/
const blockNumberMember = /"blockNumber"\s*:\s*"(0x[0-9a-fA-F]+)"/
