import { operations } from "./document.ts"
import { hashOf, sample, serialize } from "./rawTransactions.ts"
import { holder } from "./sandbox.ts"

/** Parameters and body of a request to an operation. */
export interface OperationRequest {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly header?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export const usdt = "0xdac17f958d2ee523a2206206994597c13d831ec7"
export const blockNumber = { jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] }

/** Addresses of three networks, of which the last was shut down. */
export const networks = {
  ethereum: [holder(1)],
  bitcoin: ["bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"],
  zkevm: [holder(1)]
}

/** A transaction of the first holder, which nodes of the sandbox have once a list has returned it. */
export const listedHash = "0x8c9d41b70b55c41e1a06e7652ed4065656ad62268aa7bc6566bf703d36c24ae6"

const hash = `0x${"1".repeat(64)}`
const addresses = `ethereum:${holder(1)},zkevm:${holder(1)}`

/** A valid request to each operation, by its id. */
export const requests: Readonly<Record<string, OperationRequest>> = {
  "balances.balances": { body: { networks } },
  "balances.token": { body: { networkId: "ethereum", address: holder(1), tokenAddress: usdt } },
  "balances.stream": { query: { addresses } },
  "history.stream": { query: { addresses, limit: "5", meta: "true" } },
  "history.export": { query: { addresses, format: "csv" } },
  "history.history": { body: { networks, limit: 20 } },
  "history.historyWithMeta": { body: { networks, limit: 20, meta: true } },
  "addresses.lookUp": { path: { text: holder(1) } },
  "portfolio.chart": { body: { networks, days: 30 } },
  "prices.chain": { query: { network_ids: "61,146" } },
  "prices.coin": { query: { coin_ids: "bitcoin,tether", currency: "eur" } },
  "prices.marketChart": { query: { coin_ids: "bitcoin", days: "7" } },
  "prices.currencies": {},
  "prices.nativeDetails": { path: { platform: "ethereum" } },
  "prices.tokenDetails": { path: { platform: "ethereum", contract: usdt } },
  "nodes.rpc": { path: { network: "Ethereum" }, body: blockNumber },
  "nodes.testnetRpc": { path: { network: "Base" }, body: [blockNumber] },
  "nodes.protocolParameters": {},
  "transactions.sendRaw": { query: { chain: "litecoin", tx: serialize(sample()) }, body: {} },
  "transactions.getRaw": { body: { chain: "LTC", tx: hashOf(sample()) } },
  "transactions.context": { body: { networks: { ethereum: [holder(1)], zkevm: [holder(1)] } } },
  "transactions.first": { body: { networkIds: ["ethereum", "zkevm"], address: holder(1) } },
  "transactions.status": { body: { networks: { ethereum: [hash, "0x1"], zkevm: [hash] } } },
  "transactions.send": { body: { network: "LTC", transaction: serialize(sample()) } },
  "transactions.byHash": { path: { network: "ethereum", hash: listedHash } },
  "transactions.decode": { body: { network: "LTC", transaction: serialize(sample()) } },
  "transactions.replacement": { body: { network: "ethereum", hash } },
  "transactions.checkRecipient": { body: { network: "ethereum", from: holder(1), to: usdt } },
  "transactions.estimate": {
    body: { network: "optimism", transaction: { from: holder(1), to: usdt, value: "1" } }
  },
  "blocks.newest": { path: { network: "Tron" } },
  "fees.fees": { path: { network: "Tron" }, query: { address: "TMuA6YqfCeX8EhbfYEg5y7S4DqzSJireY9" } },
  "transactions.simulate": { body: { chain: "1", input: { from: holder(1), to: usdt, input: "0xa9059cbb" } } },
  "faucet.fund": { path: { address: holder(1) } },
  "charts.metadata": {},
  "charts.restart": {},
  "charts.errors": {},
  "charts.data": {},
  "charts.item": { path: { coin: "bitcoin", period: "30" } },
  "charts.list": { path: { coins: "bitcoin,ethereum", period: "30" } },
  "token.facts": { path: { network: "ETH", contract: usdt }, query: { currency: "eur" } },
  "tokens.search": { query: { q: "usd", networks: "ethereum,zkevm", limit: "5" } },
  "icons.icon": { path: { coinId: "bitcoin" } },
  "status.live": {},
  "status.ready": {},
  "status.metrics": {},
  "networks.networks": {},
  "status.availability": {}
}

/** Every operation with its valid request: method, path with parameters, and body. */
export const requested = operations.map(({ method, operation, path }) => {
  const id = operation.operationId
  const { body, path: parameters = {}, query = {} } = requests[id] ?? {}
  const filled = path.replace(/#.*$/, "").replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(parameters[name] ?? ""))
  const search = Object.keys(query).length === 0 ? "" : `?${new URLSearchParams(query)}`
  return { id, method: method.toUpperCase(), path: filled + search, body, statuses: Object.keys(operation.responses) }
})
