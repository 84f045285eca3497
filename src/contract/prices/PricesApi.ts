import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import * as Catalogue from "../../catalogue/Catalogue.ts"
import { CoinId } from "../../domain/CoinId.ts"
import { errorCode, mustBe, numberOrNull, optional, text } from "../../domain/fields.ts"
import { EdgeProblems, NotFound, UpstreamFailed } from "../Problem.ts"
import { byKey, commaSeparated, incoming } from "../wire.ts"
import { Currency, CurrencyRate, otherCurrency } from "./currencies.ts"
import { ChartCoinIds, contract, Days, details, MarketChart, maxChartCoins, platform } from "./marketCharts.ts"

const address = text(
  "Address of the token; of the native coin the zero address.",
  "0xdac17f958d2ee523a2206206994597c13d831ec7"
)

const priceFields = {
  id: text("The coin's id at the market data provider.", "tether"),
  name: text("Name of the coin or token.", "Tether"),
  symbol: text("Its symbol.", "usdt"),
  fdv: numberOrNull("Fully diluted valuation in the same currency; null when it is not known.", 140000000000),
  price: numberOrNull("Price in USD, or in the requested currency; null when none is current.", 1),
  currency: otherCurrency,
  priceChange24h: numberOrNull(
    "Change over 24 hours in the same currency: that in USD at today's exchange rate. Null when it is not known.",
    0.0004
  ),
  priceChangePercent24h: numberOrNull("Change over 24 hours in percent, in USD. Null when it is not known.", 0.04),
  img: text("Address of an icon; empty when there is none.", "https://assets.example/tether.png"),
  source: text("The source of the price; empty when there is none.", "coingecko"),
  updatedAt: numberOrNull(
    "When the price was updated, UNIX time in milliseconds; null when there is none.",
    1793450000000
  )
}

/** Why a price is null. */
const missingPrice = {
  error: optional(text("Why the price is null, for people.", "no source has a current price")),
  errorCode: optional(errorCode)
}

export const TokenPrice = Schema.Struct({ address, ...priceFields }).annotations({
  identifier: "TokenPrice",
  description: "The price of a token on a chain."
})
export type TokenPrice = typeof TokenPrice.Type

export const CoinPrice = Schema.Struct({ address: optional(address), ...priceFields, ...missingPrice }).annotations({
  identifier: "CoinPrice",
  description: "The price of a coin; null, with the reason, where a known coin has no current price."
})
export type CoinPrice = typeof CoinPrice.Type

/** More chains than have prices, unsupported ones included. */
const maxChains = 1_000

export const ChainIds = commaSeparated(
  Schema.String.pipe(Schema.pattern(/^\d{1,15}$/, { message: mustBe("the number of a chain") })),
  maxChains,
  `Chain ids separated by commas, at most ${maxChains}. Chains with prices: ${Catalogue.pricedChains.join(", ")}; others are left out of the answer.`,
  "1,137"
)

/** More coins than any wallet shows; each may be a call to an upstream. */
const maxCoins = 1_000

export const CoinIds = commaSeparated(
  CoinId,
  maxCoins,
  `Coin ids of the market data provider, separated by commas, at most ${maxCoins}. Those that no source knows are left out of the answer.`,
  "bitcoin,ethereum"
)

/** The description of responses that are cached. */
const readyNote =
  "The answer has an ETag: a request with `If-None-Match` is answered 304 without a body while nothing has changed."

export class PricesApi extends HttpApiGroup.make("prices")
  .add(
    HttpApiEndpoint.get("byChain", "/price")
      .setUrlParams(Schema.Struct({ network_ids: ChainIds, currency: optional(Currency) }).annotations(incoming))
      .addSuccess(
        byKey(
          "1",
          byKey("0xdac17f958d2ee523a2206206994597c13d831ec7", TokenPrice, "Prices by token address."),
          "Prices by chain id and token address: EVM addresses in lower case, Tron's in base58, the native coin under the zero address."
        )
      )
      .addError(UpstreamFailed.schema)
      .annotateContext(
        OpenApi.annotations({
          summary: "Prices of all tokens of chains",
          description: `Every token of these chains that has a price, the native coin included. ${readyNote} The header \`x-partial-failures\` names the chains whose prices are still being gathered after a start, as a JSON array of {chain, message}. 502 when another currency than USD is requested and no exchange rate is available.`
        })
      )
  )
  .add(
    HttpApiEndpoint.get("byCoin", "/price/coin")
      .setUrlParams(Schema.Struct({ coin_ids: CoinIds, currency: optional(Currency) }).annotations(incoming))
      .addSuccess(byKey("tether", CoinPrice, "Prices by coin id."))
      .addError(UpstreamFailed.schema)
      .annotateContext(
        OpenApi.annotations({
          summary: "Prices of coins",
          description: `The current price of each known coin. ${readyNote} 502 when another currency than USD is requested and no exchange rate is available.`
        })
      )
  )
  .add(
    HttpApiEndpoint.get("marketChart", "/price/market_chart")
      .setUrlParams(
        Schema.Struct({ coin_ids: ChartCoinIds, days: Days, currency: optional(Currency) }).annotations(incoming)
      )
      .addSuccess(byKey("bitcoin", MarketChart, "Series by coin id."))
      .addError(UpstreamFailed.schema)
      .annotateContext(
        OpenApi.annotations({
          summary: "Price, capitalisation and volume over time",
          description: `Series of each known coin, over 1, 7, 30 or 365 days; at most ${maxChartCoins} coins. A coin whose series is not available is left out, and one with prices alone has empty market_caps and total_volumes: both are named in the header x-partial-failures, a JSON array of {coin, message}. With \`currency\` every point is in that currency, at the rate of its own time: the provider's, or else the reference rate of the European Central Bank of that day; a currency that neither has of then fails, and is never converted at the rate of today.`
        })
      )
  )
  .add(
    HttpApiEndpoint.get("currencies", "/price/currencies")
      .addSuccess(Schema.Array(CurrencyRate).annotations({ description: "US dollars first." }))
      .annotateContext(
        OpenApi.annotations({
          summary: "Currencies and their rates",
          description:
            "Every currency that `currency` of a route may name, with what a US dollar is worth in it now: the rate that balances and prices are converted with. Rates are those of the market data provider, read once an hour; while it is not available, the reference rates of the European Central Bank of the last working day. The rate of a coin is its current price. A rate that is not available is null with its reason."
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
          description:
            "What the market data provider returns for the native coin of a platform, unchanged; 404 where it has no such platform."
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
          description:
            "What the market data provider returns for a token, unchanged; 404 where it does not have it. The case of EVM addresses does not matter."
        })
      )
  )
  .addError(EdgeProblems)
  .annotateContext(
    OpenApi.annotations({ title: "Price", description: "Prices, series, currencies and coin details." })
  ) {}
