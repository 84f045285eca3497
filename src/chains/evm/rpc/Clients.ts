import * as Effect from "effect/Effect"
import type { EvmFacts } from "../../../catalogue/evm/EvmFacts.ts"
import { variablePrefix } from "../../../domain/NetworkId.ts"
import * as Client from "../../../jsonrpc/Client.ts"
import * as ProxyNodes from "../../../jsonrpc/proxy/ProxyNodes.ts"
import * as declare from "../../../settings/declare.ts"
import * as Upstream from "../../../upstream/Upstream.ts"
import { coalescedNetworks } from "./coalescedNetworks.ts"
import * as EvmMethodPolicy from "./EvmMethodPolicy.ts"

/** Nodes of a network for the proxy, and those of its test network: `<NETWORK>_TESTNET_RPC_URLS`. */
export const make = ({ chainId, finality, id, name, proxy }: EvmFacts, nodes: Upstream.Upstream) =>
  Effect.gen(function* () {
    if (proxy === undefined) return undefined
    const { blockTime, testnet } = proxy
    const options = { coalesces: (yield* coalescedNetworks).includes(id) }
    const main = yield* ProxyNodes.make(nodes, EvmMethodPolicy.make({ chainId, blockTime, finality }), options)
    if (testnet === undefined) return { main }
    const urls = yield* declare.urls({
      name: `${variablePrefix(id)}_TESTNET_RPC_URLS`,
      default: testnet.nodes,
      meaning: `JSON-RPC nodes of the test network of ${name}, for the proxy`
    })
    const testNodes = yield* Upstream.make({
      name: `${id}-testnet-rpc`,
      urls,
      canary: (node) => Client.call(node, { method: "eth_blockNumber", params: [] })
    })
    const testPolicy = EvmMethodPolicy.make({ blockTime, finality })
    return { main, testnet: yield* ProxyNodes.make(testNodes, testPolicy, options) }
  })
