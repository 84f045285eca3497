import { useEffect, useState } from "preact/hooks"
import { Failed } from "../parts/Failed.tsx"
import { IdInput } from "../parts/IdInput.tsx"
import { announce } from "../state/announcement.ts"
import { goTo } from "../state/navigation.ts"
import { preferences } from "../state/preferences.ts"
import { fragmentOf } from "../state/route.ts"
import { useStore } from "../state/store.ts"
import { useReading } from "../state/useReading.ts"
import { counted, percent, sanitized } from "../text/format.ts"
import type { ViewProps } from "../views.tsx"
import { Chart } from "./Chart.tsx"
import { namedCoins } from "./candleCoins.ts"
import { SeriesTable } from "./SeriesTable.tsx"
import { Spans } from "./Spans.tsx"
import { type ChartSeries, hasCandles, readCandles, readLine, type Span, spans, summaryOf, textOf } from "./series.ts"

/** Selects the coin. It becomes the route, so that it can be stored as a link. */
const CoinForm = ({ id }: { readonly id: string }) => {
  const [text, setText] = useState(id)
  useEffect(() => setText(id), [id])
  const submit = (event: Event) => {
    event.preventDefault()
    const wanted = text.trim().toLowerCase()
    if (wanted !== "") goTo({ view: "coin", items: [wanted] })
  }
  return (
    <form class="panel" onSubmit={submit}>
      <div class="line">
        <label for="coin">Coin</label>
        <IdInput id="coin" value={text} setValue={setText} />
      </div>
      <p id="coin-help" class="help">
        The id of a coin at the market data provider, such as <span class="code">tether</span>. With candles:{" "}
        {namedCoins.map(([coin, name], index) => (
          <>
            {index > 0 && ", "}
            <a key={coin} href={fragmentOf({ view: "coin", items: [coin] })}>
              {name}
            </a>
          </>
        ))}
      </p>
    </form>
  )
}

/** Reads the prices of a coin over some days; undefined if no source has prices. */
const useSeries = (id: string, span: Span, kind: ChartSeries["kind"], currency: string) =>
  useReading(`${span} ${kind} ${currency} ${id}`, (client, signal) =>
    kind === "candles" ? readCandles(client, id, span, signal) : readLine(client, id, span, currency, signal)
  )

type Kind = ChartSeries["kind"]

const kinds: ReadonlyArray<readonly [Kind, string]> = [
  ["line", "Line"],
  ["candles", "Candles"]
]

interface Choice {
  readonly span: Span
  readonly kind: Kind
}

interface ChoicesProps {
  readonly id: string
  readonly choice: Choice
  readonly choose: (choice: Choice) => void
}

const Choices = ({ choice, choose, id }: ChoicesProps) => (
  <div class="controls">
    <Spans span={choice.span} choose={(span) => choose({ ...choice, span })} />
    {spans.some((span) => hasCandles(id, span)) && (
      <fieldset class="choices">
        <legend class="only-read">Kind of chart</legend>
        {kinds.map(([kind, title]) => (
          <button
            key={kind}
            type="button"
            aria-pressed={kind === choice.kind}
            disabled={kind === "candles" && !hasCandles(id, choice.span)}
            onClick={() => choose({ ...choice, kind })}
          >
            {title}
          </button>
        ))}
      </fieldset>
    )}
  </div>
)

const Summary = ({ series }: { readonly series: ChartSeries }) => {
  const summary = summaryOf(series)
  if (summary === undefined) return null
  const { high, last, low, percent: change } = summary
  return (
    <section class="totals" aria-label="Summary">
      <p class="total">
        <strong>{textOf(series, last)}</strong>
      </p>
      {change !== undefined && <p class={change > 0 ? "up" : change < 0 ? "down" : ""}>{percent(change)}</p>}
      <p>
        <span class="label">from</span> {textOf(series, low)} <span class="label">to</span> {textOf(series, high)}
      </p>
    </section>
  )
}

const Prices = ({ choice, id }: { readonly id: string; readonly choice: Choice }) => {
  const { currency } = useStore(preferences)
  const { kind, span } = choice
  const { reading, retry } = useSeries(id, span, kind, currency)
  const name = sanitized(id)
  const series = reading.state === "read" ? reading.data : undefined
  useEffect(() => {
    if (series !== undefined) announce(`${name}: ${counted(series.times.length, "price")}.`)
  }, [series, name])
  if (reading.state === "waiting") return <p>Loading the prices …</p>
  if (reading.state === "failed") return <Failed problem={reading.problem} retry={retry} />
  if (series === undefined) return <p>No source has prices for this coin id.</p>
  return (
    <>
      <Summary series={series} />
      {series.currency !== currency && <p class="label">Candles are available in {series.currency} only.</p>}
      <Chart series={series} label={`${kind === "line" ? "Price" : "Candles"} of ${name}, ${counted(span, "day")}`} />
      <SeriesTable key={`${id} ${span} ${kind}`} series={series} />
    </>
  )
}

/** The price of a coin over a number of days. */
export const Coin = ({ items: [id = ""] }: ViewProps) => {
  const [choice, setChoice] = useState<Choice>({ span: 7, kind: "line" })
  const shown: Choice = hasCandles(id, choice.span) ? choice : { ...choice, kind: "line" }
  return (
    <>
      <h1>
        Coin
        {id !== "" && (
          <>
            : <bdi>{sanitized(id)}</bdi>
          </>
        )}
      </h1>
      <CoinForm id={id} />
      {id !== "" && (
        <>
          <Choices id={id} choice={shown} choose={setChoice} />
          <Prices id={id} choice={shown} />
        </>
      )}
    </>
  )
}
