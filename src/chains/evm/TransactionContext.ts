import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type EvmFacts, maxGasPriceOf } from "../../catalogue/evm/EvmFacts.ts"
import type { EvmContext } from "../../domain/transactionContext/EvmContext.ts"
import type * as Client from "../../jsonrpc/Client.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import { isPossible, isUpTo } from "../amounts.ts"
import { requireHeight } from "../currentHead.ts"
import { currentBlock, newestBlockCalls } from "./newestBlock.ts"
import { callAll, quantity } from "./strategies/calls.ts"

// Ethereum JSON-RPC (ethereum.github.io/execution-apis): one node answers all of it, in one batch.

const calls = (address: string): ReadonlyArray<Client.ClientCall> => [
  ...newestBlockCalls,
  { method: "eth_getTransactionCount", params: [address, "latest"] },
  { method: "eth_getTransactionCount", params: [address, "pending"] },
  { method: "eth_getBalance", params: [address, "latest"] },
  { method: "eth_gasPrice", params: [] }
]

/** No account has sent as many transactions, though nonces fit into 64 bits (EIP-2681). */
const isNonce = isUpTo(2n ** 32n)

/** What the transactions of an address are built from. */
export const read = (nodes: Upstream, facts: EvmFacts, address: string): Effect.Effect<EvmContext, UpstreamError> =>
  nodes.over((node) => ofNode(node, facts, address))

const ofNode = (node: Endpoint, facts: EvmFacts, address: string) =>
  Effect.gen(function* () {
    const outcomes = yield* callAll(node, calls(address))
    const block = yield* currentBlock(node, facts, outcomes)
    const isPrice = isUpTo(maxGasPriceOf(facts))
    const [, , latest, pending, balance, gasPrice] = outcomes
    const read = Option.all({
      nonce: Option.filter(quantity(latest), isNonce),
      pendingNonce: Option.filter(quantity(pending), isNonce),
      balance: Option.filter(quantity(balance), isPossible(facts)),
      gasPrice: Option.filter(quantity(gasPrice), (price) => price > 0n && isPrice(price))
    })
    if (Option.isNone(read) || !isPrice(block.baseFee ?? 0n)) return yield* node.fault(incomplete)
    yield* requireHeight(node, facts, block.number)
    const { nonce, pendingNonce, ...amounts } = read.value
    // A node that counts fewer in its pool than in its blocks is between two of them.
    if (pendingNonce < nonce) return yield* node.fault(contradictory)
    return {
      family: "evm" as const,
      chainId: facts.chainId,
      nonce: Number(nonce),
      pendingNonce: Number(pendingNonce),
      balance: String(amounts.balance),
      block: block.number,
      baseFeePerGas: block.baseFee === undefined ? null : String(block.baseFee),
      gasPrice: String(amounts.gasPrice)
    }
  })

const incomplete: Fault = { reason: "bad_answer", detail: "the node did not return all that a transaction needs" }
const contradictory: Fault = { reason: "bad_answer", detail: "the node returned a pending nonce below the latest" }
