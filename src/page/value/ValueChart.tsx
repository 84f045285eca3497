import { useMemo, useState } from "preact/hooks"
import type { NetworkAddress } from "../addresses/accounts.ts"
import { Chart, SeriesTable } from "../coin/Chart.tsx"
import { type ChartSeries, type Span, spanChoices, summaryOf, textOf } from "../coin/series.ts"
import { Choices } from "../parts/Choices.tsx"
import { Failed } from "../parts/Failed.tsx"
import { Skeleton } from "../parts/lazy.tsx"
import { preferences } from "../state/preferences.ts"
import { networkName, service } from "../state/service.ts"
import { useReading } from "../state/useReading.ts"
import { useStore } from "../state/useStore.ts"
import { plain } from "../text/decimal.ts"
import { counted, day, moneyChange } from "../text/format.ts"
import { t } from "../text/language.ts"
import {
  isWhole,
  maxAddresses,
  onActiveNetworks,
  type Remark,
  readValues,
  remarksOf,
  seriesOf,
  type ValueResponse
} from "./values.ts"

const maxListed = 20

const Summary = ({ series }: { readonly series: ChartSeries }) => {
  const summary = summaryOf(series)
  if (summary === undefined) return null
  const change = moneyChange(Number(plain(summary.last - summary.first)), series.currency)
  const values = {
    change: summary.isApproximate ? t("approximately", { value: change }) : change,
    day: day(summary.since),
    low: textOf(series, summary.low),
    high: textOf(series, summary.high)
  }
  return <p class="label summary">{t("changeSince", values)}</p>
}

interface RemarksProps {
  readonly remarks: ReadonlyArray<Remark>
  /** True if nothing failed: the remarks are notes. */
  readonly isWhole: boolean
}

const Remarks = ({ isWhole: areNotes, remarks }: RemarksProps) =>
  remarks.length === 0 ? null : (
    <details class="remarks">
      <summary>{t(areNotes ? "pastNotes" : "pastUncertain")}</summary>
      <ul>
        {remarks.slice(0, maxListed).map(({ of, text }, index) => (
          <li key={index}>
            <bdi>{of}</bdi>: <bdi>{text}</bdi>
          </li>
        ))}
        {remarks.length > maxListed && <li>{t("andMore", { count: remarks.length - maxListed })}</li>}
      </ul>
    </details>
  )

const Values = ({ answers, span }: { readonly answers: ReadonlyArray<ValueResponse>; readonly span: Span }) => {
  const known = useStore(service)
  const series = useMemo(() => seriesOf(answers), [answers])
  const remarks = remarksOf(answers, span, (network) => networkName(known, network))
  return (
    <>
      {series === undefined ? (
        <p class="empty">{t("noPastValue")}</p>
      ) : (
        <>
          <Chart series={series} label={t("valueOverTime")} />
          <Summary series={series} />
        </>
      )}
      <div class="notes">
        <Remarks remarks={remarks} isWhole={series?.approximate === undefined && answers.every(isWhole)} />
        {series !== undefined && <SeriesTable key={`${span} ${series.currency}`} series={series} />}
      </div>
    </>
  )
}

const Reader = ({ addresses, span }: { readonly addresses: ReadonlyArray<NetworkAddress>; readonly span: Span }) => {
  const { currency } = useStore(preferences)
  const [opened] = useState(() => Date.now())
  const living = onActiveNetworks(addresses, useStore(service), span, opened)
  const name = living.map(({ address, network }) => `${network}:${address}`).join(",")
  const { reading, retry } = useReading(`${span} ${currency} ${name}`, (client, signal) =>
    readValues(client, living, span, currency, signal)
  )
  if (reading.state === "waiting") return <Skeleton kind="chart" />
  if (reading.state === "failed") return <Failed problem={reading.problem} retry={retry} />
  return <Values answers={reading.data} span={span} />
}

/** The value of addresses over time, as a chart and a table, with remarks on unknown values. */
export const ValueChart = ({ addresses }: { readonly addresses: ReadonlyArray<NetworkAddress> }) => {
  const [span, setSpan] = useState<Span>(30)
  if (addresses.length > maxAddresses)
    return (
      <p class="help">
        {t("tooManyForChart", { addresses: counted(addresses.length, "addressesCount"), max: maxAddresses })}
      </p>
    )
  return (
    <>
      <Choices label={t("days")} options={spanChoices()} chosen={span} choose={setSpan} />
      <Reader addresses={addresses} span={span} />
    </>
  )
}
