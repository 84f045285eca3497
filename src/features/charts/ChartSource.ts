import type * as Effect from "effect/Effect"
import type { Candles } from "../../domain/Ohlc.ts"
import type { Source } from "../../upstream/Sources.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { SeriesId } from "./Series.ts"

/** A source of series. */
export interface ChartSource extends Source {
  /** Its name in metrics and in the metadata. */
  readonly name: string
  /** The series, with the END of each candle as its time and including the running candle. Not validated. */
  readonly series: (id: SeriesId) => Effect.Effect<Candles, UpstreamError>
}
