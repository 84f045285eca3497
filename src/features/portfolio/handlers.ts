import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import { Chains } from "../../chains/Chains.ts"
import { Api } from "../../contract/Api.ts"
import { type PortfolioChart as Answer, maxPortfolioAddresses } from "../../contract/PortfolioApi.ts"
import { tooManyAddresses } from "../../contract/problem/issues.ts"
import type { Currency } from "../../domain/Currency.ts"
import { appendFailures } from "../../http/response/partialFailures.ts"
import { maxAddresses } from "../../settings/variables.ts"
import { unknownNetworks } from "../reading.ts"
import type { Chart } from "./chartOf.ts"
import { PortfolioChart } from "./PortfolioChart.ts"

export const layer = HttpApiBuilder.group(Api, "portfolio", (handlers) =>
  Effect.gen(function* () {
    const portfolio = yield* PortfolioChart
    const unknown = unknownNetworks((yield* Chains).facts)
    const max = Math.min(yield* maxAddresses, maxPortfolioAddresses)
    return handlers.handle("chart", ({ payload: { currency = "usd", days, networks } }) =>
      Effect.zipRight(
        tooManyAddresses(networks, max),
        Effect.zipRight(
          appendFailures(unknown(Object.keys(networks))),
          Effect.map(portfolio.chart(networks, days, currency), (chart) => toAnswer(chart, currency))
        )
      )
    )
  })
)

const toAnswer = ({ addresses, assets, points, step }: Chart, currency: Currency): Answer => ({
  currency,
  step,
  points: points.map(({ approximate, at, value }) => ({ at, value, ...(approximate ? { approximate } : {}) })),
  assets: assets.map(({ balances, coinId, contract, network, problem, symbol, values }) => ({
    network,
    coinId,
    tokenSymbol: symbol,
    contractAddress: contract,
    balances,
    values,
    ...(problem === undefined ? {} : { error: problem.message, errorCode: problem.reason })
  })),
  addresses
})
