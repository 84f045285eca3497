import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import type { HistoryEntry } from "../../src/contract/HistoryApi.ts"
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

/** The requests of a network that return numbers, rows or statements; `hashes` are in its history. */
export const requestsOf = (info: Network, hashes: ReadonlyArray<string>): ReadonlyArray<Asked> => {
  const addresses = addressesOf(info)
  const busy = World.busy(info.id)
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
    { route: "utils/fees", path: `/utils/fees/${info.id}` },
    { route: "utils/block", path: `/utils/block/${info.id}` },
    { route: "networks", path: "/networks" }
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
