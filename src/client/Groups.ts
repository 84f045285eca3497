import type { Call } from "./Call.ts"
import type { CallOptions } from "./ClientOptions.ts"
import { stream } from "./Stream.ts"
import type { SentRequest, Transport } from "./Transport.ts"
import type { NetworkName, operations, ReadPost } from "./types.ts"
import { unusable } from "./WalletDataError.ts"

type Operations = operations

/** Request body of an operation. */
type Body<Id extends keyof Operations> =
  NonNullable<Operations[Id]["requestBody"]> extends {
    readonly content: { readonly "application/json": infer Json }
  }
    ? Json
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

type Request = Body<"history.history">
type HistoryPage = Data<"history.historyWithMeta">

/** Returns the addresses with further pages after this page, and their cursors. */
const remainingCursors = ({ data, meta }: HistoryPage) => {
  const open = Object.entries(meta).map(([network, addresses]) => {
    const cursors = Object.entries(addresses).flatMap(([address, { next }]) =>
      next === null || !data[network]?.[address]?.length ? [] : [[address, next] as const]
    )
    return [network, cursors] as const
  })
  const left = open.filter(([, cursors]) => cursors.length > 0)
  return {
    cursors: Object.fromEntries(left.map(([network, cursors]) => [network, Object.fromEntries(cursors)])),
    networks: Object.fromEntries(left.map(([network, cursors]) => [network, cursors.map(([address]) => address)]))
  }
}

// A proxy between client and service may return anything.
const isObject = (value: unknown): value is object => typeof value === "object" && value !== null
const isPage = (page: unknown): page is HistoryPage =>
  isObject(page) &&
  "data" in page &&
  "meta" in page &&
  isObject(page.data) &&
  isObject(page.meta) &&
  Object.values(page.meta).every((byAddress) => isObject(byAddress) && Object.values(byAddress).every(isObject))

/** Returns the rest of the request after this page. Throws if a cursor repeats, which would loop forever. */
const nextPageOf = ({ cursors: before = {} }: Pick<Request, "cursors">, page: HistoryPage) => {
  const next = remainingCursors(page)
  const isRepeated = Object.entries(next.cursors).some(([network, cursors]) =>
    Object.entries(cursors).some(([address, cursor]) => before[network]?.[address] === cursor)
  )
  if (isRepeated) throw unusable("The response repeats the cursor of the previous page")
  return next
}

type Balances = Body<"balances.balances">
type History = Body<"history.history">
type HistoryWithMeta = Body<"history.historyWithMeta">
type ExportedEntry = HistoryPage["data"][string][string][number] & {
  readonly network: string
  readonly address: string
}

export const balances = (transport: Transport) => {
  const { call, settings } = transport
  return Object.assign(
    /** Balances of addresses and their values. */
    (request: Balances, options?: CallOptions) => call<Data<"balances.balances">>(read("/balance", request), options),
    {
      /** Streams balances, each row as soon as available. */
      stream: (request: Balances, options?: CallOptions) =>
        stream<Data<"balances.balances">[number]>(transport, read("/balance", request), options),
      /** URL of the same stream for an `EventSource`. */
      eventsUrl: ({ currency, detail, networks }: Balances) =>
        `${settings.baseUrl}/balance/stream${query({ addresses: pairs(networks), currency, detail })}`,
      /** The balance of one coin or token of one address. */
      token: (request: Body<"balances.token">, options?: CallOptions) =>
        call<Data<"balances.token">>(read("/balance/token", request), options)
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

export const history = (transport: Transport) => {
  const { call, settings } = transport
  /** Transactions of addresses, newest first. */
  const transactions: Histories = (request: History | HistoryWithMeta, options?: CallOptions) =>
    call<never>(read("/history", request), options)
  /** Streams transactions, each network as soon as available. */
  const streamed: HistoryStreams = (request: History | HistoryWithMeta, options?: CallOptions) =>
    stream<never>(transport, read("/history", request), options)
  const exportPath = (networks: History["networks"], format: string) =>
    `/history/export${query({ addresses: pairs(networks), format })}`
  return Object.assign(transactions, {
    stream: streamed,
    /** URL of the same stream for an `EventSource`. */
    eventsUrl: ({ cursors, limit, meta, networks }: History | HistoryWithMeta) => {
      const items = cursors && cursorItems(cursors)
      return `${settings.baseUrl}/history/stream${query({ addresses: pairs(networks), limit, meta, cursors: items || undefined })}`
    },
    /**
     * Iterates over the pages of all addresses, requesting each on demand, until every history ends. If the page of an
     * address fails, the address is not requested again: `meta` gives the reason, and `next` the cursor to go on from.
     */
    async *pages(request: Omit<HistoryWithMeta, "meta">, options?: CallOptions): AsyncGenerator<HistoryPage, void> {
      let wanted: HistoryWithMeta = { ...request, meta: true }
      while (Object.keys(wanted.networks).length > 0) {
        const page: HistoryPage = await transactions(wanted, options)
        if (!isPage(page)) throw unusable("The response is not a page of histories")
        yield page
        wanted = { ...wanted, ...nextPageOf(wanted, page) }
      }
    },
    /** Streams complete histories, one transaction at a time. */
    export: ({ networks }: Pick<History, "networks">, options?: CallOptions) =>
      stream<ExportedEntry>(transport, get(exportPath(networks, "ndjson")), options),
    /**
     * Downloads complete histories as a file: for browsers, which cannot send the API key with a link. An attempt takes
     * until all histories are read, so set `timeout` to minutes.
     */
    exportFile: (
      { networks }: Pick<History, "networks">,
      format: "csv" | "ndjson" = "csv",
      options?: CallOptions
    ): Promise<Blob> =>
      call<string>(get(exportPath(networks, format), { isText: true }), options)
        .withResponse()
        .then(({ data, headers }) => new Blob([data], { type: headers.get("content-type") ?? "" })),
    /** URL of complete histories as a CSV or NDJSON file. */
    exportUrl: ({ networks }: Pick<History, "networks">, format: "csv" | "ndjson" = "csv") =>
      `${settings.baseUrl}${exportPath(networks, format)}`
  })
}

export const portfolio = ({ call }: Transport) => ({
  /** Value of addresses over the last days. */
  chart: (request: Body<"portfolio.chart">, options?: CallOptions) =>
    call<Data<"portfolio.chart">>(read("/portfolio/chart", request), options)
})

/** Currency of the prices. Default: US dollars. */
export interface PriceOptions extends CallOptions {
  readonly currency?: string | undefined
}

type ChartDays = Parameter<"prices.marketChart", "query", "days">

export const prices = ({ call }: Transport) => ({
  /** Current prices of coins, by the coin ids of the market data provider. */
  coin: (ids: ReadonlyArray<string>, { currency, ...options }: PriceOptions = {}) =>
    call<Data<"prices.coin">>(get(`/price/coin${query({ coin_ids: ids.join(","), currency })}`), options),
  /** Prices of all tokens of chains, by chain id. */
  chain: (ids: ReadonlyArray<number | string>, { currency, ...options }: PriceOptions = {}) =>
    call<Data<"prices.chain">>(get(`/price${query({ network_ids: ids.join(","), currency })}`), options),
  /** Price, market capitalisation and volume over days. */
  marketChart: (
    ids: ReadonlyArray<string>,
    days: ChartDays | NumberIn<ChartDays>,
    { currency, ...options }: PriceOptions = {}
  ) =>
    call<Data<"prices.marketChart">>(
      get(`/price/market_chart${query({ coin_ids: ids.join(","), days, currency })}`),
      options
    ),
  /** Supported currencies and the value of a US dollar in each. */
  currencies: (options?: CallOptions) => call<Data<"prices.currencies">>(get("/price/currencies"), options),
  /** Details of a platform's native coin from the market data provider. */
  nativeDetails: (platform: string, options?: CallOptions) =>
    call<Data<"prices.nativeDetails">>(get(path("/price/coin/details/{}", platform)), options),
  /** Details of a token from the market data provider. */
  tokenDetails: (platform: string, contract: string, options?: CallOptions) =>
    call<Data<"prices.tokenDetails">>(get(path("/price/coin/details/{}/{}", platform, contract)), options)
})

type Rpc = Body<"nodes.rpc">

export const nodes = ({ call }: Transport) => ({
  /** Sends a JSON-RPC call or batch to a node. JSON-RPC errors are data. Never retried: it may send a transaction. */
  rpc: <A = unknown>(network: NetworkName, request: Rpc, options?: CallOptions) =>
    call<A>(post(path("/utils/rpc/{}", network), request, { anyStatus: true }), options),
  /** Sends a JSON-RPC call or batch to a node of the test network. */
  testnetRpc: <A = unknown>(network: NetworkName, request: Rpc, options?: CallOptions) =>
    call<A>(post(path("/utils/rpc/{}/testnet", network), request, { anyStatus: true }), options),
  /** Cardano protocol parameters for building transactions. */
  protocolParameters: (options?: CallOptions) =>
    call<Data<"nodes.protocolParameters">>(get("/utils/protocol-parameters"), options)
})

type Transaction = Required<Body<"transactions.sendRaw">>

export const transactions = ({ call }: Transport) => ({
  /** Sends a raw transaction, without retries. After an error with `mayHaveArrived`, look it up before a second send. */
  sendRaw: (request: Transaction, options?: CallOptions) =>
    call<Data<"transactions.sendRaw">>(post("/utils/sendrawtransaction", request), options),
  /**
   * Sends a signed transaction on any network, without retries, and returns the decision. After an error with
   * `mayHaveArrived`, look it up before a second send.
   */
  send: (request: Body<"transactions.send">, options?: CallOptions) =>
    call<Data<"transactions.send">>(post("/transactions/send", request), options),
  /** What a signed transaction would do, and why a send would refuse it before any node. Nothing is sent. */
  decode: (request: Body<"transactions.decode">, options?: CallOptions) =>
    call<Data<"transactions.decode">>(read("/transactions/decode", request), options),
  /** A transaction by its hash, with every party, in the form of a history. */
  byHash: (network: Parameter<"transactions.byHash", "path", "network">, hash: string, options?: CallOptions) =>
    call<Data<"transactions.byHash">>(get(path("/transactions/{}/{}", network, hash)), options),
  /** Looks up a raw transaction by its hash. */
  getRaw: (request: Transaction, options?: CallOptions) =>
    call<Data<"transactions.getRaw">>(read("/utils/getrawtransaction", request), options),
  /** Time of the first transaction of an address on each network. */
  first: (request: Body<"transactions.first">, options?: CallOptions) =>
    call<Data<"transactions.first">>(read("/utils/first-tx", request), options),
  /** Data for building transactions of addresses: nonces, unspent outputs, a recent block. */
  context: (request: Body<"transactions.context">, options?: CallOptions) =>
    call<Data<"transactions.context">>(read("/utils/transaction-context", request), options),
  /** Status of transactions by hash: pending, confirmed, failed, replaced, expired or not found. */
  status: (request: Body<"transactions.status">, options?: CallOptions) =>
    call<Data<"transactions.status">>(read("/transactions/status", request), options),
  /** What a transaction must pay to replace or cancel a pending transaction. */
  replacement: (request: Body<"transactions.replacement">, options?: CallOptions) =>
    call<Data<"transactions.replacement">>(read("/transactions/replacement", request), options),
  /** The gas of an EVM transaction before it is signed, its access list and its fee for data; or why it would fail. */
  estimate: (request: Body<"transactions.estimate">, options?: CallOptions) =>
    call<Data<"transactions.estimate">>(read("/transactions/estimate", request), options),
  /** Facts about the recipient of a payment, before it is signed. */
  checkRecipient: (request: Body<"transactions.checkRecipient">, options?: CallOptions) =>
    call<Data<"transactions.checkRecipient">>(read("/transactions/check-recipient", request), options),
  /** Simulates a transaction. Never retried: each simulation is saved and stays public. */
  simulate: (request: Body<"transactions.simulate">, options?: CallOptions) =>
    call<Data<"transactions.simulate">>(post("/utils/simulate-tx", request), options)
})

type Coin = Parameter<"charts.item", "path", "coin">
type Period = Parameter<"charts.item", "path", "period">

export const charts = ({ call, settings: { appName } }: Transport) => {
  const route = (rest: string) => `/${encodeURIComponent(appName)}/mdata${rest}`
  return {
    /** Available series and their lengths. */
    metadata: (options?: CallOptions) => call<Data<"charts.metadata">>(get(route("")), options),
    /** All series, by coin and period. */
    data: (options?: CallOptions) => call<Data<"charts.data">>(get(route("/data")), options),
    /** The series of one coin and period. */
    item: (coin: Coin, period: Period | NumberIn<Period>, options?: CallOptions) =>
      call<Data<"charts.item">>(get(route(path("/item/{}/{}", coin, period))), options),
    /** The series of several coins over one period. */
    list: (coins: ReadonlyArray<Coin>, period: Period | NumberIn<Period>, options?: CallOptions) =>
      call<Data<"charts.list">>(get(route(path("/list/{}/{}", coins.join(","), period))), options),
    /** Returns an empty list; exists for compatibility. */
    errors: (options?: CallOptions) => call<Data<"charts.errors">>(get(route("/errors")), options),
    /** Does nothing; exists for compatibility. */
    restart: (options?: CallOptions) => call<Data<"charts.restart">>(get(route("/restart")), options)
  }
}

export const status = ({ call }: Transport) => ({
  /** Whether the process runs. */
  live: (options?: CallOptions) => call<Data<"status.live">>(get("/health/live"), options),
  /** Whether the service is ready, with the state of each upstream. Also succeeds if it is not ready. */
  ready: (options?: CallOptions) => call<Data<"status.ready">>(get("/health/ready", { anyStatus: true }), options),
  /** Calls to each source and failures of them, by day. */
  availability: (options?: CallOptions) => call<Data<"status.availability">>(get("/status/availability"), options),
  /** Metrics in the Prometheus text format. */
  metrics: (options?: CallOptions) => call<Data<"status.metrics">>(get("/metrics", { isText: true }), options)
})

/** Address whose resources are read, on networks whose accounts have resources. */
export interface FeeOptions extends CallOptions {
  readonly address?: string | undefined
}

/** Whether the delegations of the account are read. */
export interface LookUpOptions extends CallOptions {
  readonly detail?: boolean | undefined
}

export const single = ({ call, settings }: Transport) => ({
  /** All networks and their abilities. */
  networks: (options?: CallOptions) => call<Data<"networks.networks">>(get("/networks"), options),
  /** Transaction fees of a network: slow, standard and fast. */
  fees: (network: NetworkName, { address, ...options }: FeeOptions = {}) =>
    call<Data<"fees.fees">>(get(`${path("/utils/fees/{}", network)}${query({ address })}`), options),
  blocks: {
    /** The newest block of a network. */
    newest: (network: NetworkName, options?: CallOptions) =>
      call<Data<"blocks.newest">>(get(path("/utils/block/{}", network)), options)
  },
  addresses: {
    /** Networks whose address format matches a text. Without `detail`, it calls no upstream. */
    lookUp: (text: string, { detail, ...options }: LookUpOptions = {}) =>
      call<Data<"addresses.lookUp">>(get(`${path("/address/{}", text)}${query({ detail })}`), options)
  },
  faucet: {
    /** Sends coins of the operator's test network to an address. Never retried. */
    fund: (address: string, options?: CallOptions) =>
      call<Data<"faucet.fund">>(get(path("/utils/fund-testnet-account/{}", address), { repeatable: false }), options)
  },
  /** Address of the icon of a coin, for `<img>`. */
  iconUrl: (coinId: string) => `${settings.baseUrl}${path("/icon/{}", coinId)}`
})
