import type * as Effect from "effect/Effect"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import { bounds } from "./bounds.ts"
import type { WrongValue } from "./lies.ts"

// Wrong values from upstreams, and checks that no response of a route contains a value derived from them.

const seconds = (ms: number) => Math.floor(ms / 1000)

/** Upstream members with the time of a transaction: in seconds, in ms or as text. */
const times =
  /\.(timeStamp|timestamp|block_time|blockTime|blockTimestamp|block_timestamp|tx_timestamp|time|received|confirmed|utime|now|date|effectiveTimestamp)$/

const writtenLike = (right: unknown, ms: number): unknown => {
  if (typeof right === "number") return right > 1e11 ? ms : right > 1e8 ? seconds(ms) : right
  if (typeof right !== "string") return right
  if (/^\d{9,10}$/.test(right)) return String(seconds(ms))
  return /^\d{4}-\d\d-\d\d/.test(right) ? new Date(ms).toISOString() : right
}

export interface RouteLie {
  readonly name: string
  /** The only network whose upstreams return it; absent if the upstreams of all networks do. */
  readonly network?: string
  readonly lies: ReadonlyArray<WrongValue>
  /** True if a route's response contains a number derived from the wrong value. */
  readonly containsWrongValue: (route: string, response: string) => boolean
}

const years = (ms: number) => {
  const year = new Date(ms).getUTCFullYear()
  return (_: string, response: string) =>
    [...response.matchAll(/"(?:timestamp|time|date|at)":\s*"?(\d{9,13}|\d{4}-)/g)].some(([, text = ""]) => {
      const value = text.endsWith("-")
        ? Date.UTC(Number.parseInt(text, 10), 1)
        : Number(text) * (text.length > 11 ? 1 : 1000)
      return new Date(value).getUTCFullYear() === year
    })
}

export const timeLies = [Date.UTC(2126, 5), Date.UTC(1975, 5)].map(
  (ms): RouteLie => ({
    name: `times of ${new Date(ms).getUTCFullYear()}`,
    lies: [{ at: times, value: (right: unknown) => writtenLike(right, ms) }],
    containsWrongValue: years(ms)
  })
)

/** Upstream members with a price, in USD or another currency. */
const prices =
  /(\.current_price(\.usd)?|\.price|\.prices\.\d+\.1|\/ohlc\.\d+\.[1-4]|\/klines\.\d+\.[1-4]|Price|\.rates\.\w+(\.value)?)$/

/** Invalid prices whose text occurs nowhere else in a response. */
const priceLies = [-12_345.875, 0].map(
  (price): RouteLie => ({
    name: `prices of ${price}`,
    lies: [{ at: prices, value: (right: unknown) => (typeof right === "string" ? String(price) : price) }],
    containsWrongValue: (_, response) =>
      price === 0
        ? /"(usd|price|tokenPrice|value|o|h|l|c|open|high|low|close)":"?0[",}]|\d,0(\]|,0)/.test(response)
        : /-\d{3,}\.\d/.test(response)
  })
)

/** Wrong times of prices and candles. */
const marketTimeLies = [Date.UTC(2126, 5), Date.UTC(1975, 5)].map(
  (ms): RouteLie => ({
    name: `times of prices of ${new Date(ms).getUTCFullYear()}`,
    lies: [
      {
        at: /(\.last_updated|\.prices\.\d+\.(0|timestamp)|\/ohlc\.\d+\.0|\/klines\.\d+\.[06]|\.timestamp|\.closeTime)$/,
        value: (right: unknown) => writtenLike(right, ms)
      }
    ],
    containsWrongValue: (_, response) => response.includes(String(ms)) || response.includes(new Date(ms).toISOString())
  })
)

const inputs = (name: string, network: string, value: WrongValue["value"]): RouteLie => ({
  name,
  network,
  lies: [{ at: /\.(vin|inputs)$/, value }],
  // Ignores failed transactions: they transfer nothing, whatever their inputs.
  containsWrongValue: (route, response) =>
    route === "POST /history" &&
    [...response.matchAll(/\{"hash":.*?(?=\{"hash":|$)/g)].some(
      ([entry]) => entry.includes('"type":"Send"') && entry.includes('"status":"Success"')
    )
})

const twice = (right: unknown) => (Array.isArray(right) ? [...right, ...right] : right)

/** All wrong values: for times, prices, histories, and the values that transactions are built from. */
export const routeLies: ReadonlyArray<RouteLie> = [
  ...timeLies,
  ...priceLies,
  ...marketTimeLies,
  {
    name: "receipts with an unknown status",
    network: "ethereum",
    lies: [{ at: /(eth_getTransactionReceipt\.result\.status|txreceipt_status|\.isError)$/, value: "0x2" }],
    containsWrongValue: (route, response) => route === "POST /history" && response.includes('"status":"Success"')
  },
  ...["bitcoin", "cardano"].flatMap((network) => [
    inputs(`${network}: transactions without inputs`, network, []),
    inputs(`${network}: transactions with duplicate inputs`, network, twice)
  ]),
  ...bounds
    .filter(({ isAccount }) => isAccount !== true)
    .flatMap(({ at, network, subject, wrong }) =>
      wrong.map(
        (value): RouteLie => ({
          name: `${network}: ${at.source} is ${typeof value === "function" ? "another" : JSON.stringify(value)}`,
          network,
          lies: [{ at, value }],
          containsWrongValue: (route, response) =>
            subject === "fees"
              ? route.startsWith("GET /utils/fees/") && /"transferFeeBaseUnits":"/.test(response)
              : route === "POST /utils/transaction-context" && /"context":\{/.test(response)
        })
      )
    )
]

interface Routes {
  readonly get: (path: string) => Effect.Effect<Response>
  readonly post: (path: string, body: unknown) => Effect.Effect<Response>
}

/** Every route that returns a number from an upstream of these networks. */
export const numberRoutes = (
  { get, post }: Routes,
  addresses: Readonly<Record<string, ReadonlyArray<string>>>
): ReadonlyArray<readonly [name: string, Effect.Effect<Response>]> => {
  const networks = Object.keys(addresses)
  const evm = Object.fromEntries(
    Catalogue.firstTransactions.flatMap((id) => (addresses[id] === undefined ? [] : [[id, addresses[id][0]]]))
  )
  return [
    ["POST /balance", post("/balance?detail=true", { networks: addresses })],
    ["POST /history", post("/history", { networks: addresses, limit: 5 })],
    ["POST /portfolio/chart", post("/portfolio/chart", { networks: addresses, days: 30 })],
    ["GET /price", get("/price?network_ids=1")],
    ["GET /price/coin", get("/price/coin?coin_ids=bitcoin,ethereum,tether")],
    ["GET /price/market_chart", get("/price/market_chart?coin_ids=bitcoin,ethereum&days=7")],
    ["GET /app/mdata", get("/app/mdata/list/bitcoin,ethereum/30")],
    ["POST /utils/transaction-context", post("/utils/transaction-context", { networks: addresses })],
    ...networks.flatMap((id) =>
      ["fees", "block"].map((route) => [`GET /utils/${route}/${id}`, get(`/utils/${route}/${id}`)] as const)
    ),
    ...Object.entries(evm).map(
      ([id, address]) => [`POST /utils/first-tx (${id})`, post("/utils/first-tx", { [id]: address })] as const
    )
  ]
}
