import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { Balance } from "../../domain/Balance.ts"
import { errorCode, numberOrNull, optional, text, textOrNull } from "../../domain/fields.ts"
import type { TokenPower } from "../../domain/tokens/TokenFacts.ts"
import { VerdictOnToken, VerdictReason } from "../../domain/tokens/Verdict.ts"
import { EdgeProblems, NotFound, NotImplemented, UpstreamFailed } from "../Problem.ts"
import { Currency } from "../prices/currencies.ts"
import { described, inRequest, titled } from "../wire.ts"

const usdt = "0xdac17f958d2ee523a2206206994597c13d831ec7"

const power = (what: string) =>
  optional(
    Schema.NullOr(Schema.Boolean).annotations({
      description: `Whether somebody can ${what}: false if nobody can, as far as the chain shows; null if that is not known. Absent if tokens of this standard have no such power.`,
      examples: [true]
    })
  )

const powers = {
  freeze: power("stop a holder from moving its tokens"),
  take: power("take tokens from a holder, or destroy them"),
  "transfer-fee": power("charge a fee for transfers, or change it"),
  "transfer-hook": power("run another program in each transfer"),
  pause: power("stop all transfers"),
  upgrade: power("replace the code of the contract"),
  mint: power("create more tokens")
} satisfies Readonly<Record<TokenPower, unknown>>

const { currency, multiplier, multiplierChange, price, priceChange24h, priceChangePercent24h, updatedAt } =
  Balance.fields

export const TokenDescription = Schema.Struct({
  network: text("Id of the network.", "ethereum"),
  contract: text("The token in the network's canonical form.", usdt),
  assetId: textOrNull(
    "The token's id in other programs (CAIP-19). Null where no form is registered.",
    `eip155:1/erc20:${usdt}`
  ),
  standard: textOrNull("The standard's usual name, such as ERC-20, ERC-721, SPL, Token-2022 or TRC-20.", "ERC-20"),
  name: textOrNull("Its name, as the contract says, or of the token list. Not trustworthy.", "Tether USD"),
  symbol: textOrNull("Its symbol, as the contract says, or of the token list. Not trustworthy.", "USDT"),
  decimals: numberOrNull("Number of decimals; null for tokens that are not fungible.", 6),
  supply: textOrNull(
    "The total supply, an exact decimal in the unit that wallets display. Null without decimals.",
    "76922577884.276401"
  ),
  rawSupply: textOrNull("The total supply in stored base units.", "76922577884276401"),
  multiplier,
  multiplierChange,
  listed: Schema.NullOr(Schema.Boolean).annotations({
    description: "Whether a token list has this contract; null until the list is loaded.",
    examples: [true]
  }),
  coinId: textOrNull("The coin's id at the market data provider; null if no list has the contract.", "tether"),
  thumbnail: text("URL of an icon, or an empty string.", "https://assets.example/tether.png"),
  tokenPrice: textOrNull(
    "Price of the displayed unit in USD, a plain decimal. Null if no source has a current one.",
    "1"
  ),
  updatedAt,
  priceChange24h,
  priceChangePercent24h,
  currency,
  price,
  verdict: VerdictOnToken,
  reasons: Schema.Array(VerdictReason).annotations({
    description:
      "The reasons of the verdict, and for caution. not-listed: no token list has the contract; link: its name or symbol contains an address of a web page; claim: they ask the holder to do something; lookalike: they resemble those of a listed token or a coin; hidden-characters: they have characters without width, or control characters; direction-marks: they change the direction of text; source-says-scam: a source marks it as a scam; inconsistent: the contract answers what no token answers; no-price: no source has a price; never-sent: the holder never sent it; mass-sender: its sender sent it to thousands of addresses; frozen: the holder cannot move it; can-be-taken: somebody can take it away; no-name: its contract says no readable name or symbol.",
    examples: [[]]
  }),
  powers: Schema.Struct(powers).annotations({
    identifier: "TokenPowers",
    description: "What somebody can do to the token. A contract can have powers that its code hides.",
    examples: [{ freeze: true, take: true, "transfer-fee": true, pause: true, upgrade: false, mint: true }]
  }),
  error: optional(text("Why a value is null, for people.", "no source has a current price")),
  errorCode: optional(errorCode)
}).annotations({ identifier: "TokenDescription", description: "A token, as its contract and the token lists have it." })
export type TokenDescription = typeof TokenDescription.Type

export class TokenApi extends HttpApiGroup.make("token")
  .add(
    HttpApiEndpoint.get("facts", "/token/:network/:contract")
      .setPath(
        Schema.Struct({
          network: text("Id or alias of a network that has tokens, in any case.", "ethereum"),
          contract: text("Address or id of the token, as in `contractAddress` of balances.", usdt)
        })
      )
      .setUrlParams(Schema.Struct({ currency: optional(Currency) }).annotations(inRequest))
      .addSuccess(TokenDescription)
      .addError(NotFound.schema)
      .addError(UpstreamFailed.schema)
      .addError(NotImplemented.schema)
      .annotateContext(
        described(
          "A token by its contract",
          "Returns what a token is, also if no list has it: its standard, what it calls itself, its supply, the powers that somebody keeps over it, its price, and a verdict with reasons. No verdict says that a token is safe. The contract is read at a node, in one block. A value that could not be read is null with `error` and `errorCode`. 404 only if the address certainly has no token; 502 if no source could be read and no list has the token. With `currency`, `price` is the price in that currency. The names of contracts are texts of strangers: show them as text only."
        )
      )
  )
  .addError(EdgeProblems)
  .annotateContext(titled("Token", "What a token is, by its contract.")) {}
