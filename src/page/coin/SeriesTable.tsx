import { useState } from "preact/hooks"
import { counted, time } from "../text/format.ts"
import { t } from "../text/language.ts"
import { type ChartSeries, columnTitle, textAt } from "./series.ts"

/** The data of a chart as a table, newest first; rendered when it is opened. */
export const SeriesTable = ({ series }: { readonly series: ChartSeries }) => {
  const { columns, times } = series
  const [isOpen, setIsOpen] = useState(false)
  const places = isOpen ? times.map((_, index) => times.length - 1 - index) : []
  return (
    <details class="as-table" open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{counted(times.length, "sameAsTable")}</summary>
      {isOpen && (
        <table class="series">
          <caption class="only-read">{t("newestFirst")}</caption>
          <thead>
            <tr>
              <th scope="col">{t("time")}</th>
              {columns.map(({ name }) => (
                <th key={name} scope="col" class="number">
                  {columnTitle(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {places.map((place) => (
              <tr key={place}>
                <th scope="row">{time(times[place] ?? 0)}</th>
                {columns.map(({ name, values }) => (
                  <td key={name} class="number">
                    {textAt(series, values, place)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </details>
  )
}
