import * as Schema from "effect/Schema"
import { Breakdown } from "./Breakdown.ts"
import { enumOf, errorCode, flag, milliseconds, number, optional, text, textOrNull } from "./fields.ts"
import { VerdictOnToken, VerdictReason } from "./tokens/Verdict.ts"

/** An earlier value that clients may show as outdated. */
export const LastKnown = Schema.Struct({
  balance: text("The balance at that time, formatted with the token's decimals.", "0.5"),
  balanceUsd: textOrNull("Its USD value at that time; null when there was no price.", "1612.5"),
  at: milliseconds("Time of that balance")
}).annotations({
  identifier: "LastKnown",
  description: "The most recent earlier value, which clients may show as outdated."
})
export type LastKnown = typeof LastKnown.Type

/** The numbers in the requested currency; absent if the request has no currency. */
const converted = {
  currency: text("The currency of `price` and `value`, as a code in lower case.", "eur"),
  price: textOrNull(
    "Unit price in that currency: the USD price at the rate of GET /price/currencies, to 12 significant digits. Null without a price or rate.",
    "2777.0475"
  ),
  value: textOrNull("Exact product of balance and `price`. Null if either is missing.", "1388.52375")
}
const Converted = Schema.Struct(converted)
export type Converted = typeof Converted.Type

/** The stored amount of a balance, and what relates it to the displayed one. */
const stored = {
  rawBalance: textOrNull(
    "The balance in base units, as transactions move it. Null if `balance` is null.",
    "500000000000000000"
  ),
  multiplier: optional(
    text(
      "Absent if it is 1. `balance` is the amount that wallets display: `rawBalance` times this multiplier, cut after `tokenDecimals` decimals. Tokens with a multiplier are shares whose splits and dividends change it, or bear interest. A plain decimal of at most 18 significant digits, cut.",
      "1.005714560286254"
    )
  ),
  multiplierChange: optional(
    Schema.Struct({
      multiplier: text("The next multiplier.", "10"),
      at: milliseconds("When it comes into force")
    }).annotations({ identifier: "MultiplierChange", description: "The announced change of the multiplier." })
  )
}

/** Whether the tokens of an address that no list has are all there. */
export const UnlistedMeta = Schema.Struct({
  complete: flag("True if no token of the address is known to be missing, left out or without its name.", true),
  truncated: number("The number of tokens that are left out because an address has at most 500 unlisted ones here.", 0),
  withoutDecimals: number("The number of tokens that are left out because they declare no decimals.", 0),
  error: optional(text("Why tokens may be missing, for people.", "timed out")),
  errorCode: optional(errorCode)
}).annotations({
  identifier: "UnlistedMeta",
  description: "In a NATIVE row, with `unlisted`: whether the unlisted tokens of the address are all there."
})
export type UnlistedMeta = typeof UnlistedMeta.Type

/** The members of rows with `unlisted`. */
const judged = {
  listed: optional(flag("With `unlisted`, for a TOKEN: whether a token list has this contract.", false)),
  verdict: optional(VerdictOnToken),
  reasons: optional(
    Schema.Array(VerdictReason).annotations({
      description: "The reasons of the verdict, and for caution: see GET /token/{network}/{contract}.",
      examples: [["not-listed", "link", "no-price"]]
    })
  ),
  unlisted: optional(UnlistedMeta)
}

/** Balance of one asset at one address: a row of POST /balance. Amounts are exact decimal strings. */
export const Balance = Schema.Struct({
  coinId: text("The coin's id at the market data provider.", "ethereum"),
  blockchain: text("Id of the network of the balance.", "ethereum"),
  tokenName: text("Name of the coin or token.", "Ethereum"),
  tokenSymbol: text("Symbol of the coin or token.", "ETH"),
  tokenDecimals: number("Number of decimals of the coin or token.", 18),
  contractAddress: textOrNull("The token's contract; null for native coins.", null),
  assetId: textOrNull(
    "The asset's id in other programs (CAIP-19). Null where no form is registered: for tokens on cardano, polkadot, sui and ton, and for coins without a number in SLIP-44.",
    "eip155:1/slip44:60"
  ),
  holderAddress: text("The holder's address, as written in the request.", "0x00000000219ab540356cBB839Cbe05303d7705Fa"),
  tokenType: enumOf("NATIVE for the network's native coin, TOKEN for all other assets.", ["NATIVE", "TOKEN"]),
  thumbnail: text("URL of an icon, or an empty string.", "https://assets.example/ethereum.png"),
  balance: textOrNull("Exact decimal in whole units: half a coin is 0.5. Null if not available.", "0.5"),
  ...stored,
  balanceUsd: textOrNull("USD value, an exact decimal. Null without a balance or price.", "1612.5"),
  tokenPrice: textOrNull(
    "Unit price in USD, a plain decimal. Null if no source has a current price, and for a token with a `multiplier` if it is not known that the price is for the displayed unit.",
    "3225"
  ),
  updatedAt: optional(milliseconds("When the price was last updated")),
  priceChange24h: optional(number("Change of the price over 24 hours, in USD.", -42.1)),
  priceChangePercent24h: optional(number("The same in percent.", -1.29)),
  currency: optional(converted.currency),
  price: optional(converted.price),
  value: optional(converted.value),
  subchain: optional(text("The subchain of a Polkadot balance: polkadot.", "polkadot")),
  breakdown: optional(Breakdown),
  ...judged,
  countedIn: optional(
    text(
      "Another address of the request, spelled as there, whose row of this asset already counts this balance: leave it out of totals. A balance of a payment address is part of that of its stake address, and a balance of a derived address of that of its extended key. If the parts have more than the whole, which then cannot be right, the row of the whole names its largest part.",
      "stake1uyehkck0lajq8gr28t9uxnuvgcqrc6070x3k9r8048z8y5gh6ffgw"
    )
  ),
  error: optional(
    text("Why a number is null, for people; in a NATIVE row also the number of tokens without a row.", "timed out")
  ),
  errorCode: optional(errorCode),
  lastKnown: optional(LastKnown)
}).annotations({ identifier: "Balance", description: "Balance of one coin or token at one address." })
export type Balance = typeof Balance.Type

/** Response of POST /balance/token. */
export const TokenBalance = Schema.Struct({
  balance: textOrNull("Exact decimal in whole units. Null if not available.", "0.5"),
  ...stored,
  rawBalance: optional(text("The balance in base units; only beside a `multiplier`.", "500000000000000000")),
  balanceUsd: textOrNull("USD value, an exact decimal. Null without a balance or price.", "1612.5"),
  price: textOrNull(
    "Unit price in USD, or in the requested `currency`. Null if no source has a current price.",
    "3225"
  ),
  priceUsd: optional(textOrNull("Unit price in USD, if the request has a `currency`.", "3225")),
  currency: optional(converted.currency),
  value: optional(converted.value),
  breakdown: optional(Breakdown),
  error: optional(text("Why the balance is null, for people.", "timed out")),
  errorCode: optional(errorCode),
  lastKnown: optional(LastKnown)
}).annotations({
  identifier: "TokenBalance",
  description: "Balance of one coin or token at one address, and its value."
})
export type TokenBalance = typeof TokenBalance.Type

/** The stored amount of a balance, and its multiplier. */
export type StoredAmount = Pick<Balance, "rawBalance" | "multiplier" | "multiplierChange">

/** Why a number is null, for people and for programs. */
export type MissingBalance = Pick<Balance, "error" | "errorCode">
