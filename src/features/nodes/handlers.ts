import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import { Api } from "../../contract/Api.ts"
import type { NotFound } from "../../contract/Problem.ts"
import { type RawHandler, RawRoutes } from "../../http/RawRoutes.ts"
import * as Finish from "../../http/response/Finish.ts"
import * as Task from "../../kernel/Task.ts"
import * as ParameterHandlers from "./ParameterHandlers.ts"
import * as ProxyHandlers from "./ProxyHandlers.ts"
import { RpcProxy } from "./RpcProxy.ts"

/** As the router would respond, to which no such request comes: `RawStep` has responded before. */
const routed =
  (handler: RawHandler) =>
  (network: string, { text }: HttpServerRequest.HttpServerRequest) =>
    Effect.flatMap(
      Effect.orElseSucceed(text, () => ""),
      (body) => Effect.map(Task.toEffect(handler([network], body, () => Effect.succeed(undefined))), Finish.toPlatform)
    ) as Effect.Effect<HttpServerResponse.HttpServerResponse, NotFound>

export const layer = HttpApiBuilder.group(Api, "nodes", (handlers) =>
  Effect.gen(function* () {
    const parameters = yield* ParameterHandlers.make
    const proxy = yield* RpcProxy
    const [main, testnet] = [ProxyHandlers.make(proxy, "main"), ProxyHandlers.make(proxy, "testnet")]
    const rawRoutes = yield* RawRoutes
    yield* rawRoutes.add("/utils/rpc/:network", main)
    yield* rawRoutes.add("/utils/rpc/:network/testnet", testnet)
    return handlers
      .handleRaw("rpc", ({ path, request }) => routed(main)(path.network, request))
      .handleRaw("testnetRpc", ({ path, request }) => routed(testnet)(path.network, request))
      .handleRaw("protocolParameters", ({ request }) => parameters(request))
  })
)
