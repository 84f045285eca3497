import * as Schema from "effect/Schema"
import * as Catalogue from "../catalogue/Catalogue.ts"
import { evmSample } from "../catalogue/evm/EvmFacts.ts"

/** What `record` has to know of a network, as GET /networks lists it. */
const Network = Schema.Struct({
  id: Schema.String,
  abilities: Schema.Record({
    key: Schema.String,
    value: Schema.Struct({ upstreams: Schema.Array(Schema.Struct({ name: Schema.String })) })
  })
})
export type Network = typeof Network.Type
export const Networks = Schema.Array(Network)

interface HttpQuery {
  readonly path: string
  readonly body?: unknown
}

/** One query, or several at once, that upstreams serve in each other's place. */
export interface Query {
  /** In the report. */
  readonly name: string
  /** The upstreams of a network that serve it, in order; of the market data the same for all networks. */
  readonly served: (network: Network) => ReadonlyArray<string>
  readonly requests: (networks: ReadonlyArray<Network>) => ReadonlyArray<HttpQuery>
}

/** The sources of prices and charts, and of the lists of tokens. */
export const market = ["coingecko", "defillama", "binance"]
export const tokenLists = "coingecko-tokens"

/** GET /networks lists no upstreams of protocol parameters. */
const parameters = ["blockfrost", "koios"]

const samples = new Map<string, string>(
  Catalogue.all.flatMap((facts) => ("sample" in facts ? [[facts.id, facts.sample]] : []))
)

/** An address with a past; EVM networks share one. */
const sampleOf = ({ id }: Network) => samples.get(id) ?? evmSample

const byNetwork = (networks: ReadonlyArray<Network>) =>
  Object.fromEntries(networks.map((network) => [network.id, [sampleOf(network)]]))

/** Of no transaction: what a source says of it is known for ever, and nothing is sent. */
const noHash = `${"0".repeat(63)}1`

const ability = (name: string) => (network: Network) =>
  (network.abilities[name]?.upstreams ?? []).map((upstream) => upstream.name)

export const queries: ReadonlyArray<Query> = [
  {
    name: "balances",
    served: ability("balance"),
    requests: (networks) => [{ path: "/balance", body: { networks: byNetwork(networks) } }]
  },
  {
    name: "history",
    served: ability("history"),
    requests: (networks) => [{ path: "/history", body: { networks: byNetwork(networks), limit: 10 } }]
  },
  {
    name: "first transaction",
    served: ability("firstTransaction"),
    requests: (networks) => [
      { path: "/utils/first-tx", body: { networkIds: networks.map(({ id }) => id), address: evmSample } }
    ]
  },
  {
    name: "fees",
    served: ability("fees"),
    requests: (networks) => networks.map(({ id }) => ({ path: `/utils/fees/${id}` }))
  },
  {
    name: "protocol parameters",
    served: (network) => ability("balance")(network).filter((upstream) => parameters.includes(upstream)),
    requests: () => [{ path: "/utils/protocol-parameters" }]
  },
  {
    name: "transaction context",
    served: ability("transactionContext"),
    requests: (networks) => [{ path: "/utils/transaction-context", body: { networks: byNetwork(networks) } }]
  },
  {
    name: "raw transaction",
    served: ability("rawTransactions"),
    requests: (networks) =>
      networks.map(({ id }) => ({ path: `/utils/getrawtransaction?chain=${id}&tx=${noHash}`, body: {} }))
  },
  {
    name: "prices and charts",
    served: () => market,
    requests: () => [
      { path: "/price/coin?coin_ids=bitcoin,ethereum,tether&currency=eur" },
      { path: "/price/market_chart?coin_ids=bitcoin&days=7" },
      { path: "/price/market_chart?coin_ids=bitcoin&days=7&currency=eur" },
      { path: "/price/coin/details/ethereum" },
      { path: "/app/mdata/item/bitcoin/1" }
    ]
  }
]
