import { useReading } from "../state/useReading.ts"
import { type ChartSeries, readCandles, readLine, type Span } from "./series.ts"

/** The prices of a coin over some days; undefined where no source has any. */
export const useSeries = (id: string, span: Span, kind: ChartSeries["kind"], currency: string) =>
  useReading(`${span} ${kind} ${currency} ${id}`, (client, signal) =>
    kind === "candles" ? readCandles(client, id, span, signal) : readLine(client, id, span, currency, signal)
  )
