import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import * as Catalogue from "../../catalogue/Catalogue.ts"
import { CoinId } from "../../domain/CoinId.ts"
import { errorCode, mustBe, numberOrNull, optional, text } from "../../domain/fields.ts"
import { EdgeProblems, NotFound, UpstreamFailed } from "../Problem.ts"
import { commaSeparated, described, inRequest, recordOf, titled } from "../wire.ts"
import { Currency, CurrencyRate, otherCurrency } from "./currencies.ts"
import { ChartCoinIds, contract, Days, details, MarketChart, maxChartCoins, platform } from "./marketCharts.ts"

const address = text(
  "Address of the token; the zero address for the native coin.",
  "0xdac17f958d2ee523a2206206994597c13d831ec7"
)

const priceFields = {
  id: text("The coin's id at the market data provider.", "tether"),
  name: text("Name of the coin or token.", "Tether"),
  symbol: text("Symbol of the coin or token.", "usdt"),
  fdv: numberOrNull("Fully diluted valuation in the same currency; null if it is not known.", 140000000000),
  price: numberOrNull("Price in USD, or in the requested currency; null if no source has a current price.", 1),
  currency: otherCurrency,
  priceChange24h: numberOrNull(
    "Change over 24 hours in the same currency: in money, the change in USD at the current exchange rate; in a coin, against the price of that coin 24 hours ago. Null if it is not known.",
    0.0004
  ),
  priceChangePercent24h: numberOrNull(
    "Change over 24 hours in percent: of the USD price, or of the price in a coin. Null if it is not known.",
    0.04
  ),
  img: text("URL of an icon; empty if the coin has no icon.", "https://assets.example/tether.png"),
  source: text("Source of the price; empty if no source has a price.", "coingecko"),
  updatedAt: numberOrNull("Time of the price, UNIX time in milliseconds; null if no source has a price.", 1793450000000)
}

/** The reason why a price is null. */
const missingPrice = {
  error: optional(text("Human-readable reason why the price is null.", "no source has a current price")),
  errorCode: optional(errorCode)
}

export const TokenPrice = Schema.Struct({ address, ...priceFields }).annotations({
  identifier: "TokenPrice",
  description: "The price of a token on a chain."
})
export type TokenPrice = typeof TokenPrice.Type

export const CoinPrice = Schema.Struct({ address: optional(address), ...priceFields, ...missingPrice }).annotations({
  identifier: "CoinPrice",
  description: "The price of a coin; null with a reason if a known coin has no current price."
})
export type CoinPrice = typeof CoinPrice.Type

/** More than the number of chains with prices, so that requests may include unsupported chains. */
const maxChains = 1_000

export const ChainIds = commaSeparated(
  Schema.String.pipe(Schema.pattern(/^\d{1,15}$/, { message: mustBe("a chain id") })),
  maxChains,
  `Chain ids separated by commas, at most ${maxChains}. Chains with prices: ${Catalogue.pricedChains.join(", ")}; other chains are left out of the response.`,
  "1,137"
)

/** More coins than any wallet shows; limited because each coin may need an upstream call. */
const maxCoins = 1_000

export const CoinIds = commaSeparated(
  CoinId,
  maxCoins,
  `Coin ids of the market data provider, separated by commas, at most ${maxCoins}. Coins that no source knows are left out of the response.`,
  "bitcoin,ethereum"
)

/** Part of the description of routes with cached responses. */
const readyNote =
  "The response has an ETag: a request with `If-None-Match` returns 304 without a body if nothing has changed."

export class PricesApi extends HttpApiGroup.make("prices")
  .add(
    HttpApiEndpoint.get("chain", "/price")
      .setUrlParams(Schema.Struct({ network_ids: ChainIds, currency: optional(Currency) }).annotations(inRequest))
      .addSuccess(
        recordOf(
          "1",
          recordOf("0xdac17f958d2ee523a2206206994597c13d831ec7", TokenPrice, "Prices by token address."),
          "Prices by chain id and token address: EVM addresses in lower case, Tron addresses in base58, and the zero address for the native coin."
        )
      )
      .addError(UpstreamFailed.schema)
      .annotateContext(
        described(
          "Prices of all tokens of chains",
          `Returns every token of these chains that has a price, including the native coin. ${readyNote} The header \`x-partial-failures\` lists the chains whose prices are still loading after a start, as a JSON array of {chain, message}. 502 if a currency other than USD is requested and its exchange rate is not available.`
        )
      )
  )
  .add(
    HttpApiEndpoint.get("coin", "/price/coin")
      .setUrlParams(Schema.Struct({ coin_ids: CoinIds, currency: optional(Currency) }).annotations(inRequest))
      .addSuccess(recordOf("tether", CoinPrice, "Prices by coin id."))
      .addError(UpstreamFailed.schema)
      .annotateContext(
        described(
          "Prices of coins",
          `Returns the current price of each known coin. Other ids are listed in the header \`x-partial-failures\`, a JSON array of {coin, message, errorCode}. ${readyNote} 502 if a currency other than USD is requested and its exchange rate is not available.`
        )
      )
  )
  .add(
    HttpApiEndpoint.get("marketChart", "/price/market_chart")
      .setUrlParams(
        Schema.Struct({ coin_ids: ChartCoinIds, days: Days, currency: optional(Currency) }).annotations(inRequest)
      )
      .addSuccess(recordOf("bitcoin", MarketChart, "Series by coin id."))
      .addError(UpstreamFailed.schema)
      .annotateContext(
        described(
          "Price, capitalisation and volume over time",
          `Returns the series of each known coin over 1, 7, 30 or 365 days, for at most ${maxChartCoins} coins. A coin whose series is not available, or that no source knows, is left out; a coin with only prices has empty market_caps and total_volumes. They are listed in the header x-partial-failures, a JSON array of {coin, message, errorCode}. With \`currency\`, every point is in that currency, converted at the rate of the time of the point: the rate of the provider, else the reference rate of the European Central Bank for that day. If neither has a rate for that time, the request fails; the current rate is never used instead.`
        )
      )
  )
  .add(
    HttpApiEndpoint.get("currencies", "/price/currencies")
      .addSuccess(Schema.Array(CurrencyRate).annotations({ description: "All currencies; US dollars come first." }))
      .annotateContext(
        described(
          "Currencies and their rates",
          "Returns every currency that routes accept as `currency`, with the current value of a US dollar in it: the rate that converts balances and prices. Rates come from the market data provider and are read once per hour; if the provider is not available, they are the reference rates of the European Central Bank of the last working day. The rate of a coin follows from its current price. A rate that is not available is null with a reason."
        )
      )
  )
  .add(
    HttpApiEndpoint.get("nativeDetails", "/price/coin/details/:platform")
      .setPath(Schema.Struct({ platform }))
      .addSuccess(details)
      .addError(NotFound.schema)
      .addError(UpstreamFailed.schema)
      .annotateContext(
        described(
          "Details of a platform's native coin",
          "Returns the response of the market data provider for the native coin of a platform, unchanged; 404 if the provider has no such platform."
        )
      )
  )
  .add(
    HttpApiEndpoint.get("tokenDetails", "/price/coin/details/:platform/:contract")
      .setPath(Schema.Struct({ platform, contract }))
      .addSuccess(details)
      .addError(NotFound.schema)
      .addError(UpstreamFailed.schema)
      .annotateContext(
        described(
          "Details of a token",
          "Returns the response of the market data provider for a token, unchanged; 404 if the provider does not have the token. EVM addresses are case-insensitive."
        )
      )
  )
  .addError(EdgeProblems)
  .annotateContext(titled("Prices", "Prices, series, currencies and coin details.")) {}
