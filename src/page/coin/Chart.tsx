import { useEffect, useRef, useState } from "preact/hooks"
import { Sheet } from "../parts/Sheet.tsx"
import { counted, time } from "../text/format.ts"
import { t } from "../text/language.ts"
import { type ChartSeries, columnTitle, textAt } from "./series.ts"

/** Text of the point at an index of the series. */
const pointText = (series: ChartSeries, index: number): string =>
  [
    time(series.times[index] ?? 0),
    ...series.columns.map(({ name, values }) => `${columnTitle(name)} ${textAt(series, values, index)}`)
  ].join(" · ")

/** The chart, with a crosshair that follows the mouse and the arrow keys, and the values at the crosshair. */
export const Chart = ({ label, series }: { readonly series: ChartSeries; readonly label: string }) => {
  const element = useRef<HTMLDivElement>(null)
  const drawn = useRef<{ readonly point: (index: number) => void }>(undefined)
  const [index, setIndex] = useState<number>()
  const [isBroken, setIsBroken] = useState(false)
  useEffect(() => {
    let isOver = false
    let end = () => {}
    setIndex(undefined)
    import("./draw.ts")
      .then(({ draw }) => {
        if (isOver || element.current === null) return
        const plot = draw(element.current, series, setIndex)
        drawn.current = plot
        end = plot.end
      })
      .catch(() => setIsBroken(true))
    return () => {
      isOver = true
      drawn.current = undefined
      end()
    }
  }, [series])

  const last = series.times.length - 1
  const step = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, PageDown: -10, PageUp: 10, Home: -last, End: last }[event.key]
    if (by === undefined) return
    event.preventDefault()
    const next = Math.max(0, Math.min(last, (index ?? last) + by))
    setIndex(next)
    drawn.current?.point(next)
  }
  const shown = index ?? last
  return (
    <figure class="chart">
      <div
        ref={element}
        class="plot"
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={shown}
        aria-valuetext={pointText(series, shown)}
        onKeyDown={step}
      />
      <figcaption>{isBroken ? t("chartBroken") : pointText(series, shown)}</figcaption>
    </figure>
  )
}

/** The data of a chart as a table, newest first; rendered when it is opened. */
export const SeriesTable = ({ series }: { readonly series: ChartSeries }) => {
  const { columns, times } = series
  const [isOpen, setIsOpen] = useState(false)
  const places = isOpen ? times.map((_, index) => times.length - 1 - index) : []
  return (
    <details class="as-table" open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{counted(times.length, "sameAsTable")}</summary>
      {isOpen && (
        <Sheet
          kind="series"
          caption={t("newestFirst")}
          columns={[t("time"), ...columns.map(({ name }) => columnTitle(name))]}
        >
          {places.map((place) => (
            <tr key={place}>
              <th scope="row">{time(times[place] ?? 0)}</th>
              {columns.map(({ name, values }) => (
                <td key={name}>{textAt(series, values, place)}</td>
              ))}
            </tr>
          ))}
        </Sheet>
      )}
    </details>
  )
}
