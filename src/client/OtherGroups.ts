import type { CallOptions } from "./ClientOptions.ts"
import {
  type Balances,
  type Body,
  type Coin,
  chartRoute,
  cursorItems,
  type Data,
  exportPath,
  files,
  find,
  get,
  type History,
  type HistoryPage,
  type HistoryWithMeta,
  methods,
  type NumberIn,
  type Parameter,
  type Period,
  type PriceOptions,
  pairs,
  path,
  post,
  query,
  urlOf
} from "./Groups.ts"
import { stream } from "./Stream.ts"
import type { Transport } from "./Transport.ts"
import type { NetworkName } from "./types.ts"

// The methods that the page does not have.

type ExportedEntry = HistoryPage["data"][string][string][number] & {
  readonly network: string
  readonly address: string
}

export const balances = ({ settings }: Transport) => ({
  /** URL of the same stream for an `EventSource`. */
  eventsUrl: (request: Balances) =>
    urlOf(settings, () => {
      const { networks, ...options } = request
      return `/balance/stream${query({ addresses: pairs(networks), ...options })}`
    })
})

export const history = (transport: Transport) => ({
  /** URL of the same stream for an `EventSource`. */
  eventsUrl: (request: History | HistoryWithMeta) =>
    urlOf(transport.settings, () => {
      const { cursors, limit, meta, networks } = request
      const items = cursorItems(cursors).join(",")
      return `/history/stream${query({ addresses: pairs(networks), limit, meta, cursors: items || undefined })}`
    }),
  /** Streams complete histories, one transaction at a time. */
  export: (request: Pick<History, "networks">, options?: CallOptions) =>
    stream<ExportedEntry>(transport, () => get(exportPath(request, "ndjson")), options)
})

export const prices = ({ call }: Transport) => ({
  /** Prices of all tokens of chains, by chain id. */
  chain: (ids: ReadonlyArray<number | string>, options: PriceOptions = {}) =>
    call<Data<"prices.chain">>(
      () => find("/price", { network_ids: ids.join(","), currency: options.currency }),
      options
    ),
  /** Details of a platform's native coin from the market data provider. */
  nativeDetails: (platform: string, options?: CallOptions) =>
    call<Data<"prices.nativeDetails">>(() => get(path("/price/coin/details/{}", platform)), options),
  /** Details of a token from the market data provider. */
  tokenDetails: (platform: string, contract: string, options?: CallOptions) =>
    call<Data<"prices.tokenDetails">>(() => get(path("/price/coin/details/{}/{}", platform, contract)), options)
})

type Rpc = Body<"nodes.rpc">

export const nodes = (transport: Transport) => {
  const sending =
    (rest: string) =>
    <A = unknown>(network: NetworkName, request: Rpc, options?: CallOptions) =>
      transport.call<A>(() => post(path(`/utils/rpc/{}${rest}`, network), request, { dataHas: "jsonrpc" }), options)
  return {
    /** Sends a JSON-RPC call or batch to a node. JSON-RPC errors are data. Never retried: it may send a transaction. */
    rpc: sending(""),
    /** Sends a JSON-RPC call or batch to a node of the test network. */
    testnetRpc: sending("/testnet"),
    /** Cardano protocol parameters for building transactions. */
    protocolParameters: methods(transport).getting<"nodes.protocolParameters">("/utils/protocol-parameters")
  }
}

export const transactions = (transport: Transport) => {
  const { call } = transport
  const { reading, sending } = methods(transport)
  return {
    /** Sends a raw transaction, without retries. After an error with `mayHaveArrived`, look it up before a second send. */
    sendRaw: sending<"transactions.sendRaw">("/utils/sendrawtransaction"),
    /**
     * Sends a signed transaction on any network, without retries, and returns the decision. After an error with
     * `mayHaveArrived`, look it up before a second send.
     */
    send: sending<"transactions.send">("/transactions/send"),
    /** What a signed transaction would do, and why a send would refuse it before any node. Nothing is sent. */
    decode: reading<"transactions.decode">("/transactions/decode"),
    /** A transaction by its hash, with every party, in the form of a history. */
    byHash: (network: Parameter<"transactions.byHash", "path", "network">, hash: string, options?: CallOptions) =>
      call<Data<"transactions.byHash">>(() => get(path("/transactions/{}/{}", network, hash)), options),
    /** Looks up a raw transaction by its hash. */
    getRaw: reading<"transactions.getRaw">("/utils/getrawtransaction"),
    /** Time of the first transaction of an address on each network. */
    first: reading<"transactions.first">("/utils/first-tx"),
    /** Data for building transactions of addresses: nonces, unspent outputs, a recent block. */
    context: reading<"transactions.context">("/utils/transaction-context"),
    /** Status of transactions by hash: pending, confirmed, failed, replaced, expired or not found. */
    status: reading<"transactions.status">("/transactions/status"),
    /** What a transaction must pay to replace or cancel a pending transaction. */
    replacement: reading<"transactions.replacement">("/transactions/replacement"),
    /** The gas of an EVM transaction before it is signed, its access list and its fee for data; or why it would fail. */
    estimate: reading<"transactions.estimate">("/transactions/estimate"),
    /** Facts about the recipient of a payment, before it is signed. */
    checkRecipient: reading<"transactions.checkRecipient">("/transactions/check-recipient"),
    /** Simulates a transaction. Never retried: each simulation is saved and stays public. */
    simulate: sending<"transactions.simulate">("/utils/simulate-tx")
  }
}

export const charts = (transport: Transport) => {
  const { getting } = methods(transport)
  const route = (rest: string) => chartRoute(transport, rest)
  return {
    /** Available series and their lengths. */
    metadata: getting<"charts.metadata">(route("")),
    /** All series, by coin and period. */
    data: getting<"charts.data">(route("/data")),
    /** The series of several coins over one period. */
    list: (coins: ReadonlyArray<Coin>, period: Period | NumberIn<Period>, options?: CallOptions) =>
      transport.call<Data<"charts.list">>(() => get(route(path("/list/{}/{}", coins.join(","), period))), options),
    /** Returns an empty list; exists for compatibility. */
    errors: getting<"charts.errors">(route("/errors")),
    /** Does nothing; exists for compatibility. */
    restart: getting<"charts.restart">(route("/restart"))
  }
}

export const status = (transport: Transport) => {
  const { getting } = methods(transport)
  return {
    /** Whether the process runs. */
    live: getting<"status.live">("/health/live"),
    /** Metrics in the Prometheus text format. */
    metrics: getting<"status.metrics">("/metrics", { text: files.metrics })
  }
}

export const single = ({ call, settings }: Transport) => ({
  faucet: {
    /** Sends coins of the operator's test network to an address. Never retried. */
    fund: (address: string, options?: CallOptions) =>
      call<Data<"faucet.fund">>(
        () => get(path("/utils/fund-testnet-account/{}", address), { repeatable: false }),
        options
      )
  },
  token: {
    /** What a token is, by its contract, also if no list has it, with a verdict and the powers over it. */
    facts: (network: NetworkName, contract: string, options: PriceOptions = {}) =>
      call<Data<"token.facts">>(
        () => find(path("/token/{}/{}", network, contract), { currency: options.currency }),
        options
      )
  },
  /** Address of the icon of a coin, for `<img>`. */
  iconUrl: (coinId: string) => urlOf(settings, () => path("/icon/{}", coinId))
})
