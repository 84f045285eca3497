import * as World from "../../../src/sandbox/world/World.ts"
import type { MuseumCase } from "../museum.ts"

/** A form of market data, and the request whose answer has it. */
interface MarketCase extends MuseumCase {
  readonly upstream: "coingecko" | "coingecko-tokens" | "defillama"
  readonly path: string
  readonly status?: number
}

const museum = { network: "ethereum", address: World.museum("ethereum") ?? "" }

const markets = {
  ...museum,
  fixture: "coingecko/coins-markets-page-with-bad-and-null-data.json",
  upstream: "coingecko",
  path: "/coins/markets?vs_currency=usd&order=market_cap_desc&per_page=250"
} as const

const list = { ...museum, upstream: "coingecko-tokens", path: "/ethereum/all.json" } as const

/** Forms of answers about the coins that only museums hold, and of errors. */
export const cases: ReadonlyArray<MarketCase> = [
  { ...markets, case: "a price with an exponent", shows: /"current_price":\s*3\.447e-0?9\b/ },
  { ...markets, case: "a price without a fraction", shows: /"current_price":\s*[1-9]\d*,/ },
  { ...markets, case: "a change with an exponent", shows: /"price_change_24h":\s*1\.7e-10\b/ },
  { ...markets, case: "a valuation of null", shows: /"fully_diluted_valuation":\s*null/ },
  {
    ...markets,
    case: "a worthless coin of rank 1, before all others",
    shows: /^\[\s*\{\s*"id":\s*"ticoex-token"(?=[^}]*"market_cap":\s*3333370870735\b)(?=[^}]*"market_cap_rank":\s*1,)/
  },
  {
    ...markets,
    case: "a number above 2^53",
    shows: /"total_supply":\s*(?:1\.01101101e\+?16|10110110100000000(?:\.0)?)\b/
  },
  {
    ...museum,
    case: "an empty page after the last",
    fixture: "coingecko/coins-markets-empty-page.json",
    upstream: "coingecko",
    path: "/coins/markets?vs_currency=usd&page=2&per_page=250",
    shows: /^\[\]$/
  },
  {
    ...museum,
    case: "an empty address on a platform",
    fixture: "coingecko/coins-list-empty-platform-address.json",
    upstream: "coingecko",
    path: "/coins/list?include_platform=true",
    shows: /"platforms":\s*\{\s*"ethereum":\s*""\s*\}/
  },
  {
    ...museum,
    case: "a native coin without market data, with an empty platform and a description in several lines",
    fixture: "coingecko/coin-bitcoin-native-no-market-data.json",
    upstream: "coingecko",
    path: "/coins/bitcoin?market_data=false",
    shows:
      /^(?!.*"market_data")(?=.*"platforms":\s*\{\s*"":\s*""\s*\})(?=.*"decimal_place":\s*null).*"description":\s*\{\s*"en":\s*"[^}]*\\r\\n\\r\\n[^}]*<a href=/s
  },
  {
    ...museum,
    case: "a token on several platforms with its decimals on each",
    fixture: "coingecko/coin-yearn-many-platforms.json",
    upstream: "coingecko",
    path: "/coins/baby-doge-coin",
    shows: /"detail_platforms":\s*\{\s*"ethereum":\s*\{\s*"decimal_place":\s*\d+,\s*"contract_address":\s*"0x/
  },
  {
    ...museum,
    case: "an unknown coin",
    fixture: "coingecko/coin-not-found-404.json",
    upstream: "coingecko",
    path: "/coins/not-a-real-coin-xyz",
    status: 404,
    shows: /^\{\s*"error":\s*"coin not found"\s*\}$/
  },
  {
    ...museum,
    case: "an error in an object, for a time beyond the plan",
    fixture: "coingecko/time-range-10012-nested-error.json",
    upstream: "coingecko",
    path: "/coins/bitcoin-cash/market_chart?vs_currency=EUR&days=max",
    status: 401,
    shows: /^\{\s*"error":\s*\{\s*"status":\s*\{[^}]*"error_code":\s*10012,/
  },
  {
    ...museum,
    case: "a status in the body, for a request without its parameters",
    fixture: "coingecko/ohlc-missing-params-500.json",
    upstream: "coingecko",
    path: "/coins/bitcoin/ohlc",
    status: 500,
    shows: /^\{\s*"status":\s*500,\s*"error":\s*"Internal Server Error"\s*\}$/
  },
  {
    ...museum,
    case: "a missing parameter",
    fixture: "coingecko/simple-price-missing-ids-422.json",
    upstream: "coingecko",
    path: "/coins/markets",
    status: 422,
    shows: /^\{\s*"error":\s*"Missing parameter \w+"\s*\}$/
  },
  {
    ...list,
    case: "an address with a checksum",
    fixture: "tokenlist/uniswap-mainnet-slice.json",
    shows: /"address":\s*"0x(?=[^"]*[A-F])(?=[^"]*[a-f])[0-9a-fA-F]{40}"/
  },
  {
    ...list,
    case: "a token without an image",
    fixture: "tokenlist/schema-special-characters.json",
    shows: /\{(?![^{}]*"logoURI")[^{}]*"address":\s*"0x[^{}]*\}/
  },
  {
    ...museum,
    case: "prices in the reverse order of the request",
    fixture: "defillama/prices-current-three-coins.json",
    upstream: "defillama",
    path: "/prices/current/coingecko:arbitrum,coingecko:dai,coingecko:chainlink",
    shows: /"coingecko:chainlink".*"coingecko:arbitrum"/s
  },
  {
    ...museum,
    case: "no price of a coin that is listed",
    fixture: "defillama/prices-current-unknown-token-empty.json",
    upstream: "defillama",
    path: "/prices/current/coingecko:ethereum-cash-token",
    shows: /^\{\s*"coins":\s*\{\s*\}\s*\}$/
  }
]
