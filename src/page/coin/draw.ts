import UPlot from "uplot"
import { theme } from "../state/preferences.ts"
import { locale } from "../text/language.ts"
import { type ChartSeries, linesOf, textOf } from "./series.ts"

// Loaded when a chart is drawn: most visits show no chart.

/** A chart that is lower than this, px, has no axis of values: the highest and the lowest are written at their points. */
const lowBelow = 240

/** The colours of the current theme: a canvas cannot use CSS variables. */
const coloursOf = (element: HTMLElement) => {
  const probe = document.createElement("span")
  element.append(probe)
  const colour = (name: string) => {
    probe.style.color = `var(--${name})`
    return getComputedStyle(probe).color
  }
  const colours = {
    accent: colour("accent"),
    accentGround: colour("accent-ground"),
    second: colour("part-2"),
    down: colour("down"),
    inkSoft: colour("ink-soft"),
    line: colour("line"),
    up: colour("up")
  }
  probe.remove()
  return colours
}

type Colours = ReturnType<typeof coloursOf>

/** Draws a candle at each time: a line from low to high, a body from open to close. */
const drawCandles = (plot: UPlot, { down, up }: Colours) => {
  const [times, opens = [], highs = [], lows = [], closes = []] = plot.data
  const { ctx } = plot
  const width = Math.max(1, Math.min(14 * devicePixelRatio, (0.7 * plot.bbox.width) / Math.max(1, times.length)))
  const y = (value: number | null | undefined) => plot.valToPos(value ?? 0, "y", true)
  ctx.save()
  for (const [index, at] of times.entries()) {
    const x = plot.valToPos(at, "x", true)
    const [open, close] = [y(opens[index]), y(closes[index])]
    ctx.fillStyle = close <= open ? up : down
    ctx.fillRect(x - devicePixelRatio / 2, y(highs[index]), devicePixelRatio, y(lows[index]) - y(highs[index]))
    ctx.fillRect(x - width / 2, Math.min(open, close), width, Math.max(devicePixelRatio, Math.abs(close - open)))
  }
  ctx.restore()
}

const axis = ({ inkSoft, line }: Colours): UPlot.Axis => ({
  stroke: inkSoft,
  font: "12px system-ui, sans-serif",
  grid: { stroke: line, width: 1 },
  ticks: { show: false }
})

const dayOf = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" })
const hourOf = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" })

/** Label of the time axis: a day, or an hour within a day. */
const tick = (at: number, step: number) => {
  const date = new Date(at * 1000)
  const isMidnight = date.getHours() === 0 && date.getMinutes() === 0
  return (step >= 86_400 || isMidnight ? dayOf : hourOf).format(date)
}

const zeros = /[.,]00(?=\D*$)/

/** Labels of the axis of values: without decimals if these are zeros in all of them. */
const labelsOf = (texts: ReadonlyArray<string>): Array<string> =>
  texts.map((text) => (texts.every((other) => zeros.test(other)) ? text.replace(zeros, "") : text))

/** Indices of values without a known neighbour. They are drawn as dots, since a line needs two points. */
const isolatedIndices = (values: UPlot.AlignedData[number]): Array<number> =>
  Array.from(values).flatMap((value, index) =>
    value != null && values[index - 1] == null && values[index + 1] == null ? [index] : []
  )

const line = (colour: string, fill?: string): UPlot.Series => ({
  stroke: colour,
  ...(fill === undefined ? {} : { fill }),
  width: 2,
  points: { show: true, size: 6, fill: colour, filter: (plot, column) => isolatedIndices(plot.data[column] ?? []) }
})

/** The lines of a series: exact and approximate values of one line, two compared lines, or none for candles. */
const plotted = (series: ChartSeries, { accent, accentGround, second }: Colours): Array<UPlot.Series> => {
  if (series.kind === "candles") return series.columns.map(() => ({ paths: () => null, points: { show: false } }))
  if (series.kind === "comparison") return series.columns.map((_, index) => line(index === 0 ? accent : second))
  const fill = series.kind === "value" ? accentGround : undefined
  return [line(accent, fill), ...(series.approximate === undefined ? [] : [{ ...line(accent, fill), dash: [3, 4] }])]
}

/** Writes the highest and the lowest value at their points. */
const writeExtremes = (plot: UPlot, series: ChartSeries, { inkSoft }: Colours) => {
  const [values = []] = series.columns.map((column) => column.values)
  const known = values.flatMap((value, index) => (value === null ? [] : [{ value, at: series.times[index] ?? 0 }]))
  const [first] = known
  if (first === undefined) return
  const highest = known.reduce((best, point) => (point.value > best.value ? point : best), first)
  const lowest = known.reduce((best, point) => (point.value < best.value ? point : best), first)
  const { ctx } = plot
  ctx.save()
  ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`
  ctx.fillStyle = inkSoft
  const write = ({ at, value }: typeof first, isAbove: boolean) => {
    const text = textOf(series, value)
    const { left, width } = plot.bbox
    const half = ctx.measureText(text).width / 2
    const x = Math.max(left + half, Math.min(left + width - half, plot.valToPos(at, "x", true)))
    ctx.textAlign = "center"
    ctx.textBaseline = isAbove ? "bottom" : "top"
    ctx.fillText(text, x, plot.valToPos(value, "y", true) + (isAbove ? -4 : 4) * devicePixelRatio)
  }
  write(highest, true)
  if (lowest.value < highest.value) write(lowest, false)
  ctx.restore()
}

/** The range of values, with room for the text below the lowest. */
const withRoom = (_plot: UPlot, low: number | null, high: number | null): UPlot.Range.MinMax => {
  const [from, to] = [low ?? 0, high ?? 0]
  const room = (to - from || Math.abs(to) || 1) * 0.25
  return [from - room, to]
}

const optionsOf = (
  series: ChartSeries,
  colours: Colours,
  { clientHeight: height, clientWidth: width }: HTMLElement,
  pointed: (index: number | undefined) => void
): UPlot.Options => {
  const isLine = series.kind !== "candles"
  return {
    width,
    height,
    ...(height < lowBelow ? { padding: [24, 20, 0, 20] } : {}),
    legend: { show: false },
    cursor: { y: isLine, drag: { x: false, y: false }, points: { show: isLine } },
    scales: { x: { time: true }, ...(isLine && height < lowBelow ? { y: { range: withRoom } } : {}) },
    axes: [
      {
        ...axis(colours),
        space: 80,
        size: 28,
        grid: { show: false },
        values: (_plot, splits, _axis, _space, step) => splits.map((at) => tick(at, step))
      },
      {
        ...axis(colours),
        show: height >= lowBelow,
        size: (_plot, texts) => 16 + 7 * Math.max(0, ...(texts ?? []).map(({ length }) => length)),
        values: (_plot, values) => labelsOf(values.map((value) => textOf(series, value)))
      }
    ],
    series: [{}, ...plotted(series, colours)],
    hooks: {
      setCursor: [({ cursor }) => pointed(cursor.idx ?? undefined)],
      ...(isLine ? {} : { draw: [(plot: UPlot) => drawCandles(plot, colours)] }),
      ...(isLine && height < lowBelow ? { draw: [(plot: UPlot) => writeExtremes(plot, series, colours)] } : {})
    }
  }
}

/**
 * Draws the series into the element in its full width. Redraws it when the width or the theme changes, and for paper. Calls `pointed`
 * with the index in the series at the crosshair; `point` of the result moves the crosshair to an index.
 */
export const draw = (element: HTMLElement, series: ChartSeries, pointed: (index: number | undefined) => void) => {
  const columns =
    series.kind === "candles" || series.kind === "comparison"
      ? series.columns.map(({ values }) => values)
      : linesOf(series)
  const data: UPlot.AlignedData = [[...series.times], ...columns.map((values) => [...values])]
  const make = () => new UPlot(optionsOf(series, coloursOf(element), element, pointed), data, element)
  let plot = make()
  const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: element.clientHeight }))
  resized.observe(element)
  const media = ["print", "(prefers-color-scheme: dark)"].map((query) => matchMedia(query))
  const again = () => {
    plot.destroy()
    plot = make()
  }
  for (const query of media) query.addEventListener("change", again)
  const unsubscribe = theme.subscribe(again)
  return {
    point: (index: number) => {
      const [at, value] = [series.times[index] ?? 0, series.columns.at(-1)?.values[index] ?? 0]
      plot.setCursor({ left: plot.valToPos(at, "x"), top: plot.valToPos(value, "y") })
    },
    end: () => {
      resized.disconnect()
      for (const query of media) query.removeEventListener("change", again)
      unsubscribe()
      plot.destroy()
    }
  }
}
