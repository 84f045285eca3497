import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { quantity } from "../../chains/evm/strategies/calls.ts"
import type * as Client from "../../jsonrpc/Client.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import { ask, askAll } from "./fundingMessages.ts"

/** What a transaction of an account must be made of now. Amounts are in base units. */
export interface ChainState {
  readonly chainId: bigint
  /** The next nonce, counting what the node holds in its pool. */
  readonly nonce: number
  /** Undefined where the node does not tell it with its pool counted in. */
  readonly balance: bigint | undefined
  readonly fees:
    | { readonly type: "eip1559"; readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }
    | { readonly type: "legacy"; readonly gasPrice: bigint }
}

const chainIdCall = { method: "eth_chainId", params: [] }

export const tellsItsChain = (node: Endpoint) =>
  Effect.flatMap(ask(node, chainIdCall), (outcome) =>
    Option.isSome(quantity(outcome)) ? Effect.void : lacks(node, "its chain id")
  )

const calls = (account: string) => [
  chainIdCall,
  { method: "eth_getTransactionCount", params: [account, "pending"] },
  { method: "eth_getBalance", params: [account, "pending"] },
  { method: "eth_getBlockByNumber", params: ["latest", false] },
  { method: "eth_gasPrice", params: [] },
  { method: "eth_maxPriorityFeePerGas", params: [] }
]

/** All of it in one request, where the node takes batches. */
export const chainState = (upstream: Upstream, account: string) =>
  upstream.over((node) =>
    Effect.flatMap(askAll(node, calls(account)), ([chain, count, balance, block, price, tip]) => {
      const chainId = Option.getOrUndefined(quantity(chain))
      const nonce = Option.getOrUndefined(quantity(count))
      const fees = feesOf(member(block, "baseFeePerGas"), Option.getOrUndefined(quantity(price)), quantity(tip))
      if (chainId === undefined) return lacks(node, "its chain id")
      if (nonce === undefined) return lacks(node, "the funder's next nonce")
      if (fees === undefined) return lacks(node, "the price of gas")
      return Effect.succeed<ChainState>({
        chainId,
        nonce: Number(nonce),
        balance: Option.getOrUndefined(quantity(balance)),
        fees
      })
    })
  )

const lacks = (node: Endpoint, what: string) =>
  Effect.fail(node.fault({ reason: "bad_answer", detail: `it did not return ${what}` }))

const member = (outcome: Client.Outcome | undefined, name: string): bigint | undefined => {
  if (outcome === undefined || Either.isLeft(outcome)) return undefined
  const { [name]: value } = (outcome.right ?? {}) as Readonly<Record<string, unknown>>
  return Option.getOrUndefined(quantity(Either.right(value)))
}

/** Twice the base fee stays enough for six full blocks. A node without a word on tips is paid what its gas price says. */
const feesOf = (
  base: bigint | undefined,
  price: bigint | undefined,
  tip: Option.Option<bigint>
): ChainState["fees"] | undefined => {
  if (base === undefined) return price === undefined ? undefined : { type: "legacy", gasPrice: price }
  const usual = price !== undefined && price > base ? price - base : 0n
  const maxPriorityFeePerGas = Option.getOrElse(tip, () => usual)
  return { type: "eip1559", maxPriorityFeePerGas, maxFeePerGas: 2n * base + maxPriorityFeePerGas }
}
