import type { Call, CallOptions, WalletData } from "../../src/client/Client.ts"
import { hashOf, sample, serialize } from "../support/rawTransactions.ts"
import { blockNumber, listedHash, usdt } from "../support/requests.ts"
import { holder } from "../support/sandbox.ts"

export const networks = { ethereum: [holder(1)], zkevm: [holder(1)] }

/** Calls of every operation in the OpenAPI document. */
export const calls: Readonly<Record<string, (client: WalletData, options?: CallOptions) => Call<unknown>>> = {
  "balances.balances": ({ balances }, options) => balances({ networks, currency: "eur", detail: true }, options),
  "balances.token": ({ balances }, options) =>
    balances.token({ networkId: "ethereum", address: holder(1), tokenAddress: usdt }, options),
  "history.history": ({ history }, options) => history({ networks, limit: 3 }, options),
  "history.historyWithMeta": ({ history }, options) => history({ networks, limit: 3, meta: true }, options),
  "portfolio.chart": ({ portfolio }, options) => portfolio.chart({ networks, days: 7 }, options),
  "prices.chain": ({ prices }, options) => prices.chain([61, "146"], { ...options, currency: "eur" }),
  "prices.coin": ({ prices }, options) => prices.coin(["bitcoin", "tether"], options),
  "prices.marketChart": ({ prices }, options) => prices.marketChart(["bitcoin"], 7, { ...options, currency: "chf" }),
  "prices.currencies": ({ prices }, options) => prices.currencies(options),
  "prices.nativeDetails": ({ prices }, options) => prices.nativeDetails("ethereum", options),
  "prices.tokenDetails": ({ prices }, options) => prices.tokenDetails("ethereum", usdt, options),
  "nodes.rpc": ({ nodes }, options) => nodes.rpc("ethereum", blockNumber, options),
  "nodes.testnetRpc": ({ nodes }, options) => nodes.testnetRpc("base", [blockNumber], options),
  "nodes.protocolParameters": ({ nodes }, options) => nodes.protocolParameters(options),
  "transactions.sendRaw": ({ transactions }, options) =>
    transactions.sendRaw({ chain: "litecoin", tx: serialize(sample()) }, options),
  "transactions.getRaw": ({ transactions }, options) =>
    transactions.getRaw({ chain: "litecoin", tx: hashOf(sample()) }, options),
  "transactions.first": ({ transactions }, options) =>
    transactions.first({ networkIds: ["ethereum"], address: holder(1) }, options),
  "transactions.context": ({ transactions }, options) => transactions.context({ networks }, options),
  "transactions.status": ({ transactions }, options) =>
    transactions.status({ networks: { ethereum: [`0x${"1".repeat(64)}`] } }, options),
  "transactions.replacement": ({ transactions }, options) =>
    transactions.replacement({ network: "ethereum", hash: `0x${"1".repeat(64)}` }, options),
  "transactions.estimate": ({ transactions }, options) =>
    transactions.estimate({ network: "ethereum", transaction: { from: holder(1), to: usdt } }, options),
  "transactions.checkRecipient": ({ transactions }, options) =>
    transactions.checkRecipient({ network: "ethereum", from: holder(1), to: usdt }, options),
  "transactions.send": ({ transactions }, options) =>
    transactions.send({ network: "litecoin", transaction: serialize(sample()) }, options),
  "transactions.byHash": ({ transactions }, options) => transactions.byHash("ethereum", listedHash, options),
  "transactions.decode": ({ transactions }, options) =>
    transactions.decode({ network: "litecoin", transaction: serialize(sample()) }, options),
  "token.facts": ({ token }, options) => token.facts("ethereum", usdt, options),
  "tokens.search": ({ tokens }, options) =>
    tokens.search("usd", { ...options, networks: ["ethereum", "base"], limit: 5 }),
  "blocks.newest": ({ blocks }, options) => blocks.newest("tron", options),
  "fees.fees": ({ fees }, options) => fees("tron", { ...options, address: "TMuA6YqfCeX8EhbfYEg5y7S4DqzSJireY9" }),
  "transactions.simulate": ({ transactions }, options) =>
    transactions.simulate({ chain: "1", input: { from: holder(1), to: usdt, input: "0xa9059cbb" } }, options),
  "faucet.fund": ({ faucet }, options) => faucet.fund(holder(1), options),
  "charts.metadata": ({ charts }, options) => charts.metadata(options),
  "charts.restart": ({ charts }, options) => charts.restart(options),
  "charts.errors": ({ charts }, options) => charts.errors(options),
  "charts.data": ({ charts }, options) => charts.data(options),
  "charts.item": ({ charts }, options) => charts.item("shiba-inu", 30, options),
  "charts.list": ({ charts }, options) => charts.list(["bitcoin", "ethereum"], "365", options),
  "addresses.lookUp": ({ addresses }, options) => addresses.lookUp(holder(1), options),
  "status.live": ({ status }, options) => status.live(options),
  "status.ready": ({ status }, options) => status.ready(options),
  "status.metrics": ({ status }, options) => status.metrics(options),
  "status.availability": ({ status }, options) => status.availability(options),
  "networks.networks": (client, options) => client.networks(options)
}
