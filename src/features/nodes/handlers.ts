import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import { Api } from "../../contract/Api.ts"
import { RawRoutes } from "../../http/RawRoutes.ts"
import * as ParameterHandlers from "./ParameterHandlers.ts"
import * as ProxyHandlers from "./ProxyHandlers.ts"
import { RpcProxy } from "./RpcProxy.ts"

/** RawStep responds before such a request reaches the router. */
const answered = Effect.dieMessage("RawStep responds to this route")

export const layer = HttpApiBuilder.group(Api, "nodes", (handlers) =>
  Effect.gen(function* () {
    const parameters = yield* ParameterHandlers.make
    const proxy = yield* RpcProxy
    const rawRoutes = yield* RawRoutes
    yield* rawRoutes.add("/utils/rpc/:network", ProxyHandlers.make(proxy, "main"))
    yield* rawRoutes.add("/utils/rpc/:network/testnet", ProxyHandlers.make(proxy, "testnet"))
    return handlers
      .handleRaw("rpc", () => answered)
      .handleRaw("testnetRpc", () => answered)
      .handleRaw("protocolParameters", ({ request }) => parameters(request))
  })
)
