import type { PageClient } from "../state/client.ts"
import { plain } from "../text/decimal.ts"
import { money, percent, price, sanitized } from "../text/format.ts"
import { t } from "../text/language.ts"
import { type CandleCoin, candleCoins } from "./candleCoins.ts"

/** The numbers of days back that the service supports. */
export const spans = [1, 7, 30, 365] as const
export type Span = (typeof spans)[number]

/** The spans with their names in short. */
export const spanChoices = (): ReadonlyArray<readonly [Span, string]> => spans.map((span) => [span, t(`span${span}`)])

/** True if the service has candles of a coin over these days. */
export const hasCandles = (id: string, span: Span): boolean => Object.hasOwn(candleCoins, id) && span !== 7

/** The data of a chart, in columns. Times are UNIX seconds, for candles their ends; values are in `currency`. */
export interface ChartSeries {
  /** `line` and `candles`: prices of a coin; `value`: the value of holdings; `comparison`: changes in percent. */
  readonly kind: "line" | "candles" | "value" | "comparison"
  /** A code in upper case. */
  readonly currency: string
  readonly times: ReadonlyArray<number>
  /** By name: `price`, `value`, or `open`, `high`, `low` and `close`. Null means unknown. */
  readonly columns: ReadonlyArray<{ readonly name: string; readonly values: ReadonlyArray<number | null> }>
  /** True at times with an incomplete or uncertain value; absent if all values are exact. */
  readonly approximate?: ReadonlyArray<boolean>
  /** True at times whose value is of the same addresses and assets as the last one; absent if all are. */
  readonly comparable?: ReadonlyArray<boolean>
}

/** A value of a series as text. */
export const textOf = ({ currency, kind }: Pick<ChartSeries, "currency" | "kind">, value: number): string =>
  kind === "comparison"
    ? percent(value)
    : kind === "value"
      ? money(plain(value), currency)
      : price(plain(value), currency)

/** The value at an index of a column, as text. */
export const textAt = (series: ChartSeries, values: ReadonlyArray<number | null>, place: number): string => {
  const value = values[place] ?? null
  if (value === null) return t("unknown")
  const text = textOf(series, value)
  return series.approximate?.[place] === true ? t("approximately", { value: text }) : text
}

/**
 * Splits the values of a line into two columns: exact values, and approximate values with their neighbours. A segment
 * belongs to the second column if one of its ends is approximate. A null is a gap in both.
 */
export const linesOf = ({
  approximate,
  columns: [column]
}: Pick<ChartSeries, "columns" | "approximate">): ReadonlyArray<ReadonlyArray<number | null>> => {
  const values = column?.values ?? []
  if (approximate === undefined) return [values]
  const isApproximate = (index: number) => approximate[index] === true && values[index] != null
  return [
    values.map((value, index) => (isApproximate(index) ? null : value)),
    values.map((value, index) =>
      isApproximate(index) || isApproximate(index - 1) || isApproximate(index + 1) ? value : null
    )
  ]
}

/** Transposes rows into columns. Drops rows that are not `width` finite numbers. */
const columnsOf = (rows: ReadonlyArray<ReadonlyArray<number>>, width: number): ReadonlyArray<ReadonlyArray<number>> => {
  const sound = rows.filter((row) => row.length === width && row.every((value) => Number.isFinite(value)))
  return Array.from({ length: width }, (_, index) => sound.flatMap((row) => row[index] ?? []))
}

/** Reads prices over a number of days; undefined if the service has no prices of this coin. */
export const readLine = async (
  client: PageClient,
  id: string,
  span: Span,
  currency: string,
  signal: AbortSignal
): Promise<ChartSeries | undefined> => {
  const data = await client.prices.marketChart([id], span, { currency: currency.toLowerCase(), signal })
  // Own properties only: a hostile id such as `__proto__` is not a coin.
  const [times = [], prices = []] = columnsOf(Object.hasOwn(data, id) ? (data[id]?.prices ?? []) : [], 2)
  if (times.length === 0) return undefined
  return {
    kind: "line",
    currency,
    times: times.map((at) => at / 1000),
    columns: [{ name: "price", values: prices }]
  }
}

/** A line that ends with the current price, so that the page shows one current price. Other series are unchanged. */
export const withCurrent = (
  series: ChartSeries | undefined,
  price: number | null | undefined,
  now: number
): ChartSeries | undefined => {
  const [column] = series?.columns ?? []
  if (series?.kind !== "line" || column === undefined || price == null) return series
  const at = Math.max(now / 1000, series.times.at(-1) ?? 0)
  const earlier = series.times.filter((time) => time < at)
  return {
    ...series,
    times: [...earlier, at],
    columns: [{ ...column, values: [...column.values.slice(0, earlier.length), price] }]
  }
}

const candleColumns = ["open", "high", "low", "close"] as const

/** The title of a column; the columns of a comparison are named by their coins. */
export const columnTitle = (name: string): string => {
  const key = (["price", "value", ...candleColumns] as const).find((known) => known === name)
  return key === undefined ? sanitized(name) : t(key)
}

/** Reads open, high, low and close prices, which the service only has in US dollars. */
export const readCandles = async (
  client: PageClient,
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

/**
 * First, last, highest and lowest known value that can be compared with the last one, the time of the first, the change in
 * percent, and whether the change is approximate.
 */
export const summaryOf = ({ approximate, columns, comparable, kind, times }: ChartSeries) => {
  const used = times.flatMap((_, index) =>
    columns[0]?.values[index] == null || comparable?.[index] === false ? [] : [index]
  )
  const [firsts = [], highs = [], lows = [], lasts = []] = columns.map(({ values }) =>
    used.flatMap((index) => values[index] ?? [])
  )
  const isCandles = kind === "candles"
  const [first, last] = [firsts[0], (isCandles ? lasts : firsts).at(-1)]
  const [begin = 0, end = 0] = [used[0], used.at(-1)]
  if (first === undefined || last === undefined || (comparable !== undefined && begin === end)) return undefined
  return {
    first,
    last,
    since: times[begin] ?? 0,
    isApproximate: approximate?.[begin] === true || approximate?.[end] === true,
    high: (isCandles ? highs : firsts).reduce((a, b) => Math.max(a, b)),
    low: (isCandles ? lows : firsts).reduce((a, b) => Math.min(a, b)),
    percent: first > 0 ? (100 * (last - first)) / first : undefined
  }
}

/** The changes in percent of two coins since the first time with both prices; undefined without such a time. */
export const compared = (
  names: ReadonlyArray<string>,
  lines: ReadonlyArray<ChartSeries | undefined>
): ChartSeries | undefined => {
  const [first, second] = lines
  if (first === undefined || second === undefined) return undefined
  const prices = new Map(second.times.map((at, index) => [slotOf(at), second.columns[0]?.values[index] ?? null]))
  const rows = first.times.flatMap((at, index) => {
    const [a, b] = [first.columns[0]?.values[index] ?? null, prices.get(slotOf(at)) ?? null]
    return a === null || b === null || a <= 0 || b <= 0 ? [] : [{ at, values: [a, b] as const }]
  })
  const [start] = rows
  if (start === undefined) return undefined
  return {
    kind: "comparison",
    currency: first.currency,
    times: rows.map(({ at }) => at),
    columns: start.values.map((base, column) => ({
      name: names[column] ?? "",
      values: rows.map(({ values }) => 100 * ((values[column] ?? base) / base - 1))
    }))
  }
}

/** Times of two coins differ by seconds: five minutes count as one time. */
const slotOf = (at: number) => Math.round(at / 300)
