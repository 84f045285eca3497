import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { flag, numberOrNull, optional, text, textOrNull } from "../../domain/fields.ts"
import { VerdictOnToken, VerdictReason } from "../../domain/tokens/Verdict.ts"
import { EdgeProblems } from "../Problem.ts"
import { commaSeparated, described, inQuery, inRequest, titled, wholeNumber } from "../wire.ts"

/** Longer than any address or usual name; short enough to parse it for every network. */
export const maxQueryLength = 100

export const maxHits = 50
export const usualHits = 20

const usdt = "0xdac17f958d2ee523a2206206994597c13d831ec7"

const Contract = Schema.Struct({
  network: text("Id of the network.", "ethereum"),
  contract: textOrNull("Address or id of the token, in canonical form; null for the coin of the network.", usdt),
  decimals: numberOrNull("Decimals of its base unit; null if they are not known.", 6)
}).annotations({ identifier: "AssetContract", description: "An asset on one network." })

const TokenHit = Schema.Struct({
  coinId: textOrNull("Coin id of the market data provider; null if the token is not listed.", "tether"),
  symbol: text("Its symbol in the list, or in its contract if it is not listed; may be empty.", "USDT"),
  name: text("Its name, in the same way; may be empty.", "Tether"),
  thumbnail: text(
    "URL of its icon; empty if unknown.",
    "https://assets.coingecko.com/coins/images/325/thumb/Tether.png"
  ),
  listed: flag("Whether a token list has it.", true),
  verdict: VerdictOnToken,
  reasons: Schema.Array(VerdictReason).annotations({
    description: "The reasons of the verdict, and for caution; see `reasons` of POST /balance.",
    examples: [[]]
  }),
  contracts: Schema.Array(Contract).annotations({
    description: "Its contracts on the networks of the request, in the order of `GET /networks`: at least one.",
    examples: [[{ network: "ethereum", contract: usdt, decimals: 6 }]]
  })
}).annotations({ identifier: "TokenHit", description: "One asset, with its contracts on all networks." })
export type TokenHit = typeof TokenHit.Type

export const TokenSearchResult = Schema.Struct({
  input: text("The text of the request, unchanged.", "usdt"),
  hits: Schema.Array(TokenHit).annotations({
    description: "The assets that the text may mean, the most likely one first; may be empty.",
    examples: [[]]
  })
}).annotations({ identifier: "TokenSearchResult", description: "The assets that a text may mean." })
export type TokenSearchResult = typeof TokenSearchResult.Type

const SearchText = Schema.String.pipe(
  Schema.minLength(1, { message: () => "must not be empty" }),
  Schema.maxLength(maxQueryLength, {
    description: `A symbol, a name or a part of it, a coin id, or the address or id of a token: 1 to ${maxQueryLength} characters.`,
    examples: ["usdt"],
    message: () => `must be at most ${maxQueryLength} characters long`
  })
)

const limit = wholeNumber(`Number of hits, 1 to ${maxHits}; ${usualHits} by default.`, 1, maxHits, usualHits)

/** More than there are networks. */
const maxNetworks = 200

const networks = commaSeparated(
  Schema.String,
  maxNetworks,
  "Ids or aliases of networks, separated by commas: hits are only assets on these, with their contracts there. All networks by default. Unsupported networks are skipped, and named in the header `x-partial-failures`.",
  "ethereum,base"
)

export class TokensApi extends HttpApiGroup.make("tokens")
  .add(
    HttpApiEndpoint.get("search", "/tokens/search")
      .setUrlParams(
        Schema.Struct({ q: SearchText, networks: optional(networks), limit: optional(inQuery(limit)) }).annotations(
          inRequest
        )
      )
      .addSuccess(TokenSearchResult)
      .annotateContext(
        described(
          "Search for tokens and coins",
          "Returns the listed tokens and the coins that a text may mean: one hit for one asset, with its contracts on all networks. First come those whose symbol, name, coin id or address equals the text, then those whose symbol starts with it, whose name starts with it, and of whose name a word starts with it; larger market capitalisations come first in each. Case and compatibility forms of characters do not matter. A text that is the address of a token which no list has is read from its networks: such a hit has `listed: false` and a verdict, and suspicious ones come last. All other texts cause no upstream call. While token lists are loading after a start, the header `x-partial-failures` names their networks, as a JSON array of {network, message, errorCode}."
        )
      )
  )
  .addError(EdgeProblems)
  .annotateContext(titled("Tokens", "Tokens and coins by a text.")) {}
