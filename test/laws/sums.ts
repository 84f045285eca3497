import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import { parseUnits } from "viem/utils"
import type { HistoryWithMeta } from "../../src/contract/HistoryApi.ts"
import type { PortfolioChart } from "../../src/contract/PortfolioApi.ts"
import type { Balance } from "../../src/domain/Balance.ts"
import { isUnlisted, native, ruleOf, sums } from "../walk/sums.ts"
import { breaksOf } from "./laws.ts"
import type { Trial } from "./lies.ts"
import { addressesOf, balances, chart, histories } from "./requests.ts"
import { type Answered, begun, type Network } from "./trial.ts"

const plus = (amounts: ReadonlyArray<string>) =>
  BigDecimal.format(BigDecimal.sumAll(amounts.map((amount) => BigDecimal.unsafeFromString(amount))))

/** A sum, and what a response states instead. */
interface Sum {
  readonly route: string
  readonly at: string
  readonly wanted: string
  readonly got: string
}

const equal = (route: string, at: string, wanted: string, got: string): ReadonlyArray<Sum> =>
  BigDecimal.equals(BigDecimal.unsafeFromString(wanted), BigDecimal.unsafeFromString(got))
    ? []
    : [{ route, at, wanted, got }]

const known = (amounts: ReadonlyArray<string | null | undefined>) =>
  amounts.filter((amount) => typeof amount === "string")

/** The parts of a native balance that do not add up to it. */
const ofParts = (info: Network, { balance, breakdown = {}, holderAddress, tokenType }: Balance) => {
  const all = ruleOf(info).within.map((part) => breakdown[part])
  const isRead = breakdown.spendable !== undefined && breakdown.error === undefined && !all.includes(null)
  return tokenType !== "NATIVE" || balance === null || !isRead
    ? []
    : equal("balance", `${holderAddress}/parts`, balance, plus(known(all)))
}

/** The balances that a history which calls itself complete does not add up to. */
const ofHistory = (info: Network, rows: ReadonlyArray<Balance>, { data, meta }: typeof HistoryWithMeta.Type) =>
  addressesOf(info).flatMap((address) => {
    const { complete = false, missing = ["everything"] } = meta[info.id]?.[address] ?? {}
    const entries = data[info.id]?.[address] ?? []
    const isExact =
      (complete || missing.length > 0) &&
      missing.every(isUnlisted) &&
      entries.every(({ fee, status }) => fee !== null && status !== "Unknown")
    const own = rows.filter((row) => row.holderAddress === address && row.balance !== null && row.error === undefined)
    const owned = sums(info, address, isExact ? entries : [])
    return (isExact ? own : []).flatMap(({ balance, contractAddress, tokenDecimals }) => {
      const asset = contractAddress ?? native
      const sum = owned.get(asset) ?? 0n
      const units = parseUnits(balance ?? "", tokenDecimals)
      return equal("history", `${address}/${asset === native ? "coin" : "token"}`, String(sum), String(units))
    })
  })

/** The totals of a chart that its assets do not add up to, and the last balances that are not the present ones. */
const ofChart = (rows: ReadonlyArray<Balance>, { assets, points }: typeof PortfolioChart.Type) => {
  const totals = points.flatMap(({ approximate, value }, index) => {
    const values = assets.map((asset) => asset.values[index])
    if (value === null) return []
    // The value of an asset is null while a part of it is unknown; the total has its other parts.
    const isPart = values.includes(null) && approximate === true
    const rest = BigDecimal.subtract(
      BigDecimal.unsafeFromString(value),
      BigDecimal.unsafeFromString(plus(known(values)))
    )
    const sum =
      isPart && !BigDecimal.isNegative(rest) ? [] : equal("portfolio/chart", "total", plus(known(values)), value)
    return values.includes(null) && approximate !== true
      ? [{ route: "portfolio/chart", at: "part", wanted: "approximate", got: value }, ...sum]
      : sum
  })
  const last = assets.flatMap(({ balances, coinId, contractAddress }) => {
    const balance = balances.at(-1)
    const own = rows.filter((row) => row.coinId === coinId && row.contractAddress === contractAddress)
    const amounts = known(own.map((row) => row.balance))
    return balance === null || balance === undefined || own.length === 0 || amounts.length < own.length
      ? []
      : equal("portfolio/chart", "last", plus(amounts), balance)
  })
  const isPart =
    rows.some(({ balance }) => balance === null) && points.length > 0 && points.at(-1)?.approximate !== true
  return [
    ...totals,
    ...last,
    ...(isPart ? [{ route: "portfolio/chart", at: "part", wanted: "approximate", got: "exact" }] : [])
  ]
}

/** The sums that do not fit balances, histories and a chart of one network. */
export const brokenSums = (
  info: Network,
  rows: ReadonlyArray<Balance>,
  history?: typeof HistoryWithMeta.Type,
  series?: typeof PortfolioChart.Type
): ReadonlyArray<Sum> => [
  ...rows.flatMap((row) => ofParts(info, row)),
  ...(history === undefined ? [] : ofHistory(info, rows, history)),
  ...(series === undefined ? [] : ofChart(rows, series))
]

/** Compares the sums of what a network returns during a lie. */
export const trySums = Effect.fnUntraced(function* (info: Network, trial: Trial) {
  const { breaks, broken } = breaksOf(info.id, trial)
  const { ask, tell } = yield* begun(info, trial.isEarly === true ? { lie: trial.lie } : {})
  tell(trial.lie, trial.behind)
  const addresses = addressesOf(info)
  const read = ({ body, status }: Answered) => (status === 200 ? body : undefined)
  const history = read(yield* ask(histories(info, addresses))) as typeof HistoryWithMeta.Type | undefined
  const series = read(yield* ask(chart(info, addresses))) as typeof PortfolioChart.Type | undefined
  // Last, because the reads before it may learn facts of tokens.
  const rows = read(yield* ask(balances(info, addresses))) as ReadonlyArray<Balance> | undefined
  const found = rows === undefined ? [] : brokenSums(info, rows, history, series)
  const seen = new Set<string>()
  for (const { at, got, route, wanted } of found) {
    const kind = `${route} ${at.split("/").at(-1)}`
    if (!seen.has(kind)) broken("sums", at, wanted, got, route)
    seen.add(kind)
  }
  return breaks
}, Effect.scoped)
