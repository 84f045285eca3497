import type { Call } from "./Call.ts"
import type { CallOptions } from "./ClientOptions.ts"
import { stream } from "./Stream.ts"
import type { SentRequest, Transport } from "./Transport.ts"
import type { ByNetwork, NetworkName, operations, ReadPost } from "./types.ts"

type Operations = operations

/** JSON as callers write it: optional members may be undefined, also with `exactOptionalPropertyTypes`. */
type Written<Json> =
  // As one object type, its optional members would contradict its other names without `exactOptionalPropertyTypes`.
  Json extends ByNetwork<ReadonlyArray<string>>
    ? Json
    : Json extends object
      ? { [Key in keyof Json]: Written<Json[Key]> | (string extends Key ? never : OptionalIn<Json, Key>) }
      : Json

type OptionalIn<Json, Key extends keyof Json> = Partial<Pick<Json, Key>> extends Pick<Json, Key> ? undefined : never

/** Request body of an operation. */
type Body<Id extends keyof Operations> =
  NonNullable<Operations[Id]["requestBody"]> extends {
    readonly content: { readonly "application/json": infer Json }
  }
    ? Id extends "transactions.sendRaw" | "transactions.getRaw"
      ? // The service also takes their members in the query.
        Required<Json>
      : Written<Json>
    : never

/** Response data of an operation. */
type Data<Id extends keyof Operations> = Operations[Id]["responses"] extends {
  readonly 200: { readonly content: infer Content }
}
  ? Content extends { readonly "application/json": infer Json }
    ? Json
    : string
  : never

/** A parameter in the query or the path of an operation. */
type Parameter<Id extends keyof Operations, Place extends "query" | "path", Name extends string> =
  NonNullable<Operations[Id]["parameters"][Place]> extends { readonly [Key in Name]?: infer Value } ? Value : never

/** Converts a union of numeric texts to numbers: `"1" | "7"` to `1 | 7`. */
type NumberIn<Text> = Text extends `${infer Value extends number}` ? Value : never

/** Builds a query string; leaves undefined values out. */
const query = (values: Readonly<Record<string, string | number | boolean | undefined>>): string => {
  const parts = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]
  )
  return parts.length === 0 ? "" : `?${parts.join("&")}`
}

/** Fills the values, URI-encoded, into a template such as `/a/{}/{}`. */
const path = (template: string, ...values: ReadonlyArray<string | number>): string => {
  let index = 0
  return template.replace(/\{\}/g, () => encodeURIComponent(values[index++] ?? ""))
}

/** `network:address` pairs, separated by commas. */
const pairs = (networks: Readonly<Record<string, ReadonlyArray<string>>>) =>
  Object.entries(networks)
    .flatMap(([network, addresses]) => addresses.map((address) => `${network}:${address}`))
    .join(",")

/** `network:address:cursor` items, separated by commas. */
const cursorItems = (cursors: Readonly<Record<string, Readonly<Record<string, string>>>>) =>
  Object.entries(cursors)
    .flatMap(([network, texts]) => Object.entries(texts).map(([address, cursor]) => `${network}:${address}:${cursor}`))
    .join(",")

const get = (route: string, more?: Partial<SentRequest>): SentRequest => ({
  method: "GET",
  path: route,
  repeatable: true,
  ...more
})

/** A POST that may have a side effect. */
const post = (route: string, body: unknown, more?: Partial<SentRequest>): SentRequest => ({
  method: "POST",
  path: route,
  body: JSON.stringify(body),
  repeatable: false,
  ...more
})

/** A POST without a side effect, by the contract. */
const read = (route: ReadPost, body: unknown): SentRequest => post(route, body, { repeatable: true })

/** Makes methods of operations whose whole request is a body, or that have no parameters. */
export const methods = ({ call }: Transport) => ({
  reading:
    <Id extends keyof Operations>(route: ReadPost) =>
    (request: Body<Id>, options?: CallOptions) =>
      call<Data<Id>>(() => read(route, request), options),
  sending:
    <Id extends keyof Operations>(route: string) =>
    (request: Body<Id>, options?: CallOptions) =>
      call<Data<Id>>(() => post(route, request), options),
  getting:
    <Id extends keyof Operations>(route: string, more?: Partial<SentRequest>) =>
    (options?: CallOptions) =>
      call<Data<Id>>(() => get(route, more), options)
})

export type HistoryPage = Data<"history.historyWithMeta">

type Balances = Body<"balances.balances">
export type History = Body<"history.history">
export type HistoryWithMeta = Body<"history.historyWithMeta">
type ExportedEntry = HistoryPage["data"][string][string][number] & {
  readonly network: string
  readonly address: string
}

export const balances = (transport: Transport) => {
  const { settings } = transport
  const { reading } = methods(transport)
  return Object.assign(
    /** Balances of addresses and their values. */
    reading<"balances.balances">("/balance"),
    {
      /** Streams balances, each row as soon as available. */
      stream: (request: Balances, options?: CallOptions) =>
        stream<Data<"balances.balances">[number]>(transport, () => read("/balance", request), options),
      /** URL of the same stream for an `EventSource`. */
      eventsUrl: ({ currency, detail, networks }: Balances) =>
        `${settings.baseUrl}/balance/stream${query({ addresses: pairs(networks), currency, detail })}`,
      /** The balance of one coin or token of one address. */
      token: reading<"balances.token">("/balance/token")
    }
  )
}

/** With `meta: true`, the data reports how complete it is. */
export interface Histories {
  (request: HistoryWithMeta, options?: CallOptions): Call<Data<"history.historyWithMeta">>
  (request: History, options?: CallOptions): Call<Data<"history.history">>
}

export interface HistoryStreams {
  (request: HistoryWithMeta, options?: CallOptions): ReturnType<typeof stream<Data<"history.historyWithMeta">>>
  (request: History, options?: CallOptions): ReturnType<typeof stream<Data<"history.history">>>
}

/** The types of texts, and how they end. */
export const files = {
  metrics: { type: "text/plain", end: /\n$/ },
  csv: { type: "text/csv", end: /\n,+(IN)?COMPLETE,+\d+\s*$/ },
  ndjson: { type: "application/x-ndjson", end: /\{"done":true.*\}\s*$/ }
}

export const history = (transport: Transport) => {
  const { call, settings } = transport
  /** Transactions of addresses, newest first. */
  const transactions: Histories = (request: History | HistoryWithMeta, options?: CallOptions) =>
    call<never>(() => read("/history", request), options)
  /** Streams transactions, each network as soon as available. */
  const streamed: HistoryStreams = (request: History | HistoryWithMeta, options?: CallOptions) =>
    stream<never>(transport, () => read("/history", request), options)
  const exportPath = (networks: History["networks"], format: string) =>
    `/history/export${query({ addresses: pairs(networks), format, end: format === "csv" || undefined })}`
  return Object.assign(transactions, {
    stream: streamed,
    /** URL of the same stream for an `EventSource`. */
    eventsUrl: ({ cursors, limit, meta, networks }: History | HistoryWithMeta) => {
      const items = cursors && cursorItems(cursors)
      return `${settings.baseUrl}/history/stream${query({ addresses: pairs(networks), limit, meta, cursors: items || undefined })}`
    },
    /** Streams complete histories, one transaction at a time. */
    export: ({ networks }: Pick<History, "networks">, options?: CallOptions) =>
      stream<ExportedEntry>(transport, () => get(exportPath(networks, "ndjson")), options),
    /**
     * Downloads complete histories as a file: for browsers, which cannot send the API key with a link. An attempt takes
     * until all histories are read, so set `timeout` to minutes. Fails if the file does not end as it must: half a file
     * is no file. Its last record or line says whether parts are missing.
     */
    exportFile: (
      { networks }: Pick<History, "networks">,
      format: "csv" | "ndjson" = "csv",
      options?: CallOptions
    ): Promise<Blob> =>
      call<string>(() => get(exportPath(networks, format), { text: files[format] }), options)
        .withResponse()
        .then(({ data, headers }) => new Blob([data], { type: headers.get("content-type") ?? "" })),
    /** URL of complete histories as a CSV or NDJSON file. */
    exportUrl: ({ networks }: Pick<History, "networks">, format: "csv" | "ndjson" = "csv") =>
      `${settings.baseUrl}${exportPath(networks, format)}`
  })
}

export const portfolio = (transport: Transport) => ({
  /** Value of addresses over the last days. */
  chart: methods(transport).reading<"portfolio.chart">("/portfolio/chart")
})

/** Currency of the prices. Default: US dollars. */
export interface PriceOptions extends CallOptions {
  readonly currency?: string | undefined
}

type ChartDays = Parameter<"prices.marketChart", "query", "days">

export const prices = (transport: Transport) => {
  const { call } = transport
  return {
    /** Current prices of coins, by the coin ids of the market data provider. */
    coin: (ids: ReadonlyArray<string>, { currency, ...options }: PriceOptions = {}) =>
      call<Data<"prices.coin">>(() => get(`/price/coin${query({ coin_ids: ids.join(","), currency })}`), options),
    /** Prices of all tokens of chains, by chain id. */
    chain: (ids: ReadonlyArray<number | string>, { currency, ...options }: PriceOptions = {}) =>
      call<Data<"prices.chain">>(() => get(`/price${query({ network_ids: ids.join(","), currency })}`), options),
    /** Price, market capitalisation and volume over days. */
    marketChart: (
      ids: ReadonlyArray<string>,
      days: ChartDays | NumberIn<ChartDays>,
      { currency, ...options }: PriceOptions = {}
    ) =>
      call<Data<"prices.marketChart">>(
        () => get(`/price/market_chart${query({ coin_ids: ids.join(","), days, currency })}`),
        options
      ),
    /** Supported currencies and the value of a US dollar in each. */
    currencies: methods(transport).getting<"prices.currencies">("/price/currencies"),
    /** Details of a platform's native coin from the market data provider. */
    nativeDetails: (platform: string, options?: CallOptions) =>
      call<Data<"prices.nativeDetails">>(() => get(path("/price/coin/details/{}", platform)), options),
    /** Details of a token from the market data provider. */
    tokenDetails: (platform: string, contract: string, options?: CallOptions) =>
      call<Data<"prices.tokenDetails">>(() => get(path("/price/coin/details/{}/{}", platform, contract)), options)
  }
}

type Rpc = Body<"nodes.rpc">

export const nodes = ({ call }: Transport) => ({
  /** Sends a JSON-RPC call or batch to a node. JSON-RPC errors are data. Never retried: it may send a transaction. */
  rpc: <A = unknown>(network: NetworkName, request: Rpc, options?: CallOptions) =>
    call<A>(() => post(path("/utils/rpc/{}", network), request, { dataHas: "jsonrpc" }), options),
  /** Sends a JSON-RPC call or batch to a node of the test network. */
  testnetRpc: <A = unknown>(network: NetworkName, request: Rpc, options?: CallOptions) =>
    call<A>(() => post(path("/utils/rpc/{}/testnet", network), request, { dataHas: "jsonrpc" }), options),
  /** Cardano protocol parameters for building transactions. */
  protocolParameters: (options?: CallOptions) =>
    call<Data<"nodes.protocolParameters">>(() => get("/utils/protocol-parameters"), options)
})

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

type Coin = Parameter<"charts.item", "path", "coin">
type Period = Parameter<"charts.item", "path", "period">

export const charts = (transport: Transport) => {
  const {
    call,
    settings: { appName }
  } = transport
  const { getting } = methods(transport)
  const route = (rest: string) => `/${encodeURIComponent(appName)}/mdata${rest}`
  return {
    /** Available series and their lengths. */
    metadata: getting<"charts.metadata">(route("")),
    /** All series, by coin and period. */
    data: getting<"charts.data">(route("/data")),
    /** The series of one coin and period. */
    item: (coin: Coin, period: Period | NumberIn<Period>, options?: CallOptions) =>
      call<Data<"charts.item">>(() => get(route(path("/item/{}/{}", coin, period))), options),
    /** The series of several coins over one period. */
    list: (coins: ReadonlyArray<Coin>, period: Period | NumberIn<Period>, options?: CallOptions) =>
      call<Data<"charts.list">>(() => get(route(path("/list/{}/{}", coins.join(","), period))), options),
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
    /** Whether the service is ready, with the state of each upstream. Also succeeds if it is not ready. */
    ready: getting<"status.ready">("/health/ready", { dataHas: "upstreams" }),
    /** Calls to each source and failures of them, by day. */
    availability: getting<"status.availability">("/status/availability"),
    /** Metrics in the Prometheus text format. */
    metrics: getting<"status.metrics">("/metrics", { text: files.metrics })
  }
}

/** Address whose resources are read, on networks whose accounts have resources. */
export interface FeeOptions extends CallOptions {
  readonly address?: string | undefined
}

/** Whether the delegations of the account are read. */
export interface LookUpOptions extends CallOptions {
  readonly detail?: boolean | undefined
}

export const single = (transport: Transport) => {
  const { call, settings } = transport
  return {
    /** All networks and their abilities. */
    networks: methods(transport).getting<"networks.networks">("/networks"),
    /** Transaction fees of a network: slow, standard and fast. */
    fees: (network: NetworkName, { address, ...options }: FeeOptions = {}) =>
      call<Data<"fees.fees">>(() => get(`${path("/utils/fees/{}", network)}${query({ address })}`), options),
    blocks: {
      /** The newest block of a network. */
      newest: (network: NetworkName, options?: CallOptions) =>
        call<Data<"blocks.newest">>(() => get(path("/utils/block/{}", network)), options)
    },
    addresses: {
      /** Networks whose address format matches a text. Without `detail`, it calls no upstream. */
      lookUp: (text: string, { detail, ...options }: LookUpOptions = {}) =>
        call<Data<"addresses.lookUp">>(() => get(`${path("/address/{}", text)}${query({ detail })}`), options)
    },
    faucet: {
      /** Sends coins of the operator's test network to an address. Never retried. */
      fund: (address: string, options?: CallOptions) =>
        call<Data<"faucet.fund">>(
          () => get(path("/utils/fund-testnet-account/{}", address), { repeatable: false }),
          options
        )
    },
    /** Address of the icon of a coin, for `<img>`. */
    iconUrl: (coinId: string) => `${settings.baseUrl}${path("/icon/{}", coinId)}`
  }
}
