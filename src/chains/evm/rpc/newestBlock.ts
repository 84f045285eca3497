import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as BlockTimes from "../../../catalogue/BlockTimes.ts"
import type { EvmFacts } from "../../../catalogue/evm/EvmFacts.ts"
import { type Height, height, type Seconds, seconds } from "../../../domain/units.ts"
import type * as Client from "../../../jsonrpc/Client.ts"
import { callAll } from "../../../jsonrpc/callAll.ts"
import type { Endpoint } from "../../../upstream/Upstream.ts"
import type { Fault } from "../../../upstream/UpstreamError.ts"
import { requireCurrent } from "../../kit/status/currentHead.ts"
import { quantity } from "../strategies/calls.ts"

// Checks that a node is on the expected chain and follows it: a stalled node still responds to every call.

/** The first calls of a batch, so that its outcomes can be passed to {@link newestBlock}. */
export const newestBlockCalls: ReadonlyArray<Client.ClientCall> = [
  { method: "eth_chainId", params: [] },
  { method: "eth_getBlockByNumber", params: ["latest", false] }
]

const Quantity = Schema.String.pipe(Schema.pattern(/^0x[0-9a-f]{1,32}$/i))

/** A number above 2^53 would lose digits. */
const isExact = (text: string) => Number.isSafeInteger(Number(text))

const header = Schema.decodeUnknownOption(
  Schema.Struct({
    number: Quantity.pipe(Schema.filter(isExact)),
    timestamp: Quantity.pipe(Schema.filter(isExact)),
    baseFeePerGas: Schema.optional(Schema.NullOr(Quantity)),
    gasLimit: Schema.optional(Schema.NullOr(Quantity))
  })
)

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
    const found = Option.flatMap(Option.fromNullable(block && Either.getOrUndefined(block)), header)
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
