import * as Schema from "effect/Schema"
import { Breakdown } from "./Breakdown.ts"
import { errorCode, milliseconds, number, optional, text, textOrNull, word } from "./fields.ts"

/** An earlier value that may be shown as old. */
export const LastKnown = Schema.Struct({
  balance: text("The balance at that time, formatted with the token's decimals.", "0.5"),
  balanceUsd: textOrNull("Its USD value at that time; null when there was no price.", "1612.5"),
  at: milliseconds("When that was")
}).annotations({
  identifier: "LastKnown",
  description: "The newest value that could be had earlier, to be shown as old."
})
export type LastKnown = typeof LastKnown.Type

/** The numbers in the currency of the request; absent where it names none. */
const converted = {
  currency: text("The currency of `price` and `value`, as a code in lower case.", "eur"),
  price: textOrNull(
    "Price of one in that currency: that in USD at the rate of GET /price/currencies, to 12 significant digits. Null without price or rate.",
    "2777.0475"
  ),
  value: textOrNull("The exact product of balance and `price`. Null without one of them.", "1388.52375")
}
const Converted = Schema.Struct(converted)
export type Converted = typeof Converted.Type

/** What one address holds of one asset: a row of POST /balance. Amounts are exact decimal strings. */
export const Balance = Schema.Struct({
  coinId: text("The coin's id at the market data provider.", "ethereum"),
  blockchain: text("Id of the network of the balance.", "ethereum"),
  tokenName: text("Name of the coin or token.", "Ethereum"),
  tokenSymbol: text("Symbol of the coin or token.", "ETH"),
  tokenDecimals: number("How many decimals the coin or token has.", 18),
  contractAddress: textOrNull("The token's contract; null for native coins.", null),
  holderAddress: text(
    "The address that holds it, as the request gave it.",
    "0x00000000219ab540356cBB839Cbe05303d7705Fa"
  ),
  tokenType: word("NATIVE for the network's own coin, TOKEN for everything else.", ["NATIVE", "TOKEN"]),
  thumbnail: text("Address of an icon; empty when there is none.", "https://assets.example/ethereum.png"),
  balance: textOrNull(
    "Exact decimal, formatted with the decimals: half a coin is 0.5. Null when it is not available.",
    "0.5"
  ),
  balanceUsd: textOrNull("USD value, an exact decimal. Null without balance or price.", "1612.5"),
  tokenPrice: textOrNull("USD price of one, a plain decimal. Null when no source has a current one.", "3225"),
  updatedAt: optional(milliseconds("When the price was last updated")),
  priceChange24h: optional(number("Change of the price over 24 hours, in USD.", -42.1)),
  priceChangePercent24h: optional(number("The same in percent.", -1.29)),
  currency: optional(converted.currency),
  price: optional(converted.price),
  value: optional(converted.value),
  subchain: optional(text("The subchain of a Polkadot balance: polkadot.", "polkadot")),
  breakdown: optional(Breakdown),
  error: optional(
    text("Why a number is null, for people; in a NATIVE row also how many tokens have no row.", "timed out")
  ),
  errorCode: optional(errorCode),
  lastKnown: optional(LastKnown)
}).annotations({ identifier: "Balance", description: "What one address holds of one coin or token." })
export type Balance = typeof Balance.Type

/** The answer of POST /balance/token. */
export const TokenBalance = Schema.Struct({
  balance: textOrNull("Exact decimal, formatted with the decimals. Null when it is not available.", "0.5"),
  balanceUsd: textOrNull("USD value, an exact decimal. Null without balance or price.", "1612.5"),
  price: textOrNull("USD price of one, or in the requested `currency`. Null when no source has a current one.", "3225"),
  priceUsd: optional(textOrNull("USD price of one, where the request names a currency.", "3225")),
  currency: optional(converted.currency),
  value: optional(converted.value),
  breakdown: optional(Breakdown),
  error: optional(text("Why the balance is null, for people.", "timed out")),
  errorCode: optional(errorCode),
  lastKnown: optional(LastKnown)
}).annotations({
  identifier: "TokenBalance",
  description: "What one address holds of one coin or token, and its worth."
})
export type TokenBalance = typeof TokenBalance.Type

/** Why a number is null, for people and for programs. */
export type MissingBalance = Pick<Balance, "error" | "errorCode">
