import * as Option from "effect/Option"
import type { NetworkInfo } from "../networks/Network.ts"
import * as CoinType from "../networks/sui/coinType.ts"
import { parse, resolve } from "./graphql.ts"
import { serviceConfig, transactions } from "./suiHistory.ts"
import * as World from "./World.ts"
import { json, type Simulated } from "./wire.ts"

/** Limits of the real service: kinds of coins in a page, and lists of balances in a query. */
const largestPage = 50
const mostLists = 21

/** The upstreams of Sui. */
export const sui = (info: NetworkInfo) => [[`${info.id}-graphql`, suiGraphql(info)] as const]

/** A GraphQL host of Sui, as far as the service asks one. */
export const suiGraphql =
  (info: NetworkInfo): Simulated =>
  ({ body }) => {
    const asked = Option.getOrUndefined(parsed(body))
    const fields = asked === undefined ? undefined : parse(asked.query, asked.variables ?? {})
    if (fields === undefined) return json({ data: null, errors: [{ message: "Failed to parse", path: [] }] })
    const lists = { asked: 0 }
    const root = {
      chainIdentifier: "35834a8a",
      address: ({ address }: Arguments) => owner(info, String(address), lists),
      multiGetAddresses: ({ keys }: Arguments) =>
        (keys as ReadonlyArray<{ readonly address: string }>).map(({ address }) => owner(info, address, lists)),
      coinMetadata: ({ coinType }: Arguments) => metadata(info, String(coinType)),
      serviceConfig,
      transactions: (asked: Arguments) =>
        Number(asked.last ?? 0) > largestPage ? refused(lists) : transactions(info, asked)
    }
    const data = resolve(root, fields)
    return lists.asked > mostLists
      ? json({ data: null, errors: [{ message: "too many lists", extensions: { code: "RESOURCE_EXHAUSTED" } }] })
      : json({ data })
  }

/** A page that is too large is refused as a whole. */
const refused = (lists: { asked: number }) => {
  lists.asked = mostLists + 1
  return null
}

type Arguments = Readonly<Record<string, unknown>>

const parsed = Option.liftThrowable(
  (body: string): { readonly query: string; readonly variables?: Record<string, unknown> } => JSON.parse(body)
)

const canonical = (type: string) => Option.getOrElse(CoinType.canonical(type), () => type)

/** All coins of an address by canonical type; those it has none of are not told. */
const coinsOf = (info: NetworkInfo, address: string) =>
  [
    { type: CoinType.sui, amount: World.native(info, address) },
    ...World.contractsOn(info.platform).map((contract) => ({
      type: canonical(contract.address),
      amount: World.held(info, contract, address)
    }))
  ].filter(({ amount }) => amount > 0n)

const owner = (info: NetworkInfo, address: string, lists: { asked: number }) => ({
  address,
  balance: ({ coinType }: Arguments) => {
    const type = canonical(String(coinType))
    const held = coinsOf(info, address).find((coin) => coin.type === type)
    return balance(type, held?.amount ?? 0n)
  },
  balances: ({ after, first }: Arguments) => {
    lists.asked += 1
    const coins = coinsOf(info, address)
    const start = after === undefined ? 0 : Number(Buffer.from(String(after), "base64").toString())
    const end = start + Math.min(Number(first ?? 20), largestPage)
    return {
      nodes: coins.slice(start, end).map(({ amount, type }) => balance(type, amount)),
      pageInfo: {
        hasNextPage: end < coins.length,
        endCursor: coins.length === 0 ? null : Buffer.from(String(Math.min(end, coins.length))).toString("base64")
      }
    }
  }
})

const balance = (type: string, amount: bigint) => ({
  coinType: { repr: type },
  totalBalance: String(amount),
  coinBalance: String(amount),
  addressBalance: "0"
})

const metadata = (info: NetworkInfo, type: string) => {
  const wanted = canonical(type)
  const coin = World.contractsOn(info.platform).find(({ address }) => canonical(address) === wanted)
  if (coin === undefined) return wanted === CoinType.sui ? { decimals: info.native.decimals } : null
  return { decimals: coin.decimals, symbol: coin.coin.symbol.toUpperCase(), name: coin.coin.name }
}
