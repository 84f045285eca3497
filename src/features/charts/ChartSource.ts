import type * as Effect from "effect/Effect"
import type { Candles } from "../../domain/Ohlc.ts"
import type { Source } from "../../upstream/Sources.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { SeriesId } from "./Series.ts"

/** Where series come from. */
export interface ChartSource extends Source {
  /** As metrics and the route of the metadata name it. */
  readonly name: string
  /** The series with the END of each candle as its time, the running candle included; not checked yet. */
  readonly series: (id: SeriesId) => Effect.Effect<Candles, UpstreamError>
}
