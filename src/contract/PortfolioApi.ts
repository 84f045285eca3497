import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { errorCode, flag, milliseconds, number, optional, singleMessage, text, textOrNull } from "../domain/fields.ts"
import { BodyProblems, EdgeProblems, TooLarge } from "./Problem.ts"
import { Currency } from "./prices/currencies.ts"
import { AddressesByNetwork, described, HasSideEffect, inRequest, titled } from "./wire.ts"

/** The histories of more addresses cannot be read within one request. */
export const maxPortfolioAddresses = 50

export const PortfolioDays = Schema.Literal(1, 7, 30, 365).annotations({
  description: "Number of days back: 1 or 7 (a point per hour), 30 (a point per six hours) or 365 (a point per day).",
  examples: [30],
  message: singleMessage("one of 1, 7, 30, 365")
})

export const PortfolioChartRequest = Schema.Struct({
  networks: AddressesByNetwork,
  days: PortfolioDays,
  currency: optional(Currency)
}).annotations({
  ...inRequest,
  identifier: "PortfolioChartRequest",
  description: `The addresses, at most ${maxPortfolioAddresses}, how far back, and the currency of the values.`
})
export type PortfolioChartRequest = typeof PortfolioChartRequest.Type

const Point = Schema.Struct({
  at: milliseconds("Time of the point"),
  value: textOrNull("Total value at that time in `currency`, an exact decimal. Null if no value is known.", "4504.75"),
  approximate: optional(
    flag("True if an address or a price is missing, or if the transactions do not explain a balance.", true)
  )
}).annotations({ identifier: "PortfolioPoint", description: "Value of the addresses at one time." })

const column = (what: string, example: ReadonlyArray<string | null>) =>
  Schema.Array(Schema.NullOr(Schema.String)).annotations({
    description: `${what} An exact decimal for each of \`points\`; null if it is not known.`,
    examples: [example]
  })

const Asset = Schema.Struct({
  network: text("Id of the network.", "ethereum"),
  coinId: text("The coin's id at the market data provider.", "ethereum"),
  tokenSymbol: text("Symbol of the coin or token.", "ETH"),
  contractAddress: textOrNull("The token's contract; null for native coins.", null),
  balances: column(
    "Total balance of the addresses; null at times for which the balance of one of them is not known, as `addresses` says.",
    ["0.5", "1.5"]
  ),
  values: column("Its value in `currency`.", ["1612.5", "4837.5"]),
  error: optional(text("Human-readable reason why a value of a balance is null.", "no source has prices of it")),
  errorCode: optional(errorCode)
}).annotations({ identifier: "PortfolioAsset", description: "One coin or token, summed over all addresses." })

const Address = Schema.Struct({
  network: text("Id of the network.", "ethereum"),
  address: text("The address, spelled as in the request.", "0x00000000219ab540356cBB839Cbe05303d7705Fa"),
  since: Schema.NullOr(Schema.Number).annotations({
    description:
      "Start of the time for which its balances are known, UNIX time in milliseconds; null if not even its current balances are known.",
    examples: [1793450000000]
  }),
  reasons: Schema.Array(Schema.String).annotations({
    description: "Human-readable reasons why its part is approximate; empty if it is exact from `since` on.",
    examples: [["beacon chain withdrawals"]]
  }),
  reasonsNow: optional(
    Schema.Array(Schema.String).annotations({
      description:
        "Those of `reasons` that concern its current balances, and with them the last point: a balance that could not be read. Absent if they are empty.",
      examples: [["DAI: timed out"]]
    })
  ),
  unlisted: optional(
    Schema.Array(Schema.String).annotations({
      description:
        "Those of `reasons` that no source lists, such as validator withdrawals: nothing failed. If all reasons of all addresses are among them, the transactions explain the balances as far as anyone can know. Absent if they are empty.",
      examples: [["beacon chain withdrawals"]]
    })
  ),
  account: optional(
    text(
      "Another requested address whose balances include those of this one, spelled as in the request: its stake address, or the extended key that it is derived from. The values count them once.",
      "stake1uyehkck0lajq8gr28t9uxnuvgcqrc6070x3k9r8048z8y5gh6ffgw"
    )
  )
}).annotations({ identifier: "PortfolioAddress", description: "The known past of one address." })

export const PortfolioChart = Schema.Struct({
  currency: text("The currency of all values, from the request; usd by default.", "usd"),
  step: number("Time between two points, in milliseconds.", 21600000),
  points: Schema.Array(Point).annotations({
    description: "Oldest first; the last point is now. The first point is when an address is first known.",
    examples: [[{ at: 1793450000000, value: "4504.75" }]]
  }),
  assets: Schema.Array(Asset).annotations({
    description: "The assets that make up the values.",
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
    description: "The known past of each address. Several spellings of an address count once, as the first one.",
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
}).annotations({ identifier: "PortfolioChart", description: "Value of addresses over time." })
export type PortfolioChart = typeof PortfolioChart.Type

export class PortfolioApi extends HttpApiGroup.make("portfolio")
  .add(
    HttpApiEndpoint.post("chart", "/portfolio/chart")
      .annotate(HasSideEffect, false)
      .setPayload(PortfolioChartRequest)
      .addSuccess(PortfolioChart)
      .addError(BodyProblems)
      .addError(TooLarge.schema)
      .annotateContext(
        described(
          "Value over time",
          "Returns the value of the addresses over time: the balances of each time multiplied by the prices of that time, and converted at the exchange rates of that time if another currency is requested. Past balances are computed in base units from the current balances, by undoing the later transactions one by one. They are exact if the histories are complete back to the first transaction and add up to the balances. If they are not, or do not add up, the points are `approximate`, and `reasons` of the address says why. Balance changes without a transaction, such as staking rewards, count as if the amount had always been there. An address whose past is only known from some time on is not part of earlier points, and balances of its assets are null there; the series starts when the first address is known. Tokens that are not in the registry are left out, as in the balances."
        )
      )
  )
  .addError(EdgeProblems)
  .annotateContext(titled("Portfolio", "Total value of addresses over time.")) {}
