import type * as HttpClient from "@effect/platform/HttpClient"
import { base58 } from "@scure/base"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Solana from "../../../src/chains/solana/Solana.ts"
import type { RegisteredToken } from "../../../src/providers/TokenRegistry.ts"
import { chainOver, token as tokenOf } from "../../support/chains.ts"
import * as EvmNodes from "../../support/EvmNodes.ts"
import { type Exchange, replyOf } from "../../support/fixtures.ts"
import { byAddress } from "../../support/holdings.ts"

// Simulated Solana nodes, and the network that reads from them.

export const key = (index: number) => {
  const bytes = new Uint8Array(32).fill(9)
  bytes[31] = index
  return base58.encode(bytes)
}

export const keys = (count: number, from = 0) => Array.from({ length: count }, (_, index) => key(from + index))

export const token = (address: string, coinId: string, decimals = 6) => tokenOf(address, coinId, decimals)

export const programs = {
  token: "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
  token2022: "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"
}

export const valued = (value: unknown) => EvmNodes.result({ context: { slot: 1 }, value })

/** Token account in bytes, up to the requested length. */
export const bytes = (mint: string, amount: bigint) => {
  const data = Buffer.alloc(72)
  data.set(base58.decode(mint))
  data.writeBigUInt64LE(amount, 64)
  return { pubkey: mint, account: { data: [data.toString("base64"), "base64"] } }
}

export const parsed = (mint: string, amount: string, decimals: number, uiAmountString?: string) => ({
  pubkey: mint,
  account: { data: { parsed: { info: { mint, tokenAmount: { amount, decimals, uiAmountString } } } } }
})

/** The account of a mint with extensions. */
export const mintAccount = (decimals: number, extensions?: ReadonlyArray<object>) => ({
  data: { parsed: { type: "mint", info: { decimals, ...(extensions === undefined ? {} : { extensions }) } } }
})

export const scaledBy = (multiplier: string, newMultiplier = multiplier, newMultiplierEffectiveTimestamp = 0) => ({
  extension: "scaledUiAmountConfig",
  state: { authority: null, multiplier, newMultiplier, newMultiplierEffectiveTimestamp }
})

export const filterOf = ({ params }: EvmNodes.RpcCall) =>
  params[1] as { readonly mint?: string; readonly programId?: string }

/** Node that returns the exchange with the same method and, for token accounts, the same program. */
export const replaying = (...exchanges: ReadonlyArray<Exchange>) =>
  EvmNodes.rpcNode((call) => {
    const same = exchanges.find(({ request }) => {
      const { method, params } = request.body as EvmNodes.RpcCall
      return method === call.method && programOf(params) === programOf(call.params)
    })
    return same === undefined ? EvmNodes.error("method not found", -32601) : replyOf(same)
  })

const programOf = ([, filter]: EvmNodes.RpcCall["params"]) =>
  (filter as { readonly programId?: string } | undefined)?.programId

/** The decimals of mints without extensions. */
const decimals: Readonly<Record<string, number>> = {
  [key(100)]: 6,
  [key(101)]: 8,
  So11111111111111111111111111111111111111112: 9
}

/** Chain on which addresses have these lamports or no account, and no tokens, but some mints. */
export const chain =
  (lamports: Readonly<Record<string, number>>, mints = decimals) =>
  ({ method, params }: EvmNodes.RpcCall): EvmNodes.Reply => {
    const account = (text: string) => {
      if (lamports[text] !== undefined) return { lamports: lamports[text] }
      return mints[text] === undefined ? null : { lamports: 0, ...mintAccount(mints[text]) }
    }
    if (method === "getBalance") return valued(lamports[String(params[0])] ?? 0)
    if (method === "getAccountInfo") return valued(account(String(params[0])))
    return valued(method === "getMultipleAccounts" ? (params[0] as ReadonlyArray<string>).map(account) : [])
  }

export const built = (
  outside: Layer.Layer<HttpClient.HttpClient>,
  tokens: ReadonlyArray<RegisteredToken> | undefined,
  environment: Readonly<Record<string, string>>
) => {
  const lists = tokens === undefined ? {} : { solana: tokens }
  return Effect.map(chainOver(Solana.layer, outside, { tokens: lists, environment }), ({ chain, confirmed }) => ({
    ...byAddress(chain),
    confirmed
  }))
}

/** The network over two nodes of the operator. The second defaults to the same behaviour as the first. */
export const network = (
  first: EvmNodes.SimulatedHost,
  tokens: ReadonlyArray<RegisteredToken> | undefined,
  second: EvmNodes.SimulatedHost = first
) => {
  const { layer, seen } = EvmNodes.clientOver({ "one.test": first, "two.test": second })
  const environment = { SOLANA_RPC_URLS: "http://one.test,http://two.test" }
  return Effect.map(built(layer, tokens, environment), (solana) => ({ ...solana, seen }))
}
