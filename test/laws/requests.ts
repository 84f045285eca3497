import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import type { HistoryEntry } from "../../src/contract/HistoryApi.ts"
import * as Sandbox from "../../src/sandbox/world/World.ts"
import { World } from "../../src/testing/index.ts"
import { samples } from "../chains/families/samples.ts"
import type { Answered, Asked, Network } from "./trial.ts"

/** Two used addresses, so that one can be compared while the other is lied about. */
export const addressesOf = (info: Network): ReadonlyArray<string> => samples(info, 3).slice(1)

const post = (route: string, body: unknown, query = ""): Asked => ({ route, path: `/${route}${query}`, body })

/** A request for the balances of addresses without their parts. */
const plainBalances = ({ id }: Network, addresses: ReadonlyArray<string>): Asked =>
  post("balance", { networks: { [id]: addresses } })

/** A request for the balances of addresses, with their parts. */
export const balances = ({ id }: Network, addresses: ReadonlyArray<string>): Asked =>
  post("balance", { networks: { [id]: addresses } }, "?detail=true")

/** A request for the histories of addresses. */
export const histories = (
  { id }: Network,
  addresses: ReadonlyArray<string>,
  options: { readonly limit?: number; readonly cursors?: Readonly<Record<string, string>> } = {}
): Asked => {
  const { cursors = {}, limit = 500 } = options
  return post("history", { networks: { [id]: addresses }, limit, meta: true, cursors: { [id]: cursors } })
}

export const chart = ({ id }: Network, addresses: ReadonlyArray<string>): Asked =>
  post("portfolio/chart", { networks: { [id]: addresses }, days: 7 })

export const contexts = ({ id }: Network, addresses: ReadonlyArray<string>): Asked =>
  post("utils/transaction-context", { networks: { [id]: addresses } })

export const statuses = ({ id }: Network, hashes: ReadonlyArray<string>): Asked =>
  post("transactions/status", { networks: { [id]: hashes } })

const get = (route: string, rest = ""): Asked => ({ route, path: `/${route}${rest}` })

/** Requests about one coin or token, and about what a market knows. */
const ofCoins = (info: Network, holder: string): ReadonlyArray<Asked> => {
  const [token] = Sandbox.contractsOn(info.platform).filter(({ coin }) => coin.odd === undefined)
  const native = { networkId: info.id, address: holder }
  return [
    post("balance/token", native),
    ...(token === undefined || info.id === "bch"
      ? []
      : [post("balance/token", { ...native, tokenAddress: token.address })]),
    get("price/coin", `?coin_ids=${info.native.coinId}`),
    ...(Catalogue.pricedChains.includes(Number(info.chainId)) ? [get("price", `?network_ids=${info.chainId}`)] : [])
  ]
}

/** Requests that a wallet makes before it sends. */
const ofSending = (
  info: Network,
  [from = "", to = ""]: ReadonlyArray<string>,
  pending?: string
): ReadonlyArray<Asked> => [
  ...(info.family === "evm"
    ? [post("transactions/estimate", { network: info.id, transaction: { from, to, value: "1" } })]
    : []),
  ...(info.family === "cardano" ? [get("utils/protocol-parameters")] : []),
  ...(pending === undefined || info.family !== "utxo"
    ? []
    : [post("transactions/replacement", { network: info.id, hash: pending })])
]

/** The same as routes with a body, in another form. */
const streamed = ({ id }: Network, addresses: ReadonlyArray<string>): ReadonlyArray<Asked> =>
  ["balance/stream", "history/export"].map((route) =>
    get(route, `?addresses=${encodeURIComponent(addresses.map((address) => `${id}:${address}`).join())}`)
  )

/**
 * The requests of a network that return numbers, rows or statements; `entries` are in its history. `/address` calls no
 * upstream.
 */
export const requestsOf = (info: Network, entries: ReadonlyArray<HistoryEntry>): ReadonlyArray<Asked> => {
  const addresses = addressesOf(info)
  const busy = World.busy(info.id)
  const hashes = [...new Set(entries.map(({ hash }) => hash))]
  return [
    plainBalances(info, addresses),
    balances(info, addresses),
    histories(info, addresses),
    // Its lists have several pages.
    ...(busy === undefined ? [] : [{ ...histories(info, [busy], { limit: 60 }), more: histories(info, [busy]) }]),
    chart(info, addresses),
    statuses(info, hashes),
    ...(Catalogue.rawLookupNetworks.includes(info.id)
      ? [post("utils/getrawtransaction", { chain: info.id, tx: hashes[0] })]
      : []),
    ...(Catalogue.firstTransactions.includes(info.id)
      ? [post("utils/first-tx", { networkIds: [info.id], address: addresses[0] })]
      : []),
    contexts(info, addresses),
    get("utils/fees", `/${info.id}`),
    get("utils/block", `/${info.id}`),
    get("networks"),
    ...ofCoins(info, addresses[0] ?? ""),
    ...ofSending(info, addresses, entries.find(({ status }) => status === "Pending")?.hash),
    ...streamed(info, addresses)
  ]
}

const rowsIn = ({ body }: Answered): ReadonlyArray<ReadonlyArray<HistoryEntry>> =>
  // Other routes have no rows, or the data of a provider.
  Object.values(Object(Object(body).data)).flatMap((byAddress) =>
    Object.values(Object(byAddress)).filter((rows) => Array.isArray(rows))
  )

/** Hashes of transactions in a response of `/history`. */
export const hashesIn = (answered: Answered): ReadonlyArray<string> =>
  rowsIn(answered).flatMap((rows) => rows.slice(0, 2).map(({ hash }) => hash))

/** Addresses and hashes that a request names. */
export const namesIn = ({ body }: Asked): ReadonlyArray<string> =>
  [...JSON.stringify(body ?? {}).matchAll(/"([\w+/=]{25,})"/g)].flatMap(([, name]) => name ?? [])

/** Two entries of each status in the histories of many addresses: confirmed ones first, then failed and pending ones. */
export const ofEachStatus = (answered: Answered): ReadonlyArray<HistoryEntry> =>
  ["Success", "Failed", "Pending"].flatMap((wanted) =>
    rowsIn(answered)
      .flat()
      .filter(({ status }) => status === wanted)
      .slice(0, 2)
  )
