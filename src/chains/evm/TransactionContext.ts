import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { EvmContext } from "../../domain/transactionContext/EvmContext.ts"
import type * as Client from "../../jsonrpc/Client.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import { decodeQuantity } from "./balanceOf.ts"
import { wrongChain } from "./strategies/BalanceStrategy.ts"
import { callAll, quantity } from "./strategies/calls.ts"

// Ethereum JSON-RPC (ethereum.github.io/execution-apis): one node answers all of it, in one batch.

const calls = (address: string): ReadonlyArray<Client.ClientCall> => [
  { method: "eth_chainId", params: [] },
  { method: "eth_getTransactionCount", params: [address, "latest"] },
  { method: "eth_getTransactionCount", params: [address, "pending"] },
  { method: "eth_getBalance", params: [address, "latest"] },
  { method: "eth_gasPrice", params: [] },
  { method: "eth_getBlockByNumber", params: ["latest", false] }
]

const Quantity = Schema.String.pipe(Schema.filter((text) => Option.isSome(decodeQuantity(text))))

const Block = Schema.Struct({ number: Quantity, baseFeePerGas: Schema.NullishOr(Quantity) })
const toBlock = Schema.decodeUnknownOption(Block)

/** Nonces fit into 64 bits (EIP-2681); those that a number cannot have are wrong. */
const isNonce = (value: bigint) => value <= BigInt(Number.MAX_SAFE_INTEGER)

/** What the transactions of an address are built from. */
export const read = (nodes: Upstream, chainId: number, address: string): Effect.Effect<EvmContext, UpstreamError> =>
  nodes.over((node) => ofNode(node, chainId, address))

const ofNode = (node: Endpoint, chainId: number, address: string) =>
  Effect.gen(function* () {
    const [chain, latest, pending, balance, gasPrice, newest] = yield* callAll(node, calls(address))
    if (Option.getOrUndefined(quantity(chain)) !== BigInt(chainId)) return yield* node.fault(wrongChain)
    const read = Option.all({
      nonce: Option.filter(quantity(latest), isNonce),
      pendingNonce: Option.filter(quantity(pending), isNonce),
      balance: quantity(balance),
      gasPrice: quantity(gasPrice),
      block: Option.flatMap(Option.fromNullable(newest && Either.getOrUndefined(newest)), toBlock)
    })
    if (Option.isNone(read)) return yield* node.fault(incomplete)
    const { block, nonce, pendingNonce, ...amounts } = read.value
    // A node that counts fewer in its pool than in its blocks is between two of them.
    if (pendingNonce < nonce) return yield* node.fault(contradictory)
    return {
      family: "evm" as const,
      chainId,
      nonce: Number(nonce),
      pendingNonce: Number(pendingNonce),
      balance: String(amounts.balance),
      block: Number(block.number),
      baseFeePerGas: block.baseFeePerGas == null ? null : String(BigInt(block.baseFeePerGas)),
      gasPrice: String(amounts.gasPrice)
    }
  })

const incomplete: Fault = { reason: "bad_answer", detail: "the node did not return all that a transaction needs" }
const contradictory: Fault = { reason: "bad_answer", detail: "the node returned a pending nonce below the latest" }
