import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as BlockTimes from "../../../../catalogue/BlockTimes.ts"
import type { EvmFacts } from "../../../../catalogue/evm/EvmFacts.ts"
import { type Height, height, type Seconds, seconds } from "../../../../domain/units.ts"
import { resultOf } from "../../../../jsonrpc/boundCalls.ts"
import type * as Client from "../../../../jsonrpc/Client.ts"
import { callAll } from "../../../../jsonrpc/callAll.ts"
import * as Call from "../../../../upstream/Call.ts"
import type { Endpoint } from "../../../../upstream/Upstream.ts"
import type { Fault } from "../../../../upstream/UpstreamError.ts"
import { requireCurrent } from "../../../kit/status/currentHead.ts"
import * as calls from "./calls.ts"
import { quantity } from "./results.ts"

// Checks that a node is on the expected chain and follows it: a stalled node still responds to every call.

/** The first calls of a batch, so that its outcomes can be passed to {@link newestBlock}. */
export const newestBlockCalls: ReadonlyArray<Client.ClientCall> = [
  Call.methodOf(calls.chainId, {}),
  Call.methodOf(calls.newestBlock, {})
]

export interface EvmBlock {
  readonly number: Height
  readonly timestamp: Seconds
  /** Undefined if the network does not use EIP-1559. */
  readonly baseFee: bigint | undefined
  /** Undefined if the node does not return it. */
  readonly gasLimit: bigint | undefined
}

/** The newest block of a node; fails on another chain. Its time is not checked: see `requireCurrent`. */
export const newestBlock = (node: Endpoint, chainId: number, [chain, block]: ReadonlyArray<Client.Outcome>) =>
  Effect.gen(function* () {
    if (Option.getOrUndefined(quantity(chain)) !== BigInt(chainId)) return yield* node.fault(wrongChain)
    const found = resultOf(calls.newestBlock, block)
    if (Option.isNone(found)) return yield* node.fault(noBlock)
    const { baseFeePerGas, gasLimit, number, timestamp } = found.value
    return {
      number: height(Number(number)),
      timestamp: seconds(Number(timestamp)),
      baseFee: baseFeePerGas == null ? undefined : BigInt(baseFeePerGas),
      gasLimit: gasLimit == null ? undefined : BigInt(gasLimit)
    } satisfies EvmBlock
  })

/** The newest block of a node; fails on another chain, or if the node does not follow the network. */
export const currentBlock = (node: Endpoint, facts: EvmFacts, outcomes: ReadonlyArray<Client.Outcome>) =>
  Effect.tap(newestBlock(node, facts.chainId, outcomes), ({ number, timestamp }) =>
    Effect.map(requireCurrent(node, facts, timestamp), () =>
      BlockTimes.note(facts, { height: number, time: timestamp })
    )
  )

/** The newest block of a node; fails on another chain. */
export const headOf = (node: Endpoint, { chainId }: EvmFacts) =>
  Effect.flatMap(callAll(node, newestBlockCalls), (outcomes) => newestBlock(node, chainId, outcomes)).pipe(
    Effect.map(({ number, timestamp }) => ({ height: number, time: timestamp }))
  )

/** No result of such a node may be used. */
export const wrongChain: Fault = { reason: "bad_answer", detail: "the node is on another chain" }
const noBlock: Fault = { reason: "bad_answer", detail: "the node returned no newest block" }
