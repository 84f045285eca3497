import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Amount from "../../domain/Amount.ts"
import type { CoinId } from "../../domain/CoinId.ts"
import type { Point } from "../../domain/charts/MarketSeries.ts"
import { textsOf } from "../../domain/history/Gap.ts"
import { displayed, type Multiplier } from "../../domain/Multiplier.ts"
import type { Reason } from "../../domain/Reason.ts"
import { greatest, type Millis, millis, numberOf, toMillis } from "../../domain/units.ts"
import { amountIn, native } from "../balances/accounts.ts"
import type { AddressRead } from "../balances/readAddresses.ts"
import type { Charts } from "../prices/MarketCharts.ts"
import { noPrice, unknownUnit } from "../prices/Prices.ts"
import type { AddressPast, ChartAddress, PastReason } from "./pastOf.ts"
import { rollBack } from "./rollBack.ts"

/** A price may be older than its time by this, ms, or newer if there is no older price. */
const tolerance = { least: 2 * 3_600_000, steps: 2 } as const

/**
 * The price at each of the times (ms, ascending): the latest at or before it, else the first shortly after it. Null if
 * no price is near.
 */
export const pricesAt = (
  points: ReadonlyArray<Point>,
  times: ReadonlyArray<number>,
  step: number
): ReadonlyArray<BigDecimal.BigDecimal | null> => {
  const max = Math.max(tolerance.least, tolerance.steps * step)
  let next = 0
  return times.map((time) => {
    while (next < points.length && (points[next]?.[0] ?? 0) <= time) next++
    const [before, after] = [points[next - 1], points[next]]
    const near = [before, after].find((point) => point !== undefined && Math.abs(time - point[0]) <= max)
    return near === undefined ? null : Option.getOrNull(Amount.price(near[1]))
  })
}

/** Exact values of balances at each time; null without a balance, or without a price for a non-zero balance. */
export const valuesOf = (
  balances: ReadonlyArray<bigint | null>,
  decimals: number,
  prices: ReadonlyArray<BigDecimal.BigDecimal | null>
): ReadonlyArray<BigDecimal.BigDecimal | null> =>
  balances.map((balance, index) => {
    if (balance === null) return null
    if (balance === 0n) return zero
    const price = prices[index]
    return price == null ? null : Amount.value(balance, decimals, price)
  })

const zero = BigDecimal.make(0n, 0)

/** Amounts at the times of the chart; null where they are unknown. */
type Column = ReadonlyArray<bigint | null>

/** The sum of the known amounts at an index; null if none is known. */
const known = (columns: ReadonlyArray<Column>, index: number): bigint | null =>
  columns.reduce<bigint | null>((sum, column) => {
    const amount = column[index] ?? null
    return amount === null ? sum : (sum ?? 0n) + amount
  }, null)

/** The value of the addresses at a time (ms). */
export interface ChartPoint {
  readonly at: number
  /** In the currency of the prices, exact; null if no part of it is known. */
  readonly value: string | null
  /** Whether a part is missing from it or does not follow from the transactions. */
  readonly approximate: boolean
}

/** One asset over all addresses, at the times of the points. */
export interface ChartAsset {
  readonly network: string
  readonly coinId: CoinId
  readonly symbol: string
  readonly contract: string | null
  readonly balances: ReadonlyArray<string | null>
  readonly values: ReadonlyArray<string | null>
  /** Why all or some prices are missing. */
  readonly problem: { readonly message: string; readonly reason: Reason } | undefined
}

/** The known past of one address. */
export interface ChartedAddress {
  readonly network: string
  readonly address: string
  /** Start of the known past (ms); null if even the current balances are unknown. */
  readonly since: number | null
  /** Why its values are approximate, for people. */
  readonly reasons: ReadonlyArray<string>
  /** Those of the reasons that concern the last point too. */
  readonly reasonsNow?: ReadonlyArray<string>
  /** Those of the reasons that no source lists: nothing failed. */
  readonly unlisted?: ReadonlyArray<string>
  /** The requested account that includes the address: the values are counted there. */
  readonly account?: string
}

export interface Chart {
  /** Interval between points, ms. */
  readonly step: number
  /** Oldest first; the last point is now. */
  readonly points: ReadonlyArray<ChartPoint>
  readonly assets: ReadonlyArray<ChartAsset>
  readonly addresses: ReadonlyArray<ChartedAddress>
}

/** The past of an address at the times of the chart. */
export interface RolledAddress {
  readonly past: AddressPast
  readonly balances: ReadonlyMap<string, Column>
  readonly reasons: ReadonlyArray<PastReason>
  /** True if the transactions do not add up to a balance. */
  readonly isContradicted?: true
  /** The requested account whose balances include those of the address. */
  readonly account?: AddressRead | undefined
  /** Why its balances may be wrong beside those of the other addresses, for people. */
  readonly doubt?: string | undefined
}

/** The balances of an address at the times, and why they are approximate. */
export const rolledOf = (past: AddressPast, times: ReadonlyArray<Millis>): RolledAddress => {
  const { address, assets, balances, reasons, since, transactions, unread } = past
  if (unread !== undefined) return { past, balances: new Map(), reasons }
  // The past of an asset whose current balance could not be read is unknown.
  const unreadAssets = new Set([...assets.keys()].filter((asset) => isUnread(address, asset)))
  const rolled = rollBack(
    {
      holder: address.text,
      balances,
      transactions,
      since,
      countsPending: address.network.facts.family === "utxo",
      assetOf: (token) => (assets.has(token) && !unreadAssets.has(token) ? token : undefined)
    },
    times
  )
  for (const asset of unreadAssets) {
    rolled.balances.delete(asset)
    rolled.contradicted.delete(asset)
  }
  const symbols = [...rolled.contradicted].map((asset) => assets.get(asset)?.symbol.toUpperCase() ?? asset)
  return {
    past,
    balances: rolled.balances,
    ...(symbols.length === 0 ? {} : { isContradicted: true }),
    reasons:
      symbols.length === 0
        ? reasons
        : [...reasons, { text: `the transactions do not add up to the balance of ${symbols.join(", ")}` }]
  }
}

const isUnread = ({ holdings }: ChartAddress, key: string) =>
  holdings.some(({ amount, asset }) => (asset === "native" ? native : asset.address) === key && Either.isLeft(amount))

/** One asset of one network, with the total balance of all addresses. */
export interface AssetColumn {
  readonly network: string
  readonly asset: string
  readonly coinId: CoinId
  readonly symbol: string
  readonly decimals: number
  readonly multiplier?: Multiplier
  /** Displayed base units of all addresses. */
  readonly balances: Column
  /** Displayed base units of the addresses whose balance is known. */
  readonly known: Column
}

const isKnown = ({ past }: RolledAddress, time: Millis): boolean =>
  past.unread === undefined && (past.since === undefined || time >= toMillis(past.since))

/** The balances of an asset, which are zero without a transaction at the times that are known; undefined if always zero. */
const columnOf = (rolled: RolledAddress, asset: string, times: ReadonlyArray<Millis>): Column | undefined => {
  const { address, assets, since, transactions } = rolled.past
  const column = rolled.balances.get(asset)
  if (column !== undefined) return column
  const isIgnored =
    !assets.has(asset) && transactions.some(({ from, to }) => [...from, ...to].some(({ token }) => token === asset))
  if (amountIn(address, asset) === undefined || isIgnored) return times.map(() => null)
  return since === undefined ? undefined : times.map((time) => (isKnown(rolled, time) ? 0n : null))
}

/** An address that no requested account includes, and the addresses that it includes. */
interface Summand {
  readonly own: RolledAddress
  readonly parts: ReadonlyArray<RolledAddress>
}

const summandsOf = (rolled: ReadonlyArray<RolledAddress>): ReadonlyArray<Summand> => {
  // A malformed address has no balances.
  const formed = rolled.filter(({ past }) => past.address.key !== undefined)
  const parts = Map.groupBy(formed, ({ account }) => account)
  return (parts.get(undefined) ?? []).map((own) => ({ own, parts: parts.get(own.past.address) ?? [] }))
}

/**
 * The balances of an asset at an account, and its known part: that of the addresses that it includes at times for which only
 * theirs are known, or if they have more. Empty if it has none at any time.
 */
const merged = ({ own, parts }: Summand, asset: string, times: ReadonlyArray<Millis>) => {
  const column = columnOf(own, asset, times)
  const columns = parts.flatMap((part) => {
    const found = columnOf(part, asset, times)
    return found === undefined ? [] : [found]
  })
  if (column === undefined && columns.length === 0) return []
  const balances: Column = column ?? times.map(() => 0n)
  const atLeast = balances.map((amount, index) => {
    const sum = known(columns, index)
    return amount === null || (sum !== null && sum > amount) ? sum : amount
  })
  return [{ balances: balances.map((amount, index) => (amount === null ? null : (atLeast[index] ?? null))), atLeast }]
}

/** Each asset that any address had at any of the times. */
export const assetsIn = (
  rolled: ReadonlyArray<RolledAddress>,
  times: ReadonlyArray<Millis>
): ReadonlyArray<AssetColumn> => {
  const facts = new Map<string, Omit<AssetColumn, "balances" | "known">>()
  for (const { balances, past } of rolled)
    for (const asset of balances.keys()) {
      const network = past.address.network.facts.id
      const found = past.assets.get(asset)
      const key = `${network} ${asset}`
      if (found !== undefined && !facts.has(key)) facts.set(key, { network, asset, ...found })
    }
  const summands = Map.groupBy(summandsOf(rolled), ({ own }): string => own.past.address.network.facts.id)
  return [...facts.values()].flatMap((of): ReadonlyArray<AssetColumn> => {
    const all = (summands.get(of.network) ?? []).flatMap((summand) => merged(summand, of.asset, times))
    if (of.asset !== native && all.every(({ atLeast }) => atLeast.every((amount) => !amount))) return []
    const shown = (column: Column) =>
      column.map((amount) => (amount === null ? null : displayed(amount, of.multiplier)))
    const balances = all.map((summand) => shown(summand.balances))
    const parts = all.map(({ atLeast }) => shown(atLeast))
    return [
      {
        ...of,
        balances: times.map((_, index) =>
          balances.some((column) => column[index] === null) ? null : known(balances, index)
        ),
        known: times.map((_, index) => known(parts, index))
      }
    ]
  })
}

/** The coins that any address has now. */
export const currentCoins = (columns: ReadonlyArray<AssetColumn>): ReadonlyArray<CoinId> =>
  columns.flatMap(({ coinId, known }) => (known.at(-1) ? [coinId] : []))

const problemOf = ({ coinId, multiplier }: AssetColumn, series: Charts): ChartAsset["problem"] => {
  if (multiplier !== undefined) return { message: unknownUnit, reason: "no_price" }
  const failed = series.failed.get(coinId)
  if (failed !== undefined) return { message: failed.message, reason: failed.reason }
  return { message: "no source has its prices for these days", reason: "no_price" }
}

/** The start of the known past of an address in a chart, ms. */
const startOf = ({ since }: AddressPast, times: ReadonlyArray<Millis>): number =>
  numberOf(greatest(times[0] ?? millis(0), since === undefined ? millis(0) : toMillis(since)))

/** Why balances at this time are approximate. */
const reasonsAt = ({ reasons }: Pick<RolledAddress, "reasons">, at: Millis) =>
  reasons.filter(({ since }) => since === undefined || at < toMillis(since))

/** The chart, from the first time with known data. The last point uses current prices, like balances do. */
export const chartOf = (
  times: ReadonlyArray<Millis>,
  step: number,
  rolled: ReadonlyArray<RolledAddress>,
  columns: ReadonlyArray<AssetColumn>,
  series: Charts,
  priceNow: (column: AssetColumn) => Either.Either<BigDecimal.BigDecimal, Reason>
): Chart => {
  const priced = columns.map((column) => {
    // No source says whether its earlier prices are for the stored or the displayed unit.
    const points = column.multiplier === undefined ? series.found.get(column.coinId)?.prices : []
    const now = priceNow(column)
    const prices = [...pricesAt(points ?? [], times.slice(0, -1).map(numberOf), step), Either.getOrNull(now)]
    const values = valuesOf(column.known, column.decimals, prices)
    const isMissing = (value: (typeof values)[number], index: number) => value === null && column.known[index] !== null
    const problem = values.slice(0, -1).some(isMissing)
      ? problemOf(column, series)
      : values.some(isMissing) && Either.isLeft(now)
        ? { message: noPrice(now.left), reason: now.left }
        : undefined
    return { column, values, problem, isMissing }
  })
  const summands = rolled.filter(({ account }) => account === undefined)
  // The chart starts at the first time at which an address is known.
  const first = times.findIndex((time) => rolled.some((address) => isKnown(address, time)))
  const begin = first < 0 ? times.length : first
  const shown = times.slice(begin)
  const points = shown.map((at, place): ChartPoint => {
    const index = begin + place
    const parts = priced.flatMap(({ values }) => values[index] ?? [])
    const isLast = index === times.length - 1
    return {
      at: numberOf(at),
      value: parts.length === 0 ? null : Amount.plain(BigDecimal.sumAll(parts)),
      approximate:
        summands.some(
          (address) =>
            address.doubt !== undefined ||
            !isKnown(address, at) ||
            address.past.reasonsNow.length > 0 ||
            (!isLast && reasonsAt(address, at).length > 0)
        ) || priced.some(({ isMissing, values }) => isMissing(values[index] ?? null, index))
    }
  })
  return {
    step,
    points,
    assets: priced.map(
      ({ column, problem, values }): ChartAsset => ({
        network: column.network,
        coinId: column.coinId,
        symbol: column.symbol,
        contract: column.asset === native ? null : column.asset,
        balances: column.balances
          .slice(begin)
          .map((amount) => (amount === null ? null : Amount.format(amount, column.decimals))),
        values: values
          .slice(begin)
          .map((value, place) =>
            value === null || column.balances[begin + place] === null ? null : Amount.plain(value)
          ),
        problem
      })
    ),
    addresses: rolled.map(({ account, doubt, past, reasons }) => {
      const reasonsNow = [...past.reasonsNow, ...(doubt === undefined ? [] : [doubt])]
      const shownReasons = reasonsAt({ reasons }, shown[0] ?? millis(0))
      const unlisted = textsOf(shownReasons.filter(({ what }) => what === "not_listed"))
      return {
        network: past.address.network.facts.id,
        address: past.address.text,
        since: past.unread === undefined ? startOf(past, times) : null,
        reasons: [...reasonsNow, ...textsOf(shownReasons)],
        ...(reasonsNow.length === 0 ? {} : { reasonsNow }),
        ...(unlisted.length === 0 ? {} : { unlisted }),
        ...(account === undefined ? {} : { account: account.text })
      }
    })
  }
}
