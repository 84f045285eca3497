import type { operations } from "../../client/Client.ts"

export type CandleCoin = operations["charts.item"]["parameters"]["path"]["coin"]

/** The coins that have candles: every one of the contract, which the type ensures. */
export const candleCoins: Readonly<Record<CandleCoin, string>> = {
  bitcoin: "Bitcoin",
  ethereum: "Ethereum",
  cardano: "Cardano",
  binancecoin: "BNB",
  "shiba-inu": "Shiba Inu",
  chainlink: "Chainlink",
  dogecoin: "Dogecoin"
}

/** The ids and names of the coins that have candles; any other coin has a line. */
export const namedCoins = Object.entries(candleCoins)
