import * as Effect from "effect/Effect"
import { variablePrefix } from "../../../domain/NetworkId.ts"
import * as declare from "../../../settings/declare.ts"
import * as JsonRpc from "../../../upstreams/JsonRpc.ts"
import * as Nodes from "../../../upstreams/rpc/Nodes.ts"
import * as Upstream from "../../../upstreams/Upstream.ts"
import type { EvmInfo } from "../EvmInfo.ts"
import * as Dialect from "./dialect.ts"

/** The nodes of a network as clients may use them, and those of its test network: `<NETWORK>_TESTNET_RPC_URLS`. */
export const make = ({ chainId, finality, id, name, proxy }: EvmInfo, nodes: Upstream.Upstream) =>
  Effect.gen(function* () {
    if (proxy === undefined) return undefined
    const { blockTime, testnet } = proxy
    const main = yield* Nodes.make(nodes, Dialect.make({ chainId, blockTime, finality }))
    if (testnet === undefined) return { main }
    const urls = yield* declare.urls({
      name: `${variablePrefix(id)}_TESTNET_RPC_URLS`,
      default: testnet,
      meaning: `JSON-RPC nodes of the test network of ${name}, for the proxy`
    })
    const testNodes = yield* Upstream.make({
      name: `${id}-testnet-rpc`,
      urls,
      concurrency: 32,
      canary: (node) => JsonRpc.call(node, { method: "eth_blockNumber", params: [] })
    })
    return { main, testnet: yield* Nodes.make(testNodes, Dialect.make({ blockTime, finality })) }
  })
