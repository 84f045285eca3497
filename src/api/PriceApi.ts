import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { CoinId } from "../domain/CoinId.ts"
import { EdgeProblems, NotFound, NotImplemented, UpstreamFailed } from "./Problem.ts"
import {
  commaSeparated,
  incoming,
  milliseconds,
  numberOrNull,
  oneOf,
  optional,
  passedOn,
  pricedChains,
  text
} from "./wire.ts"

const address = text(
  "Address of the token; of the native coin the zero address.",
  "0xdac17f958d2ee523a2206206994597c13d831ec7"
)

const priceFields = {
  id: text("The coin's id at the market data provider.", "tether"),
  name: text("Name of the coin or token.", "Tether"),
  symbol: text("Its symbol.", "usdt"),
  fdv: numberOrNull("Fully diluted valuation in USD; null when it is not known.", 140000000000),
  price: numberOrNull("USD price; null when none is current.", 1),
  priceChange24h: numberOrNull("Change over 24 hours in USD; null when it is not known.", 0.0004),
  priceChangePercent24h: numberOrNull("The same in percent.", 0.04),
  img: text("Address of an icon; empty when there is none.", "https://assets.example/tether.png"),
  source: text("The source that told the price.", "coingecko"),
  updatedAt: milliseconds("When the price was updated")
}

export const TokenPrice = Schema.Struct({ address, ...priceFields }).annotations({
  identifier: "TokenPrice",
  description: "The price of a token on a chain."
})
export type TokenPrice = typeof TokenPrice.Type

export const CoinPrice = Schema.Struct({ address: optional(address), ...priceFields }).annotations({
  identifier: "CoinPrice",
  description: "The price of a coin."
})
export type CoinPrice = typeof CoinPrice.Type

const series = (what: string) =>
  Schema.Array(Schema.Tuple(Schema.Number, Schema.Number)).annotations({
    description: `Pairs of a time (UNIX time in milliseconds) and the ${what} at that time.`,
    examples: [[[1793450000000, 64250.5]]]
  })

export const MarketChart = Schema.Struct({
  prices: series("USD price"),
  market_caps: series("market capitalisation in USD"),
  total_volumes: series("volume traded in USD")
}).annotations({ identifier: "MarketChart", description: "How a coin did over the days asked for." })
export type MarketChart = typeof MarketChart.Type

export const ChainIds = commaSeparated(
  Schema.String.pipe(Schema.pattern(/^\d{1,15}$/, { message: () => "is not the number of a chain" })),
  `Chain ids separated by commas. Prices are kept for ${pricedChains.join(", ")}; others are left out of the answer.`,
  "1,137"
)

export const CoinIds = commaSeparated(
  CoinId,
  "Coin ids of the market data provider, separated by commas. Those that no source knows are left out of the answer.",
  "bitcoin,ethereum"
)

export const Days = Schema.transformLiterals(["1", 1], ["7", 7], ["30", 30], ["365", 365]).annotations({
  description: "How many days back: 1, 7, 30 or 365.",
  examples: [7],
  message: oneOf(["1", "7", "30", "365"])
})

const platform = Schema.NonEmptyString.annotations({
  description: "A platform's name at the market data provider.",
  examples: ["ethereum"]
})
const contract = Schema.NonEmptyString.annotations({
  description: "Contract of the token.",
  examples: ["0xdac17f958d2ee523a2206206994597c13d831ec7"]
})
const details = passedOn("The provider's own details, unchanged.", {
  id: "tether",
  symbol: "usdt",
  name: "Tether",
  asset_platform_id: "ethereum"
})

export class PriceApi extends HttpApiGroup.make("price")
  .add(
    HttpApiEndpoint.get("byChain", "/price")
      .setUrlParams(Schema.Struct({ network_ids: ChainIds }))
      .addSuccess(
        Schema.Record({
          key: Schema.String,
          value: Schema.Record({ key: Schema.String, value: TokenPrice })
        }).annotations({
          description:
            "Prices by chain id and token address: EVM addresses in lower case, Tron's in base58, the native coin under the zero address."
        })
      )
      .annotateContext(
        OpenApi.annotations({
          summary: "Prices of all tokens of chains",
          description: "Every token of these chains that has a price, the native coin included."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("byCoin", "/price/coin")
      .setUrlParams(Schema.Struct({ coin_ids: CoinIds }))
      .addSuccess(
        Schema.Record({ key: Schema.String, value: CoinPrice }).annotations({ description: "Prices by coin id." })
      )
      .annotateContext(
        OpenApi.annotations({
          summary: "Prices of coins",
          description: "The current price of each coin that is known."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("marketChart", "/price/market_chart")
      .setUrlParams(Schema.Struct({ coin_ids: CoinIds, days: Days }).annotations(incoming))
      .addSuccess(
        Schema.Record({ key: Schema.String, value: MarketChart }).annotations({ description: "Series by coin id." })
      )
      .addError(UpstreamFailed.schema)
      .annotateContext(
        OpenApi.annotations({
          summary: "Price, capitalisation and volume over time",
          description: "Series of each coin that is known, over 1, 7, 30 or 365 days."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("nativeDetails", "/price/coin/details/:platform")
      .setPath(Schema.Struct({ platform }))
      .addSuccess(details)
      .addError(NotFound.schema)
      .addError(UpstreamFailed.schema)
      .annotateContext(
        OpenApi.annotations({
          summary: "Details of a platform's native coin",
          description: "What the market data provider tells about the native coin of a platform, unchanged."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("tokenDetails", "/price/coin/details/:platform/:contract")
      .setPath(Schema.Struct({ platform, contract }))
      .addSuccess(details)
      .addError(NotFound.schema)
      .addError(UpstreamFailed.schema)
      .annotateContext(
        OpenApi.annotations({
          summary: "Details of a token",
          description: "What the market data provider tells about a token, unchanged."
        })
      )
  )
  .addError(EdgeProblems)
  .addError(NotImplemented.schema)
  .annotateContext(OpenApi.annotations({ title: "Price", description: "Prices in USD, series and coin details." })) {}
