import * as Effect from "effect/Effect"
import * as BlockTimes from "../../../catalogue/BlockTimes.ts"
import type { EvmFacts } from "../../../catalogue/evm/EvmFacts.ts"
import { blockTimeOf } from "../../../catalogue/NetworkFacts.ts"
import { variablePrefix } from "../../../domain/NetworkId.ts"
import * as Client from "../../../jsonrpc/Client.ts"
import * as ProxyNodes from "../../../jsonrpc/proxy/ProxyNodes.ts"
import * as declare from "../../../settings/declare.ts"
import * as Call from "../../../upstream/Call.ts"
import * as Upstream from "../../../upstream/Upstream.ts"
import type { ReadFailure } from "../../Chain.ts"
import { signedIn } from "../../kit/sending/nodeReplies.ts"
import * as calls from "../providers/node/calls.ts"
import { sendable } from "../sending.ts"
import { coalescedNetworks } from "./coalescedNetworks.ts"
import * as EvmMethodPolicy from "./EvmMethodPolicy.ts"

/** Block time of networks whose block time is not known, ms. */
const unknownBlockTime = 1_000

/**
 * The abilities of the nodes of a network, and of those of its test network: `<NETWORK>_TESTNET_RPC_URLS`. Nothing is
 * sent to the main network if it is off.
 */
export const make = (facts: EvmFacts, nodes: Upstream.Upstream, off: ReadFailure | undefined) =>
  Effect.gen(function* () {
    const { chainId, finality, id, name, proxy } = facts
    const blockTime = blockTimeOf(facts) ?? unknownBlockTime
    const testnet = proxy?.testnet
    const options = { coalesces: (yield* coalescedNetworks).includes(id) }
    const policy = EvmMethodPolicy.make({
      chainId,
      blockTime,
      finality,
      newest: () => BlockTimes.newest(facts)?.height
    })
    const main = yield* ProxyNodes.make(nodes, policy, options)
    const sending = sendable({ rpc: main, chainId, dataFee: facts.dataFee }, off)
    if (proxy === undefined) return { sending: { main: sending } }
    if (testnet === undefined) return { rpc: { main, signedIn }, sending: { main: sending } }
    const urls = yield* declare.urls({
      name: `${variablePrefix(id)}_TESTNET_RPC_URLS`,
      default: testnet.nodes,
      meaning: `JSON-RPC nodes of the test network of ${name}, for the proxy`
    })
    const testNodes = yield* Upstream.make({
      name: `${id}-testnet-rpc`,
      urls,
      canary: (node) => Client.call(node, Call.methodOf(calls.blockNumber, {}))
    })
    const testPolicy = EvmMethodPolicy.make({ blockTime, finality })
    const testRpc = yield* ProxyNodes.make(testNodes, testPolicy, options)
    const testSending = sendable({ rpc: testRpc, chainId: testnet.chainId })
    return {
      rpc: { main, testnet: testRpc, signedIn },
      sending: { main: sending, testnet: testSending }
    }
  })
