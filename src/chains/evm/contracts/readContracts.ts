import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Hex } from "viem"
import { numberToHex } from "viem/utils"
import type { EvmFacts } from "../../../catalogue/evm/EvmFacts.ts"
import { numberOf, seconds } from "../../../domain/units.ts"
import * as Client from "../../../jsonrpc/Client.ts"
import { callAll, tooLarge } from "../../../jsonrpc/callAll.ts"
import { hasReverted } from "../../../jsonrpc/errors.ts"
import { each } from "../../../kernel/each.ts"
import * as Call from "../../../upstream/Call.ts"
import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import type { Endpoint } from "../../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../../upstream/UpstreamError.ts"
import { requireCurrent } from "../../kit/status/currentHead.ts"
import {
  blockTimeCall,
  chainIdCall,
  decodeCalls,
  decodeWord,
  encodeCalls,
  gasProbe,
  type MulticallCall,
  multicall3Address
} from "../multicall.ts"
import * as calls from "../providers/node/calls.ts"
import { currentBlock, type EvmBlock, newestBlockCalls, wrongChain } from "../providers/node/newestBlock.ts"
import { ofContracts } from "../providers/node/results.ts"

// Reads view functions of many contracts in one block. Contracts are hostile: one may use up the gas of the others, or
// return more than a response may have. Each call fails alone.

/** The data that a contract returned, or the reason why the call failed. */
export type ContractResult = Either.Either<Hex, CallFailure>

export interface CallFailure {
  /** The contract reverted or ran out of gas; it returned more than allowed; or the node did not execute the call. */
  readonly kind: "reverted" | "too_long" | "unread"
  /** Data of the revert, cut after {@link maxBytes}. */
  readonly data: Hex
}

export interface ContractsReading {
  /** The block from which all results are. */
  readonly block: EvmBlock
  /** In the order of the calls. */
  readonly results: ReadonlyArray<ContractResult>
}

/** Maximum length of a result: that of 124 words and their head. */
export const maxBytes = 4_096

/** Calls in one call of Multicall3; nodes allow the gas that these need. */
const callsPerChunk = 300

/** Maximum calls of Multicall3 per reading: a few dozen isolate contracts that use up the gas of others. */
const maxChunks = 64

/** Calls of Multicall3 at a time. */
const concurrency = 4

/** Calls that failed together are made one by one if there are no more than this. */
const maxUndecided = 32

/** Maximum calls per reading that are made one by one: three for each of 500 tokens. */
const maxSingle = 1_500

/** The gas of a call that is made alone: more than any honest view function needs. */
const gas = "0x4c4b40"

const failed = (kind: CallFailure["kind"], data: Hex = "0x"): ContractResult => Either.left({ kind, data })

/** The result of a call that was not made. */
export const unreadResult: ContractResult = failed("unread")

/** Reads contracts at the newest block of a node. Fails if the node is on another chain, or does not follow it. */
export const readContracts = (
  node: Endpoint,
  facts: EvmFacts,
  all: ReadonlyArray<MulticallCall>
): Effect.Effect<ContractsReading, UpstreamError> =>
  Effect.gen(function* () {
    const isSingle = all.length > 0 && all.length <= callsPerChunk
    // One request if one call of Multicall3 has all; its results are of one block then, whatever the block of the head.
    const outcomes = yield* callAll(
      node,
      [...newestBlockCalls, ...(isSingle ? [chunkCall(facts, all)] : [])],
      ofContracts
    )
    const block = yield* currentBlock(node, facts, outcomes)
    const first = isSingle ? yield* chunkIn(node, facts, all, outcomes[newestBlockCalls.length]) : "failed"
    if (typeof first !== "string" && first.results.every((result) => result !== undefined)) {
      yield* requireCurrent(node, facts, first.time)
      return { block, results: first.results as ReadonlyArray<ContractResult> }
    }
    return { block, results: yield* readContractsAt(node, facts, block, all) }
  })

/** As {@link readContracts}, at a block that the node has. */
export const readContractsAt = (
  node: Endpoint,
  facts: EvmFacts,
  { number }: Pick<EvmBlock, "number">,
  all: ReadonlyArray<MulticallCall>
): Effect.Effect<ReadonlyArray<ContractResult>, UpstreamError> =>
  Effect.gen(function* () {
    const at = numberToHex(numberOf(number))
    const results = new Array<ContractResult>(all.length).fill(unreadResult)
    const alone: Array<number> = []
    let open: ReadonlyArray<ReadonlyArray<number>> = Arr.chunksOf(
      Arr.makeBy(all.length, (index) => index),
      callsPerChunk
    )
    let budget = maxChunks
    if (all.length === 0) return results
    while (open.length > 0 && budget > 0) {
      const now = open.slice(0, budget)
      alone.push(...open.slice(budget).flat())
      budget -= now.length
      const parts = yield* each(now, (part) => readChunk(node, facts, at, part, all), concurrency)
      open = parts.flatMap((part, index) => {
        const undecided = part === "absent" || part === "failed" ? (now[index] ?? []) : part.undecided
        if (typeof part !== "string") for (const [call, result] of part.decided) results[call] = result
        if (part !== "absent" && undecided.length > maxUndecided)
          return Arr.chunksOf(undecided, Math.ceil(undecided.length / 2))
        alone.push(...undecided)
        return []
      })
    }
    alone.push(...open.flat())
    const single = alone.slice(0, maxSingle)
    const outcomes = yield* callAll(
      node,
      single.map((index) => callOf(all[index] as MulticallCall, at, gas)),
      { ...ofContracts, perCall: true }
    )
    for (const [index, call] of single.entries()) results[call] = resultIn(outcomes[index])
    return results.every((result) => result === unreadResult) ? yield* node.fault(notExecuted) : results
  })

const notExecuted: Fault = { reason: "bad_answer", detail: "the node did not execute calls of contracts" }

/** A call of one contract, at a block. */
export const callOf = ({ callData, target }: MulticallCall, block?: string, gas?: string): Client.ClientCall =>
  Call.methodOf(calls.contract, { to: target, data: callData, ...(gas === undefined ? {} : { gas }), block })

const chunkCall = (
  { multicall = multicall3Address }: Pick<EvmFacts, "multicall">,
  part: ReadonlyArray<MulticallCall>,
  block?: string
): Client.ClientCall =>
  callOf(
    { target: multicall, callData: encodeCalls([chainIdCall(multicall), blockTimeCall(multicall), ...part, gasProbe]) },
    block
  )

/** The indexes of calls that a chunk decided, with their results, and of those that it did not. */
interface ChunkReading {
  readonly decided: ReadonlyArray<readonly [number, ContractResult]>
  readonly undecided: ReadonlyArray<number>
}

const readChunk = (
  node: Endpoint,
  facts: EvmFacts,
  block: string,
  part: ReadonlyArray<number>,
  all: ReadonlyArray<MulticallCall>
): Effect.Effect<ChunkReading | "absent" | "failed", UpstreamError> =>
  Effect.gen(function* () {
    const own = part.map((index) => all[index] as MulticallCall)
    const outcome = yield* Effect.catchIf(
      Client.call(node, chunkCall(facts, own, block), ofContracts),
      ResponseDecoder.isTooLarge,
      () => Effect.succeed(undefined)
    )
    const read = yield* chunkIn(node, facts, own, outcome)
    if (typeof read === "string") return read
    return {
      decided: part.flatMap((index, place) => {
        const result = read.results[place]
        return result === undefined ? [] : [[index, result] as const]
      }),
      undecided: part.filter((_, place) => read.results[place] === undefined)
    }
  })

/**
 * The results in the outcome of {@link chunkCall}: undefined for a call that may have lacked gas. `absent` if the network
 * has no Multicall3; `failed` if the calls failed together.
 */
const chunkIn = (
  node: Endpoint,
  { chainId }: EvmFacts,
  part: ReadonlyArray<MulticallCall>,
  outcome: Client.Outcome | undefined
) =>
  Effect.gen(function* () {
    if (outcome === undefined || Either.isLeft(outcome) || typeof outcome.right !== "string") return "failed" as const
    const decoded = Option.getOrUndefined(decodeCalls(outcome.right, part.length + 3))
    const [chain, time] = (decoded ?? [])
      .slice(0, 2)
      .map(({ returnData }) => Option.getOrUndefined(decodeWord(returnData)))
    if (decoded === undefined || chain === undefined || time === undefined) return "absent" as const
    if (chain !== BigInt(chainId)) return yield* node.fault(wrongChain)
    const probe = decoded[part.length + 2]
    const hadGas = probe?.success === true && probe.returnData !== "0x"
    const results = decoded.slice(2, -1).map(({ returnData, success }): ContractResult | undefined => {
      if (success) return bounded(returnData)
      return hadGas ? failed("reverted", cut(returnData)) : undefined
    })
    return { results, time: seconds(Number(time)) }
  })

/** The result in the outcome of a call that was made alone. */
export const resultIn = (outcome: Client.Outcome | undefined): ContractResult => {
  if (outcome === undefined) return unreadResult
  if (outcome === tooLarge) return failed("too_long")
  if (Either.isRight(outcome))
    return typeof outcome.right === "string" && isData.test(outcome.right)
      ? bounded(outcome.right as Hex)
      : unreadResult
  if (!hasReverted(outcome.left)) return unreadResult
  const { data } = outcome.left
  return failed("reverted", typeof data === "string" && isData.test(data) ? cut(data as Hex) : "0x")
}

const isData = /^0x(?:[0-9a-f]{2})*$/i

const maxChars = 2 + 2 * maxBytes

const cut = (data: Hex): Hex => data.slice(0, maxChars) as Hex

/** The result of a call that succeeded or reverted. */
export const boundedResult = (success: boolean, data: Hex): ContractResult =>
  success ? bounded(data) : failed("reverted", cut(data))

const bounded = (data: Hex): ContractResult => (data.length <= maxChars ? Either.right(data) : failed("too_long"))
