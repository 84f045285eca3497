import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { Chains } from "../../chains/Chains.ts"
import type { Currency } from "../../domain/Currency.ts"
import type { Days } from "../../domain/charts/MarketSeries.ts"
import { type Millis, millis, now, numberOf } from "../../domain/units.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { each } from "../../kernel/each.ts"
import { inTurn } from "../../kernel/Scheduler.ts"
import { span } from "../../kernel/span.ts"
import { TokenRegistry } from "../../providers/TokenRegistry.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { accountsIn, doubtsIn } from "../balances/accounts.ts"
import { conversionTo, inCurrency } from "../balances/inCurrency.ts"
import { type DisplayedPrices, priceOf, unitPrice } from "../balances/rows.ts"
import { History } from "../history/History.ts"
import { ExchangeRates } from "../prices/currencies/ExchangeRates.ts"
import { MarketCharts } from "../prices/MarketCharts.ts"
import { Pricing } from "../prices/Pricing.ts"
import { readDisplayedPrices } from "../reading.ts"
import { type AssetColumn, assetsIn, type Chart, chartOf, currentCoins, rolledOf } from "./chartOf.ts"
import { type ChartAddress, pastOf, readNow } from "./pastOf.ts"

const hour = 3_600_000

/** Interval between points by the length of the chart in days, ms. */
const steps: Readonly<Record<Days, number>> = { 1: hour, 7: hour, 30: 6 * hour, 365: 24 * hour }

/** Times at multiples of the interval, and now. */
const timesOf = (days: Days, clock: Millis): ReadonlyArray<Millis> => {
  const step = steps[days]
  const last = Math.floor(numberOf(clock) / step) * step
  const count = (days * 24 * hour) / step
  const all = Array.from({ length: count + 1 }, (_, index) => millis(last - (count - index) * step))
  return millis(last) === clock ? all : [...all, clock]
}

/** The prices per displayed unit of tokens with two units, by network id. */
const displayedPricesOf = (
  addresses: ReadonlyArray<ChartAddress>,
  assets: ReadonlyArray<AssetColumn>,
  within: number
) =>
  Effect.map(
    each([...new Set(addresses.map(({ network }) => network))], (network) => {
      const tokens = assets.flatMap(({ asset, coinId, multiplier, network: id }) =>
        multiplier === undefined || id !== network.facts.id ? [] : [{ address: asset, coinId, multiplier }]
      )
      return Effect.map(readDisplayedPrices(network, tokens, within), (found) => [network.facts.id, found] as const)
    }),
    (all) => new Map<string, DisplayedPrices>(all)
  )

/** The value of addresses over the last days. */
export class PortfolioChart extends Context.Tag("features/portfolio/PortfolioChart")<
  PortfolioChart,
  {
    /**
     * Values in a currency at the rates of each time. Cannot fail, and ends before the deadline: an address that could
     * not be read completely in time starts at a later time.
     */
    readonly chart: (
      wanted: Readonly<Record<string, ReadonlyArray<string>>>,
      days: Days,
      currency: Currency
    ) => Effect.Effect<Chart>
  }
>() {
  static readonly layer = Layer.effect(
    PortfolioChart,
    Effect.gen(function* () {
      const networks = yield* Chains
      const history = yield* History
      const charts = yield* MarketCharts
      const pricing = yield* Pricing
      const rates = yield* ExchangeRates
      const registry = yield* TokenRegistry
      const time = Deadline.make(yield* requestDeadline)

      return {
        chart: Effect.fnUntraced(function* (wanted, days, currency) {
          const deadline = yield* time.start
          const clock = yield* now
          const times = timesOf(days, clock)
          const lists = yield* registry.lists
          const find = yield* networks.named(Object.keys(wanted))
          const addresses = yield* readNow(find, wanted, yield* deadline.remaining("collect"))
          const pasts = yield* each(addresses, (address) =>
            Effect.flatMap(deadline.remaining("collect"), (left) =>
              pastOf(
                history,
                lists.get(address.network.facts.platform ?? ""),
                address,
                [times[0] ?? clock, clock],
                left
              )
            )
          )
          const accounts = accountsIn(addresses)
          const doubts = doubtsIn(addresses, accounts)
          const rolled = yield* inTurn(pasts, (past) => ({
            ...rolledOf(past, times),
            account: accounts.get(past.address),
            doubt: doubts.get(past.address)
          }))
          yield* each(rolled, ({ isContradicted, past: { address } }) =>
            isContradicted === true ? history.doubt(address.network, address.text) : Effect.void
          )
          const assets = assetsIn(rolled, times)
          const left = yield* deadline.remaining("write")
          const [series, prices, displayed, conversion] = yield* Effect.all(
            [
              charts.charts([...new Set(assets.map(({ coinId }) => coinId))], days, currency, left),
              pricing.prices(currentCoins(assets), left),
              displayedPricesOf(addresses, assets, left),
              conversionTo(rates, currency, left)
            ],
            { concurrency: "unbounded" }
          )
          const priceNow = ({ asset, coinId, multiplier, network }: AssetColumn) =>
            Either.flatMap(
              unitPrice(
                priceOf(
                  prices,
                  coinId,
                  multiplier ? { scaling: { multiplier } } : {},
                  displayed.get(network)?.get(asset)
                )
              ),
              (usd) => inCurrency(conversion, usd)
            )
          return chartOf(times, steps[days], rolled, assets, series, priceNow)
        }, span("PortfolioChart.chart"))
      }
    })
  )
}
