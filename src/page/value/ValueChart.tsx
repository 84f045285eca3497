import { useEffect, useMemo, useState } from "preact/hooks"
import type { NetworkAddress } from "../addresses/accounts.ts"
import { Chart } from "../coin/Chart.tsx"
import { SeriesTable } from "../coin/SeriesTable.tsx"
import { Spans } from "../coin/Spans.tsx"
import { type ChartSeries, type Span, summaryOf, textAt, textOf } from "../coin/series.ts"
import { Failed } from "../parts/Failed.tsx"
import { announce } from "../state/announcement.ts"
import { preferences } from "../state/preferences.ts"
import { networkName, service } from "../state/service.ts"
import { useStore } from "../state/store.ts"
import { useReading } from "../state/useReading.ts"
import { plain } from "../text/decimal.ts"
import { count, counted, moneyChange, time } from "../text/format.ts"
import { maxAddresses, readValues } from "./read.ts"
import { onActiveNetworks, type Remark, remarksOf, seriesOf, type ValueResponse } from "./values.ts"

const maxListed = 20

const Summary = ({ series }: { readonly series: ChartSeries }) => {
  const summary = summaryOf(series)
  const { columns, currency, times } = series
  if (summary === undefined) return null
  return (
    <section class="totals" aria-label="Value over time, summary">
      <p class="total">
        <span class="label">Newest</span> <strong>{textAt(series, columns[0]?.values ?? [], times.length - 1)}</strong>
      </p>
      <p>
        {moneyChange(Number(plain(summary.last - summary.first)), currency)}{" "}
        <span class="label">since {time(times[0] ?? 0)}, including incoming and outgoing transfers;</span>{" "}
        <span class="label">from</span> {textOf(series, summary.low)} <span class="label">to</span>{" "}
        {textOf(series, summary.high)}
      </p>
    </section>
  )
}

const Remarks = ({ remarks }: { readonly remarks: ReadonlyArray<Remark> }) =>
  remarks.length === 0 ? null : (
    <ul class="remarks" aria-label="Unknown or approximate values">
      {remarks.slice(0, maxListed).map(({ of, text }, index) => (
        <li key={index}>
          <bdi>{of}</bdi>: <bdi>{text}</bdi>
        </li>
      ))}
      {remarks.length > maxListed && <li>and {count(remarks.length - maxListed)} more.</li>}
    </ul>
  )

const Values = ({ answers, span }: { readonly answers: ReadonlyArray<ValueResponse>; readonly span: Span }) => {
  const known = useStore(service)
  const series = useMemo(() => seriesOf(answers), [answers])
  const remarks = remarksOf(answers, span, (network) => networkName(known, network))
  useEffect(
    () => announce(series === undefined ? "No value is known." : `${counted(series.times.length, "value")} over time.`),
    [series]
  )
  if (series === undefined)
    return (
      <>
        <p>No value is known for these days.</p>
        <Remarks remarks={remarks} />
      </>
    )
  return (
    <>
      <Summary series={series} />
      <Chart series={series} label={`Value over time, ${counted(span, "day")}`} />
      {series.approximate?.includes(true) === true && (
        <p class="help">Dashed where values are approximate. {remarks.length > 0 && "Why:"}</p>
      )}
      <Remarks remarks={remarks} />
      <SeriesTable key={`${span} ${series.currency}`} series={series} />
    </>
  )
}

const Reader = ({ addresses, span }: { readonly addresses: ReadonlyArray<NetworkAddress>; readonly span: Span }) => {
  const { currency } = useStore(preferences)
  const living = onActiveNetworks(addresses, useStore(service), span, Date.now())
  const name = living.map(({ address, network }) => `${network}:${address}`).join(",")
  const { reading, retry } = useReading(`${span} ${currency} ${name}`, (client, signal) =>
    readValues(client, living, span, currency, signal)
  )
  if (reading.state === "waiting") return <p>Loading histories and past prices …</p>
  if (reading.state === "failed") return <Failed problem={reading.problem} retry={retry} />
  return <Values answers={reading.data} span={span} />
}

/** The value of addresses over time, as a chart and a table, with remarks on unknown values. */
export const ValueChart = ({ addresses }: { readonly addresses: ReadonlyArray<NetworkAddress> }) => {
  const [span, setSpan] = useState<Span>(30)
  if (addresses.length === 0) return <p>None of the texts is an address of a network.</p>
  if (addresses.length > maxAddresses)
    return (
      <p>
        These are {counted(addresses.length, "address", "addresses")}, counted per network; the value over time is
        available for up to {count(maxAddresses)}.
      </p>
    )
  return (
    <>
      <div class="controls">
        <Spans span={span} choose={setSpan} />
      </div>
      <Reader addresses={addresses} span={span} />
    </>
  )
}
