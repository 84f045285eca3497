import type { operations } from "../../client/Client.ts"

export type CandleCoin = operations["charts.item"]["parameters"]["path"]["coin"]

/** The coins with candles. The type ensures that every coin of the contract is listed. */
export const candleCoins: Readonly<Record<CandleCoin, string>> = {
  bitcoin: "Bitcoin",
  ethereum: "Ethereum",
  cardano: "Cardano",
  binancecoin: "BNB",
  "shiba-inu": "Shiba Inu",
  chainlink: "Chainlink",
  dogecoin: "Dogecoin"
}

/** The ids and names of the coins with candles; other coins only have a line. */
export const namedCoins = Object.entries(candleCoins)

/** The coins whose prices are on the first view. */
export const headlineCoins: ReadonlyArray<CandleCoin> = ["bitcoin", "ethereum", "binancecoin", "cardano", "dogecoin"]

/** A coin that a text names. */
export interface NamedCoin {
  readonly id: string
  readonly name: string
}

/** A coin that the page knows without a request for it. */
export interface KnownCoin extends NamedCoin {
  readonly symbol: string
}
