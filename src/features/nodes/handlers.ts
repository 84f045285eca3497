import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import { Api } from "../../contract/Api.ts"
import { RawRoutes } from "../../http/RawRoutes.ts"
import * as ParameterHandlers from "./ParameterHandlers.ts"
import * as ProxyHandlers from "./ProxyHandlers.ts"
import { RpcProxy } from "./RpcProxy.ts"

const text = ({ text }: HttpServerRequest.HttpServerRequest) => Effect.orElseSucceed(text, () => "")

export const layer = HttpApiBuilder.group(Api, "nodes", (handlers) =>
  Effect.gen(function* () {
    const parameters = yield* ParameterHandlers.make
    const proxy = yield* RpcProxy
    const main = ProxyHandlers.handler(proxy, "main")
    const testnet = ProxyHandlers.handler(proxy, "testnet")
    const rawRoutes = yield* RawRoutes
    yield* rawRoutes.add("POST", "/utils/rpc/:network", ProxyHandlers.raw(proxy, "main"))
    yield* rawRoutes.add("POST", "/utils/rpc/:network/testnet", ProxyHandlers.raw(proxy, "testnet"))
    return handlers
      .handleRaw("rpc", ({ path, request }) => main(path.network, text(request)))
      .handleRaw("testnetRpc", ({ path, request }) => testnet(path.network, text(request)))
      .handleRaw("protocolParameters", ({ request }) => parameters(request))
  })
)
