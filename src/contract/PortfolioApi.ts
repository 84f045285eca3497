import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { errorCode, flag, milliseconds, mustBeAsWhole, number, optional, text, textOrNull } from "../domain/fields.ts"
import { BodyProblems, EdgeProblems, TooLarge } from "./Problem.ts"
import { Currency } from "./prices/currencies.ts"
import { AddressesByNetwork, incoming } from "./wire.ts"

/** Of more addresses the histories cannot be read within a request. */
export const maxPortfolioAddresses = 50

export const PortfolioDays = Schema.Literal(1, 7, 30, 365).annotations({
  description: "How many days back: 1 or 7 (a point each hour), 30 (every six hours) or 365 (each day).",
  examples: [30],
  message: mustBeAsWhole("one of 1, 7, 30, 365")
})

export const PortfolioChartRequest = Schema.Struct({
  networks: AddressesByNetwork,
  days: PortfolioDays,
  currency: optional(Currency)
}).annotations({
  ...incoming,
  identifier: "PortfolioChartRequest",
  description: `The addresses, at most ${maxPortfolioAddresses}, how far back, and the currency of the values.`
})
export type PortfolioChartRequest = typeof PortfolioChartRequest.Type

const Point = Schema.Struct({
  at: milliseconds("The time"),
  value: textOrNull(
    "What all of it was worth then in `currency`, an exact decimal. Null where nothing is known.",
    "4504.75"
  ),
  approximate: optional(
    flag("Whether something is missing from it: an address, a price, or what no transaction tells.", true)
  )
}).annotations({ identifier: "PortfolioPoint", description: "What the addresses were worth at one time." })

const column = (what: string, example: ReadonlyArray<string | null>) =>
  Schema.Array(Schema.NullOr(Schema.String)).annotations({
    description: `${what} An exact decimal for each of \`points\`, or null where it is not known.`,
    examples: [example]
  })

const Asset = Schema.Struct({
  network: text("Id of the network.", "ethereum"),
  coinId: text("The coin's id at the market data provider.", "ethereum"),
  tokenSymbol: text("Symbol of the coin or token.", "ETH"),
  contractAddress: textOrNull("The token's contract; null for native coins.", null),
  balances: column("What the addresses had of it together.", ["0.5", "1.5"]),
  values: column("What that was worth in `currency`.", ["1612.5", "4837.5"]),
  error: optional(text("Why values are null although there is a balance, for people.", "no source has prices of it")),
  errorCode: optional(errorCode)
}).annotations({ identifier: "PortfolioAsset", description: "One coin or token over all addresses." })

const Address = Schema.Struct({
  network: text("Id of the network.", "ethereum"),
  address: text("The address, as the request gave it.", "0x00000000219ab540356cBB839Cbe05303d7705Fa"),
  since: Schema.NullOr(Schema.Number).annotations({
    description:
      "From when on it is known what it had, UNIX time in milliseconds; null where not even its balances of now are.",
    examples: [1793450000000]
  }),
  reasons: Schema.Array(Schema.String).annotations({
    description: "Why its part is approximate, for people; empty where it is exact since then.",
    examples: [["beacon chain withdrawals"]]
  })
}).annotations({ identifier: "PortfolioAddress", description: "What is known of the past of one address." })

export const PortfolioChart = Schema.Struct({
  currency: text("The currency of all values, as the request gave it; usd without one.", "usd"),
  step: number("From one point to the next, in milliseconds.", 21600000),
  points: Schema.Array(Point).annotations({
    description: "The oldest first; the last is of now. They begin where something is known.",
    examples: [[{ at: 1793450000000, value: "4504.75" }]]
  }),
  assets: Schema.Array(Asset).annotations({
    description: "What the values consist of.",
    examples: [
      [
        {
          network: "ethereum",
          coinId: "ethereum",
          tokenSymbol: "ETH",
          contractAddress: null,
          balances: ["1.5"],
          values: ["4504.75"]
        }
      ]
    ]
  }),
  addresses: Schema.Array(Address).annotations({
    description: "What is known of each address. An address in several spellings counts once, under the first.",
    examples: [
      [
        {
          network: "ethereum",
          address: "0x00000000219ab540356cBB839Cbe05303d7705Fa",
          since: 1793450000000,
          reasons: ["beacon chain withdrawals"]
        }
      ]
    ]
  })
}).annotations({
  identifier: "PortfolioChart",
  description: "What addresses were worth over time."
})
export type PortfolioChart = typeof PortfolioChart.Type

export class PortfolioApi extends HttpApiGroup.make("portfolio")
  .add(
    HttpApiEndpoint.post("chart", "/portfolio/chart")
      .setPayload(PortfolioChartRequest)
      .addSuccess(PortfolioChart)
      .addError(BodyProblems)
      .addError(TooLarge.schema)
      .annotateContext(
        OpenApi.annotations({
          summary: "Value over time",
          description:
            "What the addresses were worth: what they had then times the prices of then, in another currency at the rates of then. What they had follows from their balances of now and their transactions since, taken back one by one, in base units; it is exact where the histories are complete back to that time. Where they are not, or do not add up to the balances, the points are `approximate`, and `reasons` of the address says why. What moves without a transaction, such as rewards of staking, counts as if it had been there all along. An address of which nothing is known before a time is no part of the points before it; where that holds for all of them, the series begins there. Tokens that are not in the registry are left out, as in the balances."
        })
      )
  )
  .addError(EdgeProblems)
  .annotateContext(OpenApi.annotations({ title: "Portfolio", description: "Addresses together, over time." })) {}
