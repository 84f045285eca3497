import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { chartCoins, chartPeriods } from "../domain/charts/Ohlc.ts"
import { enumOf, number, numberOrNull, text } from "../domain/fields.ts"
import { EdgeProblems, UpstreamFailed } from "./Problem.ts"
import { commaSeparated, described, inRequest, recordOf, titled } from "./wire.ts"

const coin = enumOf(`A coin with charts: ${chartCoins.join(", ")}.`, chartCoins)
const period = enumOf("How many days: 1, 30 or 365.", chartPeriods, "30")

export const Ohlc = Schema.Tuple(Schema.Number, Schema.Number, Schema.Number, Schema.Number, Schema.Number).annotations(
  {
    identifier: "Ohlc",
    description:
      "Five numbers: the end of the candle (UNIX time in milliseconds; in the future for the newest candle), then the open, high, low and close price in USD.",
    examples: [[1793450000000, 64100, 64480.5, 63990, 64250.5]]
  }
)
export type Ohlc = typeof Ohlc.Type

const OhlcSeries = Schema.Array(Ohlc).annotations({
  description: "Candles of the series, oldest first; never empty."
})

const partial =
  "Unavailable series are left out and listed in the header x-partial-failures, a JSON array of {coin, period, message}. If no series is available, the response is 502."

export const ChartMetadata = Schema.Struct({
  lastUpdate: numberOrNull(
    "Time of the latest refresh of any series, UNIX time in milliseconds; null before the first refresh.",
    1793450000000
  ),
  data: Schema.Array(
    Schema.Struct({
      coin,
      period,
      length: number("Number of candles in it.", 180)
    }).annotations({ identifier: "ChartLength", description: "Length of the series of one coin and period." })
  ).annotations({
    description: "Every cached series.",
    examples: [[{ coin: "bitcoin", period: "30", length: 180 }]]
  }),
  service: text("Name of the data provider; several names are sorted and joined by commas.", "coingecko")
}).annotations({ identifier: "ChartMetadata", description: "The cached series, and the time of their latest refresh." })
export type ChartMetadata = typeof ChartMetadata.Type

/** Leaves room for repeated coins; the response has each coin once. */
const maxCoins = 100

/** The path segment `app` stands for the client application's name; the server replaces it with the configured name. */
export class ChartsApi extends HttpApiGroup.make("charts")
  .add(
    HttpApiEndpoint.get("metadata", "/app/mdata")
      .addSuccess(ChartMetadata)
      .annotateContext(
        described(
          "Which series are cached",
          "Returns the length of each cached series and the time of the latest refresh."
        )
      )
  )
  .add(
    HttpApiEndpoint.get("restart", "/app/mdata/restart")
      .addSuccess(
        Schema.Struct({}).annotations({
          description: "An empty object.",
          examples: [{}],
          // The JSON schema of the library would also allow a list.
          jsonSchema: { type: "object", examples: [{}] }
        })
      )
      .annotateContext(
        OpenApi.annotations({ summary: "Does nothing", description: "Kept for compatibility.", deprecated: true })
      )
  )
  .add(
    HttpApiEndpoint.get("errors", "/app/mdata/errors")
      .addSuccess(
        Schema.Array(Schema.Unknown.annotations({ description: "Never present." })).annotations({
          description: "Always an empty array.",
          examples: [[]]
        })
      )
      .annotateContext(
        OpenApi.annotations({
          summary: "Always an empty array",
          description: "Kept for compatibility.",
          deprecated: true
        })
      )
  )
  .add(
    HttpApiEndpoint.get("data", "/app/mdata/data")
      .addSuccess(
        recordOf("bitcoin", recordOf("30", OhlcSeries, "Series by period."), `Series by coin and period. ${partial}`)
      )
      .addError(UpstreamFailed.schema)
      .annotateContext(
        described(
          "All series",
          "Returns the series of every coin and period. Waits for series that are not loaded yet, but not beyond the deadline of the request."
        )
      )
  )
  .add(
    HttpApiEndpoint.get("item", "/app/mdata/item/:coin/:period")
      .setPath(Schema.Struct({ coin, period }).annotations(inRequest))
      .addSuccess(OhlcSeries)
      .addError(UpstreamFailed.schema)
      .annotateContext(described("One series", "Returns the series of one coin over one period."))
  )
  .add(
    HttpApiEndpoint.get("list", "/app/mdata/list/:coins/:period")
      .setPath(
        Schema.Struct({
          coins: commaSeparated(
            coin,
            maxCoins,
            `Coins separated by commas. Allowed: ${chartCoins.join(", ")}.`,
            "bitcoin,ethereum"
          ),
          period
        }).annotations(inRequest)
      )
      .addSuccess(recordOf("bitcoin", OhlcSeries, `Series by coin. ${partial}`))
      .addError(UpstreamFailed.schema)
      .annotateContext(
        described(
          "Series of several coins",
          "Returns the series of several coins over one period. The comma may be percent-encoded."
        )
      )
  )
  .addError(EdgeProblems)
  .annotateContext(titled("Charts", "Open, high, low and close prices of some large coins.")) {}
