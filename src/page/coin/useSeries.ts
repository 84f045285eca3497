import { useEffect, useState } from "preact/hooks"
import { needsKey, session } from "../state/session.ts"
import { useStore } from "../state/store.ts"
import { problemOf } from "../text/reasons.ts"
import { type ChartSeries, readCandles, readLine, type Span } from "./series.ts"

/** A series, or why there is none. */
export type SeriesReading =
  | { readonly state: "waiting" }
  | { readonly state: "read"; readonly series: ChartSeries }
  | { readonly state: "unknown" }
  | { readonly state: "failed"; readonly problem: string }

/** The prices of a coin over some days. */
export const useSeries = (id: string, span: Span, kind: ChartSeries["kind"], currency: string) => {
  const { client } = useStore(session)
  const [reading, setReading] = useState<SeriesReading>({ state: "waiting" })
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    setReading({ state: "waiting" })
    if (id === "") return
    const controller = new AbortController()
    const { signal } = controller
    const read = kind === "line" ? readLine(client, id, span, currency, signal) : readCandles(client, id, span, signal)
    read
      .then((series) => {
        if (!signal.aborted) setReading(series === undefined ? { state: "unknown" } : { state: "read", series })
      })
      .catch((error: unknown) => {
        if (signal.aborted) return
        needsKey(error)
        setReading({ state: "failed", problem: problemOf(error) })
      })
    return () => controller.abort()
  }, [client, id, span, kind, currency, attempt])
  return { reading, retry: () => setAttempt(attempt + 1) }
}
