import type { Call } from "./Call.ts"
import type { CallOptions } from "./ClientOptions.ts"
import { stream } from "./Stream.ts"
import type { Sent, Transport } from "./Transport.ts"
import type { operations } from "./types.ts"
import { unusable } from "./WalletDataError.ts"

type Operations = operations

/** The body of an operation's request. */
type Body<Id extends keyof Operations> =
  NonNullable<Operations[Id]["requestBody"]> extends {
    readonly content: { readonly "application/json": infer Json }
  }
    ? Json
    : never

/** The data of an operation's answer. */
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

/** The numbers that these texts are. */
type NumberIn<Text> = Text extends `${infer Value extends number}` ? Value : never

/** The parts of a query; those that are undefined are left out. */
const query = (values: Readonly<Record<string, string | number | boolean | undefined>>): string => {
  const parts = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]
  )
  return parts.length === 0 ? "" : `?${parts.join("&")}`
}

/** `/a/{}/{}` with the values in it. */
const path = (template: string, ...values: ReadonlyArray<string | number>): string => {
  let index = 0
  return template.replace(/\{\}/g, () => encodeURIComponent(values[index++] ?? ""))
}

/** `network:address` pairs. */
const pairs = (networks: Readonly<Record<string, ReadonlyArray<string>>>) =>
  Object.entries(networks)
    .flatMap(([network, addresses]) => addresses.map((address) => `${network}:${address}`))
    .join(",")

/** `network:address:cursor` items. */
const cursorItems = (cursors: Readonly<Record<string, Readonly<Record<string, string>>>>) =>
  Object.entries(cursors)
    .flatMap(([network, texts]) => Object.entries(texts).map(([address, cursor]) => `${network}:${address}:${cursor}`))
    .join(",")

const get = (route: string, more?: Partial<Sent>): Sent => ({
  method: "GET",
  path: route,
  repeatable: true,
  ...more
})

/** A POST that reads. */
const read = (route: string, body: unknown): Sent => ({
  method: "POST",
  path: route,
  body: JSON.stringify(body),
  repeatable: true
})

/** A POST that may change something. */
const act = (route: string, body: unknown, more?: Partial<Sent>): Sent => ({
  ...read(route, body),
  repeatable: false,
  ...more
})

type Request = Body<"history.transactions">
type HistoryPage = Data<"history.transactionsWithMeta">

/** What is left to request after a page: the addresses that have more, with their cursors. */
const after = ({ data, meta }: HistoryPage) => {
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

/** A proxy in between may answer with anything. */
const isObject = (value: unknown): value is object => typeof value === "object" && value !== null
const isPage = (page: unknown): page is HistoryPage =>
  isObject(page) &&
  "data" in page &&
  "meta" in page &&
  isObject(page.data) &&
  isObject(page.meta) &&
  Object.values(page.meta).every((byAddress) => isObject(byAddress) && Object.values(byAddress).every(isObject))

/** Whether a page continues where it began. */
const isRepeated = (before: Request["cursors"] = {}, next: Required<Request>["cursors"]) =>
  Object.entries(next).some(([network, cursors]) =>
    Object.entries(cursors).some(([address, cursor]) => before[network]?.[address] === cursor)
  )

/** What is left to request after the page of a request. Throws where it would be read for ever. */
const afterPage = ({ cursors }: Pick<Request, "cursors">, page: HistoryPage) => {
  const next = after(page)
  if (isRepeated(cursors, next.cursors)) throw unusable("The answer has a cursor of the page before")
  return next
}

/** The answer, if it is a page. */
const requirePage = (page: HistoryPage): HistoryPage => {
  if (!isPage(page)) throw unusable("The answer is no page of histories")
  return page
}

type Balances = Body<"balances.balances">
type History = Body<"history.transactions">
type HistoryWithMeta = Body<"history.transactionsWithMeta">
type ExportedEntry = HistoryPage["data"][string][string][number] & {
  readonly network: string
  readonly address: string
}

export const balances = (transport: Transport) => {
  const { call, settings } = transport
  return Object.assign(
    /** What addresses hold, and what it is worth. */
    (request: Balances, options?: CallOptions) => call<Data<"balances.balances">>(read("/balance", request), options),
    {
      /** The same, each row as soon as it is there. */
      stream: (request: Balances, options?: CallOptions) =>
        stream<Data<"balances.balances">[number]>(transport, read("/balance", request), options),
      /** The address of the same stream for an `EventSource`. */
      eventsUrl: ({ currency, detail, networks }: Balances) =>
        `${settings.baseUrl}/balance/stream${query({ addresses: pairs(networks), currency, detail })}`,
      /** The balance of one coin or token of one address. */
      token: (request: Body<"balances.token">, options?: CallOptions) =>
        call<Data<"balances.token">>(read("/balance/token", request), options)
    }
  )
}

/** With `meta: true` the data says how complete it is. */
export interface Histories {
  (request: HistoryWithMeta, options?: CallOptions): Call<Data<"history.transactionsWithMeta">>
  (request: History, options?: CallOptions): Call<Data<"history.transactions">>
}

export interface HistoryStreams {
  (request: HistoryWithMeta, options?: CallOptions): ReturnType<typeof stream<Data<"history.transactionsWithMeta">>>
  (request: History, options?: CallOptions): ReturnType<typeof stream<Data<"history.transactions">>>
}

export const history = (transport: Transport) => {
  const { call, settings } = transport
  /** The transactions of addresses, the newest first. */
  const transactions: Histories = (request: History | HistoryWithMeta, options?: CallOptions) =>
    call<never>(read("/history", request), options)
  /** The same, each network as soon as it is there. */
  const streamed: HistoryStreams = (request: History | HistoryWithMeta, options?: CallOptions) =>
    stream<never>(transport, read("/history", request), options)
  const exportPath = (networks: History["networks"], format: string) =>
    `/history/export${query({ addresses: pairs(networks), format })}`
  return Object.assign(transactions, {
    stream: streamed,
    /** The address of the same stream for an `EventSource`. */
    eventsUrl: ({ cursors, limit, meta, networks }: History | HistoryWithMeta) => {
      const items = cursors && cursorItems(cursors)
      return `${settings.baseUrl}/history/stream${query({ addresses: pairs(networks), limit, meta, cursors: items || undefined })}`
    },
    /**
     * Page after page, each requested when it is read, until all addresses are at their end. An address whose page could not
     * be read is not requested again: its `meta` says why, and its `next` goes on from there.
     */
    async *pages(request: Omit<HistoryWithMeta, "meta">, options?: CallOptions): AsyncGenerator<HistoryPage, void> {
      let wanted: HistoryWithMeta = { ...request, meta: true }
      while (Object.keys(wanted.networks).length > 0) {
        const page = requirePage(await transactions(wanted, options))
        yield page
        wanted = { ...wanted, ...afterPage(wanted, page) }
      }
    },
    /** Whole histories, transaction by transaction. */
    export: ({ networks }: Pick<History, "networks">, options?: CallOptions) =>
      stream<ExportedEntry>(transport, get(exportPath(networks, "ndjson")), options),
    /**
     * Whole histories as a file, read to its end: for a browser that cannot send the API key with a link. An attempt takes as
     * long as the histories do, so that `timeout` should be minutes.
     */
    exportFile: (
      { networks }: Pick<History, "networks">,
      format: "csv" | "ndjson" = "csv",
      options?: CallOptions
    ): Promise<Blob> =>
      call<string>(get(exportPath(networks, format), { isText: true }), options)
        .withResponse()
        .then(({ data, headers }) => new Blob([data], { type: headers.get("content-type") ?? "" })),
    /** The address of whole histories as a file of CSV or NDJSON. */
    exportUrl: ({ networks }: Pick<History, "networks">, format: "csv" | "ndjson" = "csv") =>
      `${settings.baseUrl}${exportPath(networks, format)}`
  })
}

export const portfolio = ({ call }: Transport) => ({
  /** What addresses were worth over the last days. */
  chart: (request: Body<"portfolio.chart">, options?: CallOptions) =>
    call<Data<"portfolio.chart">>(read("/portfolio/chart", request), options)
})

/** The currency of prices; US dollars where it is left out. */
export interface PriceOptions extends CallOptions {
  readonly currency?: string | undefined
}

type ChartDays = Parameter<"prices.marketChart", "query", "days">

export const prices = ({ call }: Transport) => ({
  /** The current prices of coins, by the ids of the market data provider. */
  coin: (ids: ReadonlyArray<string>, { currency, ...options }: PriceOptions = {}) =>
    call<Data<"prices.byCoin">>(get(`/price/coin${query({ coin_ids: ids.join(","), currency })}`), options),
  /** The prices of every token of chains, by their chain ids. */
  chain: (ids: ReadonlyArray<number | string>, { currency, ...options }: PriceOptions = {}) =>
    call<Data<"prices.byChain">>(get(`/price${query({ network_ids: ids.join(","), currency })}`), options),
  /** Price, capitalisation and volume over days. */
  marketChart: (
    ids: ReadonlyArray<string>,
    days: ChartDays | NumberIn<ChartDays>,
    { currency, ...options }: PriceOptions = {}
  ) =>
    call<Data<"prices.marketChart">>(
      get(`/price/market_chart${query({ coin_ids: ids.join(","), days, currency })}`),
      options
    ),
  /** The currencies that other calls accept, and what a US dollar is worth in each. */
  currencies: (options?: CallOptions) => call<Data<"prices.currencies">>(get("/price/currencies"), options),
  /** What the market data provider has of the native coin of a platform. */
  nativeDetails: (platform: string, options?: CallOptions) =>
    call<Data<"prices.nativeDetails">>(get(path("/price/coin/details/{}", platform)), options),
  /** What it has of a token. */
  tokenDetails: (platform: string, contract: string, options?: CallOptions) =>
    call<Data<"prices.tokenDetails">>(get(path("/price/coin/details/{}/{}", platform, contract)), options)
})

type Rpc = Body<"nodes.rpc">

export const nodes = ({ call }: Transport) => ({
  /** A JSON-RPC call or a batch, to a node of a network. Errors in JSON-RPC are data. Never repeated: it may send a transaction. */
  rpc: <A = unknown>(network: string, request: Rpc, options?: CallOptions) =>
    call<A>(act(path("/utils/rpc/{}", network), request, { anyStatus: true }), options),
  /** The same to a node of its test network. */
  testnetRpc: <A = unknown>(network: string, request: Rpc, options?: CallOptions) =>
    call<A>(act(path("/utils/rpc/{}/testnet", network), request, { anyStatus: true }), options),
  /** What a Cardano wallet needs to build a transaction. */
  protocolParameters: (options?: CallOptions) =>
    call<Data<"nodes.protocolParameters">>(get("/utils/protocol-parameters"), options)
})

type Transaction = Required<Body<"transactions.sendRawTransaction">>

export const transactions = ({ call }: Transport) => ({
  /** Sends a raw transaction, once: after an error it may have arrived; look it up before it is sent again. */
  send: (request: Transaction, options?: CallOptions) =>
    call<Data<"transactions.sendRawTransaction">>(act("/utils/sendrawtransaction", request), options),
  /** Looks a transaction up by its hash. */
  get: (request: Transaction, options?: CallOptions) =>
    call<Data<"transactions.getRawTransaction">>(read("/utils/getrawtransaction", request), options),
  /** When an address was first used on networks. */
  first: (request: Body<"transactions.firstTransaction">, options?: CallOptions) =>
    call<Data<"transactions.firstTransaction">>(read("/utils/first-tx", request), options),
  /** What transactions of addresses are built from: nonces, unspent outputs, a recent block. */
  context: (request: Body<"transactions.context">, options?: CallOptions) =>
    call<Data<"transactions.context">>(read("/utils/transaction-context", request), options)
})

type Coin = Parameter<"charts.item", "path", "coin">
type Period = Parameter<"charts.item", "path", "period">

export const charts = ({ call, settings: { appName } }: Transport) => {
  const route = (rest: string) => `/${encodeURIComponent(appName)}/mdata${rest}`
  return {
    /** Which series there are, and how long they are. */
    metadata: (options?: CallOptions) => call<Data<"charts.metadata">>(get(route("")), options),
    /** All series, by coin and period. */
    data: (options?: CallOptions) => call<Data<"charts.data">>(get(route("/data")), options),
    /** One series. */
    item: (coin: Coin, period: Period | NumberIn<Period>, options?: CallOptions) =>
      call<Data<"charts.item">>(get(route(path("/item/{}/{}", coin, period))), options),
    /** The series of several coins. */
    list: (coins: ReadonlyArray<Coin>, period: Period | NumberIn<Period>, options?: CallOptions) =>
      call<Data<"charts.list">>(get(route(path("/list/{}/{}", coins.join(","), period))), options),
    /** An empty list, for compatibility. */
    errors: (options?: CallOptions) => call<Data<"charts.errors">>(get(route("/errors")), options),
    /** Nothing, for compatibility. */
    restart: (options?: CallOptions) => call<Data<"charts.restart">>(get(route("/restart")), options)
  }
}

export const status = ({ call }: Transport) => ({
  /** Whether the process runs. */
  live: (options?: CallOptions) => call<Data<"status.live">>(get("/health/live"), options),
  /** Whether it can serve, and the state of each upstream; also where it cannot. */
  ready: (options?: CallOptions) => call<Data<"status.ready">>(get("/health/ready", { anyStatus: true }), options),
  /** Prometheus text. */
  metrics: (options?: CallOptions) => call<Data<"status.metrics">>(get("/metrics", { isText: true }), options)
})

/** The address whose resources are read, on a network whose accounts have some. */
export interface FeeOptions extends CallOptions {
  readonly address?: string | undefined
}

export const single = ({ call }: Transport) => ({
  /** Every network, and what works on it. */
  networks: (options?: CallOptions) => call<Data<"status.networks">>(get("/networks"), options),
  /** What a transaction costs on a network: slow, standard and fast. */
  fees: (network: string, { address, ...options }: FeeOptions = {}) =>
    call<Data<"fees.fees">>(get(`${path("/utils/fees/{}", network)}${query({ address })}`), options),
  /** Every network whose address form a text fits; no upstream is asked. */
  addressMatches: (text: string, options?: CallOptions) =>
    call<Data<"addresses.lookUp">>(get(path("/address/{}", text)), options),
  /** Simulates a transaction. Each simulation is saved and public for ever, so that it is not repeated. */
  simulate: (request: Body<"simulation.simulate">, options?: CallOptions) =>
    call<Data<"simulation.simulate">>(act("/utils/simulate-tx", request), options),
  /** Gives an address coins of the operator's test network, once. */
  fundTestnetAccount: (address: string, options?: CallOptions) =>
    call<Data<"faucet.fundTestnetAccount">>(
      get(path("/utils/fund-testnet-account/{}", address), { repeatable: false }),
      options
    )
})
