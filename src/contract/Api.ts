import * as HttpApi from "@effect/platform/HttpApi"
import * as OpenApi from "@effect/platform/OpenApi"
import { AddressesApi } from "./AddressesApi.ts"
import { BalancesApi } from "./BalancesApi.ts"
import { BlocksApi } from "./BlocksApi.ts"
import { ChartsApi } from "./ChartsApi.ts"
import { FaucetApi } from "./FaucetApi.ts"
import { FeesApi } from "./fees/FeesApi.ts"
import { HistoryApi } from "./HistoryApi.ts"
import { IconsApi } from "./IconsApi.ts"
import { NodesApi } from "./nodes/NodesApi.ts"
import { PortfolioApi } from "./PortfolioApi.ts"
import { InvalidRequest } from "./Problem.ts"
import { PricesApi } from "./prices/PricesApi.ts"
import { NetworksApi, StatusApi } from "./StatusApi.ts"
import { TransactionsApi } from "./TransactionsApi.ts"
import { TokenApi } from "./tokens/TokenApi.ts"
import { TokensApi } from "./tokens/TokensApi.ts"

/** `HttpApi.make` documents its own decode error for every 400; the service responds with `InvalidRequest`. */
const base = Object.assign(
  HttpApi.make("wallet-data") as unknown as HttpApi.HttpApi<"wallet-data", never, InvalidRequest>,
  {
    errorSchema: InvalidRequest.schema
  }
) as HttpApi.HttpApi<"wallet-data", never, InvalidRequest>

/** Every route of the service. */
export class Api extends base
  .add(BalancesApi)
  .add(HistoryApi)
  .add(PortfolioApi)
  .add(PricesApi)
  .add(NodesApi)
  .add(TransactionsApi)
  .add(FeesApi)
  .add(BlocksApi)
  .add(FaucetApi)
  .add(ChartsApi)
  .add(AddressesApi)
  .add(IconsApi)
  .add(TokenApi)
  .add(TokensApi)
  .add(NetworksApi)
  .add(StatusApi)
  .annotateContext(
    OpenApi.annotations({
      title: "Wallet data",
      license: { name: "MIT License", url: "https://opensource.org/license/mit" },
      servers: [{ url: "/", description: "The service that served this document." }],
      description:
        "Balances, transaction history, prices, charts and node access for wallets, on many networks. Every error is a problem document (RFC 9457, `application/problem+json`), and every response has the header `x-request-id`. A number that is not available is null with a reason, never zero."
    })
  ) {}
