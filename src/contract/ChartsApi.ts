import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { number, numberOrNull, text, word } from "../domain/fields.ts"
import { chartCoins, chartPeriods } from "../domain/Ohlc.ts"
import { EdgeProblems, UpstreamFailed } from "./Problem.ts"
import { byKey, commaSeparated, incoming } from "./wire.ts"

const coin = word(`A coin with charts: ${chartCoins.join(", ")}.`, chartCoins)
const period = word("How many days: 1, 30 or 365.", chartPeriods, "30")

export const Ohlc = Schema.Tuple(Schema.Number, Schema.Number, Schema.Number, Schema.Number, Schema.Number).annotations(
  {
    identifier: "Ohlc",
    description:
      "Five numbers: when the candle ends (UNIX time in milliseconds; of the newest it lies ahead), then the open, high, low and close price in USD.",
    examples: [[1793450000000, 64100, 64480.5, 63990, 64250.5]]
  }
)
export type Ohlc = typeof Ohlc.Type

const OhlcSeries = Schema.Array(Ohlc).annotations({
  description: "The series, the oldest entry first; there is at least one."
})

const partial =
  "Series that are not available are left out and named in the header x-partial-failures, a JSON array of {coin, period, message}; where none is available, that is a failure."

export const ChartMetadata = Schema.Struct({
  lastUpdate: numberOrNull(
    "When a series was last refreshed, UNIX time in milliseconds; null before the first time.",
    1793450000000
  ),
  data: Schema.Array(
    Schema.Struct({
      coin,
      period,
      length: number("How many entries there are.", 180)
    }).annotations({ identifier: "ChartLength", description: "How long the series of one coin and period is." })
  ).annotations({
    description: "Every cached series.",
    examples: [[{ coin: "bitcoin", period: "30", length: 180 }]]
  }),
  service: text("Name of the data service; of several, in the order of their names, joined by commas.", "coingecko")
}).annotations({ identifier: "ChartMetadata", description: "Which series are cached, and how fresh they are." })
export type ChartMetadata = typeof ChartMetadata.Type

/** Each of them several times, which is answered once. */
const maxCoins = 100

/** The path segment `app` stands for the client application's name; the server replaces it with the configured name. */
export class ChartsApi extends HttpApiGroup.make("charts")
  .add(
    HttpApiEndpoint.get("metadata", "/app/mdata")
      .addSuccess(ChartMetadata)
      .annotateContext(
        OpenApi.annotations({
          summary: "Which series are cached",
          description: "The length of every series and the time of the last refresh."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("restart", "/app/mdata/restart")
      .addSuccess(
        Schema.Struct({}).annotations({
          description: "An empty object.",
          examples: [{}],
          // The library lets this schema be a list too.
          jsonSchema: { type: "object", additionalProperties: false, examples: [{}] }
        })
      )
      .annotateContext(
        OpenApi.annotations({ summary: "Does nothing", description: "Kept for compatibility.", deprecated: true })
      )
  )
  .add(
    HttpApiEndpoint.get("errors", "/app/mdata/errors")
      .addSuccess(
        Schema.Array(Schema.Unknown.annotations({ description: "It is always empty." })).annotations({
          description: "An empty array.",
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
        byKey("bitcoin", byKey("30", OhlcSeries, "Series by period."), `Series by coin and period. ${partial}`)
      )
      .addError(UpstreamFailed.schema)
      .annotateContext(
        OpenApi.annotations({
          summary: "All series",
          description:
            "The series of every coin and period. Waits for a series that is not loaded yet, within the time of a request."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("item", "/app/mdata/item/:coin/:period")
      .setPath(Schema.Struct({ coin, period }).annotations(incoming))
      .addSuccess(OhlcSeries)
      .addError(UpstreamFailed.schema)
      .annotateContext(
        OpenApi.annotations({ summary: "One series", description: "The series of one coin over one period." })
      )
  )
  .add(
    HttpApiEndpoint.get("list", "/app/mdata/list/:coins/:period")
      .setPath(
        Schema.Struct({
          coins: commaSeparated(
            coin,
            maxCoins,
            `Coins separated by commas, out of ${chartCoins.join(", ")}.`,
            "bitcoin,ethereum"
          ),
          period
        }).annotations(incoming)
      )
      .addSuccess(byKey("bitcoin", OhlcSeries, `Series by coin. ${partial}`))
      .addError(UpstreamFailed.schema)
      .annotateContext(
        OpenApi.annotations({
          summary: "Series of several coins",
          description: "The series of several coins over one period; the comma may be percent-encoded."
        })
      )
  )
  .addError(EdgeProblems)
  .annotateContext(
    OpenApi.annotations({ title: "Charts", description: "Open, high, low and close prices of a few large coins." })
  ) {}
