import * as Effect from "effect/Effect"
import * as Client from "../../../jsonrpc/Client.ts"
import * as ProxyNodes from "../../../jsonrpc/proxy/ProxyNodes.ts"
import * as declare from "../../../settings/declare.ts"
import * as Upstream from "../../../upstream/Upstream.ts"
import { dialect } from "./SuiMethodPolicy.ts"
import * as Translation from "./Translation.ts"

/** JSON-RPC from the operator's nodes, if there are any, otherwise by translation to the GraphQL hosts. */
export const make = (hosts: Upstream.Upstream) =>
  Effect.gen(function* () {
    const urls = yield* declare.urls({
      name: "SUI_RPC_URLS",
      default: [],
      meaning: "JSON-RPC nodes of Sui, for the proxy; without them its calls are translated to GraphQL"
    })
    if (urls.length === 0) return { main: yield* Translation.make(hosts) }
    const nodes = yield* Upstream.make({
      name: "sui-rpc",
      urls,
      concurrency: 32,
      canary: (node) => Client.call(node, { method: "sui_getChainIdentifier", params: [] })
    })
    return { main: yield* ProxyNodes.make(nodes, dialect) }
  })
