import * as Effect from "effect/Effect"
import * as Sui from "../../../src/chains/sui/Sui.ts"
import type { RegisteredToken } from "../../../src/providers/TokenRegistry.ts"
import { chainOver, token as tokenOf } from "../../support/chains.ts"
import * as EvmNodes from "../../support/EvmNodes.ts"
import { byAddress } from "../../support/holdings.ts"

// Simulated Sui GraphQL hosts, and the network that reads from them.

export const long = (hex: string) => `0x${hex.padStart(64, "0")}`
export const owners = (count: number) => Array.from({ length: count }, (_, index) => long(`a${index.toString(16)}`))

export const token = (address: string, coinId: string, decimals = 6) => tokenOf(address, coinId, decimals)

export interface Query {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** Addresses in a query for first pages; empty for other queries. */
export const keysOf = ({ variables }: Query): ReadonlyArray<string> =>
  ((variables.keys ?? []) as ReadonlyArray<{ readonly address: string }>).map(({ address }) => address)

export const coin = (repr: string, totalBalance: string) => ({ coinType: { repr }, totalBalance })

export const page = (
  nodes: ReadonlyArray<unknown>,
  endCursor: string | null = null,
  hasNextPage = endCursor !== null
) => ({
  balances: { nodes, pageInfo: { hasNextPage, endCursor } }
})

/** A body whose listed addresses state the requested ones, in their order. */
const withAddresses = (body: unknown, query: Query) => {
  const { data } = body as { readonly data?: { readonly multiGetAddresses?: ReadonlyArray<object | null> } }
  const keys = keysOf(query)
  const named = data?.multiGetAddresses?.map((row, index) => row && { address: keys[index], ...row })
  return named === undefined ? body : { ...(body as object), data: { ...data, multiGetAddresses: named } }
}

/** The metadata of the coins in a query for many: 9 decimals for CETUS, 6 for others. */
export const metadataOf = ({ variables }: Query) =>
  Object.fromEntries(
    Object.entries(variables).map(([name, type]) => [name, { decimals: String(type).endsWith("::CETUS") ? 9 : 6 }])
  )

/** Whether a query is for the metadata of many coins. */
export const isOfMetadata = ({ query }: Query) => query.includes("t0: coinMetadata")

/** Host that answers each query with the body that `answer` returns. */
export const answering =
  (answer: (query: Query) => unknown, requests: Array<Query> = []): EvmNodes.SimulatedHost =>
  (_, { text }) =>
    Effect.sync(() => {
      const query: Query = JSON.parse(text)
      requests.push(query)
      return Response.json(withAddresses(answer(query), query))
    })

/** Host on which the given addresses have coins, one page per address. Other addresses have no coins. */
export const hosting = (coins: Readonly<Record<string, ReadonlyArray<unknown>>>, requests: Array<Query> = []) =>
  answering(
    (query) => ({
      data: isOfMetadata(query)
        ? metadataOf(query)
        : { multiGetAddresses: keysOf(query).map((text) => page(coins[text] ?? [])) }
    }),
    requests
  )

/** The network over two hosts. The second host defaults to the same behaviour as the first. */
export const network = Effect.fnUntraced(function* (
  first: EvmNodes.SimulatedHost,
  tokens: ReadonlyArray<RegisteredToken> | undefined,
  second: EvmNodes.SimulatedHost = first
) {
  const { layer, seen } = EvmNodes.clientOver({ "one.test": first, "two.test": second })
  const { chain, confirmed } = yield* chainOver(Sui.layer, layer, {
    tokens: tokens === undefined ? {} : { sui: tokens },
    environment: { SUI_GRAPHQL_URLS: "http://one.test/graphql,http://two.test" }
  })
  return { ...byAddress(chain), confirmed, seen }
})
