import { samples } from "../chains/families/samples.ts"
import type { Answered, Asked, Network } from "./trial.ts"

/** Two used addresses, so that one can be compared while the other is lied about. */
export const addressesOf = (info: Network): ReadonlyArray<string> => samples(info, 3).slice(1)

/** The requests of a network that return numbers, rows or statements; `hashes` are in its history. */
export const requestsOf = (info: Network, hashes: ReadonlyArray<string>): ReadonlyArray<Asked> => {
  const addresses = addressesOf(info)
  const networks = { [info.id]: addresses }
  const post = (route: string, body: unknown): Asked => ({ route, path: `/${route}`, body })
  return [
    post("balance", { networks }),
    post("history", { networks, limit: 20, meta: true }),
    post("portfolio/chart", { networks, days: 7 }),
    post("transactions/status", { networks: { [info.id]: hashes } }),
    { route: "utils/getrawtransaction", path: `/utils/getrawtransaction?chain=${info.id}&tx=${hashes[0]}`, body: {} },
    post("utils/first-tx", { networkIds: [info.id], address: addresses[0] }),
    post("utils/transaction-context", { networks }),
    { route: "utils/fees", path: `/utils/fees/${info.id}` },
    { route: "utils/block", path: `/utils/block/${info.id}` },
    { route: "networks", path: "/networks" }
  ]
}

/** Hashes of transactions in a response of `/history`. */
export const hashesIn = ({ body }: Answered): ReadonlyArray<string> => {
  const data = Object(body).data as Readonly<Record<string, Readonly<Record<string, ReadonlyArray<{ hash: string }>>>>>
  return Object.values(data ?? {}).flatMap((byAddress) =>
    Object.values(byAddress).flatMap((rows) => rows.slice(0, 2).map(({ hash }) => hash))
  )
}
