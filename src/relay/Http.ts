import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import { Api } from "../api/Api.ts"
import { DirectRoutes } from "../ready/DirectRoutes.ts"
import * as FirstTransaction from "./firstTransactionHandlers.ts"
import * as Funding from "./fundingHandlers.ts"
import * as Parameters from "./parameterHandlers.ts"
import * as Proxied from "./proxyAnswers.ts"
import { RpcProxy } from "./RpcProxy.ts"
import * as Simulation from "./simulationHandlers.ts"
import * as Transactions from "./transactionAnswers.ts"

const text = ({ text }: HttpServerRequest.HttpServerRequest) => Effect.orElseSucceed(text, () => "")

export const layer = HttpApiBuilder.group(Api, "relay", (handlers) =>
  Effect.gen(function* () {
    const funding = yield* Funding.make
    const transactions = yield* Transactions.make
    const parameters = yield* Parameters.make
    const proxy = yield* RpcProxy
    const main = Proxied.answers(proxy, "main")
    const testnet = Proxied.answers(proxy, "testnet")
    const direct = yield* DirectRoutes
    yield* direct.add("POST", "/utils/rpc/:network", ([network = ""], body) => main(network, body))
    yield* direct.add("POST", "/utils/rpc/:network/testnet", ([network = ""], body) => testnet(network, body))
    return handlers
      .handleRaw("rpc", ({ path, request }) => main(path.network, text(request)))
      .handleRaw("testnetRpc", ({ path, request }) => testnet(path.network, text(request)))
      .handleRaw("sendRawTransaction", transactions.send)
      .handleRaw("getRawTransaction", transactions.find)
      .handle("fundTestnetAccount", ({ path }) => funding.fund(path.address))
      .handleRaw("protocolParameters", ({ request }) => parameters(request))
      .handle("simulate", yield* Simulation.make)
      .handle("firstTransaction", yield* FirstTransaction.make)
  })
)
