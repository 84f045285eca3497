import * as Catalogue from "../../src/catalogue/Catalogue.ts"

export interface Ask {
  readonly path: string
  readonly body?: unknown
}

/** Networks with public nodes and explorers. */
const evm = ["ethereum", "optimism", "bsc", "polygon", "base", "arbitrum", "avalanche"]
const chains = Catalogue.all.flatMap(({ chainId }) => chainId ?? [])
const coins = [...new Set(Catalogue.all.map(({ native }) => native.coinId))].filter((id) => id !== "")

const item = <A>(list: ReadonlyArray<A>): A => {
  const found = list[Math.floor(Math.random() * list.length)]
  if (found === undefined) throw new Error("the list is empty")
  return found
}

/** A new random address. */
const address = () => `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(20))).toString("hex")}`

const addresses = (networks: number) =>
  Object.fromEntries(Array.from({ length: networks }, () => [item(evm), [address(), address()]]))

const balances = (): Ask => ({ path: "/balance", body: { networks: addresses(3) } })
const history = (): Ask => ({ path: "/history", body: { networks: addresses(1), limit: 20 } })

/** The requests of a wallet, in realistic proportions. */
const kinds: ReadonlyArray<() => Ask> = [
  balances,
  balances,
  balances,
  history,
  history,
  () => ({ path: "/balance/token", body: { networkId: item(evm), address: address() } }),
  () => ({ path: "/utils/first-tx", body: { address: address(), networkIds: [item(evm)] } }),
  () => ({
    path: `/utils/rpc/${item(evm)}`,
    body: { jsonrpc: "2.0", id: 1, method: "eth_getBalance", params: [address(), "latest"] }
  }),
  () => ({ path: `/price/coin?coin_ids=${item(coins)},${item(coins)}` }),
  () => ({ path: `/price?network_ids=${item(chains)}` }),
  () => ({ path: "/app/mdata/item/bitcoin/30" })
]

export const next = (): Ask => item(kinds)()
