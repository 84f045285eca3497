import * as Schema from "effect/Schema"
import { CoinId } from "../../domain/CoinId.ts"
import { oneOf } from "../../domain/fields.ts"
import { commaSeparated, passThrough } from "../wire.ts"
import { otherCurrency } from "./currencies.ts"

const series = (what: string) =>
  Schema.Array(Schema.Tuple(Schema.Number, Schema.Number)).annotations({
    description: `Pairs of a time (UNIX time in milliseconds) and the ${what} at that time.`,
    examples: [[[1793450000000, 64250.5]]]
  })

export const MarketChart = Schema.Struct({
  currency: otherCurrency,
  prices: series("price, in USD or the requested currency,"),
  market_caps: series("market capitalisation in the same currency"),
  total_volumes: series("volume traded in the same currency")
}).annotations({ identifier: "MarketChart", description: "Market data of a coin over the requested days." })
export type MarketChart = typeof MarketChart.Type

export const Days = Schema.transformLiterals(["1", 1], ["7", 7], ["30", 30], ["365", 365]).annotations({
  description: "Number of days back: 1, 7, 30 or 365.",
  examples: [7],
  message: oneOf(["1", "7", "30", "365"])
})

/** More would take too long: no source returns the series of several coins in one call. */
export const maxChartCoins = 100

export const ChartCoinIds = commaSeparated(
  // These would change the path of an upstream request; so would an escaped slash that a proxy decodes.
  CoinId.pipe(
    Schema.filter((id) => !/^\.{1,2}$|[/\\]/.test(id) || "must be a coin id without slashes, and not . or ..")
  ),
  maxChartCoins,
  `Coin ids of the market data provider, separated by commas, at most ${maxChartCoins}. Ids that it does not know are left out of the response.`,
  "bitcoin,ethereum"
)

/** `platform` and `contract` become segments of an upstream's path and must not change the rest of it. */
export const platform = Schema.String.pipe(
  Schema.pattern(/^[A-Za-z0-9_-]{1,100}$/, {
    message: () => "must be 1 to 100 letters, digits, hyphens or underscores"
  })
).annotations({
  description: "A platform's name at the market data provider: 1 to 100 letters, digits, hyphens or underscores.",
  examples: ["ethereum"]
})

export const contract = Schema.String.pipe(
  Schema.pattern(/^(?!\.{1,2}$)[A-Za-z0-9._:$~-]{1,200}$/, {
    message: () => "must be 1 to 200 letters, digits or characters of . _ : $ ~ -, and not . or .."
  })
).annotations({
  description:
    "Contract of the token: 1 to 200 letters, digits or characters of `. _ : $ ~ -`, and not `.` or `..` alone.",
  examples: ["0xdac17f958d2ee523a2206206994597c13d831ec7"]
})

export const details = passThrough("The details from the provider, unchanged.", {
  id: "tether",
  symbol: "usdt",
  name: "Tether",
  asset_platform_id: "ethereum"
})
