import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { BodyProblems, EdgeProblems } from "./Problem.ts"
import { Failures, streamingNote, streams } from "./streaming.ts"
import {
  AddressesByNetwork,
  errorCode,
  incoming,
  milliseconds,
  mustBeAsWhole,
  number,
  optional,
  text,
  textOrNull,
  word
} from "./wire.ts"

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

/** One row of POST /balance. */
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
    "Exact decimal, formatted with the decimals: half a coin is 0.5. Null when it could not be had.",
    "0.5"
  ),
  balanceUsd: textOrNull("USD value, an exact decimal. Null without balance or price.", "1612.5"),
  tokenPrice: textOrNull("USD price of one, a plain decimal. Null when no source has a current one.", "3225"),
  updatedAt: optional(milliseconds("When the price was last updated")),
  priceChange24h: optional(number("Change of the price over 24 hours, in USD.", -42.1)),
  priceChangePercent24h: optional(number("The same in percent.", -1.29)),
  subchain: optional(text("The subchain of a Polkadot balance: polkadot.", "polkadot")),
  error: optional(
    text("Why a number is null, for people; in a NATIVE row also how many tokens have no row.", "timed out")
  ),
  errorCode: optional(errorCode),
  lastKnown: optional(LastKnown)
}).annotations({ identifier: "Balance", description: "What one address holds of one coin or token." })
export type Balance = typeof Balance.Type

/** The answer of POST /balance/token. */
export const TokenBalance = Schema.Struct({
  balance: textOrNull("Exact decimal, formatted with the decimals. Null when it could not be had.", "0.5"),
  balanceUsd: textOrNull("USD value, an exact decimal. Null without balance or price.", "1612.5"),
  price: textOrNull("USD price of one. Null when no source has a current one.", "3225"),
  error: optional(text("Why the balance is null, for people.", "timed out")),
  errorCode: optional(errorCode),
  lastKnown: optional(LastKnown)
}).annotations({
  identifier: "TokenBalance",
  description: "What one address holds of one coin or token, and its worth."
})
export type TokenBalance = typeof TokenBalance.Type

export const BalancesRequest = Schema.Struct({ networks: AddressesByNetwork }).annotations({
  ...incoming,
  identifier: "BalancesRequest",
  description: "The addresses to look up."
})
export type BalancesRequest = typeof BalancesRequest.Type

export const TokenBalanceRequest = Schema.Struct({
  networkId: text("Id or alias of the network.", "ethereum"),
  address: text("The holder's address.", "0x00000000219ab540356cBB839Cbe05303d7705Fa"),
  tokenAddress: optional(
    Schema.NullOr(Schema.String)
      .annotations({ message: mustBeAsWhole("a string or null") })
      .pipe(
        Schema.filter(
          (address) => address !== "" || "must not be empty: leave it out, or send null, for the native coin",
          { jsonSchema: { minLength: 1 } }
        )
      )
      .annotations({
        description:
          "Contract of the token, as its network writes it. Without it, or null, the native coin is meant; so is the zero address on EVM networks and tron, and 0x2::sui::SUI on sui. An empty text is refused with 400.",
        examples: ["0xdAC17F958D2ee523a2206206994597C13D831ec7"]
      })
  )
}).annotations({ ...incoming, identifier: "TokenBalanceRequest", description: "One address and one coin or token." })
export type TokenBalanceRequest = typeof TokenBalanceRequest.Type

const part =
  'one balance, as an element of the array; after the balances of a network whose tokens could not be listed, {"failures": [{network, message, errorCode}]}.'

/** A row, or what the rows of a network do not say themselves. */
const Line = Schema.Union(Balance, Schema.Struct({ failures: Failures }))

export class BalancesApi extends HttpApiGroup.make("balances")
  .add(
    HttpApiEndpoint.post("balances", "/balance")
      .setPayload(BalancesRequest)
      .addSuccess(
        Schema.Array(Balance).annotations({
          description:
            "Networks and addresses in the order of the request; of each address the native coin first, then its tokens by USD value."
        })
      )
      .annotateContext(
        OpenApi.annotations({
          summary: "Balances of many addresses",
          description: `The native coin and the tokens of every address, with USD values. Each address has exactly one NATIVE row, also when it is zero or could not be had. A number that could not be had is null with \`error\` and \`errorCode\`, never zero. Of tokens that could not be read and were not held before, the first 20 have a row; the \`error\` of the NATIVE row counts the others. Bitcoin Cash: the native coin only. ${streamingNote(part)}`
        })
      )
      .annotateContext(streams({ part: Line, line: part }))
  )
  .add(
    HttpApiEndpoint.post("token", "/balance/token")
      .setPayload(TokenBalanceRequest)
      .addSuccess(TokenBalance)
      .annotateContext(
        OpenApi.annotations({
          summary: "Balance of one token",
          description:
            "The balance of one coin or token of one address. A network that is not supported is refused with 400. Bitcoin Cash: the native coin only."
        })
      )
  )
  .addError(EdgeProblems)
  .addError(BodyProblems)
  .annotateContext(
    OpenApi.annotations({ title: "Balance", description: "What addresses hold, and what it is worth." })
  ) {}
