import type * as Effect from "effect/Effect"
import type { Candles } from "../domain/Ohlc.ts"
import type { UpstreamError } from "../upstreams/UpstreamError.ts"
import type { SeriesId } from "./Series.ts"

/** Where series come from. */
export interface ChartSource {
  /** As metrics and the route of the metadata name it. */
  readonly name: string
  /** Whether it is worth asking now. */
  readonly ready: Effect.Effect<boolean>
  /** The series with the END of each candle as its time, the running candle included; not checked yet. */
  readonly series: (id: SeriesId) => Effect.Effect<Candles, UpstreamError>
}
