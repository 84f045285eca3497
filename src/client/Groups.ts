import type { Call } from "./Call.ts"
import type { CallOptions, Settings } from "./ClientOptions.ts"
import { stream } from "./Stream.ts"
import type { SentRequest, Transport } from "./Transport.ts"
import type { ByNetwork, NetworkName, operations, ReadPost } from "./types.ts"
import { sendable } from "./WalletDataError.ts"

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
export type Body<Id extends keyof Operations> =
  NonNullable<Operations[Id]["requestBody"]> extends {
    readonly content: { readonly "application/json": infer Json }
  }
    ? Id extends "transactions.sendRaw" | "transactions.getRaw"
      ? // The service also takes their members in the query.
        Required<Json>
      : Written<Json>
    : never

/** Response data of an operation. */
export type Data<Id extends keyof Operations> = Operations[Id]["responses"] extends {
  readonly 200: { readonly content: infer Content }
}
  ? Content extends { readonly "application/json": infer Json }
    ? Json
    : string
  : never

/** A parameter in the query or the path of an operation. */
export type Parameter<Id extends keyof Operations, Place extends "query" | "path", Name extends string> =
  NonNullable<Operations[Id]["parameters"][Place]> extends { readonly [Key in Name]?: infer Value } ? Value : never

/** Converts a union of numeric texts to numbers: `"1" | "7"` to `1 | 7`. */
export type NumberIn<Text> = Text extends `${infer Value extends number}` ? Value : never

/** The argument, which callers without types may leave out. */
const given = <A>(value: A | null | undefined): A => {
  if (value == null) throw new TypeError("an argument is missing")
  return value
}

/** Builds a query string; leaves undefined values out, and separates those of a list by commas. */
export const query = (
  values: Readonly<Record<string, string | number | boolean | ReadonlyArray<string | number> | undefined>>
): string => {
  const parts = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(String(value))}`]
  )
  return parts.length === 0 ? "" : `?${parts.join("&")}`
}

/** Fills the values, URI-encoded, into a template such as `/a/{}/{}`. */
export const path = (template: string, ...values: ReadonlyArray<string | number>): string => {
  let index = 0
  return template.replace(/\{\}/g, () => encodeURIComponent(given(values[index++])))
}

/** `network:address` pairs, separated by commas. */
export const pairs = (networks: Readonly<Record<string, ReadonlyArray<string>>>) =>
  Object.entries(networks)
    .flatMap(([network, addresses]) => addresses.map((address) => `${network}:${address}`))
    .join(",")

/** Cursors as `network:address:cursor`. */
export const cursorItems = (cursors: Readonly<Record<string, Readonly<Record<string, string>>>> = {}) =>
  Object.entries(cursors).flatMap(([network, texts]) =>
    Object.entries(texts).map(([address, cursor]) => `${network}:${address}:${cursor}`)
  )

/** The address of a path. Throws if it has what no path can have. */
export const urlOf = ({ baseUrl }: Settings, build: () => string) => baseUrl + sendable(build)

export const get = (route: string, more?: Partial<SentRequest>): SentRequest => ({
  method: "GET",
  path: route,
  repeatable: true,
  ...more
})

/** A GET with a query. */
export const find = (route: string, values: Parameters<typeof query>[0]): SentRequest => get(route + query(values))

/** A POST that may have a side effect. */
export const post = (route: string, body: unknown, more?: Partial<SentRequest>): SentRequest => ({
  method: "POST",
  path: route,
  body: JSON.stringify(given(body)),
  repeatable: false,
  ...more
})

/** A POST without a side effect, by the contract. */
export const read = (route: ReadPost, body: unknown): SentRequest => post(route, body, { repeatable: true })

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

export type Balances = Body<"balances.balances">
export type History = Body<"history.history">
export type HistoryWithMeta = Body<"history.historyWithMeta">
export const balances = (transport: Transport) => {
  const { reading } = methods(transport)
  return Object.assign(
    /** Balances of addresses and their values. */
    reading<"balances.balances">("/balance"),
    {
      /** Streams balances, each row as soon as available. */
      stream: (request: Balances, options?: CallOptions) =>
        stream<Data<"balances.balances">[number]>(transport, () => read("/balance", request), options),
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

/** Whether the last record of a CSV text counts its other records: those between its header and itself. */
const isWholeCsv = (text: string) =>
  text.replace(/"[^"]*"/g, "").split("\r\n").length - 3 === Number(/\n,+(?:IN)?COMPLETE,+(\d+)\r\n$/.exec(text)?.[1])

/** The types of texts, and whether they have their end. */
export const files = {
  metrics: { type: "text/plain", isWhole: (text: string) => text.endsWith("\n") },
  csv: { type: "text/csv", isWhole: isWholeCsv },
  ndjson: { type: "application/x-ndjson", isWhole: (text: string) => /\{"done":true.*\}\s*$/.test(text.slice(-200)) }
}

/** The path of an export. */
export const exportPath = ({ networks }: Pick<History, "networks">, format: string) =>
  `/history/export${query({ addresses: pairs(networks), format, end: format === "csv" || undefined })}`

export const history = (transport: Transport) => {
  const { call, settings } = transport
  /** Transactions of addresses, newest first. */
  const transactions: Histories = (request: History | HistoryWithMeta, options?: CallOptions) =>
    call<never>(() => read("/history", request), options)
  /** Streams transactions, each network as soon as available. */
  const streamed: HistoryStreams = (request: History | HistoryWithMeta, options?: CallOptions) =>
    stream<never>(transport, () => read("/history", request), options)
  return Object.assign(transactions, {
    stream: streamed,
    /**
     * Downloads complete histories as a file: for browsers, which cannot send the API key with a link. An attempt takes
     * until all histories are read, so set `timeout` to minutes. Fails if the file does not end as it must: half a file
     * is no file. Its last record or line says whether parts are missing.
     */
    exportFile: (
      request: Pick<History, "networks">,
      format: "csv" | "ndjson" = "csv",
      options?: CallOptions
    ): Promise<Blob> =>
      call<string>(() => get(exportPath(request, format), { text: files[format] }), options)
        .withResponse()
        .then(({ data, headers }) => new Blob([data], { type: headers.get("content-type") ?? "" })),
    /** URL of complete histories as a CSV or NDJSON file. */
    exportUrl: (request: Pick<History, "networks">, format: "csv" | "ndjson" = "csv") =>
      urlOf(settings, () => exportPath(request, format))
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
    coin: (ids: ReadonlyArray<string>, options: PriceOptions = {}) =>
      call<Data<"prices.coin">>(
        () => find("/price/coin", { coin_ids: ids.join(","), currency: options.currency }),
        options
      ),
    /** Price, market capitalisation and volume over days. */
    marketChart: (ids: ReadonlyArray<string>, days: ChartDays | NumberIn<ChartDays>, options: PriceOptions = {}) =>
      call<Data<"prices.marketChart">>(
        () => find("/price/market_chart", { coin_ids: ids.join(","), days, currency: options.currency }),
        options
      ),
    /** Supported currencies and the value of a US dollar in each. */
    currencies: methods(transport).getting<"prices.currencies">("/price/currencies")
  }
}

export type Coin = Parameter<"charts.item", "path", "coin">
export type Period = Parameter<"charts.item", "path", "period">

export const chartRoute = ({ settings }: Transport, rest: string) => `/${settings.appName}/mdata${rest}`

export const charts = (transport: Transport) => ({
  /** The series of one coin and period. */
  item: (coin: Coin, period: Period | NumberIn<Period>, options?: CallOptions) =>
    transport.call<Data<"charts.item">>(() => get(chartRoute(transport, path("/item/{}/{}", coin, period))), options)
})

export const status = (transport: Transport) => {
  const { getting } = methods(transport)
  return {
    /** Whether the service is ready, with the state of each upstream. Also succeeds if it is not ready. */
    ready: getting<"status.ready">("/health/ready", { dataHas: "upstreams" }),
    /** Calls to each source and failures of them, by day. */
    availability: getting<"status.availability">("/status/availability")
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

/** The networks of hits, all by default, and how many hits there are at most. */
export interface SearchOptions extends CallOptions {
  readonly networks?: ReadonlyArray<NetworkName> | undefined
  readonly limit?: number | undefined
}

export const tokens = ({ call }: Transport) => ({
  /** The listed tokens and the coins that a text may mean, and the token of an address that no list has. */
  search: (text: string, options: SearchOptions = {}) =>
    call<Data<"tokens.search">>(
      () => find("/tokens/search", { q: given(text), networks: options.networks, limit: options.limit }),
      options
    )
})

export const single = (transport: Transport) => {
  const { call } = transport
  return {
    /** All networks and their abilities. */
    networks: methods(transport).getting<"networks.networks">("/networks"),
    /** Transaction fees of a network: slow, standard and fast. */
    fees: (network: NetworkName, options: FeeOptions = {}) =>
      call<Data<"fees.fees">>(() => find(path("/utils/fees/{}", network), { address: options.address }), options),
    blocks: {
      /** The newest block of a network. */
      newest: (network: NetworkName, options?: CallOptions) =>
        call<Data<"blocks.newest">>(() => get(path("/utils/block/{}", network)), options)
    },
    addresses: {
      /** Networks whose address format matches a text. Without `detail`, it calls no upstream. */
      lookUp: (text: string, options: LookUpOptions = {}) =>
        call<Data<"addresses.lookUp">>(() => find(path("/address/{}", text), { detail: options.detail }), options)
    }
  }
}
