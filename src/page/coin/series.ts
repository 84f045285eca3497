import type { WalletData } from "../../client/Client.ts"
import { type CandleCoin, candleCoins } from "./candleCoins.ts"

/** How many days back, as the service has them. */
export const spans = [1, 7, 30, 365] as const
export type Span = (typeof spans)[number]

/** Whether there are candles of a coin over these days. */
export const hasCandles = (id: string, span: Span): boolean => Object.hasOwn(candleCoins, id) && span !== 7

/** A chart's data, in columns: times are UNIX seconds, those of candles their ends; prices are in `currency`. */
export interface ChartSeries {
  readonly kind: "line" | "candles"
  /** A code in upper case. */
  readonly currency: string
  readonly times: ReadonlyArray<number>
  /** By name: `price`, or `open`, `high`, `low` and `close`. */
  readonly columns: ReadonlyArray<{ readonly name: string; readonly values: ReadonlyArray<number> }>
}

/** The columns of rows; what is no row of as many numbers is left out. */
const columnsOf = (rows: ReadonlyArray<ReadonlyArray<number>>, width: number): ReadonlyArray<ReadonlyArray<number>> => {
  const sound = rows.filter((row) => row.length === width && row.every((value) => Number.isFinite(value)))
  return Array.from({ length: width }, (_, index) => sound.flatMap((row) => row[index] ?? []))
}

/** Prices over days; undefined where the service knows none of this coin. */
export const readLine = async (
  client: WalletData,
  id: string,
  span: Span,
  currency: string,
  signal: AbortSignal
): Promise<ChartSeries | undefined> => {
  const data = await client.prices.marketChart([id], span, { currency: currency.toLowerCase(), signal })
  // A hostile id such as `__proto__` is no coin.
  const [times = [], prices = []] = columnsOf(Object.hasOwn(data, id) ? (data[id]?.prices ?? []) : [], 2)
  if (times.length === 0) return undefined
  return {
    kind: "line",
    currency,
    times: times.map((at) => at / 1000),
    columns: [{ name: "price", values: prices }]
  }
}

const candleColumns = ["open", "high", "low", "close"]

/** Open, high, low and close prices, which the service has in US dollars alone. */
export const readCandles = async (
  client: WalletData,
  id: string,
  span: Span,
  signal: AbortSignal
): Promise<ChartSeries | undefined> => {
  if (!hasCandles(id, span)) return undefined
  const candles = await client.charts.item(id as CandleCoin, span as 1 | 30 | 365, { signal })
  const [ends = [], ...prices] = columnsOf(candles, 5)
  if (ends.length === 0) return undefined
  return {
    kind: "candles",
    currency: "USD",
    times: ends.map((end) => end / 1000),
    columns: prices.map((values, index) => ({ name: candleColumns[index] ?? "", values }))
  }
}

/** What happened from the first price to the last. */
export const summaryOf = ({ columns, kind }: ChartSeries) => {
  const first = columns[0]?.values[0]
  const last = (kind === "line" ? columns[0] : columns[3])?.values.at(-1)
  const highs = kind === "line" ? columns[0]?.values : columns[1]?.values
  const lows = kind === "line" ? columns[0]?.values : columns[2]?.values
  if (first === undefined || last === undefined || highs === undefined || lows === undefined) return undefined
  return {
    first,
    last,
    high: highs.reduce((a, b) => Math.max(a, b)),
    low: lows.reduce((a, b) => Math.min(a, b)),
    percent: first > 0 ? (100 * (last - first)) / first : undefined
  }
}
