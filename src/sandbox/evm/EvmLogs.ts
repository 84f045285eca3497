import * as Either from "effect/Either"
import { type Refusal, refused } from "../world/wire.ts"
import * as EvmChain from "./EvmChain.ts"
import type { EvmLedger } from "./EvmLedger.ts"
import * as EvmReceipts from "./EvmReceipts.ts"

// `eth_getLogs` (ethereum.github.io/execution-apis), with the errors of go-ethereum (eth/filters/api.go) and the limits of
// public nodes: a range of PublicNode, a number of results of Infura.

const maxRange = 50_000n
const maxResults = 10_000
const maxTopics = 4

/** Maximum addresses in topics whose past transactions are made known. */
const maxHolders = 100

type LogFilter = Readonly<Record<"address" | "topics" | "fromBlock" | "toBlock" | "blockHash", unknown>>

interface BlockRange {
  readonly first: bigint
  readonly last: bigint
}

const invalid = (message: string) => Either.left(refused(-32602, message))

const listOf = (value: unknown): ReadonlyArray<string> => (Array.isArray(value) ? value : [value]).map(lower)

const lower = (value: unknown) => String(value).toLowerCase()

const rangeOf = (
  { facts }: EvmLedger,
  { blockHash, fromBlock, toBlock }: LogFilter,
  now: number
): Either.Either<BlockRange, Refusal> => {
  if (blockHash !== undefined && blockHash !== null) {
    if ((fromBlock ?? toBlock ?? null) !== null)
      return invalid("invalid argument 0: cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other")
    const block = EvmChain.blockOfHash(facts, String(blockHash))
    return block === undefined || block > EvmChain.newest(now)
      ? Either.left(refused(-32000, "unknown block"))
      : Either.right({ first: block, last: block })
  }
  if (fromBlock === "pending" || toBlock === "pending") return invalid("pending logs are not supported")
  const [first, last] = [EvmChain.blockOfTag(fromBlock, now), EvmChain.blockOfTag(toBlock, now)]
  if (first === undefined || last === undefined) return invalid("invalid argument 0: hex string without 0x prefix")
  if (first > last) return invalid("invalid block range params")
  if (last > EvmChain.newest(now)) return invalid("block range extends beyond current head block")
  return last - first > maxRange
    ? Either.left(refused(-32701, `exceed maximum block range: ${maxRange}`))
    : Either.right({ first, last })
}

/** Wanted values of each topic; null for any. */
const topicsOf = (topics: unknown): Either.Either<ReadonlyArray<ReadonlyArray<string> | null>, Refusal> => {
  const wanted = (Array.isArray(topics) ? topics : []).map((topic) =>
    topic === null || (Array.isArray(topic) && topic.length === 0) ? null : listOf(topic)
  )
  if (wanted.length > maxTopics) return invalid("exceed max topics")
  return wanted.flatMap((topic) => topic ?? []).every((topic) => /^0x[0-9a-f]{64}$/.test(topic))
    ? Either.right(wanted)
    : invalid("invalid argument 0: invalid topic(s)")
}

/** Addresses in indexed parameters. */
const holdersIn = (topics: ReadonlyArray<ReadonlyArray<string> | null>) =>
  topics
    .slice(1)
    .flatMap((topic) => topic ?? [])
    .filter((topic) => /^0x0{24}/.test(topic))
    .map((topic) => `0x${topic.slice(26)}`)
    .slice(0, maxHolders)

/** Events of the known transactions that a filter selects, oldest first. An address in a topic makes its past known. */
export const logs = (chain: EvmLedger, filter: LogFilter, now: number) =>
  Either.gen(function* () {
    const { first, last } = yield* rangeOf(chain, filter, now)
    const topics = yield* topicsOf(filter.topics)
    const addresses = (filter.address ?? null) === null ? [] : listOf(filter.address)
    for (const holder of holdersIn(topics)) chain.of(holder)
    const found = chain
      .between(first, last)
      .flatMap((transaction) => EvmReceipts.receipt(chain, transaction, now)?.logs ?? [])
      .filter(
        (log) =>
          (addresses.length === 0 || addresses.includes(log.address)) &&
          topics.every((wanted, index) => wanted === null || wanted.includes(lower(log.topics[index])))
      )
    return found.length > maxResults
      ? yield* Either.left(refused(-32005, `query returned more than ${maxResults} results`))
      : found
  })
