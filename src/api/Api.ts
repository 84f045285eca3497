import * as HttpApi from "@effect/platform/HttpApi"
import * as OpenApi from "@effect/platform/OpenApi"
import { BalanceApi } from "./BalanceApi.ts"
import { ChartApi } from "./ChartApi.ts"
import { HistoryApi } from "./HistoryApi.ts"
import { PriceApi } from "./PriceApi.ts"
import { InvalidRequest } from "./Problem.ts"
import { RelayApi } from "./RelayApi.ts"
import { SystemApi } from "./SystemApi.ts"

/** `HttpApi.make` documents its own decode error for every 400; the service answers `InvalidRequest`. */
const base = Object.assign(
  HttpApi.make("wallet-data") as unknown as HttpApi.HttpApi<"wallet-data", never, InvalidRequest>,
  {
    errorSchema: InvalidRequest.schema
  }
) as HttpApi.HttpApi<"wallet-data", never, InvalidRequest>

/** Every route of the service. */
export class Api extends base
  .add(BalanceApi)
  .add(HistoryApi)
  .add(PriceApi)
  .add(RelayApi)
  .add(ChartApi)
  .add(SystemApi)
  .annotateContext(
    OpenApi.annotations({
      title: "Wallet data",
      description:
        "Balances, transaction history, prices, charts and node access for wallets, on many networks. Every error is a problem document (RFC 9457, `application/problem+json`), and every answer carries `x-request-id`. A number that could not be had is null with a reason, never zero."
    })
  ) {}
