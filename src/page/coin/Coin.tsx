import { useMemo, useState } from "preact/hooks"
import { Choices } from "../parts/Choices.tsx"
import { Fact } from "../parts/Fact.tsx"
import { Failed, Stale } from "../parts/Failed.tsx"
import { CoinIcon } from "../parts/Icon.tsx"
import { Pending, Skeleton } from "../parts/lazy.tsx"
import { groupsOf } from "../portfolio/groups.ts"
import { partColour } from "../portfolio/Ring.tsx"
import type { PageClient } from "../state/client.ts"
import { goTo, linkTo } from "../state/navigation.ts"
import { preferences } from "../state/preferences.ts"
import { ownHoldings } from "../state/recent.ts"
import { useReading } from "../state/useReading.ts"
import { useStore } from "../state/useStore.ts"
import { plain } from "../text/decimal.ts"
import { direction, money, percent, price, roughAmount, roughMoney, sanitized } from "../text/format.ts"
import { t } from "../text/language.ts"
import type { ViewProps } from "../views.tsx"
import { Chart, SeriesTable } from "./Chart.tsx"
import { CoinField } from "./CoinField.tsx"
import { CoinList } from "./CoinList.tsx"
import { candleCoins, headlineCoins } from "./candleCoins.ts"
import {
  type ChartSeries,
  compared,
  hasCandles,
  readCandles,
  readLine,
  type Span,
  spanChoices,
  summaryOf,
  textOf,
  withCurrent
} from "./series.ts"

/** The last value of a series that the service returned, if it is valid. */
const lastOf = (rows: ReadonlyArray<ReadonlyArray<number>> | undefined): number | undefined => {
  const value = rows?.at(-1)?.[1]
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined
}

/** The amount and the value of a coin in the portfolio that was shown last. */
const Own = ({ currency, id }: { readonly currency: string; readonly id: string }) => {
  const own = useStore(ownHoldings).filter(({ row }) => row.coinId === id && row.balance !== "0")
  const [group] = groupsOf(own, "asset", currency)
  if (group === undefined) return null
  const { amount, unknown, value } = group
  const symbol = sanitized(own[0]?.row.tokenSymbol ?? "", 12)
  const least = (isPart: boolean, text: string) => (isPart ? t("atLeast", { value: text }) : text)
  const isPart = own.some(({ row }) => row.balance === null)
  return (
    <Fact title={<a href={linkTo("portfolio")}>{t("ownHoldings")}</a>}>
      {amount === null ? t("unknown") : least(isPart, `${roughAmount(amount)} ${symbol}`)}
      {value !== null && ` · ${least(unknown > 0, money(value, currency))}`}
    </Fact>
  )
}

type Charts = Awaited<ReturnType<PageClient["prices"]["marketChart"]>>

/** Reads the current price of a coin, and its last day. */
const useCurrent = (id: string) => {
  const { currency } = useStore(preferences)
  const { reading } = useReading(
    `head ${id} ${currency}`,
    async (client, signal) => {
      const options = { currency: currency.toLowerCase(), signal }
      const [prices, charts] = await Promise.all([
        client.prices.coin([id], options),
        client.prices.marketChart([id], 1, options).catch((): Charts => ({}))
      ])
      return {
        coin: Object.hasOwn(prices, id) ? prices[id] : undefined,
        chart: Object.hasOwn(charts, id) ? charts[id] : undefined
      }
    },
    true
  )
  return reading
}

type Current = ReturnType<typeof useCurrent>

interface HeadProps {
  readonly id: string
  readonly reading: Current
}

/** Name, price, change over a day, market capitalisation and volume of a coin. */
const Head = ({ id, reading }: HeadProps) => {
  const { currency } = useStore(preferences)
  const { chart, coin } = reading.state === "read" ? reading.data : {}
  const [cap, volume] = [lastOf(chart?.market_caps), lastOf(chart?.total_volumes)]
  const change = coin?.priceChangePercent24h
  const unknown = reading.state === "waiting" ? <Pending /> : t("unknown")
  return (
    <>
      <div class="coin-head">
        <CoinIcon coinId={id} symbol={coin?.symbol ?? id} size="large" />
        <h1>
          <bdi>{sanitized(coin?.name ?? id)}</bdi>
          <bdi class="detail">{sanitized(coin?.symbol ?? "", 12).toUpperCase() || "\u00a0"}</bdi>
        </h1>
        <p class="total number">{coin?.price == null ? unknown : price(plain(coin.price), currency)}</p>
        <p class={`number ${direction(change)}`}>
          {typeof change === "number" ? percent(change) : unknown} <span class="label">{t("today")}</span>
        </p>
      </div>
      {reading.state === "read" && reading.isStale && <Stale at={reading.at} />}
      <dl class="facts panel">
        <Fact title={t("marketCap")}>{cap === undefined ? unknown : roughMoney(cap, currency)}</Fact>
        <Fact title={t("volume")}>{volume === undefined ? unknown : roughMoney(volume, currency)}</Fact>
        <Own id={id} currency={currency} />
      </dl>
    </>
  )
}

type Kind = "line" | "candles"

interface SeriesChoice {
  readonly id: string
  /** The coin to compare with. */
  readonly other: string | undefined
  readonly span: Span
  readonly kind: Kind
}

/** Reads the series of a choice; undefined if no source has prices. */
const useSeries = ({ id, kind, other, span }: SeriesChoice) => {
  const { currency } = useStore(preferences)
  return useReading(`${span} ${kind} ${currency} ${id} ${other}`, async (client, signal) => {
    const line = (coin: string) => readLine(client, coin, span, currency, signal)
    if (other !== undefined) return compared([id, other], await Promise.all([line(id), line(other)]))
    return kind === "candles" ? readCandles(client, id, span, signal) : line(id)
  })
}

const Summary = ({ series }: { readonly series: ChartSeries }) => {
  const summary = summaryOf(series)
  if (summary === undefined || series.kind === "comparison") return null
  const { high, low, percent: change } = summary
  return (
    <p class="label summary">
      {change !== undefined && `${percent(change)} · `}
      {t("lowHigh", { low: textOf(series, low), high: textOf(series, high) })}
    </p>
  )
}

const Prices = ({ now, ...choice }: SeriesChoice & { readonly now: Current }) => {
  const { id, kind, other, span } = choice
  const { currency } = useStore(preferences)
  const { reading, retry } = useSeries(choice)
  const current = now.state === "read" ? now.data.coin?.price : undefined
  const series = useMemo(
    () => (reading.state === "read" ? withCurrent(reading.data, current, Date.now()) : undefined),
    [reading, current]
  )
  if (reading.state === "waiting") return <Skeleton kind="tall" />
  if (reading.state === "failed") return <Failed problem={reading.problem} retry={retry} />
  if (series === undefined) return <p class="empty">{t("noPrices")}</p>
  return (
    <>
      <Chart series={series} label={t("priceOf", { name: sanitized(id) })} />
      <Summary series={series} />
      {other === undefined && series.currency !== currency && (
        <p class="label">{t("candlesIn", { currency: series.currency })}</p>
      )}
      <SeriesTable key={`${id} ${span} ${kind}`} series={series} />
    </>
  )
}

const Comparison = ({ id, other }: { readonly id: string; readonly other: string | undefined }) =>
  other === undefined ? (
    <CoinField label={t("compareWith")} choose={(second) => goTo({ view: "coin", items: [id, second] })} />
  ) : (
    <ul class="legend compared">
      {[id, other].map((coin, index) => (
        <li key={coin}>
          <span class="swatch" style={partColour(2 * index)} /> <bdi>{sanitized(coin)}</bdi>
        </li>
      ))}
      <li>
        <button type="button" class="quiet" onClick={() => goTo({ view: "coin", items: [id] })}>
          {t("stopComparing")}
        </button>
      </li>
    </ul>
  )

interface CoinChartProps {
  readonly id: string
  readonly other: string | undefined
  readonly now: Current
}

const CoinChart = ({ id, now, other }: CoinChartProps) => {
  const [span, setSpan] = useState<Span>(7)
  const [chosen, setKind] = useState<Kind>("line")
  const isCandles = other === undefined && hasCandles(id, span)
  const kind = isCandles ? chosen : "line"
  return (
    <section class="panel" aria-label={t("chart")}>
      <div class="line">
        <Choices label={t("days")} options={spanChoices()} chosen={span} choose={setSpan} />
        {isCandles && (
          <Choices
            label={t("chart")}
            options={[
              ["line", t("line")],
              ["candles", t("candles")]
            ]}
            chosen={kind}
            choose={setKind}
          />
        )}
      </div>
      <Prices id={id} other={other} span={span} kind={kind} now={now} />
      <Comparison id={id} other={other} />
    </section>
  )
}

/** The coins with candles, and those of the first view. */
const listed = [...new Set([...headlineCoins, ...Object.keys(candleCoins)])]

/** A coin, compared with another if there are two. */
const Details = ({ id, other }: { readonly id: string; readonly other: string | undefined }) => {
  const reading = useCurrent(id)
  return (
    <>
      <Head key={id} id={id} reading={reading} />
      <CoinChart id={id} other={other === id ? undefined : other} now={reading} />
    </>
  )
}

/** The price of a coin, compared with another if the route has two; without a coin, a list of coins. */
export const Coin = ({ items: [id, other] }: ViewProps) =>
  id === undefined ? (
    <>
      <h1>{t("coins")}</h1>
      <CoinField label={t("coinField")} choose={(chosen) => goTo({ view: "coin", items: [chosen] })} />
      <CoinList ids={listed} />
    </>
  ) : (
    <Details id={id} other={other} />
  )
