import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { quantity } from "../../chains/evm/strategies/calls.ts"
import type * as Client from "../../jsonrpc/Client.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import { read, readAll } from "./nodeCalls.ts"

/** The current data for a transaction of an account. Amounts are in base units. */
export interface ChainState {
  readonly chainId: bigint
  /** The next nonce, including transactions in the node's pool. */
  readonly nonce: number
  /** Includes the node's pool; undefined if the node does not return it. */
  readonly balance: bigint | undefined
  readonly fees:
    | { readonly type: "eip1559"; readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }
    | { readonly type: "legacy"; readonly gasPrice: bigint }
}

const chainIdCall = { method: "eth_chainId", params: [] }

export const returnsChainId = (node: Endpoint) =>
  Effect.flatMap(read(node, chainIdCall), (outcome) =>
    Option.isSome(quantity(outcome)) ? Effect.void : missing(node, "its chain id")
  )

const calls = (account: string) => [
  chainIdCall,
  { method: "eth_getTransactionCount", params: [account, "pending"] },
  { method: "eth_getBalance", params: [account, "pending"] },
  { method: "eth_getBlockByNumber", params: ["latest", false] },
  { method: "eth_gasPrice", params: [] },
  { method: "eth_maxPriorityFeePerGas", params: [] }
]

/** Reads the state in one request if the node accepts batches. */
export const chainState = (upstream: Upstream, account: string) =>
  upstream.over((node) =>
    Effect.flatMap(readAll(node, calls(account)), ([chain, count, balance, block, price, tip]) => {
      const chainId = Option.getOrUndefined(quantity(chain))
      const nonce = Option.getOrUndefined(quantity(count))
      const fees = feesOf(member(block, "baseFeePerGas"), Option.getOrUndefined(quantity(price)), quantity(tip))
      if (chainId === undefined) return missing(node, "its chain id")
      if (nonce === undefined) return missing(node, "the funder's next nonce")
      if (fees === undefined) return missing(node, "the price of gas")
      return Effect.succeed<ChainState>({
        chainId,
        nonce: Number(nonce),
        balance: Option.getOrUndefined(quantity(balance)),
        fees
      })
    })
  )

const missing = (node: Endpoint, what: string) =>
  Effect.fail(node.fault({ reason: "bad_answer", detail: `it did not return ${what}` }))

const member = (outcome: Client.Outcome | undefined, name: string): bigint | undefined => {
  if (outcome === undefined || Either.isLeft(outcome)) return undefined
  const { [name]: value } = (outcome.right ?? {}) as Readonly<Record<string, unknown>>
  return Option.getOrUndefined(quantity(Either.right(value)))
}

/** Twice the base fee covers six full blocks. If a node returns no tip, uses its gas price minus the base fee. */
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
